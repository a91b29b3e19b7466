//! The output for an item that has mistakes: the errors, and the user's item nevertheless, so that
//! one mistake gives one error and not another one at every use of the item.

use proc_macro2::TokenStream;
use quote::quote;

use crate::function::{Function, attr_name};

/// The item as the user wrote it, without attributes that would complain now.
pub(crate) fn function(error: &syn::Error, function: &Function) -> TokenStream {
    let mut function = function.clone();
    // These need the `#[test]` that a successful expansion would have added, or that takes no
    // parameter; and the mistakes of further checks are among the errors already.
    let complains = ["test", "ignore", "should_panic", "bench", "model_check"];
    function.attrs.retain(|attr| !complains.contains(&attr_name(attr).as_str()));
    let errors = error.to_compile_error();
    quote! {
        #errors
        #[allow(dead_code, unused_variables)]
        #function
    }
}

/// An item that was not understood at all is handed back untouched.
pub(crate) fn item(error: &syn::Error, item: &TokenStream) -> TokenStream {
    let errors = error.to_compile_error();
    quote! {
        #errors
        #item
    }
}
