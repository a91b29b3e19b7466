//! Renames operations on TCP and effects.

use super::operation::{Effect, Operation};
use crate::world::renaming::Renaming;

pub(crate) fn operation(renaming: &Renaming<'_>, operation: &mut Operation) {
    match operation {
        Operation::BindStream { socket, address, .. } | Operation::Listen { socket, address, .. } => {
            (*socket, *address) = (renaming.socket(*socket), renaming.address(*address));
        }
        Operation::Open { socket, local, peer } | Operation::Dial { socket, local, peer } => {
            (*socket, *local) = (renaming.socket(*socket), local.map(|local| renaming.address(local)));
            *peer = renaming.address(*peer);
        }
        Operation::Accept { local, .. } => *local = renaming.address(*local),
        Operation::Read { stream, .. }
        | Operation::Write { stream, .. }
        | Operation::Ready { stream, .. }
        | Operation::TakeError { stream }
        | Operation::Shutdown { stream } => *stream = renaming.stream(*stream),
    }
}

pub(crate) fn effect(renaming: &Renaming<'_>, effect: &mut Effect) {
    match effect {
        Effect::CloseStream { stream } | Effect::Linger { stream, .. } | Effect::EndStream { stream } => {
            *stream = renaming.stream(*stream);
        }
        Effect::Pair { sockets } => *sockets = sockets.map(|socket| renaming.socket(socket)),
        Effect::CloseListener { socket, local } => {
            (*socket, *local) = (renaming.socket(*socket), renaming.address(*local));
        }
        Effect::GiveUp { socket, local, peer } => {
            (*socket, *local) = (renaming.socket(*socket), local.map(|local| renaming.address(local)));
            *peer = renaming.address(*peer);
        }
    }
}
