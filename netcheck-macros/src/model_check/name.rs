//! The names of a function's tests, if they are several: after their words, so that a
//! test keeps its name when another one is added.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::Ident;

use super::ast::{ModelCheck, Value};
use crate::words::{Form, Word};

/// The name of a check without words: nothing is perturbed.
const WITHOUT_WORDS: &str = "schedules";

/// `udp(loss, reorder = 2), at_most = 1` is `udp_loss_reorder_2_at_most_1`.
pub(super) fn of(words: &[Word]) -> String {
    let mut parts = Vec::new();
    // These do not change what is checked.
    let changes = |word: &&Word| !["snapshot", "whole", "name"].iter().any(|name| word.name == name);
    words.iter().filter(changes).for_each(|word| add(word, &mut parts));
    if parts.is_empty() { WITHOUT_WORDS.to_owned() } else { parts.join("_") }
}

impl ModelCheck {
    /// The name that was chosen, or that of its words, at `span`.
    pub(super) fn test_name(&self, span: Span) -> Ident {
        match self.words.value("name") {
            Some(Value::Identifier(name)) => name.clone(),
            _ => Ident::new(&self.default_name, span),
        }
    }
}

fn add(word: &Word, parts: &mut Vec<String>) {
    parts.extend(in_a_name(&word.name));
    match &word.form {
        Form::Alone | Form::Broken => {}
        Form::Value(value) => add_tokens(value.to_token_stream(), parts),
        Form::List(words) => words.iter().for_each(|word| add(word, parts)),
    }
}

fn add_tokens(tokens: TokenStream, parts: &mut Vec<String>) {
    for tree in tokens {
        match tree {
            TokenTree::Group(group) => add_tokens(group.stream(), parts),
            TokenTree::Ident(ident) => parts.extend(in_a_name(&ident)),
            TokenTree::Literal(literal) => parts.extend(in_a_name(&literal)),
            TokenTree::Punct(_) => {}
        }
    }
}

/// The part of a token that an identifier may have.
fn in_a_name(token: &impl ToString) -> Option<String> {
    let text = token.to_string().to_ascii_lowercase();
    let text = text.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    let text = text.trim_matches('_');
    (!text.is_empty()).then(|| text.to_owned())
}
