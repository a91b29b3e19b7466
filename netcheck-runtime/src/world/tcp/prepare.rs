//! Prepares operations on TCP for the search.

use super::Prepared;
use super::failures::Failures;
use super::operation::{Operation, Side};
use super::prepared::{Fails, Open};
use crate::id::UnitId;
use crate::world::components::Component;
use crate::world::system::System;
use netcheck_models::host::unix;
use std::net::SocketAddr;

pub(crate) fn prepare(system: &mut System, unit: UnitId, operation: Operation, execution: u32) -> Prepared {
    let process = system.process_of(unit);
    let (declared, in_regions) = (system.declared.tcp.fails, system.demands.regions.unwrap_or_default());
    // No network lies between Unix domain sockets.
    let fails = |system: &System, side: Side, address: SocketAddr, of: fn(Failures) -> bool| match () {
        () if unix::is_unix(address.ip()) => Fails::default(),
        () => {
            Fails { as_declared: of(declared) && system.is_fallible(unit, side, execution), in_regions: of(in_regions) }
        }
    };
    match operation {
        Operation::BindStream { socket, address, shares } => Prepared::BindStream { socket, address, shares },
        Operation::Listen { socket, address, is_bound, backlog } => {
            Prepared::Listen { socket, address, is_bound, backlog }
        }
        Operation::Open { socket, local, peer } => {
            let hangs = fails(system, Side::Client, peer, |failures| failures.hang);
            let fails = fails(system, Side::Client, peer, |failures| failures.open);
            let to = system.tell(|view| view.dialed(process, peer));
            Prepared::Open(Open { socket, local, peer, to, fails, hangs })
        }
        Operation::Dial { socket, local, peer } => {
            let to = system.tell(|view| view.dialed(process, peer));
            let (fails, hangs) = (Fails::default(), Fails::default());
            Prepared::Dial(Open { socket, local, peer, to, fails, hangs })
        }
        Operation::Accept { local, waits } => {
            let port = system.components.id(Component::StreamPort(process, local.port()));
            let fails = fails(system, Side::Server, local, |failures| failures.open);
            Prepared::Accept { process, port, local, waits, fails }
        }
        Operation::Read { stream, max, peeks, waits } => {
            let unless_peeking = |fails: Fails| if peeks { Fails::default() } else { fails };
            let resets = unless_peeking(fails(system, stream.side, stream.local, |failures| failures.reset));
            let fails = unless_peeking(fails(system, stream.side, stream.local, |failures| failures.read));
            Prepared::Read { end: system.tell(|view| view.end_of(process, stream)), max, peeks, waits, fails, resets }
        }
        Operation::Write { stream, bytes, waits } => {
            let resets = fails(system, stream.side, stream.local, |failures| failures.reset);
            let fails = fails(system, stream.side, stream.local, |failures| failures.write);
            Prepared::Write { end: system.tell(|view| view.end_of(process, stream)), bytes, waits, fails, resets }
        }
        Operation::Ready { stream, read, write, waits } => {
            Prepared::Ready { end: system.tell(|view| view.end_of(process, stream)), read, write, waits }
        }
        Operation::TakeError { stream } => {
            Prepared::TakeError { end: system.tell(|view| view.end_of(process, stream)) }
        }
        Operation::Shutdown { stream } => {
            let fails = fails(system, stream.side, stream.local, |failures| failures.close);
            Prepared::Shutdown { end: system.tell(|view| view.end_of(process, stream)), fails }
        }
    }
}
