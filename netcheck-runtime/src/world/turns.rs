//! Executions in which few steps come out of turn.
//!
//! In large programs the orders of steps multiply: three tasks that answer three requests have thousands. A check may be bounded to executions that are nearly in the order of one scheduler (Emmi, Qadeer, Rakamarić, "Delay-bounded
//! scheduling", POPL 2011). In each state one operation is in turn: of those that could go on, the first one behind the
//! operation that went on last, by units and by the numbers of operations within a unit, and around again. To take another
//! one is a *deviation*, and an execution has at most as many as are declared.
//!
//! - *An execution of the bounded check is one of the check*: steps are only left out. So whatever is found can happen.
//! - *A state that could go on still can*: the operation in turn always may. So no execution comes to rest that would not
//!   without the bound, and a deadlock is one.
//! - *Nobody waits for ever beside others that go on*: who could go on, and goes on to do so, is in turn at last. So an
//!   execution of the bounded check that never ends is fair ([`liveness`](crate::liveness)).
//! - *With each further deviation nothing is lost*, and an execution with n choices of an operation has at most n deviations:
//!   with enough of them, all is explored.
//!
//! All else is explored as ever: the answers of the operation in turn (a choice, a packet of several, a part of what could be
//! read), faults, crashes, cuts, and steps that may come at any time, as a restart.
//!
//! The operation that went on last, and the number of deviations, are a component of the state; where there is no choice,
//! they stay as they are. The stubborn sets and the parts of the reduction are not argued beside a bound on
//! orders, nor are clocks of their own for processes that never meet: where there is a bound, all of the state is one.

use super::components::{Component, ComponentId};
use super::step::{Move, Transition};
use super::tables::{Lookup, View};
use crate::id::UnitId;
use crate::operation::OperationKey;

/// Bits of a place that tell operations of one unit apart.
const OPERATION_BITS: u32 = 14;
/// Bits of a place.
const PLACE_BITS: u32 = 23;
/// In a place, the bit of a task that is to be run.
const RUN: u32 = 1 << (OPERATION_BITS - 1);

/// Whose turn it was last, and the deviations so far: a value of [`Component::Turn`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Turn {
    /// The place behind that of the operation that went on last.
    next: u32,
    deviations: u32,
}

impl Turn {
    fn of(value: u32) -> Turn {
        Turn { next: value >> u8::BITS, deviations: value & u32::from(u8::MAX) }
    }

    fn value(self) -> u32 {
        self.next << u8::BITS | self.deviations
    }

    /// How far an operation is from its turn.
    fn until(self, (unit, key): Operation) -> u32 {
        place(unit, key).wrapping_sub(self.next) & ((1 << PLACE_BITS) - 1)
    }
}

type Operation = (UnitId, OperationKey);

/// The place of an operation in the order of turns. Operations beyond some hundreds of units and thousands in each share places.
fn place(unit: UnitId, key: OperationKey) -> u32 {
    let number = key.task_to_run().map_or(key.0 & (RUN - 1), |task| RUN | task.0 & (RUN - 1));
    (unit.0 << OPERATION_BITS | number) & ((1 << PLACE_BITS) - 1)
}

/// The operation that goes on in a step, if its turn is a matter of order.
fn in_order(step: &Transition) -> Option<Operation> {
    if step.is_fault() || step.holds_nothing_up() {
        return None;
    }
    match step.step {
        Move::Unit { unit, input, .. } => Some((unit, input.key)),
        Move::Dial { unit, key, .. } => Some((unit, key)),
        _ => None,
    }
}

/// Leaves, of the steps that may come next, those that are in turn, and those out of turn for which an execution has a
/// deviation left.
pub(super) fn keep(view: View<'_>, state: &[u32], chosen: &mut Vec<Transition>) -> Lookup<()> {
    let Some(most) = view.declared.deviations else { return Ok(()) };
    let component = view.component(Component::Turn)?;
    let turn = Turn::of(component.of(state));
    let first = chosen.iter().filter_map(in_order).min_by_key(|&operation| (turn.until(operation), operation));
    if chosen.iter().filter_map(in_order).all(|operation| Some(operation) == first) {
        return Ok(());
    }
    chosen.retain_mut(|step| match in_order(step) {
        None => true,
        Some(operation) => {
            let deviations = turn.deviations + u32::from(Some(operation) != first);
            step.writes.push(gone_on(component, operation, deviations));
            deviations <= most
        }
    });
    Ok(())
}

/// The write of the turn after an operation has gone on.
fn gone_on(component: ComponentId, (unit, key): Operation, deviations: u32) -> (ComponentId, u32) {
    let next = (place(unit, key) + 1) & ((1 << PLACE_BITS) - 1);
    (component, Turn { next, deviations }.value())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::TaskId;

    #[test]
    fn turns_go_around_the_operations_of_all_units() {
        let (one, other) = (UnitId(0), UnitId(1));
        let all = [
            (one, OperationKey(0)),
            (one, OperationKey(3)),
            (one, OperationKey::run(TaskId(2))),
            (other, OperationKey(0)),
        ];
        for (index, &(unit, key)) in all.iter().enumerate() {
            let (_, value) = gone_on(ComponentId(0), (unit, key), 2);
            let turn = Turn::of(value);
            assert_eq!((turn.deviations, turn.value()), (2, value));
            let next = all.into_iter().min_by_key(|&operation| turn.until(operation));
            assert_eq!(next, Some(all[(index + 1) % all.len()]));
        }
        assert_eq!(all.into_iter().min_by_key(|&operation| Turn::of(0).until(operation)), Some(all[0]));
    }

    #[test]
    fn a_turn_of_any_operation_is_a_number() {
        let (_, value) = gone_on(ComponentId(0), (UnitId(u32::MAX), OperationKey::START), u32::from(u8::MAX));
        assert_eq!(Turn::of(value).value(), value);
    }
}
