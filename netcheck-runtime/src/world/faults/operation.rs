//! Regions of a program outside of which there are no faults.

/// There are no operations on fault regions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operation {}

impl Operation {
    /// No operation is tried.
    pub(crate) fn tried(&self) -> Option<Operation> {
        match *self {}
    }

    /// No operation waits.
    pub(crate) fn waits(&self) -> bool {
        match *self {}
    }
}

/// A change of a unit's fault regions, without a choice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// A `faults::scope` was entered (`true`) or left.
    Scope { entered: bool },
}
