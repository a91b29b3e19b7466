//! Resources that operations on mailboxes affect and depend on: each depends on every other one of its host.

use super::Prepared;
use super::operation::Effect;
use crate::id::{ProcessId, UnitId};
use crate::unit::automaton::EdgeId;
use crate::world::components::Component;
use crate::world::system::System;
use crate::world::tables::{Lookup, View};
use crate::world::touches::{Resource, Touches, When};

pub(crate) fn operation(touches: &mut Touches, system: &mut System, unit: UnitId, _: &Prepared) {
    let process = system.process_of(unit);
    touches.mailboxes(system, process);
}

/// Never: an operation of this kind depends on the same resources in every state.
pub(crate) fn is_when(_: View<'_>, _: (&[u32], UnitId), _: &Prepared, _: When) -> Lookup<bool> {
    Ok(false)
}

pub(crate) fn effect(touches: &mut Touches, system: &mut System, (unit, _): (UnitId, EdgeId), _: &Effect) {
    let process = system.process_of(unit);
    touches.mailboxes(system, process);
}

impl Touches {
    fn mailboxes(&mut self, system: &mut System, process: ProcessId) {
        let all = Resource::Mailboxes(system.components.id(Component::Mailboxes(process)));
        self.affects(all).depends_on(all);
    }

    /// A unit ends: its sockets for datagrams are closed, if its process has any.
    pub(crate) fn close_mailboxes(&mut self, system: &mut System, process: ProcessId) {
        if system.components.find(Component::Mailboxes(process)).is_some() {
            self.mailboxes(system, process);
        }
    }
}
