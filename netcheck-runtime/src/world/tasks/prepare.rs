//! Prepares operations on tasks for the search.

use super::Prepared;
use super::operation::Operation;
use crate::id::{TaskId, UnitId};
use crate::world::system::System;

pub(crate) fn prepare(system: &mut System, unit: UnitId, operation: Operation, _execution: u32) -> Prepared {
    match operation {
        Operation::Start => {
            let process = system.process_of(unit);
            let after = match system.units[unit.0 as usize].is_task {
                false => &system.processes[process.0 as usize].after[..],
                true => &[],
            };
            let after = after.iter().map(|process| system.unit_component(UnitId(process.0)));
            Prepared::Start { after: after.collect() }
        }
        Operation::Run(TaskId(_)) | Operation::Cancel => Prepared::Run,
        Operation::Join { child, waits } => Prepared::Join { unit: child, child: system.unit_component(child), waits },
        Operation::IsEnded { child } => Prepared::IsEnded { unit: child, child: system.unit_component(child) },
    }
}
