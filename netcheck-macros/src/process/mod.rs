//! `#[process]`: turns an async fn into one that returns a re-creatable process value.
//!
//! `valid` refuses what is not isolated or cannot be re-created, as far as the signature shows it;
//! the rest is for the trait bounds. `crate::capture` rewrites the body, `expand` writes the function.

mod attr;
mod expand;
mod valid;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::Block;

use crate::capture;
use crate::ctxt::Ctxt;
use crate::fallback;
use crate::function::Function;

pub(crate) fn attribute(attr: TokenStream, item: TokenStream) -> TokenStream {
    let function = match syn::parse2::<Function>(item.clone()) {
        Ok(function) => function,
        Err(_) => {
            let error = syn::Error::new_spanned(
                &item,
                "`process` goes on an async function with a body: `async fn client(server: String) -> u32 { … }`",
            );
            return fallback::item(&error, &item);
        }
    };
    let mut function = function;
    let cx = Ctxt::new();
    let captures = attr::captures(attr, &cx);
    valid::function(&function, &cx);
    body(&mut function, captures, &cx);
    match cx.check() {
        Ok(()) => expand::process(&function),
        Err(error) => fallback::function(&error, &function),
    }
}

/// Captures the loops of a body that parses; of any other, rustc alone judges the syntax.
fn body(function: &mut Function, captures: bool, cx: &Ctxt) {
    let Ok(mut block) = syn::parse2::<Block>(function.body.to_token_stream()) else { return };
    if captures && cx.is_clean() {
        capture::rewrite_isolated(&function.sig, &mut block, cx);
    } else {
        capture::untouched(&mut block, cx);
    }
    function.body = TokenTree::Group(group(&block));
}

/// A block as the group of tokens that it is.
fn group(block: &Block) -> Group {
    let stmts = &block.stmts;
    let mut group = Group::new(Delimiter::Brace, quote!(#(#stmts)*));
    group.set_span(block.brace_token.span.join());
    group
}

#[cfg(test)]
mod tests;
