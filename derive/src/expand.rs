//! The code that a derived type gets: facts, the root's schema, the hidden test. What they mean is the library's business.

use proc_macro2::Ident;
use proc_macro2::Span;
use proc_macro2::TokenStream;
use quote::format_ident;
use quote::quote;
use syn::LitStr;
use syn::ext::IdentExt as _;

use crate::ast::Input;
use crate::ast::Kopf;
use crate::ast::Kube;
use crate::ast::ResultType;

/// All impls of a derived type without mistakes.
pub(crate) fn expand(input: &Input, kube: &Kube, root: &Ident) -> TokenStream {
    let krate = krate(&input.kopf);
    let facts = facts_impl(&input.kopf, root, &krate);
    let schema = schema_impl(input, kube, root, &krate);
    let cel = input.kopf.cel.then(|| cel_impl(kube, root));
    let test = (!input.kopf.no_export).then(|| export_test(root, &krate));
    let demand = round_trip(input, kube, &krate);
    quote! { #facts #schema #cel #test #demand }
}

/// The name of the root type that kube's derive makes. None when it cannot be a name: kube says so itself.
pub(crate) fn root(kube: &Kube) -> Option<Ident> {
    let name = kube.root.as_ref().or(kube.kind.as_ref())?;
    syn::parse_str::<Ident>(&name.value()).ok().map(|mut it| {
        it.set_span(Span::call_site());
        it
    })
}

/// The path of the library.
pub(crate) fn krate(kopf: &Kopf) -> TokenStream {
    match &kopf.krate {
        Some(path) => quote! { #path },
        None => quote! { ::kopf_crd },
    }
}

/// `impl KopfCrd`: only facts, nothing is decided here.
pub(crate) fn facts_impl(kopf: &Kopf, root: &Ident, krate: &TokenStream) -> TokenStream {
    let text = |it: &Option<LitStr>| match it {
        Some(it) => quote! { ::core::option::Option::Some(#it) },
        None => quote! { ::core::option::Option::None },
    };
    let (name, field, touch_field) = (text(&kopf.name), text(&kopf.field), text(&kopf.touch_field));
    let (diffbase_field, prefix) = (text(&kopf.diffbase_field), text(&kopf.prefix));
    let (storages, diffbase) = (text(&kopf.storages), text(&kopf.diffbase));
    let (preserve, open) = (&kopf.preserve, kopf.open);
    let results = kopf.results.iter().map(|result| {
        let id = &result.id;
        let ty = match &result.ty {
            ResultType::Any => quote! { #krate::ResultType::Any },
            ResultType::Json(name) => quote! { #krate::ResultType::Json(#name) },
            ResultType::Rust(ty) => quote! {
                #krate::ResultType::Rust(|generator| generator.subschema_for::<#ty>())
            },
        };
        quote! { (#id, #ty) }
    });
    quote! {
        #[automatically_derived]
        impl #krate::KopfCrd for #root {
            const FACTS: #krate::Facts = #krate::Facts {
                name: #name,
                field: #field,
                touch_field: #touch_field,
                diffbase_field: #diffbase_field,
                storages: #storages,
                diffbase: #diffbase,
                prefix: #prefix,
                results: &[#(#results),*],
                preserve: &[#(#preserve),*],
                open: #open,
            };
        }
    }
}

/// `impl JsonSchema` for the root, which kube leaves out with `schema = "manual"`.
///
/// The struct inside repeats what kube's own root looks like to schemars, so the schema is kube's own but for what
/// the library opens and mends in it.
fn schema_impl(input: &Input, kube: &Kube, root: &Ident, krate: &TokenStream) -> TokenStream {
    let spec = &input.spec;
    let schemars = quote! { #krate::__private::schemars };
    let schemars_path = schemars.to_string();
    let title = root.unraw().to_string();
    let doc = kube.doc.as_ref().map_or_else(
        || format!(" Auto-generated derived type for {spec} via `CustomResource`"),
        LitStr::value,
    );
    let docs = kube.docs.iter().map(|it| quote! { #[#it] });
    let flatten = kube.no_spec.then(|| quote! { #[serde(flatten)] });
    let status = kube.status.as_ref().map(|(ty, _)| {
        quote! {
            #[serde(skip_serializing_if = "Option::is_none")]
            status: ::core::option::Option<#ty>,
        }
    });
    let rules = rules(&input.kopf, kube);
    let allow = allow();
    quote! {
        #[automatically_derived]
        impl #schemars::JsonSchema for #root {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> #krate::__private::Cow<'static, str> {
                #krate::__private::Cow::Borrowed(#title)
            }

            fn json_schema(generator: &mut #schemars::SchemaGenerator) -> #schemars::Schema {
                #allow
                #[derive(#schemars::JsonSchema)]
                #[schemars(crate = #schemars_path)]
                #[serde(rename_all = "camelCase")]
                #[doc = #doc]
                #(#docs)*
                struct KopfCrdRoot {
                    #flatten
                    spec: #spec,
                    #status
                }
                #[allow(unused_mut)]
                let mut schema = <KopfCrdRoot as #schemars::JsonSchema>::json_schema(generator);
                #rules
                #krate::__private::open(generator, schema, &<Self as #krate::KopfCrd>::FACTS)
            }
        }
    }
}

/// `#[kopf(validation = …)]`, as `KubeSchema` applies `#[x_kube(validation = …)]`.
fn rules(kopf: &Kopf, kube: &Kube) -> Option<TokenStream> {
    if kopf.validations.is_empty() {
        return None;
    }
    let (core, rules) = (kube_core(kube), &kopf.validations);
    Some(quote! {
        {
            #[allow(unused_imports)]
            use #core::{Message, Reason, Rule};
            #(#core::validate(&mut schema, #rules).expect("a rule is plain data");)*
        }
    })
}

/// `#[kopf(cel)]`: the methods that `#[kube(cel)]` gives. They read the rules from `crd()`, so they see the opened schema.
fn cel_impl(kube: &Kube, root: &Ident) -> TokenStream {
    let core = kube_core(kube);
    quote! {
        #[automatically_derived]
        impl #root {
            /// Checks this resource against the CEL rules of its CRD for creation, without an API server.
            pub fn validate_cel(&self) -> ::core::result::Result<(), #core::cel::ValidationErrors> {
                #core::cel::validate_cel(self)
            }

            /// Checks this resource against the CEL rules of its CRD for an update of `old`, without an API server.
            pub fn validate_cel_update(&self, old: &Self) -> ::core::result::Result<(), #core::cel::ValidationErrors> {
                #core::cel::validate_cel_update(self, old)
            }
        }
    }
}

/// The hidden test: asserts the guarantee, and hands the CRD to `cargo kopf-crd generate` when that asks.
fn export_test(root: &Ident, krate: &TokenStream) -> TokenStream {
    let test = format_ident!("kopf_crd_export_{}", root.unraw());
    quote! {
        #[cfg(test)]
        #[test]
        #[allow(non_snake_case)]
        fn #test() {
            #krate::__private::export::<#root>(#krate::__private::Origin {
                ty: ::core::stringify!(#root),
                module: ::core::module_path!(),
                file: ::core::file!(),
                line: ::core::line!(),
            });
        }
    }
}

/// The compiler's own proof that the status type gives back what it does not know.
fn round_trip(input: &Input, kube: &Kube, krate: &TokenStream) -> Option<TokenStream> {
    input.kopf.round_trip?;
    let (status, span) = kube.status.as_ref()?;
    // The bound is checked where the status is written, so the message points there.
    let demand = quote::quote_spanned! { *span => demand::<#status>() };
    Some(quote! {
        const _: fn() = || {
            fn demand<T: #krate::RoundTrip>() {}
            #demand;
        };
    })
}

fn kube_core(kube: &Kube) -> TokenStream {
    match &kube.kube_core {
        Some(path) => quote! { #path },
        None => quote! { ::kube::core },
    }
}

/// Lints that a struct nobody constructs would wake in a user's crate.
fn allow() -> TokenStream {
    quote! { #[allow(dead_code, missing_docs, non_snake_case, unreachable_pub, clippy::all, clippy::pedantic)] }
}
