//! Changes of files, and calls on files that may fail.

use netcheck_models::storage;

/// A call on files that the check lets fail: asked for before it is made. It cannot wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Bytes are read.
    Read,
    /// Bytes are written, or the length is set.
    Write,
    /// A file or directory is synced.
    Sync,
}

impl Operation {
    /// None: the call is made at once.
    pub(crate) fn tried(&self) -> Option<Operation> {
        None
    }

    /// A call on files is never pending.
    pub(crate) fn waits(&self) -> bool {
        false
    }
}

/// The calls that may fail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Failures {
    /// [`Operation::Read`].
    pub read: bool,
    /// [`Operation::Write`].
    pub write: bool,
    /// [`Operation::Sync`].
    pub sync: bool,
}

impl Failures {
    /// Whether a call is among them.
    pub(crate) fn has(self, call: Operation) -> bool {
        match call {
            Operation::Read => self.read,
            Operation::Write => self.write,
            Operation::Sync => self.sync,
        }
    }

    /// Whether any call is.
    pub fn any(self) -> bool {
        self.read || self.write || self.sync
    }
}

/// A change of the files of a unit's host, or a sync.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Effect(pub storage::Operation);
