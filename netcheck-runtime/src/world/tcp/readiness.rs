//! Which calls on TCP complete at once: see [`world::readiness`](crate::world::readiness).

use super::Prepared;
use crate::id::UnitId;
use crate::operation::Side;
use crate::world::components::{Component, HeldConnection};
use crate::world::readiness::Readiness;
use crate::world::step::Writes;
use crate::world::tables::{Lookup, View};
use netcheck_models::tcp::Backlog;

/// Whether an operation can complete. What is there to be accepted or read is known to the driver if time has passed since, and
/// bytes also if the last read has filled its buffer and left them; that there is room for a write, at the end that has
/// connected.
///
/// A call that becomes known takes the time-outs away that are due beside it. A reduced search puts those off behind steps
/// of others, so nothing that others do at an instant makes a call known. (Where a read fills its buffer, the bytes of a write that
/// came before it are known, and those of a write that comes after it are not: so a write depends on reads while bytes are unread.)
pub(in crate::world) fn of(view: View<'_>, state: &[u32], prepared: &Prepared) -> Readiness {
    let (can_complete, is_known) = match prepared {
        Prepared::Listen { .. } | Prepared::Shutdown { .. } => (true, false),
        Prepared::Accept { port, local, .. } => {
            let bindings = view.stream_ports.get(port.of(state));
            let listener = bindings.iter().find(|binding| binding.ip == local.ip() && binding.backlog.is_some());
            let backlog = listener.and_then(|binding| binding.backlog.as_ref());
            let is_waiting = backlog.is_some_and(|backlog| !backlog.waiting().is_empty());
            (is_waiting, backlog.is_some_and(Backlog::is_known))
        }
        Prepared::Read { end, .. } => {
            let connection = view.connection_at(state, *end);
            (connection.is_readable(end.side), connection.is_known_to_be_readable(end.side))
        }
        Prepared::Write { end, bytes, .. } => {
            let connection = view.connection_at(state, *end);
            let outcomes = connection.write(end.side, bytes, view.declared.tcp.streams.of(connection));
            (!outcomes.is_empty(), end.side == Side::Client)
        }
        Prepared::Ready { end, read, write, .. } => {
            let connection = view.connection_at(state, *end);
            let is_writable = *write && connection.is_writable(end.side, view.declared.tcp.streams.capacity);
            let is_known = *read && connection.is_known_to_be_readable(end.side);
            let can_read = *read && connection.is_readable(end.side);
            (can_read || is_writable, is_known || is_writable && end.side == Side::Client)
        }
        Prepared::BindStream { .. } | Prepared::Open(_) | Prepared::Dial(_) | Prepared::TakeError { .. } => {
            (false, false)
        }
    };
    match (can_complete, is_known) {
        (false, _) => Readiness::Waits,
        (true, false) => Readiness::MayBe,
        (true, true) => Readiness::Ready,
    }
}

impl View<'_> {
    /// Time passes for the units for which `timed` holds: their drivers are asked. Adds what they know of afterwards.
    pub(in crate::world) fn look_at_streams(
        self,
        state: &[u32],
        timed: &dyn Fn(UnitId) -> bool,
        writes: &mut Writes,
    ) -> Lookup<()> {
        for &component in self.components.streams().iter().filter(|component| component.of(state) != 0) {
            let known = match self.components.component(component) {
                Component::Connection(_) => self.looked_at(component.of(state), timed)?,
                Component::StreamPort(..) => {
                    let mut bindings = self.stream_ports.get(component.of(state)).clone();
                    for binding in bindings.iter_mut().filter(|binding| timed(binding.holder)) {
                        binding.backlog = binding.backlog.as_ref().map(Backlog::looked_at);
                    }
                    self.stream_bindings(bindings)?
                }
                _ => continue,
            };
            if known != component.of(state) {
                writes.push((component, known));
            }
        }
        Ok(())
    }

    fn looked_at(self, held: u32, timed: &dyn Fn(UnitId) -> bool) -> Lookup<u32> {
        let held = self.held.get(held);
        let sides = [Side::Client, Side::Server].into_iter();
        let timed = sides.filter(|side| held.holders[*side as usize].is_some_and(timed));
        let connection = timed.fold(held.connection.clone(), |connection, side| connection.looked_at(side));
        self.held_connection(HeldConnection { connection, ..*held })
    }
}
