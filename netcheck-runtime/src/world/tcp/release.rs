//! Closing, dropping and ending: the changes of connections and listeners.

use super::operation::paired;
use crate::id::{ConnectionId, ProcessId, SocketId, UnitId};
use crate::operation::{Side, Stream};
use crate::world::components::{Component, ComponentId, HeldConnection, connection_dialed};
use crate::world::step::Writes;
use crate::world::tables::{Lookup, View};
use crate::world::tcp::offers::Dialed;
use netcheck_models::tcp::Connection;
use std::net::SocketAddr;

impl View<'_> {
    /// A unit drops its end of a connection.
    pub(crate) fn close_stream(self, unit: UnitId, stream: Stream, next: &mut Vec<u32>) -> Lookup<()> {
        let end = self.end_of(self.process_of(unit), stream)?;
        if self.held.get(end.component.of(next)).holders[end.side as usize] == Some(unit) {
            self.close_end(end.component, end.side, false, next)?;
        }
        Ok(())
    }

    /// A unit drops the writing half of a stream.
    pub(crate) fn end_stream(self, unit: UnitId, stream: Stream, next: &mut Vec<u32>) -> Lookup<()> {
        let end = self.end_of(self.process_of(unit), stream)?;
        self.change_connection(end.component, next, |held| held.connection = held.connection.shut_down(end.side))
    }

    /// A unit sets whether closing its end resets the connection.
    pub(crate) fn set_linger(self, unit: UnitId, stream: Stream, resets: bool, next: &mut Vec<u32>) -> Lookup<()> {
        let end = self.end_of(self.process_of(unit), stream)?;
        self.change_connection(end.component, next, |held| held.resets[end.side as usize] = resets)
    }

    /// A unit makes two connected Unix domain sockets.
    pub(crate) fn pair(self, unit: UnitId, sockets: [SocketId; 2], next: &mut Vec<u32>) -> Lookup<()> {
        let [one, _] = paired(sockets);
        let end = self.end_of(self.process_of(unit), one)?;
        self.change_connection(end.component, next, |held| {
            let holders = [Some(unit); 2];
            *held = HeldConnection { connection: Connection::unix(), holders, ..HeldConnection::default() };
        })
    }

    fn close_end(self, component: ComponentId, side: Side, reset: bool, next: &mut Vec<u32>) -> Lookup<()> {
        self.change_connection(component, next, |held| {
            held.connection = held.connection.close(side, reset || held.resets[side as usize]);
            held.holders[side as usize] = None;
            held.resets[side as usize] = false;
        })
    }

    fn change_connection(
        self,
        component: ComponentId,
        next: &mut Vec<u32>,
        change: impl FnOnce(&mut HeldConnection),
    ) -> Lookup<()> {
        let mut held = self.held.get(component.of(next)).clone();
        change(&mut held);
        component.set(next, self.held_connection(held)?);
        Ok(())
    }

    /// A listener, or a socket that was only bound, is dropped; the connections in its backlog are reset.
    pub(crate) fn close_listener(
        self,
        process: ProcessId,
        socket: SocketId,
        port: u16,
        next: &mut Vec<u32>,
    ) -> Lookup<()> {
        let component = self.component(Component::StreamPort(process, port))?;
        let mut bindings = self.stream_ports.get(component.of(next)).clone();
        let Some(index) = bindings.iter().position(|binding| binding.socket == socket) else { return Ok(()) };
        let closed = bindings.remove(index);
        component.set(next, self.stream_bindings(bindings)?);
        for &waiting in closed.backlog.iter().flat_map(|backlog| backlog.waiting()) {
            let component = self.component(Component::Connection(ConnectionId(waiting)))?;
            self.close_end(component, Side::Server, true, next)?;
        }
        Ok(())
    }

    /// Removes a bound socket from its port when it connects: its connection then refers to it.
    pub(super) fn unbind(
        self,
        state: &[u32],
        socket: SocketId,
        local: Option<SocketAddr>,
        writes: &mut Writes,
    ) -> Lookup<()> {
        let Some(local) = local else { return Ok(()) };
        let process = self.process_of(socket.unit);
        let component = self.component(Component::StreamPort(process, local.port()))?;
        let written = writes.iter().position(|(other, _)| *other == component);
        let value = written.map_or_else(|| component.of(state), |index| writes.remove(index).1);
        let mut bindings = self.stream_ports.get(value).clone();
        bindings.retain(|binding| binding.socket != socket);
        writes.push((component, self.stream_bindings(bindings)?));
        Ok(())
    }

    /// A unit gives up a connect. The first packet was sent at the beginning of the connect: unless the connect is
    /// never answered, a listener gets a connection that is closed at once.
    pub(crate) fn give_up(
        self,
        unit: UnitId,
        (socket, local, peer): (SocketId, Option<SocketAddr>, SocketAddr),
        next: &mut Vec<u32>,
    ) -> Lookup<()> {
        let has_given_up = self.has_given_up(next, socket);
        self.waits_no_more(next, socket).into_iter().for_each(|(waited, none)| waited.set(next, none));
        if let Some(hung) = self.components.find(Component::Hung(socket)).filter(|hung| hung.of(next) != 0) {
            hung.set(next, 0);
            return Ok(());
        }
        if has_given_up {
            return Ok(());
        }
        let to = self.dialed(self.process_of(unit), peer)?;
        let is_dialed =
            |next: &[u32]| self.components.find(Component::Dialed(socket)).is_some_and(|id| id.of(next) != 0);
        if let (true, false, Some((host, _))) = (self.has_segments(), is_dialed(next), to) {
            // It was begun and given up at once.
            let writes = self.dialing(next, unit, (socket, local, peer), Some(host))?;
            writes.into_iter().flatten().for_each(|(component, value)| component.set(next, value));
        }
        if self.has_segments() && to.is_some() || is_dialed(next) {
            let dialed = self.component(Component::Dialed(socket))?;
            let made = connection_dialed(dialed.of(next));
            dialed.set(next, 0);
            let Some(connection) = made else { return Ok(()) };
            let component = self.component(Component::Connection(connection))?;
            return self.close_end(component, Side::Client, false, next);
        }
        if to.is_some_and(|(host, _)| self.is_unreachable(next, unit, host)) {
            return Ok(());
        }
        if let Dialed::Connected { end, writes, .. } = self.dial(next, unit, (socket, local, peer), to)? {
            for (component, value) in writes {
                component.set(next, value);
            }
            self.close_end(end.component, Side::Client, false, next)?;
        }
        Ok(())
    }

    /// A stream is handed over to another unit of the same process.
    pub(crate) fn hand_over(self, from: UnitId, to: UnitId, stream: Stream, next: &mut Vec<u32>) -> Lookup<()> {
        let end = self.end_of(self.process_of(from), stream)?;
        if self.held.get(end.component.of(next)).holders[end.side as usize] == Some(from) {
            self.change_connection(end.component, next, |held| held.holders[end.side as usize] = Some(to))?;
        }
        Ok(())
    }

    /// Closes all streams and listeners that a unit holds.
    pub(crate) fn release_streams(self, unit: UnitId, next: &mut Vec<u32>) -> Lookup<()> {
        for &id in self.tables.components.streams() {
            if id.of(next) == 0 {
                continue;
            }
            match self.components.component(id) {
                Component::Connection(_) => {
                    for side in [Side::Client, Side::Server] {
                        if self.held.get(id.of(next)).holders[side as usize] == Some(unit) {
                            self.close_end(id, side, false, next)?;
                        }
                    }
                }
                Component::StreamPort(process, port) => {
                    let bindings = self.stream_ports.get(id.of(next)).clone();
                    for binding in bindings.iter().filter(|binding| binding.holder == unit) {
                        self.close_listener(process, binding.socket, port, next)?;
                    }
                }
                Component::Hung(socket) | Component::Waited(socket) | Component::Dialed(socket)
                    if socket.unit == unit =>
                {
                    id.set(next, 0)
                }
                _ => {}
            }
        }
        Ok(())
    }
}
