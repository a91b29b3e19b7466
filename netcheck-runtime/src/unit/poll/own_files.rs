//! The files of a unit's host in the memory of a run, and the writes that are begun and have not reached them.

use crate::id::CallerId;
use crate::operation::files::{Failure, Files, Handle, Seek, Tree};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The files of a run.
#[derive(Clone, Default)]
pub(in crate::unit) struct OwnFiles {
    /// `None`: as the check declares them; the program has not looked yet.
    pub(super) seen: Option<Arc<Files>>,
    /// The writes that were begun, the oldest first.
    pub(super) begun: Vec<BegunWrite>,
    /// The files of the machine that the program has opened, with their paths.
    pub(super) foreign: Vec<(i32, Arc<str>)>,
}

/// A write of which the program knows that it is begun, and that the tree does not have yet.
#[derive(Clone)]
pub(super) struct BegunWrite {
    pub(super) number: u32,
    pub(super) handle: Handle,
    /// The bytes that were read ahead: the write goes back as many.
    pub(super) back: u64,
    pub(super) bytes: Arc<[u8]>,
    /// The source line that has begun it, for readers.
    pub(super) line: Option<CallerId>,
}

/// Source lines are for readers only.
impl Hash for BegunWrite {
    fn hash<H: Hasher>(&self, values: &mut H) {
        (self.number, self.handle, self.back, &self.bytes).hash(values);
    }
}

impl BegunWrite {
    pub(super) fn perform(&self, files: &mut Files) -> Result<(), Failure> {
        if self.back > 0 {
            files.seek(self.handle, Seek::Current(-(self.back as i64)))?;
        }
        files.write(self.handle, &self.bytes).map(drop)
    }
}

impl OwnFiles {
    /// Records everything here that the unit's future depends on.
    pub(super) fn record(&self, values: &mut impl Hasher) {
        if let Some(files) = &self.seen {
            files.record(values);
            self.begun.hash(values);
        }
    }

    /// The tree, if the program has looked at it.
    pub(super) fn tree(&self) -> Option<&Tree> {
        self.seen.as_ref().map(|files| files.tree())
    }
}
