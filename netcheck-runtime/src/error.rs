//! What the user has to do before a program can be checked.

use crate::trace::step::Step;
use std::fmt;

/// Why a program can't be checked: what happened, where, and what to do.
#[derive(Clone)]
pub struct Error(String);

impl Error {
    pub(crate) fn new(message: String) -> Self {
        Error(message)
    }

    pub(crate) fn unknown_process(where_: &str, name: &str, known: &[&str]) -> Self {
        Error(format!("{where_} names \"{name}\", but there is no such process; there are: {}", known.join(", ")))
    }

    pub(crate) fn diverged(number: usize, expected: &Step, possible: &[Step]) -> Self {
        let words = |step: &Step| {
            let place = step.location.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
            format!("{}: {} -> {}{place}", step.process, step.operation, step.outcome)
        };
        let possible: Vec<String> = possible.iter().map(|step| format!("\n    {}", words(step))).collect();
        Error(format!(
            "the execution does not fit the program any more: step {number} is not possible\n  \
             expected: {}\n  possible:{}\n  \
             run the check without NETCHECK_REPLAY to see what the program does now",
            words(expected),
            if possible.is_empty() { " nothing".to_owned() } else { possible.concat() }
        ))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}
