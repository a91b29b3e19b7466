//! Links that are cut and heal in the naive explorer: at any moment, whether or not anybody notices.

use std::collections::{BTreeMap, BTreeSet};

use super::connections::{Connections, Link};
use super::datagrams::Channel;
use super::operation::{Left, Move};
use super::state::{Endpoint, World};
use crate::language::program::{Links, Partition};

impl World<'_> {
    /// The cuts that are declared.
    fn declared_cuts(&self) -> Vec<BTreeSet<Link>> {
        let Some(Partition { links, one_way, .. }) = &self.system.network.partition else { return Vec::new() };
        let count = self.system.processes.len();
        let members = |set: usize| (0..count).filter(move |process| set >> process & 1 == 1);
        let sets: Vec<(usize, usize)> = match *links {
            Links::Isolate(process) => vec![(1 << process, !(1 << process))],
            Links::Between(one, other) => vec![(1 << one, 1 << other)],
            Links::Any => (1..(1 << count) - 1).map(|set| (set, !set)).collect(),
            Links::Halves => {
                let is_half = |set: &usize| set.count_ones() as usize == count / 2;
                let halves = (1..1 << count).filter(is_half);
                halves.flat_map(|set: usize| [(set, !set), (!set, set)]).collect()
            }
        };
        let mut cuts = BTreeSet::new();
        for (one, other) in sets {
            let mut cut = BTreeSet::new();
            for from in members(one) {
                for to in members(other).filter(|to| *to != from) {
                    cut.insert((from, to));
                    if !one_way {
                        cut.insert((to, from));
                    }
                }
            }
            cuts.insert(cut);
        }
        cuts.into_iter().filter(|cut| !cut.is_empty()).collect()
    }

    fn stopped_by(&self, cuts: &BTreeSet<usize>) -> BTreeSet<Link> {
        let declared = self.declared_cuts();
        cuts.iter().flat_map(|&cut| declared[cut].iter().copied()).collect()
    }

    /// Whether nothing comes through.
    pub(super) fn is_cut(&self, link: Link) -> bool {
        link.0 != link.1 && self.stopped_by(&self.state.cuts).contains(&link)
    }

    /// Whether a connect gets no answer.
    pub(super) fn is_unreachable(&self, one: usize, other: usize) -> bool {
        self.is_cut((one, other)) || self.is_cut((other, one))
    }

    pub(super) fn is_split(&self) -> bool {
        self.system.network.tcp.as_ref().is_some_and(|tcp| tcp.split)
    }

    /// The cuts that may be made now, whether or not anybody notices.
    pub(super) fn cuts(&self) -> Vec<Move> {
        let Some(partition) = &self.system.network.partition else { return Vec::new() };
        if self.state.cuts_made == partition.times || self.state.faults_left == Some(0) || !self.is_noticed() {
            return Vec::new();
        }
        let stopped = self.stopped_by(&self.state.cuts);
        let mut moves = Vec::new();
        for (number, cut) in self.declared_cuts().into_iter().enumerate() {
            let fresh: BTreeSet<Link> = cut.difference(&stopped).copied().collect();
            if !fresh.is_empty() {
                moves.extend(self.left_by_cut(&fresh).into_iter().map(|left| Move::Cut { number, left }));
            }
        }
        moves
    }

    /// Whether anybody is left; a monitor is shown no cut when all is over.
    fn is_noticed(&self) -> bool {
        !self.system.network.watched || self.state.processes.iter().any(|process| !process.phase.is_over())
    }

    /// All that may be left of what is under way on some links.
    fn left_by_cut(&self, links: &BTreeSet<Link>) -> Vec<Left> {
        let mut channels = vec![self.state.channels.clone()];
        for (&ends, channel) in &self.state.channels {
            let ((sender, _), (receiver, _)) = ends;
            if !links.contains(&(sender, receiver)) {
                continue;
            }
            let ways: Vec<Channel> = (0..=channel.backlog()).map(|count| channel.without_last(count)).collect();
            let with = |all: &BTreeMap<(Endpoint, Endpoint), Channel>, way: &Channel| {
                let mut with = all.clone();
                with.insert(ends, way.clone());
                with
            };
            channels = channels.iter().flat_map(|all| ways.iter().map(|way| with(all, way))).collect();
        }
        let connections = self.state.connections.cut(links, self.is_split());
        let both = |connections: Connections| {
            channels.iter().map(move |channels| Box::new((connections.clone(), channels.clone()))).collect::<Vec<_>>()
        };
        connections.into_iter().flat_map(both).collect()
    }

    /// The cuts that may heal now.
    pub(super) fn heals(&self) -> Vec<Move> {
        let heals = self.system.network.partition.as_ref().is_some_and(|partition| !partition.for_ever);
        let heals = heals && self.is_noticed();
        let cuts = self.state.cuts.iter().filter(|_| heals);
        cuts.map(|&number| Move::Heal { number }).collect()
    }

    pub(super) fn make_cut(&mut self, number: usize, left: (Connections, BTreeMap<(Endpoint, Endpoint), Channel>)) {
        (self.state.connections, self.state.channels) = left;
        self.state.cuts.insert(number);
        self.state.cuts_made += 1;
    }

    pub(super) fn heal_cut(&mut self, number: usize) {
        let before = self.stopped_by(&self.state.cuts);
        self.state.cuts.remove(&number);
        let after = self.stopped_by(&self.state.cuts);
        self.state.connections.heal(&before.difference(&after).copied().collect());
    }
}
