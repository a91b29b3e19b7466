//! Prepares operations on tasks for the search.

use super::Prepared;
use super::operation::Operation;
use crate::id::{ProcessId, TaskId, UnitId};
use crate::world::system::System;

pub(crate) fn prepare(system: &mut System, unit: UnitId, operation: Operation, _execution: u32) -> Prepared {
    match operation {
        Operation::Start => {
            let process = system.process_of(unit);
            let after = match system.units[unit.0 as usize].is_task {
                false => &system.processes[process.0 as usize].after[..],
                true => &[],
            };
            let units = |process: &ProcessId| system.processes[process.0 as usize].roots.iter();
            let components = |process| units(process).map(|&unit| system.unit_component(unit)).collect();
            Prepared::Start { after: after.iter().map(components).collect() }
        }
        Operation::Restart => Prepared::Restart,
        Operation::Run(TaskId(_)) | Operation::Cancel | Operation::Crash => Prepared::Run,
        Operation::Join { child, waits } => Prepared::Join { unit: child, child: system.unit_component(child), waits },
        Operation::IsEnded { child } => Prepared::IsEnded { unit: child, child: system.unit_component(child) },
    }
}
