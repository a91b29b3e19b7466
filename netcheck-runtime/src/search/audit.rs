//! A safety net under the reduction: some states of a search that found nothing, explored again without it.
//!
//! The reduction keeps every panic, every deadlock, and every local step (an edge of a unit's automaton). So a step
//! from a visited state that takes another edge, or that violates something, shows a defect of the reduction. The audit
//! looks at a sample of the visited states, the first one among them, each with the states that follow within a few
//! steps; together they cost about a twentieth of the steps of the search.
//!
//! A sample of all states would hardly have any in which a small part of the programs moves beside a large one: so it is
//! drawn for each local state of each unit from the states in which the unit is in it, and the units take turns. How often
//! a unit is looked at does not depend on how many states others come to meanwhile. What is left of the budget goes to a
//! sample of all states.

use super::explored::Explored;
use super::frontier::Random;
use super::progress::Progress;
use crate::id::{NodeId, UnitId};
use crate::property::Properties;
use crate::reduction::bisimulation::Quotient;
use crate::reduction::successors::Successors;
use crate::unit::automaton::{EdgeId, NodeKind};
use crate::unit::wording;
use crate::world::components::StateVector;
use crate::world::step::{Move, Transition};
use crate::world::system::{Interrupt, System};
use ahash::AHashSet;
use std::collections::{BTreeMap, VecDeque};

/// One step of the sample for so many of the search.
const ONE_STEP_IN: u64 = 20;

/// Steps that are looked at in any case: a small search is explored again as a whole.
const STEPS_MIN: u64 = 2_048;

/// Steps after the first state that are looked at, before any other state.
const STEPS_AT_FIRST: u64 = 256;

/// Steps that are looked at after a state of the sample, if there are so many.
const STEPS_OF_EACH: u64 = 64;

/// Draws of states that have been in the sample, one after the other, after which a small search is known to have no others.
const DRAWS_IN_VAIN_MAX: u32 = 64;

/// States of the sample for each local state of a unit.
const OF_EACH: usize = 2;

/// Visited states among which the sample is drawn: so many in any case, and one for so many steps of the search.
const LOOKS_MIN: u64 = 1 << 16;
const ONE_LOOK_IN: u64 = 4;

/// No visited state takes fewer bytes: at places that are this far apart, each is met.
const STATE_BYTES_MIN: usize = 16;

/// Polls of user code that the sample may cost in any case, and one for so many of the search.
const POLLS_MIN: u64 = 64;

/// How many steps after a state of the sample are looked at.
const DEPTH_MAX: usize = 16;

/// States that are looked at after one of the sample.
const STATES_MAX: usize = 512;

/// The polls and steps that the sample may still cost.
struct Budget {
    steps: u64,
    polls_max: u64,
}

impl Budget {
    fn is_spent(&self, system: &System) -> bool {
        self.steps == 0 || system.learner.polls > self.polls_max
    }
}

/// Explores a sample of the visited states again; returns, in words, a finding that the search should have made.
pub fn audit(
    system: &mut System,
    properties: &Properties,
    explored: &Explored,
    progress: &Progress,
) -> Result<Option<String>, Interrupt> {
    let polls = system.learner.polls;
    let mut budget = Budget {
        steps: (explored.transitions / ONE_STEP_IN).max(STEPS_MIN),
        polls_max: polls + (polls / ONE_STEP_IN).max(POLLS_MIN),
    };
    let mut random = Random::new(explored.transitions);
    if let Some(missed) = follow(system, properties, explored, explored.initial.clone(), STEPS_AT_FIRST, &mut budget)? {
        return Ok(Some(missed));
    }
    let mut places = places(system, explored, &mut random).into_iter();
    // Each state of a small search, once.
    let mut sampled = (explored.transitions < STEPS_MIN).then(AHashSet::new);
    let mut in_vain = 0;
    while !budget.is_spent(system) && !progress.is_over() && in_vain < DRAWS_IN_VAIN_MAX {
        let place = places.next();
        // Where states are kept by their fingerprints, only the first one is known.
        let sample = explored.store.sample(|bytes| place.unwrap_or_else(|| random.below(bytes)));
        let Some(state) = sample else { break };
        if sampled.as_mut().is_some_and(|sampled: &mut AHashSet<StateVector>| !sampled.insert(state.clone())) {
            in_vain += 1;
            continue;
        }
        in_vain = 0;
        let steps = (budget.steps / (places.len() as u64 + 1)).max(STEPS_OF_EACH);
        if let Some(missed) = follow(system, properties, explored, state, steps, &mut budget)? {
            return Ok(Some(missed));
        }
        // Also where a state has no steps.
        budget.steps = budget.steps.saturating_sub(1);
    }
    Ok(None)
}

/// Places in the store of visited states: for each local state of each unit, some states in which the unit is in it. The
/// units take turns.
fn places(system: &System, explored: &Explored, random: &mut Random) -> Vec<usize> {
    let automata = &system.learner.automata;
    let mut bytes = 0;
    explored.store.sample(|all| {
        bytes = all;
        0
    });
    let looks = (bytes / STATE_BYTES_MIN).min(LOOKS_MIN.max(explored.transitions / ONE_LOOK_IN) as usize);
    // How many states were met in each local state, and the places of some: each of them with the same probability.
    let mut met: Vec<(usize, [usize; OF_EACH])> = vec![(0, [0; OF_EACH]); automata.nodes.len()];
    let place = |look: usize| (look as u128 * bytes as u128 / looks as u128) as usize;
    for place in (0..looks).map(place) {
        let Some(state) = explored.store.sample(|_| place) else { return Vec::new() };
        for (_, node) in system.live_units(&state) {
            let (count, places) = &mut met[node.index()];
            let index = if *count < OF_EACH { *count } else { random.below(*count + 1) };
            if let Some(kept) = places.get_mut(index) {
                *kept = place;
            }
            *count += 1;
        }
    }
    let mut of_units: BTreeMap<UnitId, Vec<usize>> = BTreeMap::new();
    for number in 0..OF_EACH {
        for (node, (_, places)) in automata.nodes.iter().zip(&met).filter(|(_, (count, _))| *count > number) {
            of_units.entry(node.unit).or_default().push(places[number]);
        }
    }
    let mut of_units: Vec<_> = of_units.into_values().map(|places| shuffled(places, random).into_iter()).collect();
    let mut in_turn = Vec::new();
    while !of_units.is_empty() {
        of_units.retain_mut(|places| places.next().map(|place| in_turn.push(place)).is_some());
    }
    in_turn
}

/// In a random order.
fn shuffled(mut places: Vec<usize>, random: &mut Random) -> Vec<usize> {
    (1..places.len()).for_each(|index| places.swap(index, random.below(index + 1)));
    places
}

/// Looks at the states that follow a state, within so many steps.
fn follow(
    system: &mut System,
    properties: &Properties,
    explored: &Explored,
    from: StateVector,
    steps_max: u64,
    budget: &mut Budget,
) -> Result<Option<String>, Interrupt> {
    let steps_after = budget.steps.saturating_sub(steps_max);
    let mut met: AHashSet<StateVector> = AHashSet::from_iter([from.clone()]);
    let mut open = VecDeque::from([(from, 0)]);
    let (mut successors, mut next) = (Successors::default(), Vec::new());
    while let Some((state, depth)) = open.pop_front() {
        let steps = successors.within(system, &state, None)?.to_vec();
        if steps.iter().all(Transition::is_failure)
            && let Some(found) = properties.violated_at_end(system, &state)
        {
            return Ok(Some(format!("a {}: {}", found.kind, found.message)));
        }
        for step in &steps {
            if budget.is_spent(system) || budget.steps == steps_after {
                return Ok(None);
            }
            budget.steps -= 1;
            if let Some(missed) = missed(system, properties, explored, step) {
                return Ok(Some(missed));
            }
            system.apply(&state, step, &mut next)?;
            let next = StateVector::from_slice(&next);
            if depth < DEPTH_MAX && met.len() < STATES_MAX && met.insert(next.clone()) {
                open.push_back((next, depth + 1));
            }
        }
    }
    Ok(None)
}

/// Whether the search has seen where an edge leads. A step of a tracked task is many edges, depending on the steps of
/// others before it; so only the outputs of its process are compared.
fn is_known(system: &System, explored: &Explored, unit: UnitId, edge: EdgeId) -> bool {
    if !system.modes.tracks {
        let stands_in = |quotient: &Quotient| quotient.has_taken(system, edge);
        return explored.taken.has(edge) || explored.quotient.as_ref().is_some_and(stands_in);
    }
    match system.learner.automata.node(system.learner.automata.edge(edge).target).kind {
        NodeKind::Ended { output } => explored.outputs.contains(&(unit, output)),
        _ => true,
    }
}

/// The finding of a step that the search has missed, if there is one.
fn missed(system: &System, properties: &Properties, explored: &Explored, step: &Transition) -> Option<String> {
    if let Some(found) = properties.step(system, step) {
        return Some(format!("a {}: {}", found.kind, found.message));
    }
    let Move::Unit { unit, node, input, edge, .. } = step.step else { return None };
    if is_known(system, explored, unit, edge) {
        return None;
    }
    let name = system.shared().unit(unit).name;
    let (offer, location) = match system.learner.automata.node(node).offer(input) {
        Some(offer) => {
            (wording::operation_of(&offer.operation, system.shared()), wording::line(offer, system.shared()))
        }
        None => (String::new(), String::new()),
    };
    let outcome = wording::outcome(system.learner.automata.outcome(input.outcome), system.shared());
    let NodeId(number) = node;
    Some(format!("a step: {name} {offer} -> {outcome} at {location}, from its local state {number}"))
}
