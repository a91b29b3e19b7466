//! Collects the errors of one item, so that the user sees all of them at once.
//!
//! After serde_derive's `Ctxt`: one that is dropped without [`Ctxt::check`] panics, because its
//! errors would be lost.

use std::cell::RefCell;
use std::fmt::Display;
use std::thread;

use proc_macro2::Span;
use quote::ToTokens;

pub(crate) struct Ctxt {
    /// `None` once `check` has been called.
    errors: RefCell<Option<Vec<syn::Error>>>,
}

impl Ctxt {
    pub(crate) fn new() -> Self {
        Ctxt { errors: RefCell::new(Some(Vec::new())) }
    }

    /// Reports `message` under all tokens of `at`.
    pub(crate) fn error(&self, at: impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(at, message));
    }

    /// Reports `message` at `span`.
    pub(crate) fn error_at(&self, span: Span, message: impl Display) {
        self.push(syn::Error::new(span, message));
    }

    pub(crate) fn push(&self, error: syn::Error) {
        self.errors.borrow_mut().as_mut().expect("the context was already checked").push(error);
    }

    /// Whether nothing has been reported so far: asked before reporting something that may only be
    /// the consequence of an earlier mistake.
    pub(crate) fn is_clean(&self) -> bool {
        self.errors.borrow().as_ref().expect("the context was already checked").is_empty()
    }

    /// Hands over everything that was reported.
    pub(crate) fn check(self) -> syn::Result<()> {
        let errors = self.errors.borrow_mut().take().expect("the context was already checked");
        let mut errors = errors.into_iter();
        let Some(mut first) = errors.next() else {
            return Ok(());
        };
        first.extend(errors);
        Err(first)
    }
}

impl Drop for Ctxt {
    fn drop(&mut self) {
        if !thread::panicking() && self.errors.borrow().is_some() {
            panic!("the errors of this item were never checked");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_errors_come_out_in_the_order_in_which_they_were_reported() {
        let cx = Ctxt::new();
        cx.error_at(Span::call_site(), "one");
        cx.error_at(Span::call_site(), "two");
        let messages: Vec<_> = cx.check().unwrap_err().into_iter().map(|e| e.to_string()).collect();
        assert_eq!(messages, ["one", "two"]);
    }

    #[test]
    #[should_panic(expected = "never checked")]
    fn a_context_that_is_dropped_unread_panics() {
        drop(Ctxt::new());
    }
}
