//! The choices of executions: drawn, or all of them in order.

use super::frontier::Random;
use super::in_order::InOrder;
use crate::id::UnitId;
use crate::world::step::Transition;
use ahash::{AHashMap, AHashSet};

/// In executions by priorities, this many priorities change (one less than the depth of
/// [`Search::Pct`](super::frontier::Search::Pct)).
const CHANGES: usize = 2;

/// Steps of the first execution by priorities, for lack of a better guess.
const STEPS_ASSUMED: usize = 64;

/// The way in which the steps of an execution are chosen: at random, or in order.
pub(super) enum Chooser {
    Chance(Chance),
    InOrder(InOrder),
}

impl Chooser {
    /// The next execution, by its number and the steps of the longest one so far; says whether there is one.
    pub(super) fn begin(&mut self, seed: u64, number: u64, steps_longest: usize) -> bool {
        match self {
            Chooser::Chance(chance) => {
                *chance = Chance::new(seed, number, steps_longest);
                true
            }
            Chooser::InOrder(order) => order.begin(),
        }
    }

    /// Whether an execution goes on where only failures are possible, which need not happen.
    pub(super) fn goes_on_with_failures(&mut self) -> bool {
        match self {
            Chooser::Chance(chance) => chance.goes_on_with_failures(),
            Chooser::InOrder(order) => order.choose(2) == 1,
        }
    }

    /// The index of the step to take; `None` if there is none.
    pub(super) fn choose(&mut self, possible: &[Transition]) -> Option<usize> {
        match self {
            Chooser::Chance(chance) => chance.choose(possible),
            Chooser::InOrder(order) => (!possible.is_empty()).then(|| order.choose(possible.len())),
        }
    }

    /// A random number of this execution. All executions in order have one that is the same, since chance has no part in
    /// them.
    pub(super) fn random(&mut self) -> u64 {
        match self {
            Chooser::Chance(chance) => chance.random.next(),
            Chooser::InOrder(_) => 0,
        }
    }
}

/// The random numbers of one execution, and what they are used for.
///
/// Executions take turns: in every other one, priorities say which unit moves, with changes at random steps (see
/// [`Search::Pct`](super::frontier::Search::Pct): here each execution begins at the start, and the guarantee of the
/// paper holds with the length of the longest execution so far for its k); in the others, any unit. Half of each draw a
/// step with faults as soon as any other; the others seldom, each with a rarity of its own, so that an execution with one
/// fault is not one in a thousand.
pub(super) struct Chance {
    pub(super) random: Random,
    /// One step with faults is taken among so many.
    rarity: usize,
    priorities: Option<AHashMap<Option<UnitId>, u64>>,
    /// The steps after which a priority changes.
    changes: [usize; CHANGES],
    steps: usize,
}

impl Chance {
    pub(super) fn new(seed: u64, number: u64, steps_longest: usize) -> Chance {
        // Neighbouring seeds have nothing in common.
        let mut random = Random::new(Random::new(seed).next() ^ Random::new(!number).next());
        let rarity = match number / 2 % 2 {
            0 => 1,
            _ => 1 << (1 + random.below(6)),
        };
        let steps = if steps_longest == 0 { STEPS_ASSUMED } else { steps_longest };
        let changes = std::array::from_fn(|_| 1 + random.below(steps));
        let priorities = (number % 2 == 1).then(AHashMap::new);
        Chance { random, rarity, priorities, changes, steps: 0 }
    }

    /// Where only failures are possible, which need not happen, every other time.
    pub(super) fn goes_on_with_failures(&mut self) -> bool {
        self.random.below(2 * self.rarity) == 0
    }

    /// The index of the step to take.
    pub(super) fn choose(&mut self, possible: &[Transition]) -> Option<usize> {
        let may_fail = self.random.below(self.rarity) == 0;
        let mut drawable: Vec<usize> =
            (0..possible.len()).filter(|&index| may_fail || !possible[index].is_fault()).collect();
        if drawable.is_empty() {
            drawable = (0..possible.len()).collect();
        }
        let mover = self.mover(&drawable.iter().map(|&index| possible[index].unit()).collect::<Vec<_>>())?;
        drawable.retain(|&index| possible[index].unit() == mover);
        self.steps += 1;
        for (change, _) in self.changes.iter().enumerate().filter(|&(_, &at)| at == self.steps) {
            if let Some(priorities) = &mut self.priorities {
                priorities.insert(mover, (CHANGES - change) as u64);
            }
        }
        Some(drawable[self.random.below(drawable.len())])
    }

    /// The unit that moves next, or the network.
    fn mover(&mut self, units: &[Option<UnitId>]) -> Option<Option<UnitId>> {
        let mut met = AHashSet::new();
        let movers: Vec<Option<UnitId>> = units.iter().copied().filter(|unit| met.insert(*unit)).collect();
        if movers.is_empty() {
            return None;
        }
        let random = &mut self.random;
        let Some(priorities) = &mut self.priorities else { return Some(movers[random.below(movers.len())]) };
        // Initial priorities are above those of change points.
        let mut of = |mover: &Option<UnitId>| *priorities.entry(*mover).or_insert_with(|| random.next() | 1 << 63);
        movers
            .into_iter()
            .map(|mover| (of(&mover), mover))
            .max_by_key(|(priority, _)| *priority)
            .map(|(_, mover)| mover)
    }
}
