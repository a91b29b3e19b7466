//! Sightings of steps, as users match on them.

use super::told::{Conclusion, Invocation, Told};
use std::any::Any;
use std::fmt;
use std::time::Duration;

/// One thing that happens in an execution and that a monitor may observe.
///
/// A process is given by its name, and so is a peer; a peer that is no process of the check is given by its IP address.
/// An isolated task counts as its process. More may be added, and more fields: end patterns with `..`.
///
/// Events of one step are seen in this order: time passes, then the outcome of the call (a datagram arrives, a timer
/// fires), then what the program does up to its next wait, in its order, and the end of the process.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Seen<'a> {
    /// A process sends a datagram, whether or not it will arrive.
    #[non_exhaustive]
    Departed {
        /// The process that sends it.
        process: &'a str,
        /// Where it is sent to.
        peer: &'a str,
        /// The port that it is sent to.
        port: u16,
        /// Its bytes.
        payload: &'a [u8],
    },
    /// A process receives a datagram: the first time or again. A datagram that is only peeked at is not received yet.
    #[non_exhaustive]
    Arrived {
        /// The process that receives it.
        process: &'a str,
        /// Where it comes from.
        peer: &'a str,
        /// The port of the socket that receives it.
        port: u16,
        /// Its bytes.
        payload: &'a [u8],
    },
    /// A datagram will not arrive any more: it was lost, or no socket was bound where it came to. It is seen when that
    /// is decided, which is when a later datagram of its channel has overtaken it for good, or when the receiver waits
    /// and nothing else can happen. A datagram whose receiver waits for it no more is not seen.
    #[non_exhaustive]
    Lost {
        /// The process that has sent it.
        process: &'a str,
        /// The process to which it was sent.
        peer: &'a str,
        /// Its bytes.
        payload: &'a [u8],
    },
    /// A process has connected to a listener.
    #[non_exhaustive]
    Connected {
        /// The process that connects.
        process: &'a str,
        /// The process of the listener.
        peer: &'a str,
        /// The port of the listener.
        port: u16,
    },
    /// A process has accepted a connection.
    #[non_exhaustive]
    Accepted {
        /// The process of the listener.
        process: &'a str,
        /// The process that has connected.
        peer: &'a str,
        /// The port of the listener.
        port: u16,
    },
    /// A process closes its end of a connection. The end of a process closes all that it still has without showing it:
    /// see [`Seen::Ended`].
    #[non_exhaustive]
    Closed {
        /// The process that closes its end.
        process: &'a str,
        /// The process at the other end.
        peer: &'a str,
        /// The port that the connection was made to.
        port: u16,
    },
    /// A call of a process reports that its connection was reset.
    #[non_exhaustive]
    Reset {
        /// The process that makes the call.
        process: &'a str,
    },
    /// A process arms a timer: it begins to sleep, a time-out or an interval begins.
    #[non_exhaustive]
    Armed {
        /// The process of the timer.
        process: &'a str,
        /// The time until it fires; of the later ticks of an interval, the interval's period. Zero in dense time, if it
        /// is armed for an instant (`sleep_until`): that time is an interval there.
        after: Duration,
    },
    /// A timer fires, and its process goes on.
    #[non_exhaustive]
    Fired {
        /// The process of the timer.
        process: &'a str,
    },
    /// A process starts.
    #[non_exhaustive]
    Started {
        /// The process.
        process: &'a str,
    },
    /// A process crashes (`crash(…)`): the OS closes all that it still has, which is not shown.
    #[non_exhaustive]
    Crashed {
        /// The process.
        process: &'a str,
    },
    /// A process that has crashed starts again. What a power failure has taken from its files is not shown.
    #[non_exhaustive]
    Restarted {
        /// The process.
        process: &'a str,
    },
    /// Links between hosts are cut (`partition(…)`): nothing comes from the processes on one side to those on the other, and
    /// back neither, unless only one way is cut. If a monitor observes it, a cut is explored wherever some process waits, also
    /// where it stops nothing; else as late as it makes a difference.
    #[non_exhaustive]
    Cut {
        /// The processes on one side; of one way, those from which nothing comes.
        from: &'a [&'a str],
        /// The processes on the other side.
        to: &'a [&'a str],
        /// Whether only this way is cut.
        one_way: bool,
    },
    /// A cut heals. The same holds as of [`Seen::Cut`].
    #[non_exhaustive]
    Healed {
        /// The processes on one side.
        from: &'a [&'a str],
        /// The processes on the other side.
        to: &'a [&'a str],
        /// Whether only this way was cut.
        one_way: bool,
    },
    /// A process ends.
    #[non_exhaustive]
    Ended {
        /// The process.
        process: &'a str,
        /// The Debug text of the value that it ends with.
        output: &'a str,
    },
    /// A process makes a new, empty file or directory.
    #[non_exhaustive]
    Created {
        /// The process.
        process: &'a str,
        /// Its path from the root, as in `data/log`.
        path: &'a str,
        /// Whether it is a directory.
        is_directory: bool,
    },
    /// Bytes of a process reach one of its files. A write of a `tokio::fs::File` does so later than it returns.
    #[non_exhaustive]
    Wrote {
        /// The process.
        process: &'a str,
        /// The path of the file, one of them if it has several.
        path: &'a str,
        /// The place of the first byte in the file.
        at: usize,
        /// The bytes.
        bytes: &'a [u8],
    },
    /// A file is cut, or gets zeros at its end.
    #[non_exhaustive]
    Resized {
        /// The process.
        process: &'a str,
        /// The path of the file, one of them if it has several.
        path: &'a str,
        /// Its new length.
        length: usize,
    },
    /// A file or directory gets another path, and what had that one before loses it.
    #[non_exhaustive]
    Renamed {
        /// The process.
        process: &'a str,
        /// The path before.
        path: &'a str,
        /// The path after.
        to: &'a str,
    },
    /// A file gets one more path.
    #[non_exhaustive]
    Linked {
        /// The process.
        process: &'a str,
        /// A path that it had before.
        path: &'a str,
        /// The new path.
        to: &'a str,
    },
    /// A file loses a path, or a directory is removed.
    #[non_exhaustive]
    Removed {
        /// The process.
        process: &'a str,
        /// The path.
        path: &'a str,
    },
    /// The bytes and the length of a file are made durable, or the names in a directory.
    #[non_exhaustive]
    Synced {
        /// The process.
        process: &'a str,
        /// The path of the file or directory; that of the root is empty.
        path: &'a str,
    },
    /// A process emits a value (`netcheck::emit!`).
    #[non_exhaustive]
    Emitted {
        /// The process.
        process: &'a str,
        /// The value: see [`Emitted::get`].
        value: Emitted<'a>,
    },
    /// A process begins a call on an object (`netcheck::history::invoke`).
    #[non_exhaustive]
    Invoked {
        /// The process.
        process: &'a str,
        /// The key of the object; `()` if it has none.
        key: Emitted<'a>,
        /// The operation.
        operation: Emitted<'a>,
        /// The unit of the process that has made the call.
        #[doc(hidden)]
        part: u32,
        /// The call.
        #[doc(hidden)]
        invocation: &'a Invocation,
    },
    /// A call on an object returns.
    #[non_exhaustive]
    Returned {
        /// The process that has made the call.
        process: &'a str,
        /// The answer.
        answer: Emitted<'a>,
        /// The unit of the process that has made the call.
        #[doc(hidden)]
        part: u32,
        /// The call.
        #[doc(hidden)]
        conclusion: &'a Conclusion,
    },
    /// A call on an object will never return: the program has dropped it. That of a process that has crashed is not shown.
    #[non_exhaustive]
    Abandoned {
        /// The process that has made the call.
        process: &'a str,
        /// The unit of the process that has made the call.
        #[doc(hidden)]
        part: u32,
        /// The call.
        #[doc(hidden)]
        conclusion: &'a Conclusion,
    },
}

/// A value that a program has emitted.
#[derive(Clone, Copy)]
pub struct Emitted<'a> {
    pub(super) value: &'a (dyn Any + Send + Sync),
    pub(super) text: &'a str,
}

impl<'a> Emitted<'a> {
    pub(super) fn told(told: &'a Told) -> Emitted<'a> {
        Emitted { value: told.any(), text: told.text() }
    }

    /// The value, if it is of this type.
    #[must_use]
    pub fn get<T: 'static>(&self) -> Option<&'a T> {
        self.value.downcast_ref()
    }
}

impl fmt::Debug for Emitted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

impl<'a> Seen<'a> {
    pub(super) fn invoked(process: &'a str, part: u32, invocation: &'a Invocation) -> Seen<'a> {
        let (key, operation) = (Emitted::told(&invocation.key), Emitted::told(&invocation.operation));
        Seen::Invoked { process, key, operation, part, invocation }
    }

    pub(super) fn concluded(process: &'a str, part: u32, conclusion: &'a Conclusion) -> Seen<'a> {
        match &conclusion.answer {
            Some((answer, _)) => Seen::Returned { process, answer: Emitted::told(answer), part, conclusion },
            None => Seen::Abandoned { process, part, conclusion },
        }
    }
}

impl Seen<'_> {
    /// The emitted value, if this is one and it is of this type.
    ///
    /// # Examples
    ///
    /// A monitor over emitted values alone decodes with `|seen| seen.emitted::<Progress>().cloned()`.
    #[must_use]
    pub fn emitted<T: 'static>(&self) -> Option<&T> {
        match self {
            Seen::Emitted { value, .. } => value.get(),
            _ => None,
        }
    }
}
