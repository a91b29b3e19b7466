//! Writes the test, and the `main` that is not run.
//!
//! The test registers the user's async fn, whole, as a process; all behaviour is in
//! `run_async_test`. From
//!
//! ```ignore
//! /// The client gets its answer.
//! #[test]
//! #[should_panic(expected = "no answer")]
//! async fn answers() -> Result<(), Error> {
//!     ask().await
//! }
//! ```
//!
//! comes (a test below keeps this true)
//!
//! ```ignore
//! /// The client gets its answer.
//! #[should_panic(expected = "no answer")]
//! #[::core::prelude::v1::test]
//! fn answers() {
//!     async fn answers() -> Result<(), Error> {
//!         ask().await
//!     }
//!     ::netcheck::__private::run_async_test(
//!         ::netcheck::__private::TestInfo {
//!             package: ::core::option_env!("CARGO_PKG_NAME"),
//!             module: ::core::module_path!(),
//!             name: "answers",
//!             file: ::core::file!(),
//!             line: ::core::line!(),
//!         },
//!         ::netcheck::__private::ShouldPanic::Yes,
//!         |__net| {
//!             __net.process("test", || async { ::netcheck::__private::ended(answers().await) });
//!         },
//!     )
//! }
//! ```

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Ident, ReturnType, Type};

use super::args::redirected;
use crate::function::{Function, should_panic};

pub(super) fn test(function: &Function) -> TokenStream {
    let Function { attrs, vis, sig, body } = function;
    let name = &sig.ident;
    let name_text = name.unraw().to_string();
    // A local of ours that the user's tokens cannot see.
    let net = Ident::new("__net", Span::mixed_site());
    let should_panic = should_panic(function);
    // At the user's function name: the line that a report names.
    let run = quote_spanned! {name.span()=>
        ::netcheck::__private::run_async_test(
            ::netcheck::__private::TestInfo {
                package: ::core::option_env!("CARGO_PKG_NAME"),
                module: ::core::module_path!(),
                name: #name_text,
                file: ::core::file!(),
                line: ::core::line!(),
            },
            ::netcheck::__private::ShouldPanic::#should_panic,
            |#net| {
                #net.process("test", || async { ::netcheck::__private::ended(#name().await) });
            },
        )
    };
    quote! {
        #(#attrs)*
        #[::core::prelude::v1::test]
        #vis fn #name() {
            #sig #body
            #run
        }
    }
}

/// In a test build, `main` stays what it is, but for the arguments that it reads: an async function that a test can register
/// as a process. Nothing runs it otherwise, since the test harness has a `main` of its own. Everything else can be called, and refuses to run.
pub(super) fn main(function: &Function) -> TokenStream {
    let refused = refused(function);
    if function.sig.ident != "main" {
        return refused;
    }
    let Function { attrs, vis, sig, body } = function;
    let body = redirected(body.to_token_stream());
    quote! {
        #[cfg(test)]
        #(#attrs)*
        #vis #sig #body
        #[cfg(not(test))]
        #refused
    }
}

/// A function with the same signature, but for `async`. The body is a block of its own, which is
/// compiled and never polled.
pub(super) fn refused(function: &Function) -> TokenStream {
    let Function { attrs, vis, sig, body } = function;
    let mut sig = sig.clone();
    sig.asyncness = None;
    let refused = |output: &TokenStream| quote_spanned!(sig.ident.span()=> ::netcheck::__private::refuse_to_run::<#output>(async move #body));
    let refused = match &sig.output {
        ReturnType::Default => refused(&quote!(())),
        ReturnType::Type(_, ty) => match &**ty {
            Type::ImplTrait(_) => refused(&quote!(_)),
            // `!` can't be a generic argument.
            Type::Never(_) => {
                let refused = refused(&quote!(::core::convert::Infallible));
                quote!(match #refused {})
            }
            ty => refused(&ty.to_token_stream()),
        },
    };
    quote! {
        #(#attrs)*
        #vis #sig {
            #refused
        }
    }
}
