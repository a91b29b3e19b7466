//! A reduced execution as one that needs no reduction to be believed.
//!
//! The reduced search explores connected components one after the other, each with a clock of its own, and relies on
//! footprints that may still grow. A violation that it meets is therefore taken through the full semantics, in which
//! timers wait for all units: the steps of each unit (or tracked task) stay in their order, those of different units
//! are interleaved as it becomes possible, and a unit without steps left on the path is run on where others wait.

use super::again::{is_next, is_same};
use super::progress::Progress;
use crate::id::Mover;
use crate::property::Properties;
use crate::reduction::successors::{PathStep, Successors};
use crate::violation::Found;
use crate::world::components::StateVector;
use crate::world::step::{Move, Transition};
use crate::world::system::{Interrupt, System};

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
    let mut state = first.state.clone();
    let mut remaining: Vec<&Transition> = path_steps
        .iter()
        .map(|path_step| &path_step.transition)
        .filter(|transition| !matches!(transition.step, Move::Park(_)))
        .collect();
    let mut taken = Vec::new();
    let mut successors = Successors::default();
    let mut next = Vec::new();
    loop {
        if taken.len().is_multiple_of(LOOKS_UP_EVERY) && progress.is_over() {
            return Ok(None);
        }
        let possible = successors.within(system, &state, None)?.to_vec();
        let is_over = remaining.is_empty() && possible.iter().all(Transition::is_failure);
        if is_over || possible.is_empty() {
            let found = is_over.then(|| properties.violated_at_end(system, &state)).flatten();
            return Ok(found.map(|found| (taken, found)));
        }
        let next_step = (0..remaining.len())
            .filter(|&index| is_next(system, &remaining, index))
            .find_map(|index| Some((index, possible.iter().find(|step| is_same(system, step, remaining[index]))?)));
        let transition = match next_step {
            Some((index, transition)) => {
                remaining.remove(index);
                transition
            }
            None => {
                let foreign = |mover: Mover| remaining.iter().all(|path_step| system.mover(path_step) != Some(mover));
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
