//! A safety net under the reduction: some states of a search that found nothing, explored again without it.
//!
//! The reduction keeps every panic, every deadlock, and every local step (an edge of a unit's automaton). So a step
//! from a visited state that takes another edge, or that violates something, shows a defect of the reduction. The audit
//! looks at a random sample of the visited states, the first one among them, each with the states that follow within a
//! few steps; together they cost about a twentieth of the steps of the search.

use super::explored::Explored;
use super::frontier::Random;
use super::progress::Progress;
use crate::id::{NodeId, UnitId};
use crate::property::Properties;
use crate::reduction::successors::Successors;
use crate::unit::automaton::{EdgeId, NodeKind};
use crate::unit::wording;
use crate::world::components::StateVector;
use crate::world::step::{Move, Transition};
use crate::world::system::{Interrupt, System};
use ahash::AHashSet;
use std::collections::VecDeque;

/// One step of the sample for so many of the search.
const ONE_STEP_IN: u64 = 20;

/// Steps that are looked at in any case: a small search is explored again as a whole.
const STEPS_MIN: u64 = 256;

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
    let mut sample = Some(explored.initial.clone());
    while let Some(state) = sample {
        if let Some(missed) = follow(system, properties, explored, state, &mut budget)? {
            return Ok(Some(missed));
        }
        if budget.is_spent(system) || progress.is_over() {
            return Ok(None);
        }
        // Of states that are kept by their fingerprints, only the first one is known.
        sample = explored.store.sample(|bytes| random.below(bytes));
        // Also where a state has no steps.
        budget.steps -= 1;
    }
    Ok(None)
}

/// Looks at the states that follow a state.
fn follow(
    system: &mut System,
    properties: &Properties,
    explored: &Explored,
    from: StateVector,
    budget: &mut Budget,
) -> Result<Option<String>, Interrupt> {
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
            if budget.is_spent(system) {
                return Ok(None);
            }
            budget.steps -= 1;
            if let Some(missed) = missed(system, properties, explored, step) {
                return Ok(Some(missed));
            }
            system.apply(&state, step, &mut next);
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
    if !system.tracks {
        return explored.taken.has(edge);
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
