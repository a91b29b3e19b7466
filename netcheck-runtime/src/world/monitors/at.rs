//! Where a monitor is, and why it goes no further.

use super::told::Comparable;
use netcheck_models::monitor::{Configurations, Rejection};
use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Where a monitor is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum At {
    Configurations(Configurations),
    /// The calls so far on an object.
    Calls(Kept),
}

impl At {
    /// The configurations of an automaton.
    pub(super) fn configurations(&self) -> &Configurations {
        match self {
            At::Configurations(configurations) => configurations,
            At::Calls(_) => unreachable!("the calls on an object are in no configurations"),
        }
    }
}

/// The calls so far on an object, whose type is erased.
#[derive(Clone)]
pub(crate) struct Kept(Arc<dyn Comparable>);

impl Kept {
    pub(super) fn new(calls: impl Eq + Hash + Send + Sync + 'static) -> Kept {
        Kept(Arc::new(calls))
    }

    pub(super) fn any(&self) -> &dyn Any {
        &*self.0
    }
}

impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        self.0.is(other.any())
    }
}

impl Eq for Kept {}

impl Hash for Kept {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash_to(state);
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("calls")
    }
}

/// Why a monitor goes no further.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Refusal {
    Rejection(Rejection),
    /// No order of the calls explains an answer: in words.
    Unexplained(String),
    /// The program tells something that it must not: in words.
    Mistake(String),
}

impl From<Rejection> for Refusal {
    fn from(rejection: Rejection) -> Refusal {
        Refusal::Rejection(rejection)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Rejection(rejection) => rejection.fmt(f),
            Refusal::Unexplained(words) | Refusal::Mistake(words) => f.write_str(words),
        }
    }
}
