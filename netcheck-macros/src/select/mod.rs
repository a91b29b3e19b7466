//! `select!`, with tokio's grammar and tokio's order of evaluation.
//!
//! The difference is who decides: which branch is polled first, and so which of several ready branches
//! wins, is up to the runtime's `Select`, which explores them all. `parse` reads, `expand` writes.

mod expand;
mod parse;

use proc_macro2::TokenStream;

pub(crate) use parse::Select;

/// The branches, for who wants to know what they do.
pub(crate) fn parse_branches(input: TokenStream) -> syn::Result<Select> {
    syn::parse2(input)
}

/// The first token group is the path of the crate, put there by the `macro_rules!` wrapper.
pub(crate) fn select(input: TokenStream) -> TokenStream {
    match syn::parse2::<parse::Select>(input) {
        Ok(select) => expand::select(&select),
        Err(error) => error.to_compile_error(),
    }
}

#[cfg(test)]
mod tests;
