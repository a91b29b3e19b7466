//! Walks by random priorities of units: see [`Search::Pct`](super::Search::Pct).

use super::open::Open;
use super::{Random, Successor};
use crate::id::UnitId;
use crate::world::store::StateId;
use ahash::AHashMap;

/// The number of steps that the first walk is taken to have at the most (the paper's k).
const STEPS_ASSUMED: usize = 128;

/// Initial priorities have this bit, those of change points do not.
const INITIAL: u64 = 1 << 63;

pub(crate) struct Pct {
    open: Open,
    random: Random,
    /// Ordering constraints (the paper's d): with one change point less.
    depth: usize,
    /// The priorities of the units that could move in this walk.
    priorities: AHashMap<Option<UnitId>, u64>,
    /// The steps of this walk after which a priority changes.
    changes: Vec<usize>,
    /// The steps of this walk.
    steps: usize,
    /// The steps of the longest walk.
    steps_max: usize,
    next: Option<StateId>,
}

impl Pct {
    pub(super) const STATE_BYTES: usize = Open::STATE_BYTES;

    pub(super) fn new(seed: u64, depth: usize, first: StateId) -> Pct {
        let mut open = Open::default();
        open.insert(first);
        Pct {
            open,
            random: Random::new(seed),
            depth,
            priorities: AHashMap::new(),
            changes: Vec::new(),
            steps: 0,
            steps_max: 0,
            next: None,
        }
    }

    pub(super) fn extend(&mut self, successors: &[Successor]) {
        for new in successors.iter().filter(|successor| successor.is_new) {
            self.open.insert(new.state);
        }
        let mut highest = 0;
        let mut best = Vec::new();
        for successor in successors.iter().filter(|successor| self.open.contains(successor.state)) {
            let random = &mut self.random;
            let priority = *self.priorities.entry(successor.unit).or_insert_with(|| random.next() | INITIAL);
            if priority > highest {
                highest = priority;
                best.clear();
            }
            if priority == highest {
                best.push(successor);
            }
        }
        if !best.is_empty() {
            let chosen = best[self.random.below(best.len())];
            self.step(chosen);
        }
    }

    pub(super) fn pop(&mut self) -> Option<StateId> {
        match self.next.take() {
            Some(next) => {
                self.open.remove(next);
                Some(next)
            }
            None => {
                self.begin();
                self.open.draw(&mut self.random)
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    /// A walk with fresh priorities.
    fn begin(&mut self) {
        self.steps_max = self.steps_max.max(self.steps);
        self.steps = 0;
        self.priorities.clear();
        let steps = if self.steps_max == 0 { STEPS_ASSUMED } else { self.steps_max };
        let random = &mut self.random;
        self.changes = (1..self.depth).map(|_| 1 + random.below(steps)).collect();
    }

    fn step(&mut self, to: &Successor) {
        self.next = Some(to.state);
        self.steps += 1;
        // The later ones of the list are lower, as in the paper; they come in any order.
        for (index, _) in self.changes.iter().enumerate().filter(|&(_, &at)| at == self.steps) {
            self.priorities.insert(to.unit, (self.depth - 1 - index) as u64);
        }
    }
}
