//! How many states there are, before they are explored: by probing at random.
//!
//! The tree of executions is exponentially larger than the graph of states, because independent steps can be taken
//! in any order. So the usual estimators, which count the ways down a tree (D. Knuth, "Estimating the
//! efficiency of backtrack programs", 1975), count each state as often as there are ways to it. Here they count
//! shares: a state is reached from each of its k predecessors, and each of these ways is one k-th of it. The sum of the
//! shares over all ways is the number of states. A probe goes down level by level, the level being the number of
//! steps from the start; a few representatives, drawn at random, stand for all states of a level, as many
//! as their weights say (P. Chen, "Heuristic sampling: a method for predicting the performance of tree
//! searching programs", 1992).
//!
//! The predecessors are found where independent steps come from: the last mover on a path could have waited until after
//! the others, if all of them can take their steps without it, and it can move after them. Different pasts that lead to
//! one state are not found in this way: that a unit has ended, or that a captured loop has closed. They show when
//! several probes meet in states more often than they would if there were as many states as the weights say (capture
//! and recapture), and the weights are corrected by that.
//!
//! Small systems are counted: the levels are explored in full for as long as they are few.

use crate::property::Properties;
use crate::reduction::footprint::Footprints;
use crate::reduction::successors::{Extent, Successors};
use crate::search::frontier::Random;
use crate::world::components::StateVector;
use crate::world::step::{Class, Move, Transition};
use crate::world::system::{Interrupt, System};
use ahash::{AHashMap, AHashSet};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

/// Probes that are made independently of each other.
const PROBES: usize = 10;

/// States of a level that represent all of them, in one probe.
const REPRESENTATIVES: usize = 16;

/// States that are explored in full at the most.
const COUNTED_MAX: usize = 4_096;

/// States whose steps are worked out at the most, for representatives and their predecessors.
const EXPANSIONS_MAX: usize = 100_000;

/// Polls of user code at the most: each new local state takes as many as its history is long.
const POLLS_MAX: u64 = 100_000;

/// Rounds in which a reduced estimate learns, as the search does, what the stubborn sets rely on: all of them
/// together have as many expansions.
const ROUNDS_MAX: usize = 8;

/// Meetings of different probes on one level that are taken for a sign.
const MEETINGS_MIN: usize = 10;

/// How many states a check would visit.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    states: f64,
    spread: RangeInclusive<f64>,
    depth: usize,
    is_exact: bool,
    is_cut_off: bool,
}

impl Estimate {
    /// How many states, about: the mean of ten independent probes without the smallest and the largest result.
    pub fn states(&self) -> f64 {
        self.states
    }

    /// The smallest and the largest of those eight.
    ///
    /// That is how much the probes differ, and no bound of the error: states that no probe has met are in none of them.
    pub fn spread(&self) -> RangeInclusive<f64> {
        self.spread.clone()
    }

    /// The number of steps of the longest probe.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Whether the states were few enough to be counted.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Whether the probes were ended before the executions were at their ends: there are at least so many states, and
    /// maybe infinitely many.
    pub fn is_at_least(&self) -> bool {
        self.is_cut_off
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Estimate { states, depth, .. } = self;
        if self.is_exact {
            return write!(f, "{states} states (counted), depth {depth}");
        }
        let at_least = if self.is_cut_off { "at least " } else { "" };
        let (low, high) = (rounded(*self.spread.start()), rounded(*self.spread.end()));
        write!(f, "{at_least}about {} states (8 of 10 probes: {low} to {high}), depth {depth}", rounded(*states))
    }
}

/// Two digits are more than is known.
fn rounded(number: f64) -> String {
    if number < 1e9 {
        let unit = 10f64.powf((number.max(1.0).log10().floor() - 1.0).max(0.0));
        return format!("{}", (number / unit).round() * unit);
    }
    format!("{number:.1e}")
}

/// A state that stands for others.
struct Representative {
    state: StateVector,
    /// The number of states that it represents.
    weight: f64,
    predecessors: Vec<Predecessor>,
}

/// A state from which a step leads to a representative.
#[derive(Clone)]
struct Predecessor {
    state: StateVector,
    by: Transition,
}

/// The state of the probes of one round.
struct Probing<'a> {
    system: &'a mut System,
    reduction: Option<&'a mut Footprints>,
    properties: &'a Properties,
    /// Whether all predecessors are looked for. If not, the weights mean nothing, but the programs are learned.
    weighs: bool,
    successors: Successors,
    random: Random,
    expansions_left: usize,
    polls_max: u64,
}

/// Estimates how many states can be reached from `initial`.
pub fn estimate(
    system: &mut System,
    initial: &StateVector,
    mut reduction: Option<&mut Footprints>,
    properties: &Properties,
    counted_max: usize,
) -> Result<Estimate, Interrupt> {
    // With whether a footprint has grown, so that another probe would be better.
    let mut probe = |weighs: bool| {
        let probing = Probing {
            polls_max: system.learner.polls + if weighs { POLLS_MAX } else { POLLS_MAX / ROUNDS_MAX as u64 },
            system,
            reduction: reduction.as_deref_mut(),
            properties,
            weighs,
            successors: Successors::default(),
            random: Random::new(0),
            expansions_left: if weighs { EXPANSIONS_MAX } else { EXPANSIONS_MAX / ROUNDS_MAX },
        };
        let estimate = probing.run(initial, counted_max.min(COUNTED_MAX))?;
        let Some(footprints) = reduction.as_deref_mut() else { return Ok((estimate, false)) };
        footprints.update(system);
        Ok((estimate, footprints.grew(system)))
    };
    for round in 1.. {
        let (estimate, grew) = probe(false)?;
        if estimate.is_exact && !grew {
            // Where there are cycles, a reduced search expands some states as a whole.
            let is_exact = reduction.is_none() || !system.learner.has_cycles();
            return Ok(Estimate { is_exact, ..estimate });
        }
        if !grew || !estimate.is_exact && round >= ROUNDS_MAX {
            break;
        }
    }
    let (estimate, _) = probe(true)?;
    Ok(Estimate { is_exact: false, ..estimate })
}

impl Probing<'_> {
    fn run(mut self, initial: &StateVector, counted_max: usize) -> Result<Estimate, Interrupt> {
        let first = Representative { state: initial.clone(), weight: 1.0, predecessors: Vec::new() };
        let mut level = vec![first];
        let mut met: AHashSet<StateVector> = [initial.clone()].into_iter().collect();
        let (mut counted, mut depth) = (1, 0);
        while !level.is_empty() && met.len() <= counted_max {
            level = self.whole_level(&level, &mut met)?;
            counted += level.len();
            depth += usize::from(!level.is_empty());
        }
        let mut totals = [counted as f64; PROBES];
        if level.is_empty() {
            return Ok(estimate_of(&totals, depth, true, false));
        }
        let mut probes: Vec<Vec<Representative>> = (0..PROBES).map(|_| self.drawn(&level)).collect();
        while probes.iter().any(|probe| !probe.is_empty()) && !self.is_over() {
            for probe in &mut probes {
                *probe = self.next_level(probe, &met)?;
            }
            recapture(&mut probes);
            for (total, probe) in totals.iter_mut().zip(&probes) {
                *total += weight_of(probe);
            }
            met.extend(probes.iter().flatten().map(|representative| representative.state.clone()));
            depth += usize::from(probes.iter().any(|probe| !probe.is_empty()));
        }
        let is_cut_off = probes.iter().any(|probe| !probe.is_empty());
        Ok(estimate_of(&totals, depth, false, is_cut_off))
    }

    fn is_over(&self) -> bool {
        self.expansions_left == 0 || self.system.learner.polls >= self.polls_max
    }

    /// All states of the next level, with all their predecessors.
    fn whole_level(
        &mut self,
        level: &[Representative],
        met: &mut AHashSet<StateVector>,
    ) -> Result<Vec<Representative>, Interrupt> {
        let mut next: Vec<Representative> = Vec::new();
        let mut positions: AHashMap<StateVector, usize> = AHashMap::new();
        for representative in level {
            for by in self.steps(&representative.state)? {
                let to = self.after(&representative.state, &by)?;
                let from = Predecessor { state: representative.state.clone(), by };
                if let Some(&position) = positions.get(&to) {
                    next[position].predecessors.push(from);
                } else if met.insert(to.clone()) {
                    positions.insert(to.clone(), next.len());
                    next.push(Representative { state: to, weight: 1.0, predecessors: vec![from] });
                }
            }
        }
        Ok(next)
    }

    /// Some states of a level that is known in full.
    fn drawn(&mut self, level: &[Representative]) -> Vec<Representative> {
        let mut indexes: Vec<usize> = (0..level.len()).collect();
        let drawn = REPRESENTATIVES.min(level.len());
        for at in 0..drawn {
            let other = at + self.random.below(level.len() - at);
            indexes.swap(at, other);
        }
        let weight = level.len() as f64 / drawn as f64;
        let representative = |&index: &usize| Representative {
            state: level[index].state.clone(),
            weight,
            predecessors: level[index].predecessors.clone(),
        };
        indexes[..drawn].iter().map(representative).collect()
    }

    /// A probe's representatives of the next level.
    fn next_level(
        &mut self,
        level: &[Representative],
        met: &AHashSet<StateVector>,
    ) -> Result<Vec<Representative>, Interrupt> {
        let mut steps = Vec::new();
        for representative in level {
            let possible = self.steps(&representative.state)?;
            steps.extend(possible.into_iter().map(|by| (representative, by)));
        }
        let mut next: Vec<Representative> = Vec::new();
        for (index, share) in self.draw_steps(&steps) {
            let (from, by) = &steps[index];
            let to = self.after(&from.state, by)?;
            if met.contains(&to) {
                continue;
            }
            let predecessors = self.predecessors(from, by, &to)?;
            match next.iter_mut().find(|other| other.state == to) {
                Some(other) => {
                    // The shares are of one state.
                    let sum = other.weight * other.predecessors.len() as f64 + share;
                    for predecessor in predecessors {
                        if other.predecessors.iter().all(|known| known.state != predecessor.state) {
                            other.predecessors.push(predecessor);
                        }
                    }
                    other.weight = sum / other.predecessors.len() as f64;
                }
                None => {
                    let weight = share / predecessors.len() as f64;
                    next.push(Representative { state: to, weight, predecessors });
                }
            }
        }
        Ok(next)
    }

    /// Steps by the weight of their representatives, each with the number of steps that it stands for: all of them if
    /// they are few, else drawn at equal distances (systematic sampling).
    fn draw_steps(&mut self, steps: &[(&Representative, Transition)]) -> Vec<(usize, f64)> {
        if steps.len() <= REPRESENTATIVES {
            return steps.iter().map(|(from, _)| from.weight).enumerate().collect();
        }
        let sum: f64 = steps.iter().map(|(from, _)| from.weight).sum();
        let distance = sum / REPRESENTATIVES as f64;
        let mut next = self.random.fraction() * distance;
        let mut passed = 0.0;
        let mut drawn: Vec<(usize, f64)> = Vec::new();
        for (index, (from, _)) in steps.iter().enumerate() {
            passed += from.weight;
            let mut times = 0;
            while next < passed && drawn.len() + times < 2 * REPRESENTATIVES {
                times += 1;
                next += distance;
            }
            if times > 0 {
                drawn.push((index, times as f64 * distance));
            }
        }
        drawn
    }

    /// The states from which a step leads to `to`, as far as they are known: the one that it was reached from, and
    /// those in which another unit has not yet taken its last step.
    fn predecessors(
        &mut self,
        from: &Representative,
        by: &Transition,
        to: &StateVector,
    ) -> Result<Vec<Predecessor>, Interrupt> {
        let mut found = vec![Predecessor { state: from.state.clone(), by: by.clone() }];
        if !self.weighs {
            return Ok(found);
        }
        for earlier in &from.predecessors {
            if earlier.by.unit() == by.unit() {
                continue;
            }
            let Some(before) = self.by_the_same(&earlier.state, by, |_| true)? else { continue };
            let Some(last) = self.by_the_same(&before.1, &earlier.by, |after| after == to)? else { continue };
            if found.iter().all(|known| known.state != before.1) {
                found.push(Predecessor { state: before.1, by: last.0 });
            }
        }
        Ok(found)
    }

    /// The step of a state that is the same as one of another state, with its target.
    fn by_the_same(
        &mut self,
        state: &StateVector,
        step: &Transition,
        leads: impl Fn(&StateVector) -> bool,
    ) -> Result<Option<(Transition, StateVector)>, Interrupt> {
        for possible in self.steps(state)? {
            if is_same(&possible, step) {
                let after = self.after(state, &possible)?;
                if leads(&after) {
                    return Ok(Some((possible, after)));
                }
            }
        }
        Ok(None)
    }

    /// The steps that would be explored, but for those that show a violation: nothing comes after them.
    fn steps(&mut self, state: &StateVector) -> Result<Vec<Transition>, Interrupt> {
        self.expansions_left = self.expansions_left.saturating_sub(1);
        let chosen = {
            self.successors.of(self.system, state, Extent::Reduced { depth: 0 }, self.reduction.as_deref_mut())?;
            self.successors.chosen().to_vec()
        };
        Ok(chosen.into_iter().filter(|step| self.properties.step(self.system, step).is_none()).collect())
    }

    fn after(&mut self, state: &StateVector, step: &Transition) -> Result<StateVector, Interrupt> {
        let mut next = Vec::new();
        self.system.apply(state, step, &mut next)?;
        Ok(StateVector::from_vec(next))
    }
}

/// Where independent probes meet more often than the weights let expect, the weights are too large.
fn recapture(probes: &mut [Vec<Representative>]) {
    // In order, so that the sums are the same in every run.
    let mut by_state: BTreeMap<&StateVector, Vec<(usize, f64)>> = BTreeMap::new();
    for (index, probe) in probes.iter().enumerate() {
        for Representative { state, weight, .. } in probe {
            by_state.entry(state).or_default().push((index, *weight));
        }
    }
    let (mut meetings, mut met) = (0, 0.0);
    for of_state in by_state.values() {
        for (at, (probe, weight)) in of_state.iter().enumerate() {
            for (_, other) in of_state[at + 1..].iter().filter(|(other, _)| other != probe) {
                meetings += 1;
                met += weight * other;
            }
        }
    }
    let weights: Vec<f64> = probes.iter().map(|probe| weight_of(probe)).collect();
    let sum: f64 = weights.iter().sum();
    // If all pairs had met, there would be one state.
    let pairs = (sum * sum - weights.iter().map(|weight| weight * weight).sum::<f64>()) / 2.0;
    let (by_meetings, by_weights) = (pairs / met, sum / probes.len() as f64);
    if meetings >= MEETINGS_MIN && by_meetings < by_weights / 2.0 {
        for representative in probes.iter_mut().flatten() {
            representative.weight *= by_meetings / by_weights;
        }
    }
}

fn weight_of(probe: &[Representative]) -> f64 {
    probe.iter().map(|representative| representative.weight).sum()
}

fn estimate_of(totals: &[f64; PROBES], depth: usize, is_exact: bool, is_cut_off: bool) -> Estimate {
    let mut sorted = *totals;
    sorted.sort_by(f64::total_cmp);
    // A single probe can be off by orders of magnitude, most of all upwards.
    let trimmed = &sorted[1..PROBES - 1];
    let states = trimmed.iter().sum::<f64>() / trimmed.len() as f64;
    Estimate { states, spread: trimmed[0]..=trimmed[trimmed.len() - 1], depth, is_exact, is_cut_off }
}

/// Whether two steps are one, taken in different states.
fn is_same(step: &Transition, other: &Transition) -> bool {
    match (&step.step, &other.step) {
        (Move::Unit { unit, node, input, class, .. }, Move::Unit { unit: u, node: n, input: i, class: c, .. }) => {
            let is_timer = |class: &Class| matches!(class, Class::Timer { .. });
            (unit, node, input) == (u, n, i)
                && is_timer(class) == is_timer(c)
                && step.is_failure() == other.is_failure()
        }
        (step, other) => step == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe(states: impl IntoIterator<Item = u32>, weight: f64) -> Vec<Representative> {
        let representative =
            |word| Representative { state: StateVector::from_slice(&[word]), weight, predecessors: Vec::new() };
        states.into_iter().map(representative).collect()
    }

    #[test]
    fn who_meets_too_often_stands_for_fewer() {
        // Two probes of ten states each that have five in common: about twenty are there.
        let mut probes = [probe(0..10, 100.0), probe(5..15, 100.0)];
        recapture(&mut probes);
        assert_eq!(weight_of(&probes[0]), 1_000.0, "five meetings are too few to tell");
        let mut probes = [probe(0..20, 100.0), probe(10..30, 100.0)];
        recapture(&mut probes);
        assert!((weight_of(&probes[0]) - 40.0).abs() < 1e-9, "{}", weight_of(&probes[0]));
        // They may well meet by chance.
        let mut probes = [probe(0..20, 2.0), probe(10..30, 2.0)];
        recapture(&mut probes);
        assert_eq!(weight_of(&probes[0]), 40.0);
    }

    #[test]
    fn a_probe_does_not_meet_itself() {
        let mut probes = [probe((0..20).chain(0..20), 100.0), probe(100..120, 100.0)];
        recapture(&mut probes);
        assert_eq!(weight_of(&probes[0]), 4_000.0);
    }

    #[test]
    fn one_probe_that_is_far_off_does_not_count() {
        let totals = std::array::from_fn(|index| if index == 3 { 1e9 } else { 100.0 + index as f64 });
        let estimate = estimate_of(&totals, 9, false, true);
        assert!((100.0..110.0).contains(&estimate.states()), "{estimate:?}");
        assert_eq!(estimate.spread(), 101.0..=109.0);
        assert_eq!(estimate.to_string(), "at least about 110 states (8 of 10 probes: 100 to 110), depth 9");
    }

    #[test]
    fn no_more_digits_are_shown_than_are_known() {
        for (number, text) in [(7.0, "7"), (99.6, "100"), (1_234.0, "1200"), (140_900.0, "140000"), (2.34e12, "2.3e12")]
        {
            assert_eq!(rounded(number), text);
        }
    }
}
