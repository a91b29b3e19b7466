//! Helpers that the unit tests of this crate share.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// The messages of all `compile_error!`s in `output`.
pub(crate) fn messages(output: &TokenStream) -> Vec<String> {
    struct Messages(Vec<String>);
    impl Visit<'_> for Messages {
        fn visit_macro(&mut self, mac: &syn::Macro) {
            if mac.path.segments.last().is_some_and(|segment| segment.ident == "compile_error") {
                let message: syn::LitStr = mac.parse_body().expect("compile_error! takes a string");
                self.0.push(message.value());
            }
            visit::visit_macro(self, mac);
        }
    }
    let file: syn::File = syn::parse2(output.clone()).expect("the output is a list of items");
    let mut messages = Messages(Vec::new());
    messages.visit_file(&file);
    messages.0
}

/// Checks the examples in the docs of a module that expands: each first one gives the one after it.
pub(crate) fn assert_documented(source: &str, expand: impl Fn(TokenStream) -> TokenStream) {
    let blocks = examples(source);
    assert!(!blocks.is_empty(), "no example was found");
    for pair in blocks.chunks(2) {
        let [input, output] = pair else { panic!("the last example lacks its expansion") };
        assert_expands(input, output, &expand);
    }
}

fn assert_expands(input: &str, output: &str, expand: impl Fn(TokenStream) -> TokenStream) {
    let expanded = expand(input.parse().expect("the example is tokens"));
    let documented: TokenStream = output.parse().expect("its expansion is tokens");
    let (mut documented_tokens, mut expanded_tokens) = (Vec::new(), Vec::new());
    flatten(documented, &mut documented_tokens);
    flatten(expanded, &mut expanded_tokens);
    let difference = (0..documented_tokens.len().max(expanded_tokens.len()))
        .find(|&i| documented_tokens.get(i) != expanded_tokens.get(i));
    if let Some(i) = difference {
        let around = |tokens: &[String]| tokens[i.saturating_sub(10)..(i + 10).min(tokens.len())].join(" ");
        panic!(
            "the docs say\n    {}\nbut the expansion is\n    {}",
            around(&documented_tokens),
            around(&expanded_tokens)
        );
    }
}

/// The tokens one by one; how they are spaced does not count.
fn flatten(tokens: TokenStream, flat: &mut Vec<String>) {
    for tree in tokens {
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                flat.push(open.to_owned());
                flatten(group.stream(), flat);
                flat.push(close.to_owned());
            }
            tree => flat.push(tree.to_string()),
        }
    }
}

/// The code blocks marked `ignore` in the module's docs.
fn examples(source: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut block: Option<String> = None;
    for line in source.lines().map_while(|line| line.strip_prefix("//!")) {
        let line = line.strip_prefix(' ').unwrap_or(line);
        match (&mut block, line) {
            (None, "```ignore") => block = Some(String::new()),
            (Some(_), "```") => blocks.extend(block.take()),
            (Some(block), line) => {
                block.push_str(line);
                block.push('\n');
            }
            (None, _) => {}
        }
    }
    blocks
}
