//! Monitors: what a protocol may do, as a timed automaton over events.
//!
//! A [`Monitor`] is Definition 2 of "Wireless Protocol Validation Under Uncertainty": states, variables with finite
//! domains, clocks, and rules (transitions) with an event pattern, a [`Guard`], assignments and resets. A state may
//! carry a deadline: the monitor rejects when time passes it. Some states may be accepting: the monitor rejects an end
//! in another state. It is non-deterministic: it holds a set of [`Configurations`], and rejects when none is left.
//!
//! - [`Builder`]: makes a monitor; all mistakes are reported at once as [`Mistakes`];
//! - [`Run`]: a monitor that is told events and instants one by one;
//! - [`Marked`]: a monitor in dense time, where the time between two events is no number;
//! - [`Trace`]: events of one observer with their instants, validated at once;
//! - [`Sniffer`]: validates the trace of an observer that misses packets, and hears packets that the device does not.
//!
//! Instants and durations are whole numbers of nanoseconds, so that "later than 5 ms" is "at least 5 ms and 1 ns".
//! Nothing here performs I/O or reads a clock.

mod automaton;
mod builder;
mod claims;
mod draw;
mod guard;
mod marks;
mod mistakes;
mod readings;
mod rejection;
mod rule;
mod run;
mod sniffer;
mod trace;
mod values;

pub use automaton::Monitor;
pub use builder::Builder;
pub use draw::Drawing;
pub use guard::Guard;
pub use marks::Marked;
pub use mistakes::Mistakes;
pub use readings::{Asked, Question};
pub use rejection::Rejection;
pub use rule::Rule;
pub use run::{Configurations, Run};
pub use sniffer::{Explained, Extra, Guess, Mutation, Part, Search, Sniffer, Unclear, Verdict};
pub use trace::{Trace, Unordered, Validation};
pub use values::Values;
