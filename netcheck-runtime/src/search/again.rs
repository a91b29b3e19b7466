//! Steps of one execution, found again among those that are possible in another.

use crate::world::step::{Class, Move, Transition};
use crate::world::system::System;

/// Whether a path step is the next one of its mover, and of each monitor that sees it. A loss in flight is taken in its turn.
pub(super) fn is_next(system: &System, remaining: &[&Transition], index: usize) -> bool {
    match system.mover(remaining[index]) {
        Some(mover) => {
            let is_apart = |earlier: &&Transition| {
                system.mover(earlier).is_some_and(|other| other.is_apart(mover))
                    && !earlier.is_seen_with(remaining[index])
            };
            remaining[..index].iter().all(is_apart)
        }
        None => index == 0,
    }
}

/// Whether a step of the full semantics is the same as the path step.
pub(super) fn is_same(system: &System, step: &Transition, path_step: &Transition) -> bool {
    match (&step.step, &path_step.step) {
        (
            Move::Unit { unit, node, input, class, .. },
            Move::Unit {
                unit: path_step_unit,
                node: path_step_node,
                input: path_step_input,
                class: path_step_class,
                ..
            },
        ) => {
            // Where each task moves by itself, others may have moved before.
            let is_there = node == path_step_node || system.mover(step).is_some_and(|mover| mover.task.is_some());
            (unit, input) == (path_step_unit, path_step_input)
                && is_there
                && step.is_failure() == path_step.is_failure()
                && (!matches!((class, path_step_class), (Class::Delivery { .. }, Class::Delivery { .. }))
                    || step.writes == path_step.writes)
        }
        (Move::Hang { .. }, Move::Hang { .. }) => step.step == path_step.step,
        (Move::Pass { .. }, Move::Pass { .. }) => true,
        (Move::Arrive { .. }, Move::Arrive { .. }) | (Move::Settle { .. }, Move::Settle { .. }) => {
            step.step == path_step.step
        }
        (Move::LoseInFlight, Move::LoseInFlight) => path_step.writes.iter().all(|write| step.writes.contains(write)),
        _ => false,
    }
}
