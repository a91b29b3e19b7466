//! `#[model_check(…)]`: turns a function that registers programs into a test that checks them, or
//! into several: one for each attribute.
//!
//! `ast` is what the words say, `attr` reads it off the attribute, `delay` reads delays, `name` is what a test is called,
//! `valid` refuses what does not go together, `expand` writes the tests, `calls` their builders. The words themselves stand in
//! the crate `netcheck-words`. Nothing here knows what a word *does*: that is the builder's business, in `netcheck::check`.

mod ast;
mod attr;
mod calls;
mod delay;
mod expand;
mod name;
mod valid;

use proc_macro2::TokenStream;
use syn::{Attribute, Meta};

use crate::ctxt::Ctxt;
use crate::function::{Function, attr_name};
use crate::{fallback, words};
use ast::ModelCheck;

pub(crate) fn attribute(attr: TokenStream, item: TokenStream) -> TokenStream {
    let mut function = match syn::parse2::<Function>(item.clone()) {
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
    let mut checks = vec![read(attr, &cx)];
    for other in function.attrs.extract_if(.., |attr| attr_name(attr) == "model_check") {
        checks.push(ModelCheck { attribute: Some(other.path().clone()), ..read(tokens(other, &cx), &cx) });
    }
    valid::names(&checks, &cx);
    valid::function(&function, &cx);
    valid::should_panic(&checks, &function, &cx);
    match cx.check() {
        Ok(()) => expand::tests(&checks, &function),
        Err(error) => fallback::function(&error, &function),
    }
}

/// The words of one attribute.
fn read(words: TokenStream, cx: &Ctxt) -> ModelCheck {
    // A mistake in one attribute hides none in another.
    let own = Ctxt::new();
    let check = attr::read(words::parse(words, &own), &own);
    valid::check(&check, &own);
    if let Err(error) = own.check() {
        cx.push(error);
    }
    check
}

/// The words of a further attribute.
fn tokens(attr: Attribute, cx: &Ctxt) -> TokenStream {
    match attr.meta {
        Meta::Path(_) => TokenStream::new(),
        Meta::List(list) => list.tokens,
        Meta::NameValue(value) => {
            cx.error(value, "`model_check` has its words in parentheses: write `#[model_check(udp(loss))]`");
            TokenStream::new()
        }
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
