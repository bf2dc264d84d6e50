//! What the attributes of one derived type say, with the tokens to blame. Knows neither how they are read nor what follows.

use proc_macro2::Span;
use proc_macro2::TokenStream;
use syn::Ident;
use syn::LitStr;
use syn::Path;
use syn::Type;

/// A struct with `#[derive(KopfCrd)]`.
pub(crate) struct Input {
    /// The struct: the spec of the resource.
    pub(crate) spec: Ident,
    /// `#[kube(…)]`; none when the struct has no such attribute.
    pub(crate) kube: Option<Kube>,
    /// `#[kopf(…)]`.
    pub(crate) kopf: Kopf,
}

/// The part of `#[kube(…)]` that decides what kube's derive emits for the root type.
pub(crate) struct Kube {
    /// The attribute's name, to blame for what it lacks.
    pub(crate) at: Span,
    /// `kind`.
    pub(crate) kind: Option<LitStr>,
    /// `root`: the name of the root type, if it is not the kind.
    pub(crate) root: Option<LitStr>,
    /// `doc`: the root's description.
    pub(crate) doc: Option<LitStr>,
    /// `attr = "doc = …"`: more lines of the root's description.
    pub(crate) docs: Vec<TokenStream>,
    /// `no_spec`: the fields of the spec stand at the root.
    pub(crate) no_spec: bool,
    /// `schema`.
    pub(crate) schema: Option<LitStr>,
    /// `status`.
    pub(crate) status: Option<(Type, Span)>,
    /// `validation` and `cel`, which kube itself applies to derived schemas only.
    pub(crate) rules: Vec<Ident>,
    /// `crates(kube_core = …)`.
    pub(crate) kube_core: Option<Path>,
    /// `crates(serde = …)`.
    pub(crate) serde: Option<Path>,
}

/// `#[kopf(…)]`.
#[derive(Default)]
pub(crate) struct Kopf {
    /// `name`.
    pub(crate) name: Option<LitStr>,
    /// `field`.
    pub(crate) field: Option<LitStr>,
    /// `touch_field`.
    pub(crate) touch_field: Option<LitStr>,
    /// `diffbase_field`.
    pub(crate) diffbase_field: Option<LitStr>,
    /// `storages`.
    pub(crate) storages: Option<LitStr>,
    /// `diffbase`.
    pub(crate) diffbase: Option<LitStr>,
    /// `prefix`.
    pub(crate) prefix: Option<LitStr>,
    /// `result(…)`.
    pub(crate) results: Vec<ResultOf>,
    /// `preserve(…)`.
    pub(crate) preserve: Vec<LitStr>,
    /// `status = "open"`.
    pub(crate) open: bool,
    /// `validation`.
    pub(crate) validations: Vec<TokenStream>,
    /// `cel`.
    pub(crate) cel: bool,
    /// `crate`.
    pub(crate) krate: Option<Path>,
    /// `no_export`.
    pub(crate) no_export: bool,
    /// `round_trip`.
    pub(crate) round_trip: Option<Span>,
}

/// One entry of `result(…)`.
pub(crate) struct ResultOf {
    /// The id of the handler.
    pub(crate) id: String,
    /// Where the id is written.
    pub(crate) at: Span,
    /// What the handler returns.
    pub(crate) ty: ResultType,
}

/// What a handler returns.
pub(crate) enum ResultType {
    /// Anything.
    Any,
    /// A value of this JSON type: `"integer"`.
    Json(LitStr),
    /// A value of this Rust type.
    Rust(Box<Type>),
}
