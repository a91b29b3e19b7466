//! Hosts that give up, where `tcp(retries = …)` is declared: after that time without an acknowledgement the connection is broken
//! (`netcheck_models::tcp::Connection::after_time`), and after that time without an answer a connect fails.
//!
//! Nobody's step starts a wait. When time passes, each end that awaits an acknowledgement and each connect that has no answer has
//! waited for that much longer ([`View::wait_on`]): whatever it awaits began at this instant or was counted before. Time passes up to
//! the instant at which the next host gives up and no further, by a step of its own ([`Move::Pass`]), also where no timer is
//! waited for.
//!
//! **The reduction.** A wait is a timer of the two hosts, which the footprints of programs do not name: a process may never touch
//! the connection again. So all processes share one clock, and are one part (`reduction`).
//!
//! [`Move::Pass`]: crate::world::step::Move::Pass

use super::Prepared;
use super::offers::Offers;
use super::prepared::Open;
use crate::id::{Mover, SocketId};
use crate::operation::{Failure, Outcome};
use crate::world::components::{Component, ComponentId, HeldConnection};
use crate::world::prepared::Prepared as AnyPrepared;
use crate::world::step::{Class, Writes};
use crate::world::tables::{Lookup, Missing, Tables, View};
use netcheck_models::event::Event;
use netcheck_models::host::unix;
use smallvec::SmallVec;

impl Tables {
    /// Whether hosts give up what is not acknowledged.
    pub(crate) fn declares_retries(&self) -> bool {
        self.declared.tcp.retries_ns.is_some()
    }

    /// The number of a connection, without what makes no difference by the declarations.
    pub(in crate::world) fn held_connection(&self, mut held: HeldConnection) -> Lookup<u32> {
        let connection = match self.declares_retries() {
            true => held.connection.settled(),
            false => held.connection.never_given_up(),
        };
        held.connection = if self.declares_partitions() { connection } else { connection.never_cut() };
        self.held.find(&held).ok_or_else(|| Missing::Held(held).into())
    }

    /// How long a connect has waited for an answer.
    fn has_waited_ns(&self, state: &[u32], socket: SocketId) -> u64 {
        let waited = self.components.find(Component::Waited(socket));
        waited.map_or(0, |waited| *self.times.get(waited.of(state)))
    }

    /// Whether the host of a connect has given it up, and the program does not know yet.
    pub(super) fn has_given_up(&self, state: &[u32], socket: SocketId) -> bool {
        self.declared.tcp.retries_ns.is_some_and(|retries_ns| self.has_waited_ns(state, socket) >= retries_ns)
    }

    /// The write by which a connect that is over waits no more.
    pub(super) fn waits_no_more(&self, state: &[u32], socket: SocketId) -> Option<(ComponentId, u32)> {
        self.components.find(Component::Waited(socket)).filter(|waited| waited.of(state) != 0).map(|waited| (waited, 0))
    }
}

impl View<'_> {
    /// The time until the next host gives up, if one will; `timed`: the movers for which time passes.
    pub(in crate::world) fn gives_up_in(self, state: &[u32], timed: &dyn Fn(Mover) -> bool) -> Lookup<Option<i64>> {
        let Some(retries_ns) = self.declared.tcp.retries_ns else { return Ok(None) };
        if !self.live_units(state).any(|(unit, _)| timed(Mover { unit, task: None })) {
            return Ok(None);
        }
        let connects = self.connects_without_answer(state)?;
        let connects = connects.into_iter().map(|socket| retries_ns - self.has_waited_ns(state, socket));
        let connections = self.connections_of(state).map(|id| &self.held.get(id.of(state)).connection);
        let ends = connections.filter_map(|connection| connection.gives_up_in(retries_ns));
        Ok(connects.chain(ends).min().map(|ns| i64::try_from(ns).unwrap_or(i64::MAX)))
    }

    /// Whether some host will give up, if nothing happens before.
    pub(crate) fn will_give_up(self, state: &[u32]) -> Lookup<bool> {
        Ok(self.gives_up_in(state, &|_| true)?.is_some())
    }

    /// Time passes: whatever awaits an acknowledgement or an answer has waited longer.
    pub(in crate::world) fn wait_on(self, state: &[u32], passed_ns: u64, writes: &mut Writes) -> Lookup<()> {
        let Some(retries_ns) = self.declared.tcp.retries_ns else { return Ok(()) };
        for socket in self.connects_without_answer(state)? {
            let waited_ns = self.has_waited_ns(state, socket).saturating_add(passed_ns);
            writes.push((self.component(Component::Waited(socket))?, self.time(waited_ns)?));
        }
        for id in self.connections_of(state) {
            // Drivers may have looked at it.
            let written = writes.iter().position(|(written, _)| *written == id);
            let held = self.held.get(written.map_or_else(|| id.of(state), |index| writes[index].1));
            let connection = held.connection.after_time(passed_ns, retries_ns);
            let value = match connection.is_gone() {
                true => 0,
                false => self.held_connection(HeldConnection { connection, ..*held })?,
            };
            match written {
                Some(index) => writes[index].1 = value,
                None if value != id.of(state) => writes.push((id, value)),
                None => {}
            }
        }
        Ok(())
    }

    /// Tells the program that its connect was given up.
    pub(super) fn tell_given_up(self, state: &[u32], socket: SocketId, offers: &mut Offers<'_>) -> Lookup<()> {
        let mut writes: Writes = self.waits_no_more(state, socket).into_iter().collect();
        writes
            .extend(self.components.find(Component::Hung(socket)).filter(|id| id.of(state) != 0).map(|hung| (hung, 0)));
        let class = Class::Delivery { required: true, may_wait: false };
        offers.tell(self, Outcome::Failed(Failure::TimedOut), class, writes, Event::Refused)
    }

    fn connections_of(self, state: &[u32]) -> impl Iterator<Item = ComponentId> {
        let ids = self.tables.components.streams().iter().copied();
        let is_connection = move |id: &ComponentId| matches!(self.components.component(*id), Component::Connection(_));
        ids.filter(move |id| id.of(state) != 0 && is_connection(id))
    }

    /// The sockets whose connects are waited for and have neither an answer nor been given up.
    fn connects_without_answer(self, state: &[u32]) -> Lookup<SmallVec<[SocketId; 4]>> {
        let mut sockets = SmallVec::new();
        for (_, node) in self.live_units(state) {
            for offer in self.prepared_offers(node)? {
                let AnyPrepared::Tcp(Prepared::Open(Open { socket, peer, to: Some(_), .. })) = offer.prepared else {
                    continue;
                };
                let is_over = self.has_given_up(state, socket) || self.is_answered(state, socket)?;
                if !is_over && !unix::is_unix(peer.ip()) && !sockets.contains(&socket) {
                    sockets.push(socket);
                }
            }
        }
        Ok(sockets)
    }
}
