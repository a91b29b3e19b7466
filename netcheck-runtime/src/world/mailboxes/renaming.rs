//! Renames operations on mailboxes, effects, and mailboxes.

use super::operation::{Effect, Operation};
use crate::id::SocketId;
use crate::world::renaming::Renaming;
use netcheck_models::mailboxes::{Mailbox, Mailboxes, Peer};

pub(crate) fn operation(renaming: &Renaming<'_>, operation: &mut Operation) {
    match operation {
        Operation::Bind { socket, .. }
        | Operation::Connect { socket, .. }
        | Operation::Send { socket, .. }
        | Operation::Receive { socket, .. }
        | Operation::Ready { socket, .. } => *socket = renaming.socket(*socket),
    }
}

pub(crate) fn effect(renaming: &Renaming<'_>, effect: &mut Effect) {
    match effect {
        Effect::Open { socket } | Effect::ShutDown { socket, .. } | Effect::Close { socket } => {
            *socket = renaming.socket(*socket);
        }
        Effect::Pair { sockets } => *sockets = sockets.map(|socket| renaming.socket(socket)),
    }
}

/// The images of mailboxes; `datagram` renames what is in them. Names belong to a host, and stay.
pub(crate) fn mailboxes(
    renaming: &Renaming<'_>,
    all: &Mailboxes<SocketId>,
    mut datagram: impl FnMut(u32) -> u32,
) -> Mailboxes<SocketId> {
    let renamed = all.all().iter().map(|mailbox| Mailbox {
        socket: renaming.socket(mailbox.socket),
        peer: match mailbox.peer {
            Peer::Socket(peer) => Peer::Socket(renaming.socket(peer)),
            peer => peer,
        },
        datagrams: mailbox.datagrams.iter().map(|&number| datagram(number)).collect(),
        ..mailbox.clone()
    });
    Mailboxes::of(renamed.collect())
}
