//! Effects of this kind: making, shutting down and closing sockets for datagrams.

use super::operation::Effect;
use crate::id::{SocketId, UnitId};
use crate::unit::automaton::EdgeId;
use crate::world::components::Component;
use crate::world::tables::{Lookup, View};
use netcheck_models::mailboxes::Mailboxes;

pub(crate) fn effect(view: View<'_>, (unit, _): (UnitId, EdgeId), effect: &Effect, next: &mut Vec<u32>) -> Lookup<()> {
    view.change_mailboxes(unit, next, |all| match *effect {
        Effect::Open { socket } => all.opened(socket),
        Effect::Pair { sockets } => all.paired(sockets),
        Effect::ShutDown { socket, ways } => all.shut_down(socket, ways),
        Effect::Close { socket } => all.closed(|other| other == socket),
    })
}

impl View<'_> {
    /// Closes the sockets for datagrams that a unit holds.
    pub(in crate::world) fn release_mailboxes(self, unit: UnitId, next: &mut Vec<u32>) -> Lookup<()> {
        match self.components.find(Component::Mailboxes(self.process_of(unit))) {
            Some(at) if at.of(next) != 0 => {
                self.change_mailboxes(unit, next, |all| all.closed(|socket| socket.unit == unit))
            }
            _ => Ok(()),
        }
    }

    fn change_mailboxes(
        self,
        unit: UnitId,
        next: &mut Vec<u32>,
        change: impl FnOnce(&Mailboxes<SocketId>) -> Mailboxes<SocketId>,
    ) -> Lookup<()> {
        let at = self.component(Component::Mailboxes(self.process_of(unit)))?;
        let after = change(self.mailboxes.get(at.of(next)));
        for (at, value) in self.writes(at, after)? {
            at.set(next, value);
        }
        Ok(())
    }
}
