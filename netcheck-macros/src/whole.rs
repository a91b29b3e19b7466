//! Builds in which netcheck stands in place of tokio in every crate. Crates know no netcheck there: in a build of `cargo netcheck test`, a `#[tokio::main]` or `#[tokio::test]` may stand in any
//! of them. There, the package `tokio` has all that netcheck has.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::Path;

/// Set in such a build.
const WHOLE: &str = "NETCHECK_WHOLE";

/// Whether this is such a build.
pub(crate) fn is_whole() -> bool {
    std::env::var_os(WHOLE).is_some()
}

/// The expansion of an attribute of tokio's, with paths that lead somewhere in this build: from `tokio`, or from where the
/// attribute says that it is, `crate = "…"`.
pub(crate) fn rooted(tokens: TokenStream, tokio: Option<&Path>) -> TokenStream {
    match (is_whole(), tokio) {
        (false, _) => tokens,
        (true, Some(tokio)) => at(&tokio.to_token_stream(), tokens),
        (true, None) => at(&quote!(::tokio), tokens),
    }
}

/// With another root for each `::netcheck`.
fn at(root: &TokenStream, tokens: TokenStream) -> TokenStream {
    let mut done: Vec<TokenTree> = Vec::new();
    // Colons so far, and whether a part of a path was before them.
    let (mut colons, mut goes_on) = (0, false);
    for token in tokens {
        let is_root = colons == 2 && !goes_on;
        if matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ':') {
            colons += 1;
        } else {
            (colons, goes_on) = (0, matches!(&token, TokenTree::Ident(_)));
        }
        match token {
            TokenTree::Ident(ident) if is_root && ident == "netcheck" => {
                done.truncate(done.len() - 2);
                done.extend(root.clone().into_iter().map(|mut token| {
                    token.set_span(ident.span());
                    token
                }));
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), at(root, group.stream()));
                inner.set_span(group.span());
                done.push(inner.into());
            }
            token => done.push(token),
        }
    }
    done.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_netcheck_lead_to_tokio_wherever_they_stand() {
        let tokens = quote!(
            fn f() {
                ::netcheck::run(netcheck, [::netcheck::choose(1)], a::netcheck::b)
            }
        );
        let expected = quote!(
            fn f() {
                ::tokio::run(netcheck, [::tokio::choose(1)], a::netcheck::b)
            }
        );
        assert_eq!(at(&quote!(::tokio), tokens.clone()).to_string(), expected.to_string());
        let expected = expected.to_string().replace(":: tokio", "self :: rt");
        assert_eq!(at(&quote!(self::rt), tokens).to_string(), expected);
    }
}
