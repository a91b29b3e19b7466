//! Prepares operations on UDP sockets for the search.

use super::Prepared;
use super::operation::{Operation, ReceiveMode};
use super::prepared::{Send, SendToGroup};
use crate::id::{ProcessId, SocketId, UnitId};
use crate::operation::Outcome;
use crate::world::components::Component;
use crate::world::system::System;

pub(crate) fn prepare(system: &mut System, unit: UnitId, operation: Operation, _execution: u32) -> Prepared {
    match operation {
        Operation::Bind { socket, address } => Prepared::Bind { socket, address },
        Operation::Connect { socket, local, peer } => Prepared::Connect { socket, local, peer },
        Operation::Send { socket, from, to, payload, reach: Some(reach) } => {
            let own = system.process_of(unit);
            let all = (0..system.processes.len() as u32).map(ProcessId);
            let reached = all.filter(|&host| if host == own { reach.own } else { reach.others });
            let hosts = reached.map(|host| (host, system.components.id(Component::Port(host, to.port())))).collect();
            let datagram = system.learner.automata.intern(&Outcome::Datagram { from, payload });
            Prepared::SendToGroup(SendToGroup { socket, from, to, hosts, datagram })
        }
        Operation::Join { socket, port, group } => Prepared::Join { socket, port, group },
        Operation::Leave { socket, port, group } => Prepared::Leave { socket, port, group },
        Operation::Send { socket, from, to, payload, reach: None } => {
            let host = system.process_at(system.process_of(unit), to);
            let port = host.map(|host| system.components.id(Component::Port(host, to.port())));
            let datagram = system.learner.automata.intern(&Outcome::Datagram { from, payload });
            Prepared::Send(Send { socket, from, to, host, port, datagram })
        }
        Operation::Receive { socket, port, mode } => receive(system, socket, port, mode, true),
        Operation::TryReceive { socket, port, mode } => receive(system, socket, port, mode, false),
    }
}

fn receive(system: &mut System, socket: SocketId, port: u16, mode: ReceiveMode, waits: bool) -> Prepared {
    let inbox = system.inbox(socket);
    if mode != ReceiveMode::Take && system.heads[inbox as usize].is_none() {
        system.heads[inbox as usize] = Some(system.components.id(Component::Head(socket)));
    }
    Prepared::Receive { socket, port, inbox, mode, waits }
}
