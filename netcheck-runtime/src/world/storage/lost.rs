//! The files that a power failure has taken, and the syncs that would have kept them.

use super::storage;
use crate::id::ProcessId;
use crate::world::tables::Tables;
use netcheck_models::storage::{Operation, Path, Storage, Subject, Tree};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The files that are lost of a process that starts again with these, in a state in which it is down: they are not there, or
/// are not what the process has seen.
pub fn lost(tables: &Tables, process: ProcessId, state: &[u32], left: &Tree) -> Vec<Path> {
    let (before, after) = (storage(tables, process, state).seen().files(), left.files());
    let all: BTreeSet<&Path> = before.keys().chain(after.keys()).collect();
    all.into_iter().filter(|path| before.get(*path) != after.get(*path)).cloned().collect()
}

/// A sync that a process has not made.
#[derive(Debug, PartialEq, Eq)]
pub struct MissingSync {
    /// The operation after which it is missing, by its place among all of them.
    pub after: usize,
    /// The file or directory, by its path then.
    pub path: Path,
}

/// The operations of a process since it began.
#[derive(Clone, Copy, Debug)]
pub struct Past<'a> {
    /// The files with which it began.
    pub files: &'a Tree,
    /// The operations, the oldest first.
    pub operations: &'a [&'a Operation],
}

/// The syncs of which each alone would have excluded that a process starts again with these files, in a state in which it is
/// down: for each file and directory the one after its last operation.
pub fn missing_syncs(
    tables: &Tables,
    process: ProcessId,
    state: &[u32],
    past: Past<'_>,
    left: &Tree,
) -> Vec<MissingSync> {
    let kept = storage(tables, process, state);
    if !tables.declared.loses_power(process) || kept.seen() == *left {
        return Vec::new();
    }
    let after = |storage: Storage, operation: &&Operation| storage.after(operation);
    let mut storages = vec![Storage::new(past.files)];
    for operation in past.operations {
        storages.push(storages[storages.len() - 1].after(operation));
    }
    // Faults of files are not among the operations.
    if storages.last() != Some(&kept) {
        return Vec::new();
    }
    let (mut missing, mut tried) = (Vec::new(), BTreeSet::new());
    for (index, operation) in past.operations.iter().enumerate().rev() {
        for path in synced_with(operation).into_iter().filter(|path| tried.insert(Arc::clone(path))) {
            let synced = storages[index + 1].after(&Operation::Sync { file: Subject::Path(Arc::clone(&path)) });
            let synced = past.operations[index + 1..].iter().fold(synced, after);
            let images = (synced != kept).then(|| synced.images(tables.declared.survives));
            if images.is_some_and(|images| images.is_ok_and(|images| !images.contains(left))) {
                missing.push(MissingSync { after: index, path });
            }
        }
        // Before it, these names led to other files.
        renamed_by(operation).into_iter().for_each(|path| _ = tried.remove(path));
    }
    missing.reverse();
    missing
}

/// The names that lead to another file before an operation than after it.
fn renamed_by(operation: &Operation) -> Vec<&Path> {
    match operation {
        Operation::Rename { from, to } => vec![from, to],
        Operation::Create { path, .. }
        | Operation::MakeDirectory { path, .. }
        | Operation::Link { to: path, .. }
        | Operation::Unlink { path }
        | Operation::RemoveDirectory { path } => vec![path],
        _ => Vec::new(),
    }
}

/// The files and directories of which a sync makes an operation durable, right after the operation.
fn synced_with(operation: &Operation) -> Vec<Path> {
    let directory = |path: &Path| -> Path {
        let slash = path.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
        Arc::from(if slash == 0 { &b"/"[..] } else { &path[..slash] })
    };
    match operation {
        Operation::Write { file: Subject::Path(path), .. } | Operation::SetLength { file: Subject::Path(path), .. } => {
            vec![Arc::clone(path)]
        }
        Operation::Create { path, .. }
        | Operation::MakeDirectory { path, .. }
        | Operation::Link { to: path, .. }
        | Operation::Unlink { path }
        | Operation::RemoveDirectory { path } => vec![directory(path)],
        Operation::Rename { from, to } if directory(from) != directory(to) => vec![directory(to), directory(from)],
        Operation::Rename { to, .. } => vec![directory(to)],
        _ => Vec::new(),
    }
}
