//! An execution without the steps that its violation does not need, where the least one could not be found.
//!
//! Parts of it are left out, large ones first (A. Zeller, R. Hildebrandt, "Simplifying and isolating failure-inducing
//! input", 2002). Of the others those steps are taken that are still possible; where they come to the violation, the
//! part stays away. Then the steps that are left are put together by task, as far as they can be.

use super::again::{Remaining, is_next, is_same};
use super::minimal::{Cost, cost};
use super::progress::Progress;
use crate::id::Mover;
use crate::property::Properties;
use crate::reduction::successors::{PathStep, Successors};
use crate::violation::{Found, ViolationKind};
use crate::world::components::StateVector;
use crate::world::step::Transition;
use crate::world::system::{Interrupt, System};

/// Steps that all attempts together may take.
const STEPS_MAX: usize = 500_000;

/// An execution with its violation.
pub(crate) type Execution = (Vec<PathStep>, Found);

/// A lesser execution by steps of a given one, and what it costs.
pub fn pruned(
    system: &mut System,
    initial: &StateVector,
    (properties, kind): (&Properties, ViolationKind),
    given: &[Transition],
    progress: &Progress,
) -> Result<Option<(Execution, Cost)>, Interrupt> {
    let mut pruning = Pruning { system, initial, properties, kind, steps_left: STEPS_MAX };
    let Some(mut best) = pruning.follow(given, false)? else { return Ok(None) };
    let mut size = (given.len() / 2).max(1);
    loop {
        let (mut at, before) = (0, best.1);
        while at < best.0.0.len() && pruning.steps_left > 0 && !progress.has_to_end() {
            let kept = best.0.0.iter().enumerate().filter(|(index, _)| !(at..at + size).contains(index));
            let kept: Vec<Transition> = kept.map(|(_, path_step)| path_step.transition.clone()).collect();
            match pruning.follow(&kept, false)?.filter(|(_, cost)| *cost < best.1) {
                Some(lesser) => best = lesser,
                None => at += size,
            }
        }
        if pruning.steps_left == 0 || progress.has_to_end() || size == 1 && best.1 == before {
            break;
        }
        size = (size / 2).max(1);
    }
    let kept: Vec<Transition> = best.0.0.iter().map(|path_step| path_step.transition.clone()).collect();
    let together = pruning.follow(&kept, true)?.filter(|(_, cost)| *cost < best.1);
    Ok(Some(together.unwrap_or(best)))
}

struct Pruning<'a> {
    system: &'a mut System,
    initial: &'a StateVector,
    properties: &'a Properties,
    kind: ViolationKind,
    steps_left: usize,
}

impl Pruning<'_> {
    /// Takes those of the steps that are possible, in their order, or where `by_task` is set, those of one task as long
    /// as they are; `None` if they do not come to a violation of the kind.
    fn follow(&mut self, steps: &[Transition], by_task: bool) -> Result<Option<(Execution, Cost)>, Interrupt> {
        let Pruning { system, initial, properties, kind, .. } = self;
        let mut remaining: Vec<Remaining<'_>> =
            steps.iter().map(|transition| Remaining { transition, scope: None }).collect();
        let mut successors = Successors::default();
        let (mut state, mut next) = ((*initial).clone(), Vec::new());
        let (mut taken, mut last): (Vec<PathStep>, Option<Mover>) = (Vec::new(), None);
        let found = loop {
            let possible = successors.within(system, &state, None)?.to_vec();
            let chosen = choose(system, &mut remaining, &possible, last.filter(|_| by_task));
            let Some(transition) = chosen else {
                let is_over = possible.iter().all(Transition::is_failure);
                break is_over.then(|| properties.violated_at_end(system, &state)).flatten();
            };
            self.steps_left = self.steps_left.saturating_sub(1);
            taken.push(PathStep { state: state.clone(), transition: transition.clone(), scope: None });
            if let Some(found) = properties.step(system, &transition) {
                break Some(found);
            }
            last = system.mover(&transition).or(last);
            system.apply(&state, &transition, &mut next)?;
            state = StateVector::from_slice(&next);
        };
        let cost = cost(system, &taken);
        Ok(found.filter(|found| found.kind == *kind && !found.is_error).map(|found| ((taken, found), cost)))
    }
}

/// The next of the remaining steps that is possible, as it is offered here. Those before it are given up; with a
/// `preferred` mover, they may still be taken later.
fn choose(
    system: &System,
    remaining: &mut Vec<Remaining<'_>>,
    possible: &[Transition],
    preferred: Option<Mover>,
) -> Option<Transition> {
    let offered =
        |step: &Remaining<'_>| possible.iter().find(|offered| is_same(system, offered, step.transition)).cloned();
    if let Some(preferred) = preferred {
        let of_preferred = |&index: &usize| {
            system.mover(remaining[index].transition) == Some(preferred) && is_next(system, remaining, index)
        };
        let next = (0..remaining.len()).find(of_preferred);
        if let Some((index, transition)) = next.and_then(|index| Some((index, offered(&remaining[index])?))) {
            remaining.remove(index);
            return Some(transition);
        }
    }
    let (index, transition) = remaining.iter().enumerate().find_map(|(index, step)| Some((index, offered(step)?)))?;
    match preferred {
        Some(_) => drop(remaining.remove(index)),
        None => drop(remaining.drain(..=index)),
    }
    Some(transition)
}
