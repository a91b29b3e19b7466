//! Time as components of a state.
//!
//! In quiet time a timer is a *countdown*: the time that remains until its deadline, so that a loop returns to the
//! state that it began with. [`Countdowns`] holds the armed ones of one owner.
//!
//! In dense time a packet takes any delay of an interval. A [`Zone`] holds all instants at which the scheduled events
//! may happen. [`Execution`] finds instants for the steps of one whole execution.
//!
//! [`Time`] is the interface of both.

mod countdowns;
mod delay;
mod execution;
mod interface;
mod zones;

pub use countdowns::{Age, Countdown, Countdowns, LATE_MAX_NS, Missed};
pub use delay::{Delay, Span};
pub use execution::{Execution, MILLISECOND_NS, Schedule, StepId, Timed};
pub use interface::Time;
pub use zones::{Comparison, FAR_NS, Moment, Scheduled, Zone};
