//! The files that a process finds when it starts again, against those that it had.

use netcheck_runtime::id::ProcessId;
use netcheck_runtime::operation::files::{Path, shown};
use netcheck_runtime::operation::{Operation, Outcome};
use netcheck_runtime::world::storage::lost::{Lost, lost};
use netcheck_runtime::world::system::System;
use netcheck_runtime::world::tasks;

/// What a process that starts again has lost of its files, and which syncs would have kept it.
pub(super) fn left_behind(
    system: &System,
    state: &[u32],
    process: ProcessId,
    operation: &Operation,
    answer: &Outcome,
) -> Vec<String> {
    let left = match (operation, answer) {
        (Operation::Tasks(tasks::Operation::Restart), Outcome::Files(tree)) => tree,
        (Operation::Tasks(tasks::Operation::Restart), _) => &system.shared().hosts[process.0 as usize].files,
        _ => return Vec::new(),
    };
    let Lost { changed, unsynced } = lost(system, process, state, left);
    let named = |path: String| if path.is_empty() { "the root".to_owned() } else { format!("`{path}`") };
    let all = |paths: &[Path], joint: &str| paths.iter().map(|path| named(shown(path))).collect::<Vec<_>>().join(joint);
    let lines = [("what was not synced is lost", changed, ", "), ("a sync would have kept it", unsynced, ", or ")];
    let lines = lines.iter().filter(|(_, paths, _)| !paths.is_empty());
    lines.map(|(what, paths, joint)| format!("{what}: {}", all(paths, joint))).collect()
}
