//! What the search has to know of a pending operation, looked up once.

use crate::id::{OutcomeId, ProcessId, SocketId, TaskId, UnitId};
use crate::operation::{Operation, OperationKey, Outcome, ReceiveMode, Side};
use crate::state::place::{Place, PlaceId};
use crate::state::system::System;
use crate::state::tcp::connections::ConnectionEnd;
use smallvec::SmallVec;
use std::net::SocketAddr;
use std::sync::Arc;

/// An offer, with all that the search looks up again and again.
#[derive(Clone, Debug)]
pub(crate) struct Menu {
    pub(crate) key: OperationKey,
    pub(crate) action: Action,
}

/// What an offer asks of the components.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Start {
        after: Vec<PlaceId>,
    },
    Run,
    Bind {
        socket: SocketId,
        address: SocketAddr,
    },
    Connect {
        socket: SocketId,
        local: SocketAddr,
        peer: SocketAddr,
    },
    /// `to` is `None` where no process has the address.
    Send {
        socket: SocketId,
        from: SocketAddr,
        to: SocketAddr,
        host: Option<ProcessId>,
        port: Option<PlaceId>,
        datagram: OutcomeId,
    },
    Receive {
        socket: SocketId,
        port: u16,
        inbox: u32,
        mode: ReceiveMode,
        waits: bool,
    },
    BindStream {
        socket: SocketId,
        address: SocketAddr,
        shares: bool,
    },
    Listen {
        socket: SocketId,
        address: SocketAddr,
        is_bound: bool,
        backlog: usize,
    },
    /// `to` is `None` where no process has the address.
    Open {
        socket: SocketId,
        local: Option<SocketAddr>,
        peer: SocketAddr,
        to: Option<(ProcessId, PlaceId)>,
        fails: bool,
        hangs: bool,
    },
    Accept {
        process: ProcessId,
        port: PlaceId,
        local: SocketAddr,
        waits: bool,
        fails: bool,
    },
    Read {
        end: ConnectionEnd,
        max: usize,
        peeks: bool,
        waits: bool,
        fails: bool,
        resets: bool,
    },
    Write {
        end: ConnectionEnd,
        bytes: Arc<[u8]>,
        waits: bool,
        fails: bool,
        resets: bool,
    },
    Ready {
        end: ConnectionEnd,
        read: bool,
        write: bool,
        waits: bool,
    },
    TakeError {
        end: ConnectionEnd,
    },
    Shutdown {
        end: ConnectionEnd,
        fails: bool,
    },
    Timer {
        timer: u32,
        armed: PlaceId,
        repeats: bool,
    },
    Clock,
    Deadline {
        timer: u32,
        armed: PlaceId,
    },
    Choose {
        alternatives: usize,
    },
    Select {
        candidates: SmallVec<[u8; 8]>,
    },
    Join {
        unit: UnitId,
        child: PlaceId,
        waits: bool,
    },
    IsEnded {
        unit: UnitId,
        child: PlaceId,
    },
}

impl System {
    /// What an operation of a unit asks; `execution`: which one of its source line it is.
    pub(super) fn action(&mut self, unit: UnitId, operation: Operation, execution: u32) -> Action {
        let process = self.process_of(unit);
        let fails = self.declared.tcp.fails;
        let fallible = |system: &System, side: Side| system.is_fallible(unit, side, execution);
        match operation {
            Operation::Start => {
                let after = match self.units[unit.0 as usize].is_task {
                    false => &self.processes[process.0 as usize].after[..],
                    true => &[],
                };
                let after = after.iter().map(|process| self.unit_place(UnitId(process.0)));
                Action::Start { after: after.collect() }
            }
            Operation::Run(TaskId(_)) | Operation::Cancel => Action::Run,
            Operation::Bind { socket, address } => Action::Bind { socket, address },
            Operation::Connect { socket, local, peer } => Action::Connect { socket, local, peer },
            Operation::Send { socket, from, to, payload } => {
                let host = self.process_at(process, to);
                let port = host.map(|host| self.places.id(Place::Port(host, to.port())));
                let datagram = self.learner.automata.intern(&Outcome::Datagram { from, payload });
                Action::Send { socket, from, to, host, port, datagram }
            }
            Operation::Receive { socket, port, mode } => self.receive(socket, port, mode, true),
            Operation::TryReceive { socket, port, mode } => self.receive(socket, port, mode, false),
            Operation::BindStream { socket, address, shares } => Action::BindStream { socket, address, shares },
            Operation::Listen { socket, address, is_bound, backlog } => {
                Action::Listen { socket, address, is_bound, backlog }
            }
            Operation::Open { socket, local, peer } => {
                let may = fallible(self, Side::Client);
                let (fails, hangs) = (may && fails.open, may && fails.hang);
                Action::Open { socket, local, peer, to: self.tell(|view| view.dialed(process, peer)), fails, hangs }
            }
            Operation::AtOnce { operation, .. } => self.action(unit, *operation, execution),
            Operation::Accept { local, waits } => {
                let port = self.places.id(Place::StreamPort(process, local.port()));
                let fails = fails.open && fallible(self, Side::Server);
                Action::Accept { process, port, local, waits, fails }
            }
            Operation::Read { stream, max, peeks, waits } => {
                let may = fallible(self, stream.side);
                let (fails, resets) = (may && fails.read && !peeks, may && fails.reset && !peeks);
                Action::Read { end: self.tell(|view| view.end_of(process, stream)), max, peeks, waits, fails, resets }
            }
            Operation::Write { stream, bytes, waits } => {
                let may = fallible(self, stream.side);
                let (fails, resets) = (may && fails.write, may && fails.reset);
                Action::Write { end: self.tell(|view| view.end_of(process, stream)), bytes, waits, fails, resets }
            }
            Operation::Ready { stream, read, write, waits } => {
                Action::Ready { end: self.tell(|view| view.end_of(process, stream)), read, write, waits }
            }
            Operation::TakeError { stream } => {
                Action::TakeError { end: self.tell(|view| view.end_of(process, stream)) }
            }
            Operation::Shutdown { stream } => {
                let fails = fails.close && fallible(self, stream.side);
                Action::Shutdown { end: self.tell(|view| view.end_of(process, stream)), fails }
            }
            Operation::Timer { timer, repeats } => {
                Action::Timer { timer, armed: self.places.id(Place::Timers(unit)), repeats }
            }
            Operation::Clock => Action::Clock,
            Operation::Deadline { timer } => Action::Deadline { timer, armed: self.places.id(Place::Timers(unit)) },
            Operation::Choose { alternatives } => Action::Choose { alternatives },
            Operation::Select { candidates, .. } => Action::Select { candidates },
            Operation::Join { child, waits } => Action::Join { unit: child, child: self.unit_place(child), waits },
            Operation::IsEnded { child } => Action::IsEnded { unit: child, child: self.unit_place(child) },
        }
    }

    fn receive(&mut self, socket: SocketId, port: u16, mode: ReceiveMode, waits: bool) -> Action {
        let inbox = self.inbox(socket);
        if mode != ReceiveMode::Take && self.heads[inbox as usize].is_none() {
            self.heads[inbox as usize] = Some(self.places.id(Place::Head(socket)));
        }
        Action::Receive { socket, port, inbox, mode, waits }
    }
}
