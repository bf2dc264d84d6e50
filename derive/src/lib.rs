//! The derive macro of kopf-crd. Use it as `kopf_crd::KopfCrd`; this crate is a part of that one.

mod ast;
mod attr;
mod expand;
mod fallback;
mod valid;

use proc_macro::TokenStream;
use syn::DeriveInput;

/// Gives the CRD of a [kube](https://docs.rs/kube) resource the places where a Kopf operator keeps its state.
///
/// Derived beside kube's `CustomResource`, in either order, with `schema = "manual"`:
///
/// ```ignore
/// #[derive(CustomResource, KopfCrd, Clone, Debug, Serialize, Deserialize, JsonSchema)]
/// #[kube(group = "example.com", version = "v1", kind = "Widget", namespaced, status = "WidgetStatus", schema = "manual")]
/// #[kopf(result(create_fn))]
/// pub struct WidgetSpec { /* … */ }
/// ```
///
/// `schema = "manual"` tells kube that the schema of `Widget` comes from elsewhere: from here. So kube's own
/// `Widget::crd()` has the places, and code that never heard of this crate cannot bypass them. The schema is the one
/// that kube would have derived, but for what is opened for Kopf and for the traps that are mended (listed at
/// `kopf_crd::mend`).
///
/// The macro emits, for the root type:
/// * `impl KopfCrd`, which carries what the attributes state;
/// * `impl JsonSchema`, the schema;
/// * under `#[cfg(test)]`, a test `kopf_crd_export_Widget` that asserts in every `cargo test` that the API server would
///   accept the CRD and keep what Kopf writes. `cargo kopf-crd generate` runs it to get the CRD. Nothing is written
///   unless that command asks.
///
/// # Attributes
///
/// All are optional. Without any, the contract is that of Kopf's `StatusProgressStorage()` and
/// `StatusDiffBaseStorage()`: everything below `status.kopf`.
///
/// | `#[kopf(…)]` | states |
/// |---|---|
/// | `name = "my-op"` | the `name=` of the storages: `status.my-op` |
/// | `field = "status.my-op.progress"` | the `field=` of the progress storage; `{name}` stands for the name |
/// | `touch_field = "status.my-op.dummy"` | its `touch_field=` |
/// | `diffbase_field = "status.my-op.last"` | the `field=` of the diff-base storage |
/// | `storages = "status"` | which progress storages are used: `"status"` (the default), `"smart"`, `"annotations"` or `"multi"` |
/// | `diffbase = "status"` | where the last-handled configuration is kept: `"status"` or `"annotations"` |
/// | `prefix = "my-op.example.com"` | the prefix of the annotations |
/// | `result(create_fn, "resize/spec.size")` | handlers that return something, which Kopf puts into `status.<id>`: any value, or what the status type declares there |
/// | `result(create_fn = "integer")` | the same, with the JSON type of the result |
/// | `result(create_fn = Outcome)` | the same, with a Rust type that implements `JsonSchema` |
/// | `preserve("status.notes", "spec.extra")` | further places to keep whole |
/// | `status = "open"` | opens the whole status, not only the places above |
/// | `validation = "self.spec.size > 0"` | a CEL rule for the root, as `#[kube(validation = …)]`; a `Rule` too |
/// | `cel` | `validate_cel` and `validate_cel_update`, as `#[kube(cel)]`; needs the feature `cel` of kube |
/// | `round_trip` | demands at compile time that the status type gives back what it does not know: `status = "Kopf<WidgetStatus>"` |
/// | `no_export` | leaves the hidden test out: for types inside functions, where a test cannot be run |
/// | `crate = path` | where this library is found: `::kopf_crd` unless it is renamed or re-exported |
///
/// # Validation rules
///
/// Rules on fields and on the spec (`#[derive(KubeSchema)]` with `#[x_kube(validation = …)]`) work as ever. Rules for the
/// root move from `#[kube(validation = …)]` and `#[kube(cel)]` to `#[kopf(validation = …)]` and `#[kopf(cel)]`, because
/// kube applies them to schemas that it derives itself; they mean the same, and leaving them behind is an error.
#[proc_macro_derive(KopfCrd, attributes(kopf))]
pub fn kopf_crd(input: TokenStream) -> TokenStream {
    let derived = syn::parse_macro_input!(input as DeriveInput);
    let mut errors = attr::Errors::default();
    let input = attr::read(&derived, &mut errors);
    valid::check(&derived, &input, &mut errors);
    if let Some(messages) = errors.tokens() {
        let usable = fallback::expand(&input);
        return quote::quote! { #messages #usable }.into();
    }
    // Without a kind, kube's derive reports what is missing.
    let root = input.kube.as_ref().and_then(|kube| expand::root(kube).map(|root| (kube, root)));
    root.map(|(kube, root)| expand::expand(&input, kube, &root)).unwrap_or_default().into()
}
