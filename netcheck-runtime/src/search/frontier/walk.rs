//! Whole random walks: see [`Search::Random`](super::Search::Random) and [`Search::Pct`](super::Search::Pct).
//!
//! A walk begins at the first state and chooses a step at each state, whether the state was explored before or not, until
//! there is none. Through states that were explored before it only passes: their steps are looked up. The first open state
//! on its way is the one that the search expands next; its successors are then steps of the same walk. So each walk is a
//! whole execution, drawn as if it were the first one, and costs only those states that no walk has met before.
//!
//! *Every open state has its turn.* A walk that comes to no open state is followed by one that begins at an open state. To
//! pass takes time, too: walks from the first state may pass so many states for each one that is expanded, and where they
//! have used that up, walks begin at open states.
//!
//! Walks differ in what they like, since no taste finds all bugs: in every other pair of them, faults are seldom. Of the
//! walks without priorities, half look for local states that are rare so far: a panic is a step to a local state.

use super::length::steps_max;
use super::open::Open;
use super::passed::{Passable, Passed};
use super::priorities::Priorities;
use super::{Random, Successor};
use crate::id::{NodeId, UnitId};
use crate::world::store::StateId;
use ahash::{AHashMap, AHashSet};

/// Explored states that walks may pass for each one that is expanded.
const PASSED_PER_STATE: usize = 16;

pub(crate) struct Walks {
    first: StateId,
    open: Open,
    passed: Passed,
    random: Random,
    /// By what the units are chosen; `None`: each that can move is as probable.
    priorities: Option<Priorities>,
    /// How often walks came to a local state; `None`: to whatever the network did by itself.
    visits: AHashMap<Option<NodeId>, u32>,
    /// Where the walk is; `None`: it is over.
    at: Option<StateId>,
    walk: Walk,
    /// The number of walks.
    count: usize,
    /// Steps that walks may still take.
    steps_left: usize,
}

/// The walk that is under way.
#[derive(Clone, Copy, Default)]
struct Walk {
    steps: usize,
    /// It is cut off after so many.
    steps_max: usize,
    /// Steps with faults are drawn at one state among so many.
    rarity: usize,
    /// Whether that step is taken whose unit comes to the local state that walks have come to least often.
    seeks_news: bool,
    /// Whether no open state was met.
    is_futile: bool,
}

impl Walks {
    pub(super) const STATE_BYTES: usize = Open::STATE_BYTES;

    /// `depth`: by priorities, for bugs of so many ordering constraints.
    pub(super) fn new(seed: u64, depth: Option<usize>, first: StateId) -> Walks {
        let mut open = Open::default();
        open.insert(first);
        Walks {
            first,
            open,
            passed: Passed::default(),
            random: Random::new(seed),
            priorities: depth.map(Priorities::new),
            visits: AHashMap::new(),
            at: None,
            walk: Walk::default(),
            count: 0,
            steps_left: 0,
        }
    }

    pub(super) fn extend(&mut self, successors: &[Successor]) {
        for new in successors.iter().filter(|successor| successor.is_new) {
            self.open.insert(new.state);
        }
        if let Some(at) = self.at {
            self.passed.insert(at, successors);
        }
    }

    pub(super) fn pop(&mut self) -> Option<StateId> {
        if self.open.len() == 0 {
            return None;
        }
        loop {
            let at = self.at.unwrap_or_else(|| self.begin());
            if self.open.remove(at) {
                self.at = Some(at);
                self.walk.is_futile = false;
                self.steps_left += 1 + PASSED_PER_STATE;
                return Some(at);
            }
            self.at = self.step(at);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.passed.memory_bytes()
    }

    /// Begins a walk; says where.
    fn begin(&mut self) -> StateId {
        let Walks { random, open, .. } = self;
        let is_stuck = self.walk.is_futile || self.steps_left == 0;
        let at = if is_stuck { open.any(random) } else { self.first };
        if let Some(priorities) = &mut self.priorities {
            priorities.begin(random);
        }
        // A walk in which all may fail seldom comes far; one in which nothing does shows no bug that needs a fault.
        let rarity = match self.count / 2 % 2 {
            0 => 1,
            _ => 1 << (1 + random.below(6)),
        };
        let seeks_news = self.priorities.is_none() && random.below(2) == 0;
        self.walk = Walk { steps: 0, steps_max: steps_max(self.count as u64), rarity, seeks_news, is_futile: true };
        self.count += 1;
        at
    }

    /// The next state of the walk; `None`: it is over.
    fn step(&mut self, at: StateId) -> Option<StateId> {
        let Walks { random, passed, priorities, visits, walk, .. } = self;
        if walk.steps == walk.steps_max {
            return None;
        }
        self.steps_left = self.steps_left.checked_sub(1)?;
        let may_fail = random.below(walk.rarity) == 0;
        let steps = passed.steps(at);
        let mut drawable: Vec<&Passable> = steps.iter().filter(|step| may_fail || !step.is_fault).collect();
        if drawable.is_empty() {
            drawable = steps.iter().collect();
        }
        if drawable.is_empty() {
            return None;
        }
        if walk.seeks_news {
            let seen = |step: &Passable| visits.get(&step.local).copied().unwrap_or(0);
            let fewest = drawable.iter().map(|step| seen(step)).min();
            drawable.retain(|step| Some(seen(step)) == fewest);
        } else {
            let mut met = AHashSet::new();
            let movers: Vec<Option<UnitId>> =
                drawable.iter().map(|step| step.mover()).filter(|mover| met.insert(*mover)).collect();
            let mover = match priorities {
                Some(priorities) => priorities.highest(&movers, random),
                None => movers[random.below(movers.len())],
            };
            drawable.retain(|step| step.mover() == mover);
        }
        let step = *drawable[random.below(drawable.len())];
        walk.steps += 1;
        match priorities {
            Some(priorities) => priorities.moved(step.mover(), walk.steps),
            None => *visits.entry(step.local).or_default() += 1,
        }
        Some(step.state)
    }
}
