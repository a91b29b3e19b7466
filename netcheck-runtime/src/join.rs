//! The futures of a `join!`, which say when they have ended: in a counterexample, which of them goes on.

use crate::select::source_text;
use crate::unit::poll::context;
use crate::unit::source_line::place;
use pin_project_lite::pin_project;
use std::future::{Future, IntoFuture};
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

pin_project! {
    /// One of the futures that are joined.
    #[doc(hidden)]
    pub struct Joined<F> {
        #[pin]
        future: F,
        text: &'static str,
        location: &'static Location<'static>,
    }
}

/// One of the futures of a `join!` or `try_join!`, and its text in the program; used by their expansions.
#[doc(hidden)]
#[track_caller]
pub fn joined<F: IntoFuture>(text: &'static str, future: F) -> Joined<F::IntoFuture> {
    Joined { future: future.into_future(), text, location: Location::caller() }
}

impl<F: Future> Future for Joined<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let output = ready!(this.future.poll(cx));
        // Outside of a check, nothing is said.
        if let Some(context) = context::try_current() {
            context
                .remark(|| format!("of a `join!`, `{}` has ended  ({})", source_text(this.text), place(this.location)));
        }
        Poll::Ready(output)
    }
}
