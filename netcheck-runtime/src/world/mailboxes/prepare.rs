//! Prepares operations on mailboxes for the search.

use super::Prepared;
use super::operation::Operation;
use super::prepared::Call;
use crate::id::UnitId;
use crate::operation::Outcome;
use crate::world::components::Component;
use crate::world::system::System;

pub(crate) fn prepare(system: &mut System, unit: UnitId, operation: Operation, _execution: u32) -> Prepared {
    let process = system.process_of(unit);
    let at = system.components.id(Component::Mailboxes(process));
    let (socket, call) = match operation {
        Operation::Bind { socket, name } => (socket, Call::Bind { name }),
        Operation::Connect { socket, name } => (socket, Call::Connect { name }),
        Operation::Send { socket, from, to, payload, waits } => {
            let datagram = system.learner.automata.intern(&Outcome::Datagram { from, payload });
            (socket, Call::Send { to, datagram, waits })
        }
        Operation::Receive { socket, waits } => (socket, Call::Receive { waits }),
        Operation::Ready { socket, read, write, waits } => (socket, Call::Ready { read, write, waits }),
    };
    Prepared { process, at, socket, call }
}
