//! Listeners that a program binds by std, or by a crate that calls the system, and then hands to tokio.
//!
//! The program calls functions of the C library, through which no poll can be abandoned: so a poll that has no answer goes on
//! as if the call had gone well, until it calls netcheck or returns, and counts for nothing.

use crate::id::SocketId;
use crate::operation::{Effect, Operation, Outcome, tcp};
use crate::unit::panics;
use crate::unit::poll::context::Context;
use netcheck_memory::{Answer, Handed, SocketAddress, engine};
use std::panic::Location;

/// The most connections that Linux lets wait for an accept, by default.
const BACKLOG_MAX: usize = 4096;

/// A TCP socket of the check for which one of the system stands in that the program has bound.
pub(crate) struct Bound {
    pub(crate) socket: SocketId,
    pub(crate) local: SocketAddress,
    pub(crate) listens: bool,
}

impl Context {
    pub(super) fn bind_stand_in(&self, stand_in: i32, address: SocketAddress, shares: bool) -> Option<Answer> {
        if self.is_busy() {
            return None;
        }
        let socket = self.new_socket();
        let bind = Operation::Tcp(tcp::Operation::BindStream { socket, address, shares });
        let answer = self.answer(bind, address, |local| {
            self.lend(stand_in, Box::new(Bound { socket, local, listens: false }));
        });
        if answer.is_err() {
            self.forget_socket(socket);
        }
        Some(answer)
    }

    /// `None`: the program has not bound it.
    pub(super) fn listen_stand_in(&self, stand_in: i32, backlog: i32) -> Option<Answer> {
        let (socket, address) = self.bound(stand_in, |bound| (bound.socket, bound.local))?;
        let backlog = usize::try_from(backlog).unwrap_or(BACKLOG_MAX).min(BACKLOG_MAX);
        let listen = Operation::Tcp(tcp::Operation::Listen { socket, address, is_bound: true, backlog });
        Some(self.answer(listen, address, |local| {
            self.bound(stand_in, |bound| (bound.local, bound.listens) = (local, true));
        }))
    }

    pub(super) fn address_of_stand_in(&self, stand_in: i32) -> Option<SocketAddress> {
        self.bound(stand_in, |bound| bound.local)
    }

    /// The program closes a socket of the system. If it stands for one of the check, that is closed.
    pub(super) fn close_stand_in(&self, stand_in: i32) {
        if self.is_discarded() {
            return;
        }
        if let Some((socket, local)) = self.bound(stand_in, |bound| (bound.socket, bound.local)) {
            engine(|| drop(self.take_back(stand_in)));
            self.forget_socket(socket);
            self.effect(Effect::Tcp(tcp::Effect::CloseListener { socket, local }));
        }
    }

    /// Asks for the address that a socket is given; in a poll that counts for nothing, it is the one that was asked for.
    fn answer(&self, operation: Operation, asked: SocketAddress, given: impl FnOnce(SocketAddress)) -> Answer {
        match panics::catch(|| self.ask(operation, Location::caller())) {
            Ok(Outcome::Bound(local)) => given(local),
            Ok(Outcome::Failed(failure)) if !self.is_discarded() => return Err(failure.number()),
            _ => {
                self.give_up_soon();
                given(asked);
            }
        }
        Ok(())
    }

    fn bound<R: Handed>(&self, stand_in: i32, look: impl FnOnce(&mut Bound) -> R) -> Option<R> {
        engine(|| {
            if self.is_busy() {
                return None;
            }
            self.state().handles.lent(stand_in).and_then(|lent| lent.downcast_mut()).map(look)
        })
    }
}
