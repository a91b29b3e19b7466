//! The files that processes find when they start again: for each storage, once.

use super::images::Unenumerated;
use crate::id::ProcessId;
use crate::operation::Outcome;
use crate::world::system::System;
use netcheck_models::storage::Storage;
use std::sync::Arc;

impl System {
    /// Adds what is left of the files of a process when it has crashed. If too many operations are pending, these are all of them
    /// and none.
    pub(in crate::world) fn add_left(&mut self, process: ProcessId, files: u32) {
        let declared = Arc::clone(&self.processes[process.0 as usize].host.files);
        let kept = self.storages.get(files).clone().unwrap_or_else(|| Storage::new(&declared));
        let trees = match self.declared.loses_power(process) {
            false => vec![kept.seen()],
            true => kept.images(self.declared.survives).unwrap_or_else(|operations| {
                self.images.unenumerated = Some(Unenumerated { process, operations });
                vec![kept.durable(), kept.seen()]
            }),
        };
        let left = trees.into_iter().map(|tree| match tree == *declared {
            true => (self.known.done, self.storages.intern(&None)),
            false => {
                let storage = self.storages.intern(&Some(Storage::new(&tree)));
                (self.learner.automata.intern(&Outcome::Files(Arc::new(tree))), storage)
            }
        });
        let left = left.collect();
        self.images.left.insert((process, files), left);
    }
}
