//! `#[test]` and `#[main]`: what `#[tokio::test]` and `#[tokio::main]` become where netcheck stands
//! in for tokio.
//!
//! `args` lets a `main` read the arguments of its process. `valid` refuses what tokio refuses: its arguments set up a runtime, so they are only looked at
//! here. `expand` writes the function. The body is not looked into.

mod args;
mod expand;
mod valid;

use proc_macro2::TokenStream;
use quote::quote;
use syn::Path;

use crate::ctxt::Ctxt;
use crate::function::Function;
use crate::whole;
use crate::{fallback, words};

/// Which of the two attributes.
#[derive(Clone, Copy, PartialEq)]
enum Entry {
    Test,
    Main,
}

impl Entry {
    fn name(self) -> &'static str {
        match self {
            Entry::Test => "test",
            Entry::Main => "main",
        }
    }
}

pub(crate) fn test(attr: TokenStream, item: TokenStream) -> TokenStream {
    match read(Entry::Test, attr, &item) {
        Ok((function, Ok(tokio))) => whole::rooted(expand::test(&function), tokio.as_ref()),
        Ok((function, Err(error))) => fallback::function(&error, &function),
        Err(error) => fallback::item(&error, &item),
    }
}

pub(crate) fn main(attr: TokenStream, item: TokenStream) -> TokenStream {
    match read(Entry::Main, attr, &item) {
        Ok((function, Ok(tokio))) => whole::rooted(expand::main(&function), tokio.as_ref()),
        // An async `main` would be a mistake of its own.
        Ok((function, Err(error))) if function.sig.asyncness.is_some() => {
            let errors = error.to_compile_error();
            let function = expand::refused(&function);
            quote! {
                #errors
                #[allow(dead_code, unused_variables)]
                #function
            }
        }
        Ok((function, Err(error))) => fallback::function(&error, &function),
        Err(error) => fallback::item(&error, &item),
    }
}

/// The function, and where tokio is if the arguments say so; or what is wrong with it or with the arguments.
fn read(entry: Entry, attr: TokenStream, item: &TokenStream) -> syn::Result<(Function, syn::Result<Option<Path>>)> {
    let name = entry.name();
    let function = syn::parse2::<Function>(item.clone()).map_err(|_| {
        let message = format!("`{name}` goes on an async function with a body: `async fn {name}() {{ … }}`");
        syn::Error::new_spanned(item, message)
    })?;
    let cx = Ctxt::new();
    let words = words::parse(attr, &cx);
    valid::arguments(entry, &words, &cx);
    valid::function(entry, &function, &cx);
    let tokio = valid::tokio(&words, &cx);
    Ok((function, cx.check().map(|()| tokio)))
}

#[cfg(test)]
mod tests;
