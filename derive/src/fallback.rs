//! What a type with mistakes gets: the impls that other code asks for, so that one mistake gives one message.

use proc_macro2::TokenStream;
use quote::quote;

use crate::ast::Input;
use crate::ast::Kopf;
use crate::expand;

/// Impls that satisfy the compiler and say nothing.
pub(crate) fn expand(input: &Input) -> TokenStream {
    let Some((kube, root)) = input.kube.as_ref().and_then(|it| expand::root(it).map(|root| (it, root)))
    else {
        return TokenStream::new();
    };
    let krate = expand::krate(&input.kopf);
    // The facts of a type with mistakes may hold the mistakes: those of a plain type do not.
    let facts = expand::facts_impl(&Kopf::default(), &root, &krate);
    // Without "manual", kube implements `JsonSchema` itself.
    let manual = kube.schema.as_ref().is_some_and(|it| it.value() == "manual");
    let schema = manual.then(|| {
        quote! {
            #[automatically_derived]
            impl #krate::__private::schemars::JsonSchema for #root {
                fn schema_name() -> #krate::__private::Cow<'static, str> {
                    ::core::unreachable!()
                }

                fn json_schema(_: &mut #krate::__private::schemars::SchemaGenerator) -> #krate::__private::schemars::Schema {
                    ::core::unreachable!()
                }
            }
        }
    });
    quote! { #facts #schema }
}
