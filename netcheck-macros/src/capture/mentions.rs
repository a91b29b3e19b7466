//! Names in tokens, where no syntax says what they mean.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use syn::{Lit, LitStr};

/// A name, and the field of it that is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mention {
    pub(super) name: Ident,
    pub(super) field: Option<String>,
}

/// Every name in the tokens that may be a variable's, and those in format strings.
pub(super) fn in_tokens(tokens: TokenStream) -> Vec<Mention> {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let is_dot = |index: usize| matches!(trees.get(index), Some(TokenTree::Punct(punct)) if punct.as_char() == '.');
    let mut mentions = Vec::new();
    for (index, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) => mentions.extend(in_tokens(group.stream())),
            // `x.name` is a field, `..name` is the end of a range.
            TokenTree::Ident(_) if index > 0 && is_dot(index - 1) && !(index > 1 && is_dot(index - 2)) => {}
            TokenTree::Ident(name) => {
                let field = if is_dot(index + 1) { field(&trees[index + 2..]) } else { None };
                mentions.push(Mention { name: name.clone(), field });
            }
            TokenTree::Literal(literal) => {
                if let Lit::Str(text) = Lit::new(literal.clone()) {
                    mentions.extend(in_format_string(&text));
                }
            }
            TokenTree::Punct(_) => {}
        }
    }
    mentions
}

/// The field that stands after a dot; a method is none.
fn field(after: &[TokenTree]) -> Option<String> {
    let is_call = match after.get(1) {
        Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Parenthesis,
        Some(TokenTree::Punct(punct)) => punct.as_char() == ':',
        _ => false,
    };
    match after.first()? {
        TokenTree::Ident(name) if !is_call && name != "await" => Some(name.to_string()),
        _ => None,
    }
}

/// The names in `{name}`, `{name:?}`, `{0:name$}` and `{:.name$}`.
pub(super) fn in_format_string(text: &LitStr) -> Vec<Mention> {
    let value = text.value().replace("{{", "");
    let mut names = Vec::new();
    for part in value.split('{').skip(1) {
        let inside = part.split('}').next().unwrap_or_default();
        let (argument, format) = inside.split_once(':').unwrap_or((inside, ""));
        names.push(argument.trim());
        let counted = format.split('$');
        let before_dollars = format.matches('$').count();
        names.extend(counted.take(before_dollars).map(last_name));
    }
    let mention = |name: &str| {
        let raw = || syn::parse_str(&format!("r#{name}")).ok();
        let name =
            if name == "self" { Ident::new(name, text.span()) } else { syn::parse_str(name).ok().or_else(raw)? };
        Some(Mention { name, field: None })
    };
    names.into_iter().filter_map(mention).collect()
}

/// The name at the end: `width` of `0>width`.
fn last_name(text: &str) -> &str {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let start = text.char_indices().rev().take_while(|&(_, c)| is_name(c)).last();
    let name = start.map_or("", |(index, _)| &text[index..]);
    name.trim_start_matches(|c: char| c.is_ascii_digit())
}

/// Whether one of these words stands in the tokens.
pub(super) fn has_word(tokens: TokenStream, words: &[&str]) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Group(group) => has_word(group.stream(), words),
        TokenTree::Ident(name) => words.iter().any(|word| name == word),
        _ => false,
    })
}
