//! The resources of what goes over links that may be cut.

use super::way;
use crate::id::ProcessId;
use crate::world::system::System;
use crate::world::tables::View;
use crate::world::touches::{Resource, Touches};
use netcheck_models::host::reach::{Partition, Way};
use std::collections::BTreeSet;

impl Touches {
    /// Something that a process does goes from one process to another, or is taken that has come from there: links may be cut
    /// or heal beside it.
    pub(in crate::world) fn crosses(&mut self, system: &System, by: ProcessId, (from, to): (ProcessId, ProcessId)) {
        let own = way(from, to);
        let cut_together: BTreeSet<Way> = declaring(system, own).flat_map(links).collect();
        if cut_together.is_empty() {
            return;
        }
        self.affects(carried(own)).depends_on(reach(own));
        self.may_be_cut(system, by, cut_together);
    }

    /// Links may be cut, or heal, beside something that a process does.
    fn may_be_cut(&mut self, system: &System, by: ProcessId, links: BTreeSet<Way>) {
        for link in links {
            self.affects(reach(link)).depends_on(carried(link));
        }
        self.seen_losses(system);
        self.failure_in(system, by);
    }

    /// If a monitor sees cuts, they are made beside whatever a live unit of a process asks for.
    pub(crate) fn cut_early(&mut self, system: &System, process: ProcessId) {
        if system.demands.cuts != 0 {
            self.seen_cuts(system);
            self.may_be_cut(system, process, system.declared.partitions.iter().flat_map(links).collect());
        }
    }

    /// The same, between a process and another one, in both directions.
    pub(in crate::world) fn crosses_both_ways(&mut self, system: &System, process: ProcessId, other: ProcessId) {
        self.crosses(system, process, (process, other));
        self.crosses(system, process, (other, process));
    }

    /// The same, between a process and each other one.
    pub(in crate::world) fn crosses_to_all(&mut self, system: &System, process: ProcessId) {
        for other in (0..system.processes.len() as u32).map(ProcessId).filter(|other| *other != process) {
            self.crosses_both_ways(system, process, other);
        }
    }

    /// A process takes what has come from any other one.
    pub(in crate::world) fn takes_from_all(&mut self, system: &System, process: ProcessId) {
        for other in (0..system.processes.len() as u32).map(ProcessId).filter(|other| *other != process) {
            self.crosses(system, process, (other, process));
        }
    }
}

impl View<'_> {
    /// The resources of the links that are neither cut any more nor heal from a state on.
    pub(crate) fn settled_links(self, state: &[u32]) -> Vec<Resource> {
        if !self.declares_partitions() {
            return Vec::new();
        }
        let (declared, reach, may_be_made) = (self.partitions(), self.reach(state), self.budget(state).allows(1));
        let all: BTreeSet<Way> = declared.iter().flat_map(links).collect();
        let settled = all.into_iter().filter(|&way| !reach.may_change(way, declared, may_be_made));
        settled.flat_map(|way| [self::reach(way), carried(way)]).collect()
    }
}

/// The declarations of which some cut stops a link: at most so many of its cuts are made, so that one depends on each other.
fn declaring(system: &System, way: Way) -> impl Iterator<Item = &Partition> {
    system.declared.partitions.iter().filter(move |partition| partition.cuts.iter().any(|cut| cut.stops(way)))
}

fn links(partition: &Partition) -> impl Iterator<Item = Way> {
    partition.cuts.iter().flat_map(|cut| cut.links())
}

fn carried((from, to): Way) -> Resource {
    Resource::Carried(ProcessId(from), ProcessId(to))
}

fn reach((from, to): Way) -> Resource {
    Resource::Reach(ProcessId(from), ProcessId(to))
}
