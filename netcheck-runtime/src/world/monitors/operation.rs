//! The values that programs emit for monitors.

use super::emission::Emission;

/// A value that a program tells monitors, without a choice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// A program emits a value (`emit!`).
    Emit(Emission),
}
