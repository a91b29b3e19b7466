//! Lets a `main` read the arguments of its process in the check, in place of those of the test program.
//!
//! `std::env::args()` and `args_os()` become netcheck's, also as `env::args()`. So does `parse()` of a type that reads them by
//! itself, as clap's do: `Cli::parse()` becomes `Cli::parse_from(args_os())`, and `try_parse()` `try_parse_from(…)`. A
//! function of a module, `config::parse()`, stays what it is. What other functions read that `main` calls stays the test
//! program's.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{format_ident, quote_spanned};

/// The tokens of a body, with other arguments.
pub(super) fn redirected(tokens: TokenStream) -> TokenStream {
    let mut done: Vec<TokenTree> = Vec::new();
    for tree in tokens {
        match tree {
            TokenTree::Group(group) if is_call(&group) && redirect(&mut done) => {
                // The call's parentheses stand already.
            }
            TokenTree::Group(group) => {
                let mut other = Group::new(group.delimiter(), redirected(group.stream()));
                other.set_span(group.span());
                done.push(other.into());
            }
            tree => done.push(tree),
        }
    }
    done.into_iter().collect()
}

fn is_call(group: &Group) -> bool {
    group.delimiter() == Delimiter::Parenthesis && group.stream().is_empty()
}

/// Rewrites the path of a call without arguments, at the end of what is done; says whether it has, with the call.
fn redirect(done: &mut Vec<TokenTree>) -> bool {
    let Some(TokenTree::Ident(name)) = done.last().cloned() else { return false };
    let before = done.len() - 1;
    let Some(path) = before.checked_sub(2).filter(|&path| is_colons(&done[path..before])) else { return false };
    match name.to_string().as_str() {
        "args" | "args_os" => {
            let Some(env) = path.checked_sub(1).filter(|&env| is_ident(&done[env], "env")) else { return false };
            done.truncate(beginning(done, env));
            done.extend(quote_spanned!(name.span()=> ::netcheck::env::#name()));
            true
        }
        "parse" | "try_parse" if path.checked_sub(1).is_some_and(|of| is_type(&done[of])) => {
            let from: Ident = format_ident!("{name}_from");
            done.pop();
            done.extend(quote_spanned!(name.span()=> #from(::netcheck::env::args_os())));
            true
        }
        _ => false,
    }
}

/// Where `std::env` or `::std::env` begins, if it is that; else `env`.
fn beginning(done: &[TokenTree], env: usize) -> usize {
    let after = |end: usize| end.checked_sub(2).filter(|&from| is_colons(&done[from..end]));
    let std = after(env).and_then(|colons| colons.checked_sub(1)).filter(|&std| is_ident(&done[std], "std"));
    std.map_or(env, |std| after(std).unwrap_or(std))
}

fn is_colons(trees: &[TokenTree]) -> bool {
    trees.iter().all(|tree| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == ':'))
}

fn is_ident(tree: &TokenTree, name: &str) -> bool {
    matches!(tree, TokenTree::Ident(ident) if ident == name)
}

/// Whether a path's part names a type: `Cli`, or the end of `<Cli as Parser>`.
fn is_type(tree: &TokenTree) -> bool {
    match tree {
        TokenTree::Ident(ident) => ident.to_string().starts_with(char::is_uppercase),
        TokenTree::Punct(punct) => punct.as_char() == '>',
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proc_macro2::TokenStream;

    #[test]
    fn calls_that_read_the_arguments_read_those_of_the_process() {
        let known = [
            ("{ let a = std::env::args().nth(1); }", "{ let a = ::netcheck::env::args().nth(1); }"),
            ("::std::env::args_os()", "::netcheck::env::args_os()"),
            ("env::args().skip(1)", "::netcheck::env::args().skip(1)"),
            ("println!(\"{:?}\", env::args())", "println!(\"{:?}\", ::netcheck::env::args())"),
            ("cli::Cli::parse()", "cli::Cli::parse_from(::netcheck::env::args_os())"),
            ("<Cli as Parser>::try_parse()?", "<Cli as Parser>::try_parse_from(::netcheck::env::args_os())?"),
            ("config::parse()", "config::parse()"),
            ("text.parse()", "text.parse()"),
            ("Cli::parse(text)", "Cli::parse(text)"),
            ("args()", "args()"),
            ("parse()", "parse()"),
            ("mine::args()", "mine::args()"),
        ];
        for (body, expected) in known {
            let [body, expected] = [body, expected].map(|text| text.parse::<TokenStream>().unwrap());
            assert_eq!(super::redirected(body).to_string(), expected.to_string());
        }
    }
}
