//! The words of `#[process]`.

use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::{Expr, ExprLit, Lit};

use crate::ctxt::Ctxt;
use crate::words::{self, Form, Word};

/// Whether loops are captured: always, but for `capture = false`.
pub(super) fn captures(attr: TokenStream, cx: &Ctxt) -> bool {
    let mut captures = None;
    for Word { name, form } in words::parse(attr, cx) {
        if name.unraw() != "capture" {
            cx.error(&name, netcheck_words::unknown(&name.to_string(), &["capture"], "the words of `process` are"));
            continue;
        }
        if captures.is_some() {
            cx.error(&name, "`capture` is said twice: take one of them away");
        }
        captures = Some(true);
        match form {
            Form::Value(value) => match bool(&value) {
                Some(value) => captures = Some(value),
                None => cx.error(&value, "expected `true` or `false`: write `capture = false`"),
            },
            Form::Alone | Form::List(_) => {
                cx.error(&name, "`capture` needs a value: write `capture = false`, or leave it out");
            }
            Form::Broken => {}
        }
    }
    captures.unwrap_or(true)
}

fn bool(value: &Expr) -> Option<bool> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Bool(value), .. }) => Some(value.value),
        _ => None,
    }
}
