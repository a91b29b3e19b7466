//! Sockets that a program binds by std, or by a crate that calls the system, and then hands to tokio: listeners, and sockets
//! for datagrams.
//!
//! The program calls functions of the C library, through which no poll can be abandoned: so a poll that has no answer goes on
//! as if the call had gone well, until it calls netcheck or returns, and counts for nothing.

use crate::id::SocketId;
use crate::operation::group::{Group, Interface};
use crate::operation::{Effect, Operation, Outcome, reachable, tcp, udp};
use crate::unit::panics;
use crate::unit::poll::context::Context;
use netcheck_memory::{Answer, Handed, Membership, SocketAddress, SocketSort, engine};
use std::panic::Location;

/// The errors of Linux for the address of no group, for an interface that a host does not have, in a join and in a leave, and for an
/// address of another version of IP.
const INVALID: i32 = 22;
const NO_DEVICE: i32 = 19;
const FAMILY_NOT_SUPPORTED: i32 = 97;
const ADDRESS_NOT_AVAILABLE: i32 = 99;

/// The most connections that Linux lets wait for an accept, by default.
const BACKLOG_MAX: usize = 4096;

/// A socket of the check for which one of the system stands in that the program has bound.
pub(crate) struct Bound {
    pub(crate) socket: SocketId,
    pub(crate) local: SocketAddress,
    pub(crate) sort: Sort,
}

/// The sort of a socket, and how far the program has come with it.
pub(crate) enum Sort {
    Stream { listens: bool },
    Datagrams { peer: Option<SocketAddress> },
}

impl Context {
    pub(super) fn bind_stand_in(&self, stand_in: i32, sort: SocketSort, address: SocketAddress) -> Option<Answer> {
        if self.is_busy() {
            return None;
        }
        let socket = self.new_socket();
        let (bind, sort) = match sort {
            SocketSort::Stream { shares } => (
                Operation::Tcp(tcp::Operation::BindStream { socket, address, shares }),
                Sort::Stream { listens: false },
            ),
            SocketSort::Datagrams => {
                (Operation::Udp(udp::Operation::Bind { socket, address }), Sort::Datagrams { peer: None })
            }
        };
        let answer = self.answer(bind, address, |local| {
            self.lend(stand_in, Box::new(Bound { socket, local, sort }));
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
            self.bound(stand_in, |bound| (bound.local, bound.sort) = (local, Sort::Stream { listens: true }));
        }))
    }

    /// `None`: it is no socket for datagrams that the program has bound.
    pub(super) fn connect_stand_in(&self, stand_in: i32, peer: SocketAddress) -> Option<Answer> {
        let (socket, local) = self.of_datagrams(stand_in)?;
        let Some(peer) = reachable(local, peer) else { return Some(Err(FAMILY_NOT_SUPPORTED)) };
        let connect = Operation::Udp(udp::Operation::Connect { socket, local, peer });
        Some(self.answer(connect, local, |local| {
            self.bound(stand_in, |bound| (bound.local, bound.sort) = (local, Sort::Datagrams { peer: Some(peer) }));
        }))
    }

    /// As [`Context::connect_stand_in`].
    pub(super) fn member_stand_in(&self, stand_in: i32, membership: Membership) -> Option<Answer> {
        let (socket, local) = self.of_datagrams(stand_in)?;
        let Membership { group: ip, at, joins } = membership;
        let interface = match at {
            netcheck_memory::Interface::Address(own) => self.host().addresses.interface_at(own),
            netcheck_memory::Interface::Number(number) => Interface::numbered(number),
        };
        let Some(interface) = interface.filter(|_| ip.is_multicast()) else {
            return Some(Err(match (ip.is_multicast(), joins) {
                (false, _) => INVALID,
                (true, true) => NO_DEVICE,
                (true, false) => ADDRESS_NOT_AVAILABLE,
            }));
        };
        let (port, group) = (local.port(), Group { ip, interface });
        let change = match joins {
            true => udp::Operation::Join { socket, port, group },
            false => udp::Operation::Leave { socket, port, group },
        };
        Some(self.answer(Operation::Udp(change), local, |_| ()))
    }

    pub(super) fn address_of_stand_in(&self, stand_in: i32) -> Option<SocketAddress> {
        self.bound(stand_in, |bound| bound.local)
    }

    /// The program closes a socket of the system. If it stands for one of the check, that is closed.
    pub(super) fn close_stand_in(&self, stand_in: i32) {
        if self.is_discarded() {
            return;
        }
        if let Some(has_datagrams) = self.has_datagrams(stand_in)
            && let Some((socket, local)) = self.bound(stand_in, |bound| (bound.socket, bound.local))
        {
            engine(|| drop(self.take_back(stand_in)));
            self.forget_socket(socket);
            self.effect(match has_datagrams {
                true => Effect::Udp(udp::Effect::Close { socket }),
                false => Effect::Tcp(tcp::Effect::CloseListener { socket, local }),
            });
        }
    }

    /// Asks for the address that a socket is given; if it keeps its own, and in a poll that counts for nothing, it is the one
    /// that was asked for.
    fn answer(&self, operation: Operation, asked: SocketAddress, given: impl FnOnce(SocketAddress)) -> Answer {
        match panics::catch(|| self.ask(operation, Location::caller())) {
            Ok(Outcome::Bound(local)) => given(local),
            Ok(Outcome::Done) => given(asked),
            Ok(Outcome::Failed(failure)) if !self.is_discarded() => return Err(failure.number()),
            _ => {
                self.give_up_soon();
                given(asked);
            }
        }
        Ok(())
    }

    /// The number and the address of a socket for datagrams that the program has bound.
    fn of_datagrams(&self, stand_in: i32) -> Option<(SocketId, SocketAddress)> {
        self.has_datagrams(stand_in).filter(|has_datagrams| *has_datagrams)?;
        self.bound(stand_in, |bound| (bound.socket, bound.local))
    }

    fn has_datagrams(&self, stand_in: i32) -> Option<bool> {
        self.bound(stand_in, |bound| matches!(bound.sort, Sort::Datagrams { .. }))
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
