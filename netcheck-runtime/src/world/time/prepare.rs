//! Prepares operations on timers and on the clock for the search.

use super::Prepared;
use super::operation::Operation;
use crate::id::UnitId;
use crate::world::components::Component;
use crate::world::system::System;

pub(crate) fn prepare(system: &mut System, unit: UnitId, operation: Operation, _execution: u32) -> Prepared {
    match operation {
        Operation::Timer { timer, repeats } => {
            Prepared::Timer { timer, armed: system.components.id(Component::Timers(unit)), repeats }
        }
        Operation::Try { timer, repeats } => {
            Prepared::Try { timer, armed: system.components.id(Component::Timers(unit)), repeats }
        }
        Operation::Clock { .. } => Prepared::Clock,
        Operation::Deadline { timer } => {
            Prepared::Deadline { timer, armed: system.components.id(Component::Timers(unit)) }
        }
        Operation::Compare { one, other } => Prepared::Compare { one, other },
        Operation::Distance { from, to } => Prepared::Distance { from, to },
    }
}
