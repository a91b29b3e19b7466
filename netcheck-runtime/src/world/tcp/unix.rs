//! Connects of Unix domain sockets.
//!
//! No network lies between the ends, so the system answers a connect in the call: with a connection in the backlog, or
//! with an error. Only the task is told later, when tokio's driver has been asked; until then, the connection is one
//! [of which the program does not know](super::unseen).
//!
//! A check knows no files. A path that a socket of the process was bound to keeps its file, as on Linux when nobody removes
//! it: a connect is refused there when no socket listens any more, and finds no file where none was ever bound. But
//! a socket can be bound there again, as if the program had removed the file.

use super::offers::{Dialed, Offers};
use super::prepared::Open;
use crate::id::ProcessId;
use crate::operation::{Failure, Outcome};
use crate::world::components::{Component, dialed};
use crate::world::step::{Class, Writes};
use crate::world::tables::{Lookup, View};
use netcheck_models::event::Event;
use netcheck_models::host::unix;
use std::net::SocketAddr;

impl View<'_> {
    /// Offers the outcome of a connect: the connection is made, or the call fails.
    pub(super) fn dial_unix(self, state: &[u32], open: Open, offers: &mut Offers<'_>) -> Lookup<()> {
        let Open { socket, local, peer, to, .. } = open;
        match self.dial(state, offers.asker.unit, (socket, local, peer), to)? {
            Dialed::Failed(failure) => {
                offers.tell(self, Outcome::Failed(failure), Class::Immediate, Writes::new(), Event::Refused)
            }
            Dialed::Full => offers.add(self, Outcome::WouldBlock, Class::Immediate, Writes::new()),
            Dialed::Connected { end, mut writes } => {
                writes.push((self.component(Component::Dialed(socket))?, dialed(end.connection)));
                offers.tell(self, Outcome::Done, Class::Immediate, writes, Event::Dialed)
            }
        }
    }

    /// The error of a call for a name at which no socket takes it.
    pub(in crate::world) fn nobody_at(&self, state: &[u32], process: ProcessId, name: SocketAddr) -> Failure {
        let file = self.components.find(Component::SocketFile(process, name));
        match unix::is_path(name.ip()) && file.is_none_or(|file| file.of(state) == 0) {
            true => Failure::NotFound,
            false => Failure::ConnectionRefused,
        }
    }
}
