//! The values that programs emit for monitors.

use super::emission::Emission;

/// There are no operations on monitors.
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

/// A value that a program tells monitors, without a choice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// A program emits a value (`emit!`).
    Emit(Emission),
}
