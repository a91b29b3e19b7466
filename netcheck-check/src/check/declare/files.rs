//! Declaring what is left of files.

use netcheck_runtime::operation::files::{Policy, Survives};
use netcheck_runtime::operation::storage::Failures;

/// The declared behaviour of disks: what a power failure leaves of the operations on files that no sync has made durable, and
/// which calls on files may fail.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Files {
    policy: Policy,
    fails: Failures,
}

impl Files {
    /// Any of them, in their order: a write without the one before it, a name without the bytes, the length of a write without
    /// its bytes (zeros). So it is unless another one is declared.
    pub fn any() -> Self {
        Files::surviving(Survives::Any)
    }

    /// All up to any one of them: a disk that writes in order.
    pub fn prefix() -> Self {
        Files::surviving(Survives::Prefix)
    }

    /// None of them.
    pub fn lost() -> Self {
        Files::surviving(Survives::Lost)
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

    /// A read of a file may fail: `EIO`.
    pub fn fail_read(mut self) -> Self {
        self.fails.read = true;
        self
    }

    /// A write to a file may fail, and so may setting its length: `ENOSPC`, no space is left. Nothing is written then. A write that
    /// `tokio::fs::File` makes behind tells so at the next write or flush.
    pub fn fail_write(mut self) -> Self {
        self.fails.write = true;
        self
    }

    /// A sync may fail: `EIO`. As on Linux, what it was about may be lost by a later power failure although the next sync succeeds;
    /// so a program has to write it again.
    pub fn fail_sync(mut self) -> Self {
        self.fails.sync = true;
        self
    }

    fn surviving(survives: Survives) -> Self {
        Files { policy: Policy { survives, torn: None }, fails: Failures::default() }
    }

    pub(in crate::check) fn policy(self) -> Policy {
        self.policy
    }

    pub(in crate::check) fn fails(self) -> Failures {
        self.fails
    }

    /// As a word of the attribute.
    pub(in crate::check) fn in_words(self) -> String {
        let Files { policy: Policy { survives, torn }, fails: Failures { read, write, sync } } = self;
        let survives = match survives {
            Survives::Any if torn.is_none() && self.fails.any() => None,
            Survives::Any => Some("any"),
            Survives::Prefix => Some("prefix"),
            Survives::Lost => Some("lost"),
        };
        let fails = [(read, "read"), (write, "write"), (sync, "sync")];
        let fails = fails.into_iter().filter(|(may, _)| *may).map(|(_, word)| word.to_owned());
        let torn = torn.map(|bytes| format!("torn = {bytes}"));
        let words: Vec<String> = survives.map(str::to_owned).into_iter().chain(torn).chain(fails).collect();
        format!("fs({})", words.join(", "))
    }
}
