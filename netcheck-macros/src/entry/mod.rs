//! `#[test]` and `#[main]`: what `#[tokio::test]` and `#[tokio::main]` become where netcheck stands
//! in for tokio.
//!
//! `args` lets a `main` read the arguments of its process. `valid` refuses what tokio refuses: its arguments set up a runtime, so they are only looked at
//! here. `expand` writes the function, `whole` where netcheck is found. The body is not looked into.

mod args;
mod expand;
mod valid;
mod whole;

use proc_macro2::TokenStream;
use quote::quote;

use crate::ctxt::Ctxt;
use crate::function::Function;
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
    let function = match read(Entry::Test, attr, &item) {
        Ok((function, Ok(()))) => function,
        Ok((function, Err(error))) => return fallback::function(&error, &function),
        Err(error) => return fallback::item(&error, &item),
    };
    whole::rooted(expand::test(&function))
}

pub(crate) fn main(attr: TokenStream, item: TokenStream) -> TokenStream {
    match read(Entry::Main, attr, &item) {
        Ok((function, Ok(()))) => whole::rooted(expand::main(&function)),
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

/// The function, and what is wrong with it or with the arguments.
fn read(entry: Entry, attr: TokenStream, item: &TokenStream) -> syn::Result<(Function, syn::Result<()>)> {
    let name = entry.name();
    let function = syn::parse2::<Function>(item.clone()).map_err(|_| {
        let message = format!("`{name}` goes on an async function with a body: `async fn {name}() {{ … }}`");
        syn::Error::new_spanned(item, message)
    })?;
    let cx = Ctxt::new();
    valid::arguments(entry, &words::parse(attr, &cx), &cx);
    valid::function(entry, &function, &cx);
    Ok((function, cx.check()))
}

#[cfg(test)]
mod tests;
