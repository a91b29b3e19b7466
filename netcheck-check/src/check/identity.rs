//! How local states are told apart.

use crate::check::{Checker, Tasks};

/// How two histories of a process are known to have led to one local state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Identity {
    /// By the history itself: what the process asked, and the outcomes. A captured loop forgets what its variables do
    /// not hold any more.
    History,
    /// Also by memory: if the futures of the process, and the heap that they reach, look alike. So ordinary loops
    /// close, and orders of steps that make no difference lead to one state. A process whose future depends on anything
    /// else (a static, a thread-local, a file) is found out by a sample of such histories, which is run both ways.
    #[default]
    Memory,
}

impl Checker {
    /// Declares how local states are told apart: also by memory, unless it is said otherwise; by history with
    /// [`Checker::symmetry`], and always with [`Tasks::Tracked`], which tells them apart by a rule of its own.
    pub fn identity(mut self, identity: Identity) -> Self {
        self.identity = Some(identity);
        self
    }

    /// Whether local states are told apart by memory, too.
    pub(super) fn remembers(&self) -> bool {
        // Symmetry compares processes by what they ask, and what their memory holds names them.
        let by_default = if self.symmetry { Identity::History } else { Identity::Memory };
        self.identity.unwrap_or(by_default) == Identity::Memory && self.tasks != Tasks::Tracked
    }
}
