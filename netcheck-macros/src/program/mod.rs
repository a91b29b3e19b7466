//! `#[program]`: a module or an impl block that is written on tokio and std, made ready for a check.
//!
//! `redirect` lets its paths lead to netcheck, and refuses those to what cannot be modelled, which
//! `unmodelled` lists; `scope` knows what names stand for, `imports` and `tokens` are the two places
//! where a path does not look like one: in a `use`, and in a macro. `captured` hands each async
//! function to `capture`.
//!
//! Only what stands in the item is seen: an import from outside keeps its meaning.

mod captured;
mod imports;
mod redirect;
mod scope;
mod tokens;
mod unmodelled;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::Item;

use crate::ctxt::Ctxt;
use crate::{capture, fallback};

pub(crate) fn attribute(attr: TokenStream, item: TokenStream) -> TokenStream {
    let cx = Ctxt::new();
    let is_tracked = attr.to_string() == "tracked";
    if !attr.is_empty() && !is_tracked {
        cx.error(
            &attr,
            "`program` takes no word but `tracked`: write `#[netcheck::program]` or `#[netcheck::program(tracked)]`",
        );
    }
    let program = read(&item, &cx).map(|mut program| {
        redirect::item(&mut program, is_tracked, &cx);
        captured::item(&mut program, |sig, body| capture::rewrite(sig, body, &cx));
        program.into_token_stream()
    });
    match cx.check() {
        Ok(()) => program.unwrap_or(item),
        Err(error) => fallback::item(&error, &item),
    }
}

/// The module or the impl block; anything else is reported.
fn read(item: &TokenStream, cx: &Ctxt) -> Option<Item> {
    let what = match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Mod(module)) if module.content.is_none() => {
            "`program` can't look into another file: write `mod name { … }` here, or in that file"
        }
        Ok(program @ (Item::Mod(_) | Item::Impl(_))) => return Some(program),
        Ok(Item::Fn(_)) => {
            "`program` goes on a module or an impl block: put the function into `mod protocol { … }`, \
             and the attribute on the module"
        }
        Ok(_) => "`program` goes on a module with a body, `mod protocol { … }`, or on an impl block",
        Err(error) => {
            cx.push(error);
            return None;
        }
    };
    cx.error(item, what);
    None
}

#[cfg(test)]
mod tests;
