//! Which calls on mailboxes complete at once: see [`world::readiness`](crate::world::readiness).

use super::Prepared;
use super::offers::ready;
use super::prepared::Call;
use crate::world::readiness::Readiness;
use crate::world::tables::View;

/// Whether an operation can complete. Of what is there to be received, the driver may have told or not.
pub(in crate::world) fn of(view: View<'_>, state: &[u32], prepared: &Prepared) -> Readiness {
    let Prepared { at, socket, call, .. } = *prepared;
    let all = view.mailboxes.get(at.of(state));
    let can_complete = match call {
        Call::Receive { .. } => all.received(socket).is_some(),
        Call::Send { to, datagram, .. } => all.sent(socket, to, datagram.0).is_some(),
        Call::Ready { read, write, .. } => ready(all, socket, (read, write)) != (false, false),
        Call::Bind { .. } | Call::Connect { .. } => false,
    };
    if can_complete { Readiness::MayBe } else { Readiness::Waits }
}
