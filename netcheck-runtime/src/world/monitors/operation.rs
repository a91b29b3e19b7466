//! The values that programs emit for monitors, and the calls on objects that they tell.

use super::emission::Emission;
use super::told::{Conclusion, Invocation};

/// Something that a program tells monitors, without a choice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// A program emits a value (`emit!`).
    Emit(Emission),
    /// A program begins a call on an object (`history::invoke`).
    Invoke(Invocation),
    /// The call is over: it has returned, or never will.
    Conclude(Conclusion),
}
