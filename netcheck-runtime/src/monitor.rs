//! Monitors: what a protocol may do, as timed automata over events. They watch every execution of a check, and validate
//! traces.

use crate::isolated::Isolated;
use crate::operation::{Effect, monitors};
use crate::unit::poll::context;
use crate::world::monitors::emission::Emission;
use std::fmt;

pub use crate::world::monitors::observer::{IntoMonitor, Observe, Observer};
pub use crate::world::monitors::seen::{Emitted, Seen};
pub use netcheck_models::monitor::{
    Builder, Configurations, Explained, Extra, Guard, Guess, Mistakes, Monitor, Mutation, Part, Rejection, Rule, Run,
    Search, Sniffer, Trace, Unclear, Unordered, Validation, Values, Verdict,
};

/// The monitor that a builder declares; called by the expansion of `monitor!`.
///
/// # Panics
///
/// If the declaration has a mistake that only values show, as a domain that is empty.
#[doc(hidden)]
#[track_caller]
pub fn built<E>(builder: Builder<E>) -> Monitor<E> {
    builder.build().unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

/// Shows a value to the monitors of the check; called by `emit!`. Outside a check nothing happens.
#[doc(hidden)]
pub fn emit<T: Isolated + Clone + fmt::Debug + Send + Sync + 'static>(value: T) {
    if let Some(context) = context::try_current() {
        // The value is kept longer than the memory of the run, and no pointer to the copy may be left on the program's
        // stack, from where it could get into a future.
        netcheck_memory::engine(|| {
            let emission = netcheck_memory::outside(|| Emission::new(value.clone()));
            context.effect(Effect::Monitors(monitors::Effect::Emit(emission)));
        });
    }
}
