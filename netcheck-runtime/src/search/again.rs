//! Steps of one execution, found again among those that are possible in another.

use crate::id::Mover;
use crate::reduction::stubborn::StubbornSet;
use crate::world::step::{Class, Move, Transition};
use crate::world::system::System;

/// A step that is still to be taken.
#[derive(Clone, Copy)]
pub(super) struct Remaining<'a> {
    pub(super) transition: &'a Transition,
    /// The stubborn set whose movers were quiet, where the step needs quiet ones.
    pub(super) scope: Option<&'a StubbornSet>,
}

impl Remaining<'_> {
    /// Whether the order of the two steps means nothing: neither are their movers parts of each other, nor does a monitor
    /// see both. A loss in flight has no mover: it waits for those of its stubborn set, and changes channels.
    fn is_apart(self, system: &System, other: Remaining<'_>) -> bool {
        let is_apart = match (system.mover(self.transition), system.mover(other.transition)) {
            (Some(mover), Some(other)) => mover.is_apart(other),
            (Some(mover), None) => other.waits_without(mover) && self.changes_nothing_of(other),
            (None, Some(mover)) => self.waits_without(mover) && self.changes_nothing_of(other),
            (None, None) => false,
        };
        is_apart && !self.transition.is_seen_with(other.transition)
    }

    fn waits_without(self, mover: Mover) -> bool {
        self.scope.is_some_and(|scope| !scope.concerns(mover))
    }

    fn changes_nothing_of(self, other: Remaining<'_>) -> bool {
        let changes = |(component, _): &_| other.transition.writes.iter().any(|(changed, _)| changed == component);
        !self.transition.writes.iter().any(changes)
    }

    /// Whether the step is a loss of datagrams in flight all of which are lost already, together with those of others.
    pub(super) fn has_happened(self, state: &[u32]) -> bool {
        matches!(self.transition.step, Move::LoseInFlight)
            && self.transition.writes.iter().all(|&(component, value)| component.of(state) == value)
    }
}

/// Whether a step may be taken before all that are to be taken earlier.
pub(super) fn is_next(system: &System, remaining: &[Remaining<'_>], index: usize) -> bool {
    remaining[..index].iter().all(|earlier| earlier.is_apart(system, remaining[index]))
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
        (Move::Cut { .. }, Move::Cut { .. }) => step.step == path_step.step && step.writes == path_step.writes,
        (Move::Hang { .. }, Move::Hang { .. }) | (Move::Heal { .. }, Move::Heal { .. }) => step.step == path_step.step,
        (Move::Pass { .. }, Move::Pass { .. }) => true,
        (Move::Arrive { .. }, Move::Arrive { .. })
        | (Move::Settle { .. }, Move::Settle { .. })
        | (Move::Dial { .. }, Move::Dial { .. })
        | (Move::Reach { .. }, Move::Reach { .. })
        | (Move::Delay { .. }, Move::Delay { .. }) => step.step == path_step.step,
        (Move::LoseInFlight, Move::LoseInFlight) => path_step.writes.iter().all(|write| step.writes.contains(write)),
        _ => false,
    }
}
