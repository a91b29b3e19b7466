//! The syntax of an attribute's words, before they mean anything: `loss`, `reorder = 2`,
//! `udp(loss, reorder = 2)`.
//!
//! A word that cannot be parsed is reported and skipped up to the next comma; the words after it are
//! read as usual, so that their mistakes are found too.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, Ident, Token, parenthesized, token};

use crate::ctxt::Ctxt;

/// One word and what follows it.
pub(crate) struct Word {
    pub(crate) name: Ident,
    pub(crate) form: Form,
}

pub(crate) enum Form {
    /// `loss`
    Alone,
    /// `reorder = 2`
    Value(Box<Expr>),
    /// `udp(loss)`
    List(Vec<Word>),
    /// Already reported.
    Broken,
}

/// Reads comma separated words.
pub(crate) fn parse(tokens: TokenStream, cx: &Ctxt) -> Vec<Word> {
    let parser = |input: ParseStream<'_>| Ok(list(input, cx));
    parser.parse2(tokens).unwrap_or_else(|error| {
        cx.push(error);
        Vec::new()
    })
}

fn list(input: ParseStream<'_>, cx: &Ctxt) -> Vec<Word> {
    let mut words = Vec::new();
    while !input.is_empty() {
        match word(input, cx) {
            Ok(word) => words.push(word),
            Err(error) => {
                cx.push(error);
                skip_to_comma(input);
            }
        }
        if input.is_empty() {
            break;
        }
        if input.parse::<Option<Token![,]>>().ok().flatten().is_none() {
            cx.error_at(input.span(), "expected a comma before this");
            if !input.peek(Ident::peek_any) {
                skip_to_comma(input);
                let _ = input.parse::<Option<Token![,]>>();
            }
        }
    }
    words
}

fn word(input: ParseStream<'_>, cx: &Ctxt) -> syn::Result<Word> {
    if !input.peek(Ident::peek_any) {
        return Err(input.error("expected a word"));
    }
    let name = input.call(Ident::parse_any)?;
    let form = if input.peek(token::Paren) {
        let content;
        parenthesized!(content in input);
        Form::List(list(&content, cx))
    } else if let Some(equals) = input.parse::<Option<Token![=]>>()? {
        value(input, &name, equals.span, cx)
    } else {
        Form::Alone
    };
    Ok(Word { name, form })
}

fn value(input: ParseStream<'_>, name: &Ident, equals: Span, cx: &Ctxt) -> Form {
    if input.is_empty() || input.peek(Token![,]) {
        cx.error_at(equals, format_args!("`{name}` lacks its value after the `=`"));
        return Form::Broken;
    }
    let ahead = input.fork();
    match ahead.parse() {
        Ok(value) => {
            input.advance_to(&ahead);
            Form::Value(value)
        }
        Err(error) => {
            if let (false, Ok(keyword)) = (input.peek(Ident), input.fork().call(Ident::parse_any)) {
                cx.error(&keyword, format_args!("`{keyword}` is a keyword of Rust, and no value of `{name}`"));
            } else {
                cx.push(error);
            }
            skip_to_comma(input);
            Form::Broken
        }
    }
}

/// A value that comes out of a `macro_rules!` variable is wrapped in an invisible group.
pub(crate) fn ungroup(mut value: Expr) -> Expr {
    while let Expr::Group(group) = value {
        value = *group.expr;
    }
    value
}

fn skip_to_comma(input: ParseStream<'_>) {
    while !input.is_empty() && !input.peek(Token![,]) {
        let _ = input.parse::<TokenTree>();
    }
}

/// What to say of a word that is none of `known`: the nearest one if it is near, and all of them.
pub(crate) fn unknown(found: &Ident, known: &[&str], whose: &str) -> String {
    let hint = match nearest(&found.unraw().to_string(), known) {
        Some(word) => format!(", did you mean `{word}`?"),
        None => String::new(),
    };
    format!("unknown word `{found}`{hint}\n{whose} {}", enumerate(known))
}

/// "`a`", "`a` or `b`", "`a`, `b` or `c`".
pub(crate) fn either(words: &[&str]) -> String {
    let quoted: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    }
}

fn enumerate(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// Words of other tools and of everyday speech, with ours.
const SYNONYMS: [(&str, &str); 19] = [
    ("budget", "at_most"),
    ("faults", "at_most"),
    ("max_faults", "at_most"),
    ("limit", "max_states"),
    ("states", "max_states"),
    ("depth", "max_depth"),
    ("memory", "max_memory"),
    ("timeout", "max_time"),
    ("time", "max_time"),
    ("workers", "threads"),
    ("drop", "loss"),
    ("dropped", "loss"),
    ("lost", "loss"),
    ("duplicate", "duplication"),
    ("dup", "duplication"),
    ("latency", "delay"),
    ("jitter", "delay"),
    ("connect", "open"),
    ("fragment", "split"),
];

/// The one of `known` that `found` was probably meant to be: up to a third of its letters may be
/// wrong, and two neighbours swapped count as one mistake; or it is another word for the same.
pub(crate) fn nearest<'a>(found: &str, known: &[&'a str]) -> Option<&'a str> {
    let found = found.to_lowercase();
    let synonym = SYNONYMS.iter().find(|(other, _)| *other == found).map(|(_, word)| *word);
    if let Some(word) = known.iter().find(|word| synonym == Some(word)) {
        return Some(word);
    }
    known
        .iter()
        .map(|&word| (distance(&found, word), word))
        .filter(|&(mistakes, word)| mistakes <= (word.len() / 3).max(1))
        .min_by_key(|&(mistakes, _)| mistakes)
        .map(|(_, word)| word)
}

/// Insertions, deletions, substitutions and swaps of neighbours between `a` and `b` (optimal string
/// alignment).
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let substituted = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = substituted.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[&str] = &["loss", "duplication", "reorder", "delay"];

    #[test]
    fn a_near_miss_is_recognized() {
        assert_eq!(nearest("los", KNOWN), Some("loss"));
        assert_eq!(nearest("Loss", KNOWN), Some("loss"));
        assert_eq!(nearest("duplicate", KNOWN), Some("duplication"));
        assert_eq!(nearest("reodrer", KNOWN), Some("reorder"));
    }

    #[test]
    fn a_different_word_is_not_a_near_miss() {
        assert_eq!(nearest("corruption", KNOWN), None);
        assert_eq!(nearest("up", KNOWN), None);
    }

    #[test]
    fn swapped_neighbours_are_one_mistake() {
        assert_eq!(distance("dealy", "delay"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", "abc"), 0);
    }

    #[test]
    fn the_words_after_a_broken_one_are_still_read() {
        let cx = Ctxt::new();
        let words = parse("loss duplication, reorder = , 7 8, delay = = 3, last(x)".parse().unwrap(), &cx);
        let names: Vec<_> = words.iter().map(|word| word.name.to_string()).collect();
        assert_eq!(names, ["loss", "duplication", "reorder", "delay", "last"]);
        let messages: Vec<_> = cx.check().unwrap_err().into_iter().map(|e| e.to_string()).collect();
        assert_eq!(
            messages,
            [
                "expected a comma before this",
                "`reorder` lacks its value after the `=`",
                "expected a word",
                "expected an expression",
            ]
        );
    }
}
