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

#[cfg(test)]
mod tests {
    use super::*;

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
