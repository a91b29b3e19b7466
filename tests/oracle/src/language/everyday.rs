//! Words that most programs on tokio write besides: connected and ephemeral sockets, sockets that are dropped and bound
//! again, intervals, nested time-outs, and what the tasks of one process share.
//!
//! Each process has one of each: a `Notify`, an mpsc channel of capacity 1, a oneshot and a watch, all made before its
//! first task begins. An end of a channel that another task is waiting on turns the instruction that needs it into
//! nothing, and so does an end that is dropped or used up.

use std::fmt;

use crate::language::program::{Instruction, Value, name};

/// The value that is written when the outer one of two time-outs elapses.
pub const OUTER_ELAPSED: u8 = 252;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Everyday {
    /// binds to port 0
    BindAny {
        socket: usize,
    },
    /// sets the peer of a UDP socket, which may have one already
    Connect {
        socket: usize,
        to: usize,
        port: u16,
    },
    /// the same with whom the last datagram came from; nothing if none came
    ConnectBack {
        socket: usize,
    },
    /// to the peer; nothing without one
    SendOn {
        socket: usize,
        value: Value,
    },
    /// `recv`, which does not tell the sender
    RecvOn {
        socket: usize,
        limit_ms: Option<u16>,
        into: usize,
    },
    /// a time-out in a time-out: writes `OUTER_ELAPSED` or `ELAPSED` when nothing came in time
    RecvNested {
        socket: usize,
        outer_ms: u16,
        inner_ms: u16,
        into: usize,
    },
    /// an operation of another task on it keeps it open meanwhile
    DropSocket {
        socket: usize,
    },
    /// an interval in place of the one before
    Every {
        ms: u16,
    },
    /// waits for its next tick, and may keep the instant for which the tick was due as a reading of the clock; nothing if
    /// there is none or another task waits for it
    Tick {
        limit_ms: Option<u16>,
        into: usize,
        stamp: Option<usize>,
    },
    SleepUntil {
        ms: u16,
    },
    /// reads the clock for the process, which keeps two readings
    Stamp {
        which: usize,
    },
    /// whether so much time is over since the clock was read: 0 or 1, or 2 if it was not read
    IsOver {
        which: usize,
        ms: u16,
        into: usize,
    },
    /// whether the second reading was so much later than the first: 0 or 1, or 2 without both
    IsLater {
        ms: u16,
        into: usize,
    },
    /// until so much later than the clock was read
    SleepUntilLater {
        which: usize,
        ms: u16,
    },
    Share(Share),
}

/// No program looks further back at when it read the clock, nor at how far its readings lie apart.
pub const LATER_MS: i64 = 100;

/// An operation on what tasks share. Those that wait write `ELAPSED` when the time is up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Share {
    NotifyOne,
    NotifyWaiters,
    /// writes 0
    Notified {
        limit_ms: Option<u16>,
        into: usize,
    },
    /// writes 0
    Send {
        value: Value,
        limit_ms: Option<u16>,
        into: usize,
    },
    /// writes 0, or `FAILED` if the channel is full
    TrySend {
        value: Value,
        into: usize,
    },
    /// writes `END` if the channel is empty and nobody can send
    Recv {
        limit_ms: Option<u16>,
        into: usize,
    },
    /// writes `FAILED` if the channel is empty, `END` if also nobody can send
    TryRecv {
        into: usize,
    },
    /// somebody who is sending keeps the channel open meanwhile
    DropSender,
    Answer {
        value: Value,
    },
    DropAnswer,
    /// uses the receiver up, unless the time is up; writes `FAILED` if there will be no answer
    Ask {
        limit_ms: Option<u16>,
        into: usize,
    },
    Publish {
        value: Value,
    },
    /// waits for a value that this receiver has not seen, and writes it
    Changed {
        limit_ms: Option<u16>,
        into: usize,
    },
    /// of the sender
    Borrow {
        into: usize,
    },
}

impl Everyday {
    /// The socket that it is about.
    pub fn socket(self) -> Option<usize> {
        match self {
            Everyday::BindAny { socket }
            | Everyday::Connect { socket, .. }
            | Everyday::ConnectBack { socket }
            | Everyday::SendOn { socket, .. }
            | Everyday::RecvOn { socket, .. }
            | Everyday::RecvNested { socket, .. }
            | Everyday::DropSocket { socket } => Some(socket),
            _ => None,
        }
    }

    /// The register that it writes after a wait.
    pub fn written(self) -> Option<usize> {
        match self {
            Everyday::RecvOn { into, .. }
            | Everyday::RecvNested { into, .. }
            | Everyday::Tick { into, .. }
            | Everyday::IsOver { into, .. }
            | Everyday::IsLater { into, .. }
            | Everyday::Share(
                Share::Notified { into, .. }
                | Share::Send { into, .. }
                | Share::TrySend { into, .. }
                | Share::Recv { into, .. }
                | Share::TryRecv { into }
                | Share::Ask { into, .. }
                | Share::Changed { into, .. }
                | Share::Borrow { into },
            ) => Some(into),
            _ => None,
        }
    }

    /// The time limit of a wait that may have none.
    pub fn limit_mut(&mut self) -> Option<&mut Option<u16>> {
        match self {
            Everyday::RecvOn { limit_ms, .. }
            | Everyday::Tick { limit_ms, .. }
            | Everyday::Share(
                Share::Notified { limit_ms, .. }
                | Share::Send { limit_ms, .. }
                | Share::Recv { limit_ms, .. }
                | Share::Ask { limit_ms, .. }
                | Share::Changed { limit_ms, .. },
            ) => Some(limit_ms),
            _ => None,
        }
    }

    /// The same with one thing less.
    pub fn simpler(mut self) -> Option<Everyday> {
        if let Everyday::RecvNested { socket, inner_ms, into, .. } = self {
            return Some(Everyday::RecvOn { socket, limit_ms: Some(inner_ms), into });
        }
        self.limit_mut()?.take()?;
        Some(self)
    }
}

impl fmt::Display for Everyday {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Everyday::BindAny { socket } => write!(f, "s{socket} = bind to any port"),
            Everyday::Connect { socket, to, port } => write!(f, "s{socket}.connect {}:{port}", name(to)),
            Everyday::ConnectBack { socket } => write!(f, "s{socket}.connect back"),
            Everyday::SendOn { socket, value } => write!(f, "s{socket}.send {value} to its peer"),
            Everyday::RecvOn { socket, limit_ms, into } => {
                write!(f, "r{into} = {}s{socket}.recv without the sender", limit(limit_ms))
            }
            Everyday::RecvNested { socket, outer_ms, inner_ms, into } => {
                write!(f, "r{into} = timeout {outer_ms} ms timeout {inner_ms} ms s{socket}.recv")
            }
            Everyday::DropSocket { socket } => write!(f, "drop s{socket}"),
            Everyday::Every { ms } => write!(f, "interval {ms} ms"),
            Everyday::Tick { limit_ms, into, stamp } => {
                let kept = stamp.map(|which| format!(", stamp{which} = its instant")).unwrap_or_default();
                write!(f, "r{into} = {}tick{kept}", limit(limit_ms))
            }
            Everyday::SleepUntil { ms } => write!(f, "sleep until now + {ms} ms"),
            Everyday::Stamp { which } => write!(f, "stamp{which} = now"),
            Everyday::IsOver { which, ms, into } => write!(f, "r{into} = now >= stamp{which} + {ms} ms"),
            Everyday::IsLater { ms, into } => write!(f, "r{into} = stamp1 >= stamp0 + {ms} ms"),
            Everyday::SleepUntilLater { which, ms } => write!(f, "sleep until stamp{which} + {ms} ms"),
            Everyday::Share(share) => share.fmt(f),
        }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Share::NotifyOne => write!(f, "notify_one"),
            Share::NotifyWaiters => write!(f, "notify_waiters"),
            Share::Notified { limit_ms, into } => write!(f, "r{into} = {}notified", limit(limit_ms)),
            Share::Send { value, limit_ms, into } => write!(f, "r{into} = {}mpsc.send {value}", limit(limit_ms)),
            Share::TrySend { value, into } => write!(f, "r{into} = mpsc.try_send {value}"),
            Share::Recv { limit_ms, into } => write!(f, "r{into} = {}mpsc.recv", limit(limit_ms)),
            Share::TryRecv { into } => write!(f, "r{into} = mpsc.try_recv"),
            Share::DropSender => write!(f, "drop mpsc sender"),
            Share::Answer { value } => write!(f, "oneshot.send {value}"),
            Share::DropAnswer => write!(f, "drop oneshot sender"),
            Share::Ask { limit_ms, into } => write!(f, "r{into} = {}oneshot.recv", limit(limit_ms)),
            Share::Publish { value } => write!(f, "watch.send {value}"),
            Share::Changed { limit_ms, into } => write!(f, "r{into} = {}watch.changed", limit(limit_ms)),
            Share::Borrow { into } => write!(f, "r{into} = watch.borrow"),
        }
    }
}

fn limit(limit_ms: Option<u16>) -> String {
    limit_ms.map(|ms| format!("timeout {ms} ms ")).unwrap_or_default()
}

impl Instruction {
    /// Whether it reads the clock, or waits for an instant that was read.
    pub fn reads_clock(&self) -> bool {
        matches!(
            self,
            Instruction::Everyday(
                Everyday::Stamp { .. }
                    | Everyday::IsOver { .. }
                    | Everyday::SleepUntil { .. }
                    | Everyday::SleepUntilLater { .. }
                    | Everyday::Tick { stamp: Some(_), .. }
            )
        )
    }
}
