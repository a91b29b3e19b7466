//! Renames operations on UDP sockets and effects.

use super::operation::{Effect, Operation};
use crate::world::renaming::Renaming;

pub(crate) fn operation(renaming: &Renaming<'_>, operation: &mut Operation) {
    match operation {
        Operation::Bind { socket, address } => {
            (*socket, *address) = (renaming.socket(*socket), renaming.address(*address));
        }
        Operation::Connect { socket, local, peer } => {
            (*socket, *local, *peer) = (renaming.socket(*socket), renaming.address(*local), renaming.address(*peer));
        }
        Operation::Send { socket, from, to, .. } => {
            (*socket, *from, *to) = (renaming.socket(*socket), renaming.address(*from), renaming.address(*to));
        }
        Operation::Receive { socket, port, .. }
        | Operation::TryReceive { socket, port, .. }
        | Operation::Join { socket, port, .. }
        | Operation::Leave { socket, port, .. } => {
            (*socket, *port) = (renaming.socket(*socket), renaming.port(*port));
        }
    }
}

pub(crate) fn effect(renaming: &Renaming<'_>, effect: &mut Effect) {
    match effect {
        Effect::Close { socket } => *socket = renaming.socket(*socket),
    }
}
