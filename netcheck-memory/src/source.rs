//! The source of randomness and time that a poll has in place of the system's.
//!
//! While a thread is in [`with_source`](crate::with_source), the functions of `interposed` ask the source. Everywhere else they ask the
//! system, and so they do while the source itself is asked.

use crate::file_call::FileCall;
use std::cell::Cell;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::ptr::NonNull;
use std::time::Duration;

/// The reading of the monotonic clocks at which each check begins: after 114 years. Programs hold few other numbers near
/// it, so that readings are [recognised](crate::Instants); it has 32 bits, and its nanoseconds have 63. A program may
/// subtract years from it.
pub const UPTIME: Duration = Duration::from_secs(3_601_234_567);

/// The date at which each check begins, as a time since 1970: 1 January 2000, 00:00 UTC.
pub const CALENDAR: Duration = Duration::from_secs(946_684_800);

/// A clock of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// One that programs only compare.
    Monotonic,
    /// The date.
    Date,
}

/// The address of a socket, with its port.
pub type SocketAddress = SocketAddr;

/// A sort of sockets that a poll can bind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SocketSort {
    /// TCP.
    Stream {
        /// With `SO_REUSEADDR`.
        shares: bool,
    },
    /// UDP.
    Datagrams,
}

/// The answer to a call on a socket: nothing, or the number of an error.
pub type Answer = Result<(), i32>;

/// The membership of a socket in a multicast group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Membership {
    /// The group's address.
    pub group: IpAddr,
    /// The interface that is named.
    pub at: Interface,
    /// Whether the socket joins the group; it leaves it otherwise.
    pub joins: bool,
}

/// An interface of a host, as programs name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    /// By an address of it; the wildcard address leaves the choice to the host.
    Address(Ipv4Addr),
    /// By its number; 0 leaves the choice to the host.
    Number(u32),
}

/// The addresses of a host.
pub type Addresses = (Ipv4Addr, Ipv6Addr);

/// The addresses by which each host means itself.
pub const LOCALHOST: Addresses = (Ipv4Addr::LOCALHOST, Ipv6Addr::LOCALHOST);

/// Something of the system that no poll may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forbidden {
    /// A thread, which would run beside the poll.
    Thread,
    /// A socket with an address or a peer, whose traffic would be real.
    Socket,
}

/// Random numbers and time for a poll, the same in each run.
///
/// No method may unwind: the callers are functions of the C library.
pub trait Source {
    /// Fills with the next random bytes. Returns false, and changes nothing, if the poll can't ask now: then the system
    /// is asked.
    fn fill(&self, bytes: &mut [u8]) -> bool;

    /// The time since the world of the source began, as a clock tells it; `None` if the poll can't ask now.
    fn time(&self, clock: Clock) -> Option<Duration>;

    /// A random number for a generator that may be used: the same one until the next [`Source::fill`] or
    /// [`Source::seed_was_used`].
    fn seed(&self) -> u64;

    /// The generator that was given the seed was used, so it must not be given again.
    fn seed_was_used(&self);

    /// The poll ends the process with this code. It is left when this returns, by a panic without a message.
    fn exit(&self, code: i32);

    /// The addresses of a host by its name, of IPv4 and of IPv6; `None`: there is no such host.
    fn addresses(&self, name: &str) -> Option<Addresses>;

    /// The poll asks the system for this. Returns whether it is told that there is none.
    fn forbids(&self, wanted: Forbidden) -> bool;

    /// The poll binds a socket of the system to an address. The answer is the poll's, and the socket stays as it is; `None` if the
    /// poll can't ask now: then the system is asked.
    fn bind(&self, socket: i32, sort: SocketSort, address: SocketAddress) -> Option<Answer>;

    /// The same where it names the peer of a socket for datagrams. `None` also if the poll has not bound it.
    fn connect(&self, socket: i32, peer: SocketAddress) -> Option<Answer>;

    /// The same where it joins a multicast group or leaves it.
    fn member(&self, socket: i32, membership: Membership) -> Option<Answer>;

    /// The same where it listens, with a backlog.
    fn listen(&self, socket: i32, backlog: i32) -> Option<Answer>;

    /// The address of a socket that the poll has bound.
    fn address_of(&self, socket: i32) -> Option<SocketAddress>;

    /// The poll closes a file or a socket of the system.
    fn closes(&self, socket: i32);

    /// The poll makes a call on files. The answer is the poll's; `None` if the file is the system's, or if the poll can't ask
    /// now: then the system is asked.
    fn file(&self, call: FileCall<'_>) -> Option<Result<u64, i32>>;
}

thread_local! {
    // Without a destructor: the system's functions are called even while a thread ends.
    static SOURCE: Cell<Option<NonNull<dyn Source>>> = const { Cell::new(None) };
}

/// Restores the source when it is dropped.
struct Restore(Option<NonNull<dyn Source>>);

impl Drop for Restore {
    fn drop(&mut self) {
        SOURCE.set(self.0);
    }
}

/// Calls a function while this thread has a source.
pub(crate) fn during<R>(source: &dyn Source, function: impl FnOnce() -> R) -> R {
    // SAFETY: only the lifetime changes. The pointer is followed by `ask` on this thread, until `restore` is dropped;
    // this function does not return before, so the source lives.
    let source: NonNull<dyn Source> =
        unsafe { std::mem::transmute::<NonNull<dyn Source + '_>, NonNull<dyn Source>>(NonNull::from(source)) };
    let _restore = Restore(SOURCE.replace(Some(source)));
    function()
}

/// Calls a function that has the system's randomness and time.
pub fn without_source<R>(function: impl FnOnce() -> R) -> R {
    let _restore = Restore(SOURCE.replace(None));
    function()
}

/// Whether this program's calls for randomness and time come here: the feature `allocator` is on, and the system is
/// supported.
#[must_use]
pub const fn interposes() -> bool {
    cfg!(all(
        feature = "allocator",
        target_os = "linux",
        target_pointer_width = "64",
        any(target_arch = "x86_64", target_arch = "aarch64"),
        not(miri)
    ))
}

/// Whether this thread has a source.
pub(crate) fn exists() -> bool {
    SOURCE.get().is_some()
}

/// Asks this thread's source, if it has one. What the source calls asks the system.
pub(crate) fn ask<R>(question: impl FnOnce(&dyn Source) -> R) -> Option<R> {
    let source = SOURCE.replace(None)?;
    let _restore = Restore(Some(source));
    // SAFETY: `during` has put the pointer there, and has not returned: it would have replaced it.
    Some(question(unsafe { source.as_ref() }))
}
