//! Mistakes of the user, with what to do before a program can be checked.

use crate::printable::printable;
use crate::trace::step::Step;
use std::fmt;

/// Why a program can't be checked: what happened, where, and what to do.
#[derive(Clone)]
pub struct Error {
    message: String,
    /// Whether programs change statics that all runs share here.
    pub(crate) has_changed_statics: bool,
}

impl Error {
    pub(crate) fn new(message: String) -> Self {
        Error { message, has_changed_statics: false }
    }

    pub(crate) fn changed_statics(names: &[&str]) -> Self {
        Error { has_changed_statics: true, ..Error::new(shared_statics(names)) }
    }

    pub(crate) fn unknown_process(where_: &str, name: &str, known: &[&str]) -> Self {
        Error::new(format!("{where_} names \"{name}\", but there is no such process; there are: {}", known.join(", ")))
    }

    pub(crate) fn diverged(number: usize, expected: &Step, possible: &[Step]) -> Self {
        let words = |step: &Step| {
            let place = step.location.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
            let network: Vec<String> = step.network.iter().map(|doing| format!("\n      {doing}")).collect();
            let when = step.timing.as_ref().map(|timing| format!(", at {}", timing.in_words())).unwrap_or_default();
            format!("{}: {}{when}{place}{}", step.who(), step.what(), network.concat())
        };
        let each: Vec<String> = possible.iter().map(|step| format!("\n    {}", words(step))).collect();
        Error::new(format!(
            "the execution does not fit the program any more: step {number} is not possible: {}\n  \
             expected:\n    {}\n  possible now:{}",
            why_impossible(expected, possible),
            words(expected),
            if each.is_empty() { "\n    nothing".to_owned() } else { each.concat() }
        ))
    }

    /// With what to do about it.
    pub(crate) fn with_advice(self, advice: &str) -> Self {
        Error { message: format!("{}\n  {advice}", self.message), ..self }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&printable(&self.message))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

/// The message that runs share statics, and how they would not.
pub(crate) fn shared_statics(names: &[&str]) -> String {
    format!(
        "runs share statics, which programs have changed: {}\n    each process has its own with `cargo netcheck test`, or \
         where one test runs after another (`cargo test -- --test-threads=1`)",
        names.join(", ")
    )
}

/// Why a step is none of those that are possible.
fn why_impossible(expected: &Step, possible: &[Step]) -> String {
    let who = expected.who();
    let is_same = |step: &&Step| step.who() == who;
    let at = |step: &Step| step.timing.as_ref().map(|timing| timing.at_ns);
    if expected.timing.is_some() && possible.iter().any(|step| step.is(expected) && at(step) != at(expected)) {
        "it can't happen at this instant".to_owned()
    } else if expected.is_of_network() {
        "the network can't do this, or need not, with what is under way now".to_owned()
    } else if possible.iter().filter(is_same).any(|step| step.asked == expected.asked) {
        format!("{who} does this, but with another outcome (are the same faults declared?)")
    } else if possible.iter().any(|step| is_same(&step)) {
        format!("{who} does something else now")
    } else {
        format!("{who} waits for something else, or has ended")
    }
}
