//! Refuses arguments that tokio refuses, and functions that cannot become a test or a `main`.

use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Lit, Path};

use super::Entry;
use crate::ctxt::Ctxt;
use crate::function::{Function, attr_name};
use crate::words::{Form, Word};

const ARGUMENTS: &[&str] = &["flavor", "worker_threads", "start_paused", "crate", "unhandled_panic", "name"];
const FLAVORS: &[&str] = &["current_thread", "multi_thread", "local"];
const UNHANDLED_PANICS: &[&str] = &["ignore", "shutdown_runtime"];

pub(super) fn arguments(entry: Entry, words: &[Word], cx: &Ctxt) {
    let mut flavor = None;
    for (i, word) in words.iter().enumerate() {
        let name = word.name.to_string();
        if words[..i].iter().any(|earlier| earlier.name == word.name) {
            cx.error(&word.name, format_args!("`{name}` is said twice: keep one"));
        } else if !ARGUMENTS.contains(&name.as_str()) {
            let whose = format!("the arguments of `tokio::{}` are", entry.name());
            cx.error(&word.name, netcheck_words::unknown(&name, ARGUMENTS, &whose));
        } else if let Some(literal) = literal(word, cx) {
            value(&name, literal, cx);
            if let ("flavor", Lit::Str(literal)) = (name.as_str(), literal) {
                flavor = Some(literal.value());
            }
        }
    }
    if cx.is_clean() {
        combination(entry, flavor.as_deref(), words, cx);
    }
}

/// Where tokio is, if the arguments say so.
pub(super) fn tokio(words: &[Word], cx: &Ctxt) -> Option<Path> {
    let word = words.iter().find(|word| word.name == "crate").filter(|_| cx.is_clean())?;
    match literal(word, cx)? {
        Lit::Str(text) => text.parse().ok(),
        _ => None,
    }
}

/// tokio's arguments are literals.
fn literal<'a>(word: &'a Word, cx: &Ctxt) -> Option<&'a Lit> {
    let mut value = match &word.form {
        Form::Value(value) => &**value,
        Form::Broken => return None,
        Form::Alone | Form::List(_) => {
            cx.error(&word.name, format_args!("`{0}` needs a value: write `{0} = …`", word.name));
            return None;
        }
    };
    // A value that comes out of a `macro_rules!` variable is wrapped in an invisible group.
    while let Expr::Group(group) = value {
        value = &group.expr;
    }
    let Expr::Lit(ExprLit { lit, .. }) = value else {
        cx.error(value, format_args!("the value of `{}` is a literal", word.name));
        return None;
    };
    Some(lit)
}

fn value(name: &str, literal: &Lit, cx: &Ctxt) {
    match (name, literal) {
        ("flavor", Lit::Str(text)) => one_of(FLAVORS, &text.value(), literal, cx),
        ("flavor", _) => cx.error(literal, format_args!("expected {}, in quotes", netcheck_words::either(FLAVORS))),
        ("unhandled_panic", Lit::Str(text)) => one_of(UNHANDLED_PANICS, &text.value(), literal, cx),
        ("unhandled_panic", _) => {
            cx.error(literal, format_args!("expected {}, in quotes", netcheck_words::either(UNHANDLED_PANICS)));
        }
        ("worker_threads", Lit::Int(number)) => match number.base10_parse::<usize>() {
            Ok(0) => cx.error(literal, "a runtime has at least one thread"),
            Ok(_) => {}
            Err(_) => cx.error(literal, "expected a whole number, such as `2`"),
        },
        ("worker_threads", _) => cx.error(literal, "expected a whole number, such as `2`"),
        ("start_paused", Lit::Bool(_)) => {}
        ("start_paused", _) => cx.error(literal, "expected `true` or `false`"),
        ("crate", Lit::Str(text)) if text.parse::<Path>().is_ok() => {}
        ("crate", _) => cx.error(literal, "expected the path of a crate in quotes, such as `\"tokio\"`"),
        (_, Lit::Str(_)) => {}
        _ => cx.error(literal, "expected a text in quotes"),
    }
}

fn one_of(known: &[&str], found: &str, at: &Lit, cx: &Ctxt) {
    if known.contains(&found) {
        return;
    }
    let hint = netcheck_words::hint(found, known);
    cx.error(at, format_args!("expected {}, found `{found}`{hint}", netcheck_words::either(known)));
}

/// Some arguments belong to one flavor.
fn combination(entry: Entry, flavor: Option<&str>, words: &[Word], cx: &Ctxt) {
    let default = if entry == Entry::Test { "current_thread" } else { "multi_thread" };
    let threaded = flavor.unwrap_or(default) == "multi_thread";
    for word in words {
        let needs = match word.name.to_string().as_str() {
            "worker_threads" if !threaded => "multi_thread",
            "start_paused" | "unhandled_panic" if threaded => "current_thread",
            _ => continue,
        };
        cx.error(&word.name, format_args!("`{}` needs `flavor = \"{needs}\"`, as for tokio", word.name));
    }
}

pub(super) fn function(entry: Entry, function: &Function, cx: &Ctxt) {
    let sig = &function.sig;
    let name = entry.name();
    if sig.asyncness.is_none() {
        cx.error(sig.fn_token, format_args!("`{name}` goes on an async function: write `async fn`"));
    }
    if entry == Entry::Main {
        if sig.ident == "main" && !sig.inputs.is_empty() {
            cx.error_at(sig.inputs.span(), "`main` takes no parameters");
        }
        return;
    }
    for attr in &function.attrs {
        if attr_name(attr) == "test" {
            cx.error(attr, "this function is a test already: remove this attribute");
        }
    }
    if !sig.generics.params.is_empty() {
        cx.error(&sig.generics, "a test can't be generic: it has nobody to choose the parameters");
    }
    for input in &sig.inputs {
        cx.error_at(input.span(), "a test takes no parameters: remove this one");
    }
}
