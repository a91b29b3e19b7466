//! Why a monitor rejects.

use core::panic::Location;
use std::collections::BTreeSet;
use std::fmt;

/// Why a monitor rejects: what came, and what was expected in each state in which it may have been, with the source
/// lines of the rules.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rejection {
    monitor: String,
    cause: Cause,
    expected: Vec<Expected>,
}

/// A configuration in words, and its rules.
pub(super) type Expected = (String, Vec<Declared>);

/// A rule in words, and where it is declared.
pub(super) type Declared = (String, &'static Location<'static>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Cause {
    Event(String),
    Deadline,
    End,
}

impl Rejection {
    pub(super) fn new(monitor: &str, cause: Cause, expected: Vec<Expected>) -> Self {
        Rejection { monitor: monitor.to_owned(), cause, expected }
    }

    /// Whether time passed a deadline: no event was wrong, one was missing.
    #[must_use]
    pub fn is_deadline(&self) -> bool {
        self.cause == Cause::Deadline
    }

    /// Whether the end came in a state that is not accepting.
    #[must_use]
    pub fn is_end(&self) -> bool {
        self.cause == Cause::End
    }

    /// Where the rules are declared that the monitor could have taken instead, each once.
    pub fn rules(&self) -> impl Iterator<Item = &'static Location<'static>> {
        let rules = self.expected.iter().flat_map(|(_, rules)| rules);
        rules.map(|(_, line)| *line).collect::<BTreeSet<_>>().into_iter()
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match &self.cause {
            Cause::Event(event) => format!("rejects {event}"),
            Cause::Deadline => "rejects: a deadline has passed".to_owned(),
            Cause::End => "rejects the end".to_owned(),
        };
        write!(f, "the monitor `{}` {what}", self.monitor)?;
        for (configuration, rules) in &self.expected {
            write!(f, "\n  in {configuration}, expected:")?;
            for (rule, _) in rules {
                write!(f, "\n    {rule}")?;
            }
            if rules.is_empty() {
                write!(f, "\n    no event at all")?;
            }
        }
        Ok(())
    }
}
