//! Connects whose connection is there before the program knows of it.
//!
//! The system makes a connection; the task that waits for it is polled later. Between the two, the other end can be
//! accepted, written to, closed and reset, and another task of the program can be run. So there are two steps: a move of
//! the network that makes the connection or refuses it ([`Move::Dial`]), and the outcome, which only a reset that has come
//! in between can change. Where packets take time, see [`opening`](super::opening).

use super::connections::{ConnectionEnd, broken};
use super::offers::Offers;
use super::segments::kept;
use crate::id::{ProcessId, SocketId, UnitId};
use crate::operation::{Failure, Outcome, Side};
use crate::world::components::{Component, ComponentId, HeldConnection, REFUSED, connection_dialed, dialed};
use crate::world::enabled::Asker;
use crate::world::step::{Class, Move, Transition, Writes};
use crate::world::tables::{Lookup, View};
use netcheck_models::event::Event;
use smallvec::smallvec;

/// The answer to a connect of which the program does not know yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Refused,
    Made(ComponentId),
}

impl View<'_> {
    /// The answer to a connect, if there is one.
    pub(super) fn connect_answer(self, state: &[u32], socket: SocketId) -> Lookup<Option<Answer>> {
        let dialed = self.components.find(Component::Dialed(socket)).map_or(0, |dialed| dialed.of(state));
        Ok(match (dialed, connection_dialed(dialed)) {
            (_, Some(made)) if self.has_segments() && !self.connections.is_unix(made) => None,
            (_, Some(made)) => Some(Answer::Made(self.component(Component::Connection(made))?)),
            (REFUSED, None) => Some(Answer::Refused),
            (_, None) => None,
        })
    }

    /// Whether a connect has been answered of which the program does not know yet.
    pub(in crate::world) fn is_answered(self, state: &[u32], socket: SocketId) -> Lookup<bool> {
        Ok(self.connect_answer(state, socket)?.is_some())
    }

    /// Whether no connect of a unit to a process is answered: its host is silent, or a link between the two is cut.
    pub(super) fn is_unreachable(self, state: &[u32], unit: UnitId, host: ProcessId) -> bool {
        let own = self.process_of(unit);
        self.is_silent(state, host) || self.is_cut_off_from(state, own, host) || self.is_cut_off_from(state, host, own)
    }

    /// Offers to make the connection, with these writes, or to refuse it.
    pub(super) fn answer_unseen(
        self,
        socket: SocketId,
        end: Option<ConnectionEnd>,
        mut writes: Writes,
        offers: &mut Offers<'_>,
    ) -> Lookup<()> {
        let Asker { unit, node, key, .. } = offers.asker;
        writes.push((self.component(Component::Dialed(socket))?, end.map_or(REFUSED, |end| dialed(end.connection))));
        let (step, events) = (Move::Dial { unit, node, key }, self.event(Event::Dialed)?);
        offers.enabled.moves.push(Transition { step, writes, faults: 0, events, watched: None });
        Ok(())
    }

    /// Offers the outcome of a connect that has been answered: a reset that has come since is what it returns.
    pub(super) fn tell_answer(
        self,
        state: &[u32],
        socket: SocketId,
        answer: Answer,
        offers: &mut Offers<'_>,
    ) -> Lookup<()> {
        let dialed = self.component(Component::Dialed(socket))?;
        let class = Class::Delivery { required: true, may_wait: false };
        let Answer::Made(made) = answer else {
            let refused = Outcome::Failed(Failure::ConnectionRefused);
            return offers.tell(self, refused, class, smallvec![(dialed, 0)], Event::Refused);
        };
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
                let connection = connection_dialed(dialed.of(state)).expect("it has been made");
                let (_, local) = self.connections.end(connection, Side::Client);
                offers.tell(self, Outcome::Connected { local }, class, smallvec![(dialed, 0)], Event::Connected)
            }
        }
    }
}
