//! Regions of a program outside of which there are no faults.

/// No unit asks anything of fault regions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operation {}

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

/// What happens to fault regions with a step, without a choice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Effect {
    /// A `faults::scope` was entered (`true`) or left.
    Scope { entered: bool },
}
