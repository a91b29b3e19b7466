//! Claims about a program: `sometimes!`, which one execution alone can't judge, and `always!`, which each must keep.

use crate::operation::Effect;
use crate::operation::choices;
use crate::unit::panics::{Cause, Panic};
use crate::unit::poll::context;
use crate::unit::source_line;
use std::panic::Location;

/// Notes whether a condition holds here; called by `sometimes!`.
#[track_caller]
pub fn sometimes(holds: bool, name: &'static str) {
    if let Some(context) = context::try_current() {
        let claim = context.shared.claim(name, Location::caller());
        context.effect(Effect::Choices(choices::Effect::Claim { claim, holds }));
    }
}

/// Ends the execution as a violation: a daemon, registered at `location`, has ended with an `Err`.
pub fn daemon_failed(output: &str, location: &'static Location<'static>) -> ! {
    let message = format!("a daemon ended with {output} (`.may_fail()` at its registration allows this)");
    let location = source_line::place(location);
    std::panic::resume_unwind(Box::new(Panic { message, location, cause: Cause::Claim }))
}

/// Ends the execution as a violation if a condition does not hold; called by `always!`.
///
/// # Panics
/// If it does not hold, outside a check as well.
#[track_caller]
pub fn always(holds: bool, name: &'static str) {
    if holds {
        return;
    }
    let message = format!("`always!` does not hold: {name}");
    match context::try_current() {
        Some(_) => {
            let location = source_line::place(Location::caller());
            std::panic::resume_unwind(Box::new(Panic { message, location, cause: Cause::Claim }))
        }
        None => panic!("{message}"),
    }
}
