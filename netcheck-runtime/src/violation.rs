//! Violated properties: data, below everything that finds them or speaks of them.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The kind of property that an execution violates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ViolationKind {
    /// User code panicked.
    Panic,
    /// Nothing can happen any more, and a process that is no daemon has not ended.
    Deadlock,
    /// A property of the end, given to `Network::finally`, or a claim of `always!` does not hold.
    Property,
    /// A monitor rejects what happened, a time that passed, or the end.
    Monitor,
    /// An execution goes on for ever in which a process that is no daemon does not end, although all gets its turn.
    Liveness,
    /// Nothing: an execution that was kept from the explorer.
    None,
}

impl fmt::Display for ViolationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ViolationKind::Panic => "panic",
            ViolationKind::Deadlock => "deadlock",
            ViolationKind::Property => "property",
            ViolationKind::Monitor => "monitor",
            ViolationKind::Liveness => "liveness",
            ViolationKind::None => "no violation",
        })
    }
}

/// A violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub kind: ViolationKind,
    /// The violation in words, and its place.
    pub message: String,
    /// The units that it happened in; empty: in all.
    pub units: Vec<String>,
    /// The units that nothing can happen to any more, of a deadlock beside others that may go on.
    pub at_rest: Vec<String>,
    /// It is nothing that the program does wrong, but something that no check can follow.
    pub is_error: bool,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)
    }
}

impl Found {
    /// Whether this is a known violation again. The place at which a task waits is known more exactly the second time.
    pub fn is_again(&self, known: &Found) -> bool {
        let tells_waits = matches!(self.kind, ViolationKind::Deadlock | ViolationKind::Liveness);
        self.kind == known.kind && (tells_waits || self.message == known.message)
    }
}
