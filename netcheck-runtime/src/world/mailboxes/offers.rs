//! The steps that operations on mailboxes offer.

use super::Prepared;
use super::prepared::Call;
use crate::id::{OutcomeId, ProcessId, SocketId};
use crate::operation::{Failure, Outcome};
use crate::world::components::{Component, ComponentId};
use crate::world::enabled::{Asker, Enabled};
use crate::world::step::{Change, Class, Writes};
use crate::world::tables::{Lookup, Missing, View};
use netcheck_models::host::unix;
use netcheck_models::mailboxes::{Mailboxes, Refusal};
use smallvec::smallvec;
use std::net::SocketAddr;

/// A call that waits for others is answered by a delivery; one that does not wait has its outcome at once.
fn class(waits: bool) -> Class {
    if waits { Class::Delivery { required: true, may_wait: false } } else { Class::Immediate }
}

pub(crate) fn offers(
    view: View<'_>,
    state: &[u32],
    asker: Asker,
    prepared: &Prepared,
    enabled: &mut Enabled,
) -> Lookup<()> {
    let Prepared { process, at, socket, call } = *prepared;
    let all = view.mailboxes.get(at.of(state));
    match call {
        Call::Bind { name } => {
            let (outcome, mut writes) = match all.bound(socket, name) {
                Ok(after) => (Outcome::Bound(name), view.writes(at, after)?),
                Err(refusal) => (view.refused(state, process, refusal, Some(name)), Writes::new()),
            };
            if unix::is_path(name.ip()) && !writes.is_empty() {
                writes.push((view.component(Component::SocketFile(process, name))?, 1));
            }
            view.answer(enabled, asker, outcome, writes)
        }
        Call::Connect { name } => {
            let (outcome, writes) = match all.connected(socket, name) {
                Ok(after) => (Outcome::Done, view.writes(at, after)?),
                Err(refusal) => (view.refused(state, process, refusal, Some(name)), Writes::new()),
            };
            view.answer(enabled, asker, outcome, writes)
        }
        Call::Send { to, datagram, waits } => match all.sent(socket, to, datagram.0) {
            Some((sent, after)) => {
                let failed = |refusal| view.refused(state, process, refusal, to);
                let outcome = sent.map_or_else(failed, |()| Outcome::Done);
                view.answer(enabled, asker, outcome, view.writes(at, after)?)
            }
            None if waits => Ok(()),
            None => view.immediate(enabled, asker, view.known.would_block, Writes::new()),
        },
        Call::Receive { waits } => match all.received(socket) {
            Some((received, after)) => {
                let outcome = match received {
                    Ok(datagram) => OutcomeId(datagram),
                    Err(refusal) => view.outcome(view.refused(state, process, refusal, None))?,
                };
                let change = Change::quiet(view.writes(at, after)?);
                view.offer(enabled, asker, outcome, class(waits), change).map(|_| ())
            }
            None if waits => Ok(()),
            None => view.immediate(enabled, asker, view.known.would_block, Writes::new()),
        },
        Call::Ready { read, write, waits } => {
            let (read, write) = ready(all, socket, (read, write));
            if !(read || write) && waits {
                return Ok(());
            }
            let outcome = view.outcome(Outcome::Ready { read, write })?;
            view.offer(enabled, asker, outcome, class(waits), Change::quiet(Writes::new())).map(|_| ())
        }
    }
}

/// Whether a socket is said to be ready to receive, and to send to its peer, of those that are asked for.
pub(super) fn ready(all: &Mailboxes<SocketId>, socket: SocketId, (read, write): (bool, bool)) -> (bool, bool) {
    (read && all.is_readable(socket), write && all.is_writable(socket))
}

impl View<'_> {
    /// The write of the mailboxes of a process.
    pub(super) fn writes(self, at: ComponentId, all: Mailboxes<SocketId>) -> Lookup<Writes> {
        let value = self.mailboxes.find(&all).ok_or_else(|| Box::new(Missing::Mailboxes(all)))?;
        Ok(smallvec![(at, value)])
    }

    /// The outcome of a call that is refused.
    fn refused(self, state: &[u32], process: ProcessId, refusal: Refusal, name: Option<SocketAddr>) -> Outcome {
        Outcome::Failed(match (refusal, name) {
            (Refusal::Unknown, Some(name)) => self.nobody_at(state, process, name),
            (Refusal::Unknown | Refusal::Gone, _) => Failure::ConnectionRefused,
            (Refusal::InUse, _) => Failure::AddressInUse,
            (Refusal::NotConnected, _) => Failure::NotConnected,
            (Refusal::NotPermitted, _) => Failure::NotPermitted,
            (Refusal::Reset, _) => Failure::ConnectionReset,
            (Refusal::Shut, _) => Failure::BrokenPipe,
        })
    }
}
