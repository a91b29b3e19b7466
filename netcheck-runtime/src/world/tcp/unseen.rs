//! Connects whose connection is there before the program knows of it.
//!
//! The system makes a connection; the task that waits for it is polled later. Between the two, the other end can be
//! accepted, written to, closed and reset, and another task of the program can be run. So there are two steps: a move of
//! the network that makes the connection ([`Move::Dial`]), and the outcome, which only a reset that has come in between
//! can change. Where packets take time, see [`opening`](super::opening).

use super::connections::ConnectionEnd;
use super::offers::{Offers, broken};
use super::segments::kept;
use crate::id::{ConnectionId, SocketId};
use crate::operation::{Outcome, Side};
use crate::world::components::{Component, ComponentId, HeldConnection};
use crate::world::enabled::Asker;
use crate::world::step::{Class, Move, Transition, Writes};
use crate::world::tables::{Lookup, View};
use netcheck_models::event::Event;
use smallvec::smallvec;

impl View<'_> {
    /// The connection of a connect of which the program does not know yet.
    pub(super) fn made(self, state: &[u32], socket: SocketId) -> Lookup<Option<ComponentId>> {
        let dialed = self.components.find(Component::Dialed(socket)).map_or(0, |dialed| dialed.of(state));
        let made = dialed.checked_sub(1).filter(|_| !self.has_segments());
        made.map(|connection| self.component(Component::Connection(ConnectionId(connection)))).transpose()
    }

    /// Offers to make the connection, with these writes.
    pub(super) fn connect_unseen(
        self,
        socket: SocketId,
        end: ConnectionEnd,
        mut writes: Writes,
        offers: &mut Offers<'_>,
    ) -> Lookup<()> {
        let Asker { unit, node, key, .. } = offers.asker;
        writes.push((self.component(Component::Dialed(socket))?, end.connection.0 + 1));
        let (step, events) = (Move::Dial { unit, node, key }, self.event(Event::Dialed)?);
        offers.enabled.moves.push(Transition { step, writes, faults: 0, events, watched: None });
        Ok(())
    }

    /// Offers the outcome of a connect whose connection has been made: a reset that has come since is what it returns.
    pub(super) fn tell_of_connection(
        self,
        state: &[u32],
        socket: SocketId,
        made: ComponentId,
        offers: &mut Offers<'_>,
    ) -> Lookup<()> {
        let dialed = self.component(Component::Dialed(socket))?;
        let class = Class::Delivery { required: true, may_wait: false };
        let held = self.held.get(made.of(state));
        match held.connection.take_error(Side::Client) {
            (Some(error), after) => {
                let HeldConnection { mut holders, mut resets, .. } = *held;
                (holders[Side::Client as usize], resets[Side::Client as usize]) = (None, false);
                let connection = after.close(Side::Client, false);
                let held = self.held_connection(kept(HeldConnection { connection, holders, resets }))?;
                offers.tell(self, broken(error), class, smallvec![(made, held), (dialed, 0)], Event::Broken)
            }
            (None, _) => {
                let (_, local) = self.connections.end(ConnectionId(dialed.of(state) - 1), Side::Client);
                offers.tell(self, Outcome::Connected { local }, class, smallvec![(dialed, 0)], Event::Connected)
            }
        }
    }
}
