//! Sockets of the operating system that stand in for those of a check, where programs need one.
//!
//! Crates take a stream of tokio's apart to set an option of it, or borrow its descriptor. They are given a socket of the same
//! sort that has neither an address nor a peer: options can be set and read, and nothing is ever sent.

use crate::unit::poll::bound::Bound;
use crate::unit::poll::context;
use socket2::{Domain, Socket, Type};
use std::any::Any;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::OnceLock;

/// A socket of std in place of one of the check, until it is [taken back](take_back).
pub(super) fn lend<S: From<OwnedFd>>(lent: impl Any, (domain, sort): (Domain, Type)) -> io::Result<S> {
    let stand_in = netcheck_memory::outside(|| Socket::new(domain, sort, None))?;
    context::current().lend(stand_in.as_raw_fd(), Box::new(lent));
    Ok(OwnedFd::from(stand_in).into())
}

/// The socket of the check for which one of std stands in; `of_bound` makes it of one that the program has bound by std.
pub(super) fn take_back<S: AsRawFd, T: Any>(stand_in: &S, of_bound: &[fn(Bound, &S) -> Option<T>]) -> io::Result<T> {
    let lent = context::current().take_back(stand_in.as_raw_fd());
    let taken = lent.and_then(|lent| match lent.downcast::<T>() {
        Ok(lent) => Some(*lent),
        Err(lent) => of_bound.first()?(*lent.downcast().ok()?, stand_in),
    });
    taken.ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            "this socket of std stands for none of the check: it would be a real one",
        )
    })
}

/// The descriptor of a socket of the check: for each domain, one for all streams, and one for all others.
pub(super) fn descriptor((domain, sort): (Domain, Type)) -> BorrowedFd<'static> {
    static OPEN: [OnceLock<Socket>; 4] = [const { OnceLock::new() }; 4];
    let stand_in = &OPEN[2 * usize::from(domain == Domain::UNIX) + usize::from(sort == Type::STREAM)];
    let open = || netcheck_memory::outside(|| Socket::new(domain, sort, None)).expect("the system has sockets");
    stand_in.get_or_init(open).as_fd()
}

/// Lets programs borrow the descriptor of a type of socket, and take sockets apart and put them together again.
macro_rules! stands_in {
    ($Socket:ident, $OfStd:ty, $domain:expr, $sort:expr $(, $of_bound:path)?) => {
        #[cfg(unix)]
        impl std::os::fd::AsFd for $Socket {
            /// The descriptor of a socket of the operating system that has neither an address nor a peer.
            fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
                $crate::net::stand_in::descriptor(($domain, $sort))
            }
        }

        #[cfg(unix)]
        impl std::os::fd::AsRawFd for $Socket {
            /// As `as_fd`.
            fn as_raw_fd(&self) -> std::os::fd::RawFd {
                std::os::fd::AsRawFd::as_raw_fd(&std::os::fd::AsFd::as_fd(self))
            }
        }

        #[cfg(unix)]
        impl $Socket {
            /// A socket of std that stands for this one, until `from_std` makes this one of it again: options can be set of
            /// it. That has to be in the same poll.
            ///
            /// # Errors
            /// If the operating system has no socket.
            pub fn into_std(self) -> std::io::Result<$OfStd> {
                $crate::net::stand_in::lend(self, ($domain, $sort))
            }

            /// The socket for which one of std stands that [`into_std`](Self::into_std) has made. (A listener, or a socket for
            /// datagrams, of std that the program has bound in the same poll stands for one, too.)
            ///
            /// # Errors
            /// If it stands for none: real sockets are no part of a check.
            pub fn from_std(stand_in: $OfStd) -> std::io::Result<Self> {
                $crate::net::stand_in::take_back(&stand_in, &[$($of_bound)?])
            }
        }

        #[cfg(unix)]
        impl TryFrom<$OfStd> for $Socket {
            type Error = std::io::Error;

            /// As `from_std`.
            fn try_from(stand_in: $OfStd) -> std::io::Result<Self> {
                Self::from_std(stand_in)
            }
        }
    };
}

pub(super) use stands_in;
