//! Connects where packets take time.
//!
//! A connect is under way from its beginning on: the step that sends it comes before all others. It takes one delay to
//! the listener's backlog, and its answer, also a refusal, one delay back; then the program goes on. An address that no
//! process has is not reached in any known time.

use super::connections::broken;
use super::offers::Offers;
use super::prepared::Open;
use super::segments::kept;
use crate::id::SocketId;
use crate::operation::{Failure, Outcome, Side};
use crate::world::components::{Component, HeldConnection, connection_dialed, dialed};
use crate::world::enabled::Asker;
use crate::world::step::{Class, Move, Transition, Writes};
use crate::world::tables::{Lookup, View};
use netcheck_models::event::Event;
use netcheck_models::tcp::{Answer, Connection};
use smallvec::smallvec;
use std::net::SocketAddr;

impl View<'_> {
    /// Offers the steps of a connect that leads to a process.
    pub(super) fn open_over_time(self, state: &[u32], open: Open, offers: &mut Offers<'_>) -> Lookup<()> {
        let Open { socket, fails, .. } = open;
        let dialed = self.component(Component::Dialed(socket))?;
        let Some(connection) = connection_dialed(dialed.of(state)) else {
            return self.begin_to_open(state, open, offers);
        };
        let component = self.component(Component::Connection(connection))?;
        let held = self.held.get(component.of(state));
        let becomes = |held: HeldConnection| -> Lookup<Writes> {
            Ok(smallvec![(component, self.held_connection(kept(held))?), (dialed, 0)])
        };
        let failure = |failure: Outcome| -> Lookup<(Outcome, Writes)> {
            let connection = held.connection.begun().close(Side::Client, false);
            let HeldConnection { mut holders, mut resets, .. } = *held;
            (holders[Side::Client as usize], resets[Side::Client as usize]) = (None, false);
            Ok((failure, becomes(HeldConnection { connection, holders, resets })?))
        };
        match held.connection.answer() {
            None if self.may_fail_now(state, offers.asker.unit, fails, |failures| failures.open) => {
                let HeldConnection { mut holders, resets, .. } = *held;
                holders[Side::Client as usize] = None;
                let connection = held.connection.failed_to_open();
                let writes = becomes(HeldConnection { connection, holders, resets })?;
                offers.fail(self, Failure::TimedOut, writes, Event::Failed)
            }
            None => Ok(()),
            Some(Answer::Refused) => {
                let (outcome, writes) = failure(Outcome::Failed(Failure::ConnectionRefused))?;
                offers.tell(self, outcome, Class::Immediate, writes, Event::Refused)
            }
            Some(Answer::Connected) => {
                // A reset that has come as well is what the connect reports.
                if let (Some(error), _) = held.connection.take_error(Side::Client) {
                    let (outcome, writes) = failure(broken(error))?;
                    return offers.tell(self, outcome, Class::Immediate, writes, Event::Broken);
                }
                let (_, local) = self.connections.end(connection, Side::Client);
                let writes = becomes(HeldConnection { connection: held.connection.begun(), ..held.clone() })?;
                offers.tell(self, Outcome::Connected { local }, Class::Immediate, writes, Event::Connected)
            }
        }
    }

    /// The connect is sent, or will never be answered, at once.
    fn begin_to_open(self, state: &[u32], open: Open, offers: &mut Offers<'_>) -> Lookup<()> {
        let Open { socket, local, peer, hangs, .. } = open;
        let Asker { unit, node, key, .. } = offers.asker;
        if self.may_fail_now(state, unit, hangs, |failures| failures.hang) {
            let writes = smallvec![(self.component(Component::Hung(socket))?, 1)];
            let (faults, events) = (Event::Hung.faults(), self.event(Event::Hung)?);
            let step = Move::Hang { unit, node, key };
            offers.enabled.begun.push(Transition { step, writes, faults, events, watched: None });
        }
        match self.dialing(state, unit, (socket, local, peer), open.to.map(|(host, _)| host))? {
            Some(writes) => {
                let (step, events) = (Move::Dial { unit, node, key }, self.event(Event::Dialed)?);
                offers.enabled.begun.push(Transition { step, writes, faults: 0, events, watched: None });
                Ok(())
            }
            None => {
                let outcome = Outcome::Failed(Failure::AddressNotAvailable);
                offers.tell(self, outcome, Class::Immediate, Writes::new(), Event::Refused)
            }
        }
    }

    /// The writes of a connect that is sent; `None` if no local address is free for it.
    pub(super) fn dialing(
        self,
        state: &[u32],
        unit: crate::id::UnitId,
        (socket, local, peer): (SocketId, Option<SocketAddr>, SocketAddr),
        host: Option<crate::id::ProcessId>,
    ) -> Lookup<Option<Writes>> {
        let host = host.expect("the address is that of a process");
        let Some(end) = self.free_end(state, socket, local, (host, peer))? else { return Ok(None) };
        let held = HeldConnection {
            connection: Connection::dialing(),
            holders: [Some(unit), None],
            ..HeldConnection::default()
        };
        let mut writes: Writes = smallvec![
            (end.component, self.held_connection(held)?),
            (self.component(Component::Dialed(socket))?, dialed(end.connection)),
        ];
        self.unbind(state, socket, local, &mut writes)?;
        Ok(Some(writes))
    }
}
