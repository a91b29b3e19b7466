//! The calls on objects in one execution, for people to read.

use super::seen::Seen;
use super::told::{Conclusion, Invocation};
use netcheck_models::history::Call;

/// The calls of an execution up to an answer that no order of them explains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Story {
    /// The type of the object.
    pub object: String,
    /// The property that the calls have not, as an adjective.
    pub property: String,
    /// The calls on the object, in the order in which they were invoked.
    pub calls: Vec<Lane>,
    /// The number of the call whose answer is not explained.
    pub unexplained: usize,
    /// An order of calls that explains all answers before that one: their numbers.
    pub order: Vec<usize>,
}

/// A call of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// The process that has made the call.
    pub process: String,
    /// The operation, with the key of its object.
    pub operation: String,
    /// The answer; `None` if the call has not returned.
    pub answer: Option<String>,
    /// The number of the event with which it began, among all events of calls, and the number of the step.
    pub began: (usize, usize),
    /// The same of its end.
    pub over: Option<(usize, usize)>,
}

/// A call begins or is over.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    Invoked { process: String, part: u32, invocation: Invocation, step: usize },
    Concluded { process: String, part: u32, conclusion: Conclusion, step: usize },
}

impl Event {
    /// The name of the call.
    pub(super) fn call(&self) -> Call {
        let (process, part, number) = match self {
            Event::Invoked { process, part, invocation, .. } => (process, *part, invocation.number),
            Event::Concluded { process, part, conclusion, .. } => (process, *part, conclusion.number),
        };
        Call { process: process.as_str().into(), part, number }
    }

    /// Shows it to a function, as monitors see it.
    pub(super) fn shown<R>(&self, show: impl FnOnce(&Seen<'_>) -> R) -> R {
        match self {
            Event::Invoked { process, part, invocation, .. } => show(&Seen::invoked(process, *part, invocation)),
            Event::Concluded { process, part, conclusion, .. } => show(&Seen::concluded(process, *part, conclusion)),
        }
    }
}
