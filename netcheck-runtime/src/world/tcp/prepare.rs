//! Prepares operations on TCP for the search.

use super::Prepared;
use super::operation::{Operation, Side};
use super::prepared::Open;
use crate::id::UnitId;
use crate::world::components::Component;
use crate::world::system::System;
use netcheck_models::host::unix;
use std::net::SocketAddr;

pub(crate) fn prepare(system: &mut System, unit: UnitId, operation: Operation, execution: u32) -> Prepared {
    let process = system.process_of(unit);
    let declared = system.declared.tcp.fails;
    // No network lies between Unix domain sockets.
    let may_fail = |system: &System, side: Side, of: SocketAddr| {
        !unix::is_unix(of.ip()) && system.is_fallible(unit, side, execution)
    };
    match operation {
        Operation::BindStream { socket, address, shares } => Prepared::BindStream { socket, address, shares },
        Operation::Listen { socket, address, is_bound, backlog } => {
            Prepared::Listen { socket, address, is_bound, backlog }
        }
        Operation::Open { socket, local, peer } => {
            let may = may_fail(system, Side::Client, peer);
            let (fails, hangs) = (may && declared.open, may && declared.hang);
            let to = system.tell(|view| view.dialed(process, peer));
            Prepared::Open(Open { socket, local, peer, to, fails, hangs })
        }
        Operation::Dial { socket, local, peer } => {
            let to = system.tell(|view| view.dialed(process, peer));
            Prepared::Dial(Open { socket, local, peer, to, fails: false, hangs: false })
        }
        Operation::Accept { local, waits } => {
            let port = system.components.id(Component::StreamPort(process, local.port()));
            let fails = declared.open && may_fail(system, Side::Server, local);
            Prepared::Accept { process, port, local, waits, fails }
        }
        Operation::Read { stream, max, peeks, waits } => {
            let may = may_fail(system, stream.side, stream.local) && !peeks;
            let (fails, resets) = (may && declared.read, may && declared.reset);
            Prepared::Read { end: system.tell(|view| view.end_of(process, stream)), max, peeks, waits, fails, resets }
        }
        Operation::Write { stream, bytes, waits } => {
            let may = may_fail(system, stream.side, stream.local);
            let (fails, resets) = (may && declared.write, may && declared.reset);
            Prepared::Write { end: system.tell(|view| view.end_of(process, stream)), bytes, waits, fails, resets }
        }
        Operation::Ready { stream, read, write, waits } => {
            Prepared::Ready { end: system.tell(|view| view.end_of(process, stream)), read, write, waits }
        }
        Operation::TakeError { stream } => {
            Prepared::TakeError { end: system.tell(|view| view.end_of(process, stream)) }
        }
        Operation::Shutdown { stream } => {
            let fails = declared.close && may_fail(system, stream.side, stream.local);
            Prepared::Shutdown { end: system.tell(|view| view.end_of(process, stream)), fails }
        }
    }
}
