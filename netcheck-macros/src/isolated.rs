//! `#[derive(Isolated)]`: a value is isolated if each of its fields is.
//!
//! From
//!
//! ```ignore
//! enum Job<T> {
//!     Stop,
//!     Send(String, T),
//!     Retry { after: Duration },
//! }
//! ```
//!
//! comes (a test below keeps this true)
//!
//! ```ignore
//! #[automatically_derived]
//! impl<T: ::netcheck::Isolated> ::netcheck::Isolated for Job<T> {
//!     fn visit_handles(&self, __visitor: &mut dyn ::core::ops::FnMut(::netcheck::__private::HandleId)) {
//!         match self {
//!             Self::Stop { } => { }
//!             Self::Send { 0: __field0, 1: __field1, } => {
//!                 <String as ::netcheck::Isolated>::visit_handles(__field0, __visitor);
//!                 <T as ::netcheck::Isolated>::visit_handles(__field1, __visitor);
//!             }
//!             Self::Retry { after: __field0, } => {
//!                 <Duration as ::netcheck::Isolated>::visit_handles(__field0, __visitor);
//!             }
//!         }
//!     }
//! }
//! ```

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Fields, Ident, Member, parse_quote};

use crate::ctxt::Ctxt;

pub(crate) fn derive(input: TokenStream) -> TokenStream {
    let input = match syn::parse2::<DeriveInput>(input) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let cx = Ctxt::new();
    if let Data::Union(data) = &input.data {
        cx.error(data.union_token, "a union can't be isolated: nobody knows which of its fields is there; use an enum");
    }
    for lifetime in input.generics.lifetimes() {
        cx.error(lifetime, "an isolated value can't borrow, so its type has no lifetimes; hold owned values");
    }
    match cx.check() {
        Ok(()) => expand(input),
        Err(error) => error.to_compile_error(),
    }
}

fn expand(input: DeriveInput) -> TokenStream {
    let DeriveInput { ident: name, mut generics, data, .. } = input;
    for param in generics.type_params_mut() {
        param.bounds.push(parse_quote!(::netcheck::Isolated));
    }
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let visitor = Ident::new("__visitor", Span::mixed_site());
    let body = match &data {
        Data::Struct(data) => {
            let arm = arm(quote!(Self), &data.fields, &visitor);
            quote!(match self { #arm })
        }
        Data::Enum(data) if data.variants.is_empty() => quote!(match *self {}),
        Data::Enum(data) => {
            let arms = data.variants.iter().map(|variant| {
                let name = &variant.ident;
                arm(quote!(Self::#name), &variant.fields, &visitor)
            });
            quote!(match self { #(#arms)* })
        }
        Data::Union(_) => unreachable!("unions are refused before"),
    };
    quote! {
        #[automatically_derived]
        impl #impl_generics ::netcheck::Isolated for #name #type_generics #where_clause {
            fn visit_handles(&self, #visitor: &mut dyn ::core::ops::FnMut(::netcheck::__private::HandleId)) {
                #body
            }
        }
    }
}

/// Visits each field, at the span of its type: a type that is not isolated is a mistake there.
fn arm(path: TokenStream, fields: &Fields, visitor: &Ident) -> TokenStream {
    let members: Vec<Member> = fields.members().collect();
    let bindings: Vec<Ident> =
        (0..members.len()).map(|i| format_ident!("__field{i}", span = Span::mixed_site())).collect();
    let visits = fields.iter().zip(&bindings).map(|(field, binding)| {
        let ty = &field.ty;
        quote_spanned!(ty.span()=> <#ty as ::netcheck::Isolated>::visit_handles(#binding, #visitor);)
    });
    quote! {
        #path { #(#members: #bindings,)* } => {
            #(#visits)*
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_documented, messages};

    #[test]
    fn the_expansion_in_the_docs_is_the_true_one() {
        assert_documented(include_str!("isolated.rs"), derive);
    }

    #[test]
    fn a_union_is_refused() {
        let output = derive("union Both { a: u32, b: f32 }".parse().unwrap());
        assert_eq!(
            messages(&output),
            ["a union can't be isolated: nobody knows which of its fields is there; use an enum"]
        );
    }

    #[test]
    fn a_lifetime_is_refused() {
        let output = derive("struct Job<'a>(&'a str);".parse().unwrap());
        assert_eq!(
            messages(&output),
            ["an isolated value can't borrow, so its type has no lifetimes; hold owned values"]
        );
    }

    #[test]
    fn a_type_without_fields_visits_nothing() {
        for item in ["struct Unit;", "enum Never {}", "struct Empty {}", "struct Tuple();"] {
            let output = derive(item.parse().unwrap());
            assert!(syn::parse2::<syn::ItemImpl>(output.clone()).is_ok(), "{output}");
        }
    }
}
