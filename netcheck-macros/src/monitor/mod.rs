//! `monitor!`: a type whose values are monitors.
//!
//! `parse` reads, `valid` finds the mistakes, `expand` writes.

mod expand;
mod parse;
mod valid;

use crate::ctxt::Ctxt;
use proc_macro2::TokenStream;

pub(crate) fn monitor(input: TokenStream) -> TokenStream {
    let monitor = match syn::parse2::<parse::Monitor>(input) {
        Ok(monitor) => monitor,
        Err(error) => return error.to_compile_error(),
    };
    let cx = Ctxt::new();
    valid::check(&monitor, &cx);
    match cx.check() {
        Ok(()) => expand::monitor(&monitor),
        // The type is there all the same, so that its uses are no mistakes.
        Err(error) => {
            let (errors, stand_in) = (error.to_compile_error(), expand::stand_in(&monitor));
            quote::quote!(#errors #stand_in)
        }
    }
}

#[cfg(test)]
mod tests;
