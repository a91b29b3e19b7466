//! A reduced execution as one that needs no reduction to be believed.
//!
//! The reduced search explores connected components one after the other, each with a clock of its own, and relies on
//! footprints that may still grow. A violation that it meets is therefore taken through the full semantics, in which
//! timers wait for all units: the steps of each unit (or tracked task) stay in their order, those of different units
//! are interleaved as it becomes possible, and a unit without steps left on the path is run on where others wait. A loss
//! in flight takes its turn among the steps of its component, since only those depend on it; in the full semantics it
//! waits for all units, and loses what is in flight to any of them, so it comes after the moves that can be taken before.

use super::again::{Remaining, is_next, is_same};
use super::progress::Progress;
use super::timed;
use crate::id::Mover;
use crate::property::Properties;
use crate::reduction::successors::{PathStep, Successors};
use crate::violation::Found;
use crate::world::components::StateVector;
use crate::world::step::{Move, Transition};
use crate::world::system::{Interrupt, System};
use smallvec::SmallVec;

/// Steps of units without steps of their own that one search tries at the most, for all of its executions together:
/// such steps may go on for ever, and may need more memory with each round.
pub(crate) const FILLING_STEPS_MAX: usize = 10_000;

/// After so many steps the search asks whether the check is to end.
const LOOKS_UP_EVERY: usize = 16;

/// The path steps in the full semantics, if they can be taken there and lead to a violation. `filling_steps_left` says
/// how many steps of other units may go between them, and is counted down.
pub(crate) fn concretize(
    system: &mut System,
    properties: &Properties,
    path_steps: &[PathStep],
    filling_steps_left: &mut usize,
    progress: &Progress,
) -> Result<Option<(Vec<PathStep>, Found)>, Interrupt> {
    let Some(first) = path_steps.first() else { return Ok(None) };
    if path_steps.iter().all(|path_step| path_step.scope.is_none()) {
        return Ok(in_full(system, properties, path_steps));
    }
    if system.has_delay()
        && let Some(timed) = timed::concretize(system, properties, path_steps, filling_steps_left, progress)?
    {
        return Ok(Some(timed));
    }
    let mut state = first.state.clone();
    let mut remaining: Vec<Remaining<'_>> = path_steps
        .iter()
        .filter(|path_step| !matches!(path_step.transition.step, Move::Park(_)))
        .map(|PathStep { transition, scope, .. }| Remaining { transition, scope: scope.as_deref() })
        .collect();
    let mut taken = Vec::new();
    let mut successors = Successors::default();
    let mut next = Vec::new();
    loop {
        if taken.len().is_multiple_of(LOOKS_UP_EVERY) && progress.is_over() {
            return Ok(None);
        }
        while let Some(happened) = next_that_happened(system, &remaining, &state) {
            remaining.remove(happened);
        }
        let possible = successors.within(system, &state, None)?.to_vec();
        let is_over = remaining.is_empty() && possible.iter().all(Transition::is_failure);
        if is_over || possible.is_empty() {
            let found = is_over.then(|| properties.violated_at_end(system, &state)).flatten();
            return Ok(found.map(|found| (taken, found)));
        }
        let offered = |index: usize| possible.iter().find(|step| is_same(system, step, remaining[index].transition));
        let of_movers = |&index: &usize| system.mover(remaining[index].transition).is_some();
        let next_steps: SmallVec<[usize; 8]> =
            (0..remaining.len()).filter(|&index| is_next(system, &remaining, index)).collect();
        let in_turn = next_steps.iter().filter(|index| of_movers(index)).chain(&next_steps);
        let next_step = in_turn.into_iter().find_map(|&index| Some((index, offered(index)?)));
        let transition = match next_step {
            Some((index, transition)) => {
                remaining.remove(index);
                transition
            }
            None => {
                // A mover that has no steps left is at rest in each stubborn set that it is in.
                let foreign = |mover: Mover| {
                    let needs = |step: &Remaining<'_>| {
                        system.mover(step.transition) == Some(mover)
                            || step.scope.is_some_and(|scope| scope.concerns(mover))
                    };
                    !remaining.iter().any(needs)
                };
                let filling = |step: &&Transition| !step.is_failure() && system.mover(step).is_some_and(foreign);
                let filling = possible.iter().find(filling);
                let Some((left, filling)) = filling_steps_left.checked_sub(1).zip(filling) else { return Ok(None) };
                *filling_steps_left = left;
                filling
            }
        };
        taken.push(PathStep { state: state.clone(), transition: transition.clone(), scope: None });
        if let Some(found) = properties.step(system, transition) {
            return Ok(Some((taken, found)));
        }
        system.apply(&state, transition, &mut next);
        state = StateVector::from_slice(&next);
    }
}

/// The path itself, which relies on no stubborn set.
fn in_full(system: &mut System, properties: &Properties, path_steps: &[PathStep]) -> Option<(Vec<PathStep>, Found)> {
    let last = path_steps.last()?;
    let mut end = Vec::new();
    system.apply(&last.state, &last.transition, &mut end);
    let found = properties.step(system, &last.transition).or_else(|| properties.violated_at_end(system, &end))?;
    let step = |PathStep { state, transition, .. }: &PathStep| PathStep {
        state: state.clone(),
        transition: transition.clone(),
        scope: None,
    };
    Some((path_steps.iter().map(step).collect(), found))
}

/// A loss whose turn it is and that has happened already.
fn next_that_happened(system: &System, remaining: &[Remaining<'_>], state: &[u32]) -> Option<usize> {
    (0..remaining.len()).find(|&index| remaining[index].has_happened(state) && is_next(system, remaining, index))
}
