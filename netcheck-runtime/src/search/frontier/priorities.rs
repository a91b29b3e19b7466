//! Random priorities of units, with points at which they change.

use super::Random;
use crate::id::UnitId;
use ahash::AHashMap;

/// The number of steps that the first walk is taken to have (the paper's k).
const STEPS_ASSUMED: usize = 128;

/// Initial priorities have this bit, those of change points do not.
const INITIAL: u64 = 1 << 63;

/// The priorities of one walk after the other.
pub(super) struct Priorities {
    /// Ordering constraints (the paper's d): with one change point less.
    depth: usize,
    /// The priorities of the units that could move in this walk; `None` is the network.
    of: AHashMap<Option<UnitId>, u64>,
    /// The steps of this walk after which a priority changes.
    changes: Vec<usize>,
    /// The steps of the longest walk.
    steps_max: usize,
}

impl Priorities {
    pub(super) fn new(depth: usize) -> Priorities {
        Priorities { depth, of: AHashMap::new(), changes: Vec::new(), steps_max: 0 }
    }

    /// Fresh ones.
    pub(super) fn begin(&mut self, random: &mut Random) {
        self.of.clear();
        let steps = if self.steps_max == 0 { STEPS_ASSUMED } else { self.steps_max };
        // The last of several points at one step counts, so that some would be lost if there were more points than steps.
        let changes = self.depth.saturating_sub(1).min(steps);
        self.changes = (0..changes).map(|_| 1 + random.below(steps)).collect();
    }

    /// The one of them with the highest priority.
    pub(super) fn highest(&mut self, movers: &[Option<UnitId>], random: &mut Random) -> Option<UnitId> {
        let mut of = |mover: &Option<UnitId>| *self.of.entry(*mover).or_insert_with(|| random.next() | INITIAL);
        let all = movers.iter().map(|mover| (of(mover), *mover));
        all.max_by_key(|(priority, _)| *priority).and_then(|(_, mover)| mover)
    }

    /// The walk has taken a step, which is the one of this number.
    pub(super) fn moved(&mut self, mover: Option<UnitId>, steps: usize) {
        self.steps_max = self.steps_max.max(steps);
        // The later ones of the list are lower, as in the paper; they come in any order.
        for (index, _) in self.changes.iter().enumerate().filter(|&(_, &at)| at == steps) {
            self.of.insert(mover, (self.changes.len() - index) as u64);
        }
    }
}
