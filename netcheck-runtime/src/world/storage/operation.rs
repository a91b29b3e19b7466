//! Changes of files.

use netcheck_models::storage;

/// There are no operations on files: all that a program asks is answered by its own tree.
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

/// A change of the files of a unit's host, or a sync.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Effect(pub storage::Operation);
