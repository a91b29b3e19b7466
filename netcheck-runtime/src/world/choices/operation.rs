//! Choices that a program asks for itself, and claims that it makes.

use crate::id::ClaimId;
use smallvec::SmallVec;

/// A choice that a unit asks for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// A choice that the program itself asks for.
    Choose { alternatives: usize },
    /// Which of the branches of a `select!` that may be ready is polled first; cannot wait.
    Select { sequence: u32, candidates: SmallVec<[u8; 8]> },
}

impl Operation {
    /// The operation as it is tried when it is begun; `None` if it cannot wait.
    pub(crate) fn tried(&self) -> Option<Operation> {
        match self {
            Operation::Choose { .. } => Some(self.clone()),
            Operation::Select { .. } => None,
        }
    }

    /// A choice is never pending.
    pub(crate) fn waits(&self) -> bool {
        false
    }
}

/// A statement of a program about its execution.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// A `sometimes!` was met.
    Claim { claim: ClaimId, holds: bool },
}
