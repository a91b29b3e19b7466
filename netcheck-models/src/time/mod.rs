//! Time as components of a state.
//!
//! In quiet time a timer is a *countdown*: the time that remains until its deadline, so that a loop returns to the
//! state that it began with. [`Countdowns`] holds the armed ones of one owner.

mod countdowns;

pub use countdowns::{Countdown, Countdowns, Missed};
