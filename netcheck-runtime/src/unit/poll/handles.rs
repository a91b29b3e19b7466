//! The sockets, timers, fault regions and calls on objects of a unit, and the pending operations of `poll_` functions on sockets.

use crate::id::SocketId;
use crate::operation::{Operation, OperationKey, Stream, mailboxes, time, udp};
use crate::sorted::SortedMap;
use crate::unit::poll::numbers::Numbers;
use crate::unit::poll::operations::Pending;
use netcheck_memory::handed_by_copy;
use smallvec::SmallVec;
use std::any::Any;
use std::hash::{Hash, Hasher};

/// A front's own record of one socket, stored by the unit.
pub(crate) trait Kept: Any {
    /// Records everything in it that the unit's future depends on.
    fn record(&self, values: &mut dyn Hasher);

    /// The initial record of another unit that is given the socket.
    fn for_another_unit(&self) -> Box<dyn Kept>;

    /// A copy, for a run that is set back.
    fn copy(&self) -> Box<dyn Kept>;

    /// The socket's end of a connection, if it is connected.
    fn stream(&self) -> Option<Stream>;
}

/// The direction of an operation: `poll_` functions can have one of each pending on a socket at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Way {
    /// Datagrams, bytes or connections.
    In,
    Out,
    Peek,
    ReadReady,
    WriteReady,
    Shutdown,
}

handed_by_copy!(Way);

/// An operation that `poll_` functions can have pending.
pub(crate) type Slot = (SocketId, Way);

/// The first key of operations of sockets: no unit has so many others.
const FIRST_OF_SOCKETS: u32 = 1 << 16;

/// The keys for the operations of one socket.
const KEYS_OF_SOCKET: u32 = 8;

/// The first key of timers.
const FIRST_OF_TIMERS: u32 = 1 << 28;

/// The number from which on a key is looked for, for the operation of a slot.
///
/// Keys tell the socket or the timer, and not which of several operations was begun first: in a server with connections,
/// each order would be a local state of its own.
pub(super) fn first_key((socket, way): Slot) -> u32 {
    FIRST_OF_SOCKETS + socket.index * KEYS_OF_SOCKET + way as u32
}

/// As [`first_key`], for an operation of a future.
pub(super) fn first_key_of(operation: &Operation) -> u32 {
    match operation {
        Operation::Time(time::Operation::Timer { timer, .. }) => FIRST_OF_TIMERS + timer,
        Operation::Udp(udp::Operation::Receive { socket, .. })
        | Operation::Mailboxes(mailboxes::Operation::Receive { socket, .. }) => first_key((*socket, Way::In)),
        _ => 0,
    }
}

/// The operations for which some `poll_` functions were called.
pub(crate) type Called = SmallVec<[Slot; 2]>;

/// The sockets, timers, fault regions and calls on objects of a unit.
#[derive(Default)]
pub(super) struct Handles {
    pub(super) sockets: Numbers,
    pub(super) timers: Numbers,
    /// The regions with faults of their own that tasks are in.
    pub(super) regions: Numbers,
    /// The calls on objects that have not returned.
    pub(super) calls: Numbers,
    kept: SortedMap<SocketId, Box<dyn Kept>>,
    /// The operations that `poll_` functions have begun.
    polled: SortedMap<Slot, Pending>,
    /// The operations for which `poll_` functions were called in this poll.
    called: Vec<Slot>,
    /// Sockets for which one of std stands in, by its descriptor: never between polls.
    lent: Vec<(i32, Box<dyn Any>)>,
}

/// The records between two polls.
impl Clone for Handles {
    fn clone(&self) -> Self {
        let kept = self.kept.iter().map(|(&socket, kept)| (socket, kept.copy())).collect();
        let polled = self.polled.iter().map(|(&slot, pending)| (slot, pending.copy())).collect();
        Handles {
            sockets: self.sockets.clone(),
            timers: self.timers.clone(),
            regions: self.regions.clone(),
            calls: self.calls.clone(),
            kept,
            polled,
            called: self.called.clone(),
            lent: Vec::new(),
        }
    }
}

impl Handles {
    pub(super) fn lend(&mut self, stand_in: i32, lent: Box<dyn Any>) {
        self.lent.push((stand_in, lent));
    }

    pub(super) fn lent(&mut self, stand_in: i32) -> Option<&mut dyn Any> {
        self.lent.iter_mut().find(|(of, _)| *of == stand_in).map(|(_, lent)| &mut **lent)
    }

    pub(super) fn take_back(&mut self, stand_in: i32) -> Option<Box<dyn Any>> {
        let index = self.lent.iter().position(|(of, _)| *of == stand_in)?;
        Some(self.lent.swap_remove(index).1)
    }

    pub(super) fn is_lent(&self) -> bool {
        !self.lent.is_empty()
    }

    pub(super) fn begin_poll(&mut self) {
        self.called.clear();
    }

    /// The front's record of a socket.
    pub(super) fn kept(&mut self, socket: SocketId) -> Option<&mut (dyn Kept + 'static)> {
        Some(&mut **self.kept.get_mut(&socket)?)
    }

    pub(super) fn keep(&mut self, socket: SocketId, kept: Box<dyn Kept>) {
        self.kept.insert(socket, kept);
    }

    pub(super) fn forget(&mut self, socket: SocketId) {
        self.kept.remove(&socket);
    }

    /// A `poll_` function is called for an operation; returns the operation if it is pending.
    pub(super) fn call(&mut self, slot: Slot) -> Option<Pending> {
        self.called.push(slot);
        self.polled.remove(&slot)
    }

    pub(super) fn put(&mut self, slot: Slot, pending: Pending) {
        self.polled.insert(slot, pending);
    }

    pub(super) fn take(&mut self, slot: Slot) -> Option<Pending> {
        self.polled.remove(&slot)
    }

    /// A pending operation of `poll_` functions on a socket.
    pub(super) fn take_any(&mut self, socket: SocketId) -> Option<Pending> {
        let (&slot, _) = self.polled.first_within((socket, Way::In)..=(socket, Way::Shutdown))?;
        self.take(slot)
    }

    /// The calls of `poll_` functions in this poll.
    pub(super) fn called(&self) -> &[Slot] {
        &self.called
    }

    /// The pending operations of `poll_` functions, by the key under which the unit waits for them.
    pub(super) fn under_way(&self) -> impl Iterator<Item = (Slot, Option<OperationKey>)> {
        self.polled.iter().map(|(&slot, pending)| (slot, pending.key))
    }

    /// Records everything here that the unit's future depends on.
    pub(super) fn record(&self, values: &mut impl Hasher) {
        (&self.sockets, &self.timers, &self.regions, &self.calls).hash(values);
        self.kept.len().hash(values);
        for (socket, kept) in self.kept.iter() {
            socket.hash(values);
            kept.record(values);
        }
        self.polled.len().hash(values);
        self.under_way().for_each(|under_way| under_way.hash(values));
    }
}
