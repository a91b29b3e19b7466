//! Declaring what is left of files.

use netcheck_runtime::operation::files::{Policy, Survives};

/// The declared behaviour of disks: what a power failure leaves of the operations on files that no sync has made durable.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Files {
    policy: Policy,
}

impl Files {
    /// Any of them, in their order: a write without the one before it, a name without the bytes, the length of a write without
    /// its bytes (zeros). So it is unless another one is declared.
    pub fn any() -> Self {
        Files { policy: Policy { survives: Survives::Any, torn: None } }
    }

    /// All up to any one of them: a disk that writes in order.
    pub fn prefix() -> Self {
        Files { policy: Policy { survives: Survives::Prefix, torn: None } }
    }

    /// None of them.
    pub fn lost() -> Self {
        Files { policy: Policy { survives: Survives::Lost, torn: None } }
    }

    /// Of a write, the first blocks of so many bytes may survive without the others.
    ///
    /// # Panics
    /// If `bytes` is 0.
    #[track_caller]
    pub fn torn(mut self, bytes: usize) -> Self {
        assert!(bytes > 0, "a block has at least one byte: `torn` starts at 1");
        self.policy.torn = Some(bytes);
        self
    }

    pub(in crate::check) fn policy(self) -> Policy {
        self.policy
    }

    /// As a word of the attribute.
    pub(in crate::check) fn in_words(self) -> String {
        let survives = match self.policy.survives {
            Survives::Any => "any",
            Survives::Prefix => "prefix",
            Survives::Lost => "lost",
        };
        let torn = self.policy.torn.map(|bytes| format!(", torn = {bytes}")).unwrap_or_default();
        format!("fs({survives}{torn})")
    }
}
