//! The connections that the streams of programs refer to, and the failures that may happen at their ends.

use super::connections::ConnectionEnd;
use super::failures::Failures;
use super::prepared::Fails;
use super::rules::TcpRules;
use crate::id::{ProcessId, UnitId};
use crate::operation::{Side, Stream};
use crate::world::components::{Component, ComponentId, StreamBindings};
use crate::world::tables::{Lookup, Missing, Tables};
use netcheck_models::tcp::Backlog;
use std::net::SocketAddr;

impl Tables {
    pub(super) fn stream_bindings(&self, bindings: StreamBindings) -> Lookup<u32> {
        self.stream_ports.find(&bindings).ok_or_else(|| Missing::StreamBindings(bindings).into())
    }

    /// The connection between two addresses, the connecting end first.
    pub(crate) fn connection(&self, ends: [(ProcessId, SocketAddr); 2]) -> Lookup<ConnectionEnd> {
        let connection = self.connection_id(ends)?;
        Ok(ConnectionEnd {
            connection,
            component: self.component(Component::Connection(connection))?,
            side: Side::Client,
        })
    }

    /// The end of a connection that a process knows as `stream`.
    pub(crate) fn end_of(&self, process: ProcessId, stream: Stream) -> Lookup<ConnectionEnd> {
        let own = (process, stream.local);
        let peer = self.process_at(process, stream.peer).expect("a connection leads to a process");
        let peer = (peer, stream.peer);
        let ends = if stream.side == Side::Client { [own, peer] } else { [peer, own] };
        Ok(ConnectionEnd { side: stream.side, ..self.connection(ends)? })
    }

    /// The process and the port that a connect reaches; `None` if no process has the address.
    pub(crate) fn dialed(&self, from: ProcessId, peer: SocketAddr) -> Lookup<Option<(ProcessId, ComponentId)>> {
        let Some(host) = self.process_at(from, peer) else { return Ok(None) };
        Ok(Some((host, self.component(Component::StreamPort(host, peer.port()))?)))
    }

    /// The backlog of the listener that is bound to an address of a port.
    pub(in crate::world) fn backlog_at(&self, state: &[u32], port: ComponentId, local: SocketAddr) -> Option<&Backlog> {
        let mut bindings = self.stream_ports.get(port.of(state)).iter();
        bindings.find_map(|binding| binding.backlog.as_ref().filter(|_| binding.ip == local.ip()))
    }

    /// Whether operations of `unit` at `side`, the `execution`th of their source line, are among those that may fail.
    pub(crate) fn is_fallible(&self, unit: UnitId, side: Side, execution: u32) -> bool {
        let TcpRules { processes, side: declared, first, .. } = &self.declared.tcp;
        let process = self.process_of(unit);
        processes.as_ref().is_none_or(|named| named.contains(&process))
            && declared.is_none_or(|declared| declared == side)
            && first.is_none_or(|first| execution <= first)
    }

    /// Whether a failed accept, read, write or shutdown of a unit leaves its connection as it was.
    pub(super) fn fails_transiently(&self, state: &[u32], unit: UnitId) -> bool {
        self.failures_in_region(state, unit).unwrap_or(self.declared.tcp.fails).transient
    }

    /// Whether an accept or a read may fail now, so that the other end is told.
    pub(in crate::world) fn may_tell_a_failure(
        &self,
        state: &[u32],
        unit: UnitId,
        fails: Fails,
        of: fn(Failures) -> bool,
    ) -> bool {
        self.may_fail_now(state, unit, fails, of) && !self.fails_transiently(state, unit)
    }

    /// Whether the network may reset a connection at a call now.
    pub(in crate::world) fn may_reset_now(&self, state: &[u32], unit: UnitId, resets: Fails) -> bool {
        self.may_fail_now(state, unit, resets, |failures| failures.reset)
    }

    /// Whether a failure of a call may happen now, by the failures that are declared.
    pub(super) fn may_fail_now(&self, state: &[u32], unit: UnitId, fails: Fails, of: fn(Failures) -> bool) -> bool {
        let is_declared = match self.failures_in_region(state, unit) {
            Some(failures) => of(failures),
            None => fails.as_declared && self.is_in_scope(state, self.process_of(unit)),
        };
        is_declared && self.budget(state).allows(1)
    }
}
