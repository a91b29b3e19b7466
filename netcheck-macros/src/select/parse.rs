//! The grammar of tokio's `select!`.
//!
//! ```text
//! (path of the crate)
//! biased;                                  optional
//! pattern = future (, if condition)? => handler,
//! …
//! else => expression                       optional, last
//! ```
//!
//! A handler that is a block needs no comma after it.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{Expr, Pat, Token, parenthesized, token};

/// The disabled branches are a `u64`.
pub(super) const BRANCHES_MAX: usize = 64;

pub(crate) struct Select {
    /// `$crate`, usually.
    pub(crate) krate: TokenStream,
    pub(crate) biased: bool,
    pub(crate) branches: Vec<Branch>,
    pub(crate) otherwise: Option<TokenStream>,
}

pub(crate) struct Branch {
    pub(crate) pat: Pat,
    pub(crate) future: Expr,
    pub(crate) condition: Option<Expr>,
    pub(crate) handler: TokenStream,
}

mod kw {
    syn::custom_keyword!(biased);
}

impl Parse for Select {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let krate;
        parenthesized!(krate in input);
        let krate = krate.parse()?;

        let biased = input.peek(kw::biased) && input.peek2(Token![;]);
        if biased {
            input.parse::<kw::biased>()?;
            input.parse::<Token![;]>()?;
        }
        if input.is_empty() {
            return Err(expected(input, "select! requires at least one branch."));
        }
        let mut select = Select { krate, biased, branches: Vec::new(), otherwise: None };
        while !input.is_empty() {
            if input.peek(Token![else]) {
                select.otherwise = Some(otherwise(input)?);
            } else if select.branches.len() == BRANCHES_MAX {
                return Err(expected(
                    input,
                    format_args!("`select!` takes at most {BRANCHES_MAX} branches: nest another `select!`"),
                ));
            } else {
                select.branches.push(input.parse()?);
            }
        }
        Ok(select)
    }
}

/// An error at the next token, or at the end; syn's own would begin with "unexpected end of input".
fn expected(input: ParseStream<'_>, message: impl Display) -> syn::Error {
    syn::Error::new(input.span(), message)
}

fn otherwise(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    input.parse::<Token![else]>()?;
    input.parse::<Token![=>]>()?;
    let otherwise = input.parse::<Expr>()?;
    input.parse::<Option<Token![,]>>()?;
    if !input.is_empty() {
        return Err(expected(input, "`else` is the last branch: move this one before it"));
    }
    Ok(otherwise.into_token_stream())
}

impl Parse for Branch {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(kw::biased) && input.peek2(Token![;]) {
            return Err(expected(input, "`biased;` comes first"));
        }
        let pat = Pat::parse_multi_with_leading_vert(input)?;
        if !input.peek(Token![=]) || input.peek(Token![=>]) {
            return Err(input.error("expected `=` and a future: a branch is `pattern = future => handler`"));
        }
        input.parse::<Token![=]>()?;
        let future = input.parse()?;
        let condition = condition(input)?;
        if !input.peek(Token![=>]) {
            return Err(input.error("expected `=>` and a handler: a branch is `pattern = future => handler`"));
        }
        input.parse::<Token![=>]>()?;
        let handler = handler(input)?;
        Ok(Branch { pat, future, condition, handler })
    }
}

fn condition(input: ParseStream<'_>) -> syn::Result<Option<Expr>> {
    if input.peek(Token![if]) {
        return Err(input.error("expected a comma before the condition: `future, if condition => handler`"));
    }
    let Some(comma) = input.parse::<Option<Token![,]>>()? else {
        return Ok(None);
    };
    if input.is_empty() {
        return Err(syn::Error::new(
            comma.span,
            "expected `=>` and a handler: a branch is `pattern = future => handler`",
        ));
    }
    if !input.peek(Token![if]) {
        return Err(expected(input, "expected `if` and a condition, or `=>` in place of the comma"));
    }
    input.parse::<Token![if]>()?;
    input.parse().map(Some)
}

/// A block ends the branch; as in tokio, nothing can follow it (`{ a }.b()`), and the comma is
/// optional. Any other expression needs the comma, unless it is the last.
fn handler(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    if input.is_empty() {
        return Err(expected(input, "expected a handler after the `=>`"));
    }
    if input.peek(token::Brace) {
        // Its statements are rustc's business.
        let block: proc_macro2::TokenTree = input.parse()?;
        input.parse::<Option<Token![,]>>()?;
        return Ok(block.into());
    }
    let handler = input.parse::<Expr>()?;
    if input.parse::<Option<Token![,]>>()?.is_none() && !input.is_empty() {
        return Err(input.error("expected a comma before this: only a handler in braces goes without"));
    }
    Ok(handler.into_token_stream())
}
