//! Crates that know no netcheck: in a build of `cargo netcheck test`, a `#[tokio::main]` or `#[tokio::test]` may stand in any
//! of them. There, the package `tokio` has all that netcheck has.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};

/// Set in such a build.
const WHOLE: &str = "NETCHECK_WHOLE";

/// What an attribute of tokio's becomes, with paths that lead somewhere in this build.
pub(super) fn rooted(tokens: TokenStream) -> TokenStream {
    match std::env::var_os(WHOLE) {
        Some(_) => at_tokio(tokens),
        None => tokens,
    }
}

/// With `::tokio` for each `::netcheck`.
fn at_tokio(tokens: TokenStream) -> TokenStream {
    // Colons so far, and whether a part of a path was before them.
    let (mut colons, mut goes_on) = (0, false);
    let one = |token: TokenTree| {
        let is_root = colons == 2 && !goes_on;
        if matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ':') {
            colons += 1;
        } else {
            (colons, goes_on) = (0, matches!(&token, TokenTree::Ident(_)));
        }
        match token {
            TokenTree::Ident(ident) if is_root && ident == "netcheck" => Ident::new("tokio", ident.span()).into(),
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), at_tokio(group.stream()));
                inner.set_span(group.span());
                inner.into()
            }
            token => token,
        }
    };
    tokens.into_iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

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
        assert_eq!(at_tokio(tokens).to_string(), expected.to_string());
    }
}
