//! The files that a power failure has taken, and the syncs that would have kept them.

use super::storage;
use crate::id::ProcessId;
use crate::world::tables::Tables;
use netcheck_models::storage::{Operation, Path, Subject, Tree};
use std::collections::BTreeSet;

/// What is lost of the files of a process that starts again.
#[derive(Debug, Default)]
pub struct Lost {
    /// Files that are not there, or are not what the process has seen.
    pub changed: Vec<Path>,
    /// Files and directories of which one more sync, right before the crash, would have left other files.
    pub unsynced: Vec<Path>,
}

/// What is lost of the files of a process that starts again with these, in a state in which it is down.
pub fn lost(tables: &Tables, process: ProcessId, state: &[u32], left: &Tree) -> Lost {
    let kept = storage(tables, process, state);
    let seen = kept.seen();
    if seen == *left {
        return Lost::default();
    }
    let (before, after) = (seen.files(), left.files());
    let all: BTreeSet<&Path> = before.keys().chain(after.keys()).collect();
    let changed = all.into_iter().filter(|path| before.get(*path) != after.get(*path)).cloned().collect();
    let is_kept_by_sync = |path: &Path| {
        let images =
            kept.after(&Operation::Sync { file: Subject::Path(path.clone()) }).images(tables.declared.survives);
        images.is_ok_and(|images| !images.contains(left))
    };
    let unsynced = seen.paths().into_iter().map(|(path, _)| path).filter(is_kept_by_sync).collect();
    Lost { changed, unsynced }
}
