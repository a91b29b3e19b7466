//! Claims about a program: `sometimes!`, which one execution alone can't judge, `always!`, which each must keep, and
//! `eventually!`, which each must keep at last.

use crate::isolated::Isolated;
use crate::monitor::{Monitor, Observer, Rule, emit};
use crate::operation::choices;
use crate::operation::{Effect, monitors};
use crate::unit::automaton::Automata;
use crate::unit::panics::{Cause, Panic};
use crate::unit::poll::context;
use crate::unit::source_line;
use std::collections::BTreeSet;
use std::fmt;
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

/// A call of `eventually!`, as monitors are shown it.
#[derive(Clone)]
struct Claimed {
    name: &'static str,
    holds: bool,
}

impl Isolated for Claimed {}

impl fmt::Debug for Claimed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\" {}", self.name, if self.holds { "has come" } else { "has not come" })
    }
}

/// Notes whether a condition holds here, which it has to at last; called by `eventually!`.
pub fn eventually(holds: bool, name: &'static str) {
    emit(Claimed { name, holds });
}

/// The monitor of a claim of `eventually!`: until its condition holds, its state has to be left.
pub fn comes_at_last(name: &str) -> Observer {
    let monitor = Monitor::builder(name)
        .state("not yet")
        .state("it has come")
        .hot("not yet")
        .rule("not yet", "it has come", Rule::on("it holds", |_: &Claimed| true))
        .rule("it has come", "it has come", Rule::on("it holds", |_: &Claimed| true))
        .build()
        .expect("a monitor of two states");
    let name = name.to_owned();
    Observer::new(monitor, move |seen| {
        seen.emitted::<Claimed>().filter(|claimed| claimed.holds && claimed.name == name).cloned()
    })
}

/// The names of the claims of `eventually!` that programs have come to.
pub fn claimed_at_last(automata: &Automata) -> BTreeSet<&'static str> {
    let effects = automata.edges.iter().flat_map(|edge| &edge.effects);
    let claimed = effects.filter_map(|effect| match effect {
        Effect::Monitors(monitors::Effect::Emit(emission)) => Some(emission.get::<Claimed>()?.name),
        _ => None,
    });
    claimed.collect()
}
