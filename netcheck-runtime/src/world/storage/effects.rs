//! Effects of this kind: what is durable of the files of a host.
//!
//! Where nothing can be lost, that is no part of a state; where a process is killed and nothing more, all that it has written
//! counts as durable.

use super::operation::Effect;
use crate::id::{ProcessId, UnitId};
use crate::operation::Cause;
use crate::unit::automaton::EdgeId;
use crate::world::components::Component;
use crate::world::tables::{Lookup, Missing, Tables, View};
use netcheck_models::storage::Storage;

pub(crate) fn effect(
    view: View<'_>,
    (unit, _): (UnitId, EdgeId),
    Effect(operation): &Effect,
    next: &mut Vec<u32>,
) -> Lookup<()> {
    let process = view.process_of(unit);
    let Some(crashes) = view.declared.crashes_of(process) else { return Ok(()) };
    let component = view.component(Component::Storage(process))?;
    let after = storage(view.tables, process, next).after(operation);
    let after = match crashes.cause {
        Cause::Kill => after.settled(),
        Cause::Power => after,
    };
    component.set(next, number(view, process, after)?);
    Ok(())
}

/// The number of the files of a process.
fn number(view: View<'_>, process: ProcessId, storage: Storage) -> Lookup<u32> {
    let declared = Storage::new(&view.processes[process.0 as usize].host.files);
    let storage = Some(storage).filter(|storage| *storage != declared);
    view.storages.find(&storage).ok_or_else(|| Missing::Storage(storage.unwrap_or_default()).into())
}

/// The files of a process in a state, what is durable and what is pending.
pub fn storage(tables: &Tables, process: ProcessId, state: &[u32]) -> Storage {
    let component = tables.components.find(Component::Storage(process));
    let storage = component.and_then(|component| tables.storages.get(component.of(state)).clone());
    storage.unwrap_or_else(|| Storage::new(&tables.processes[process.0 as usize].host.files))
}
