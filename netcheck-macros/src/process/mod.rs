//! `#[process]`: turns an async fn into one that returns a re-creatable process value.
//!
//! `valid` refuses what is not isolated or cannot be re-created, as far as the signature shows it;
//! the rest is for the trait bounds. `expand` writes the function. The body is not looked into.

mod expand;
mod valid;

use proc_macro2::TokenStream;

use crate::ctxt::Ctxt;
use crate::fallback;
use crate::function::Function;

pub(crate) fn attribute(attr: TokenStream, item: TokenStream) -> TokenStream {
    let function = match syn::parse2::<Function>(item.clone()) {
        Ok(function) => function,
        Err(_) => {
            let error = syn::Error::new_spanned(
                &item,
                "`process` goes on an async function with a body: `async fn client(server: String) -> u32 { … }`",
            );
            return fallback::item(&error, &item);
        }
    };
    let cx = Ctxt::new();
    if !attr.is_empty() {
        cx.error(&attr, "`process` takes no words: write just `#[process]`");
    }
    valid::function(&function, &cx);
    match cx.check() {
        Ok(()) => expand::process(&function),
        Err(error) => fallback::function(&error, &function),
    }
}

#[cfg(test)]
mod tests;
