//! `#[model_check(…)]`: turns a function that registers programs into a test that checks them.
//!
//! `ast` is what the words say, `attr` reads it off the attribute, `valid` refuses what does not go
//! together, `expand` writes the test. Nothing here knows what a word *does*: that is the builder's
//! business, in `netcheck::check`.

mod ast;
mod attr;
mod expand;
mod valid;

use proc_macro2::TokenStream;

use crate::ctxt::Ctxt;
use crate::function::Function;
use crate::{fallback, words};

pub(crate) fn attribute(attr: TokenStream, item: TokenStream) -> TokenStream {
    let function = match syn::parse2::<Function>(item.clone()) {
        Ok(function) => function,
        Err(mut error) => {
            if !looks_like_function(&item) {
                error = syn::Error::new_spanned(
                    &item,
                    "`model_check` goes on a function: `fn name(net: &mut netcheck::Network) { … }`",
                );
            }
            return fallback::item(&error, &item);
        }
    };
    let cx = Ctxt::new();
    let check = attr::read(words::parse(attr, &cx), &cx);
    valid::check(&check, &cx);
    valid::function(&function, &cx);
    match cx.check() {
        Ok(()) => expand::test(&check, &function),
        Err(error) => fallback::function(&error, &function),
    }
}

/// Whether `fn` stands before the first braces: then rustc's or syn's own complaint is the better
/// one.
fn looks_like_function(item: &TokenStream) -> bool {
    use proc_macro2::{Delimiter, TokenTree};
    item.clone()
        .into_iter()
        .take_while(|tree| !matches!(tree, TokenTree::Group(g) if g.delimiter() == Delimiter::Brace))
        .any(|tree| matches!(tree, TokenTree::Ident(ident) if ident == "fn"))
}

#[cfg(test)]
mod tests;
