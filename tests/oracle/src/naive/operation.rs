//! The operations that tasks wait for, and the moves that there are.

use std::collections::BTreeMap;

use super::connections::{Alternative, Connections, Due, End, Port};
use super::datagrams::Channel;
use super::files::Files;
use super::helpless::{UNKNOWN, Units};
use super::state::{Address, Endpoint, Socket};
use crate::language::program::Event;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Wait {
    /// 0 is any port
    Bind {
        socket: usize,
        port: u16,
        number: usize,
    },
    ConnectDatagrams {
        socket: Socket,
        peer: Address,
    },
    Send {
        socket: Socket,
        to: Address,
        value: u8,
    },
    Recv {
        sockets: [Socket; 2],
        slots: [usize; 2],
        into: usize,
        deadline_ms: Option<u32>,
        outer_ms: Option<u32>,
    },
    /// in the middle of what the task does: a receive that does not wait
    TryReceive {
        socket: Socket,
        slot: usize,
        into: usize,
    },
    Tick {
        into: usize,
        deadline_ms: Option<u32>,
        stamp: Option<usize>,
    },
    Object {
        into: usize,
        deadline_ms: Option<u32>,
    },
    Sleep {
        /// Whether the deadline was over before the wait began.
        is_over: bool,
        deadline_ms: u32,
    },
    Choose {
        among: usize,
        into: usize,
    },
    /// in the middle of what the task does, as is a call that does not wait: the time is kept, or it is written whether
    /// so much of it is over
    Clock {
        which: usize,
        over: Option<(u16, usize)>,
    },
    Join {
        task: usize,
        deadline: Option<(u32, usize)>,
    },
    Lock,
    /// for a call on files that is begun, or until nothing more is to be written to the file that the task has open
    File {
        until_idle: bool,
    },
    /// in the middle of what the task does: a call on files that may fail
    FileCall,
    /// for nothing: the call is made, and its result is written to a register
    Called {
        result: Option<(usize, u8)>,
    },
    Tcp {
        operation: Operation,
        into: usize,
        deadline_ms: Option<u32>,
        may_fail: bool,
    },
}

/// An operation on a listener or stream that a task waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Operation {
    Listen {
        listener: usize,
        port: u16,
        backlog: Option<usize>,
    },
    /// in a `select!`, with the listeners
    Accept {
        ports: [u16; 2],
        listeners: Option<[usize; 2]>,
        stream: usize,
    },
    Connect {
        to: Port,
        stream: usize,
        hangs: bool,
        /// the connection that it called for: with `delay` from the beginning, else once it is made
        called: Option<usize>,
        /// when the host gives up
        until_ms: Option<u32>,
    },
    Write {
        end: End,
        value: u8,
        length: usize,
    },
    Read {
        ends: [End; 2],
        bytes_max: usize,
    },
    TryWrite {
        end: End,
        value: u8,
        length: usize,
    },
    TryRead {
        end: End,
        bytes_max: usize,
    },
    Shutdown {
        end: End,
    },
}

/// Which failures an operation can meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    Listen,
    Accept,
    Connect,
    Write,
    Read,
    TryWrite,
    TryRead,
    /// A read that is polled once: failures are counted by source line, and that is another one.
    ReadOnce,
    Shutdown,
}

impl Operation {
    pub(super) fn kind(self) -> Kind {
        match self {
            Operation::Listen { .. } => Kind::Listen,
            Operation::Accept { .. } => Kind::Accept,
            Operation::Connect { .. } => Kind::Connect,
            Operation::Write { .. } => Kind::Write,
            Operation::Read { .. } => Kind::Read,
            Operation::TryWrite { .. } => Kind::TryWrite,
            Operation::TryRead { bytes_max: 2, .. } => Kind::TryRead,
            Operation::TryRead { .. } => Kind::ReadOnce,
            Operation::Shutdown { .. } => Kind::Shutdown,
        }
    }

    /// Whether the program does nothing else between what comes before it and its answer.
    pub(super) fn is_synchronous(self) -> bool {
        match self {
            Operation::Listen { backlog, .. } => backlog.is_some(),
            Operation::TryWrite { .. } | Operation::TryRead { .. } => true,
            _ => false,
        }
    }

    /// Whether the network has to bring something before it can end: with `delay` that may take a while.
    pub(super) fn is_answered(self) -> bool {
        matches!(self, Operation::Accept { .. } | Operation::Connect { .. } | Operation::Read { .. })
    }

    pub(super) fn reads(self, end: End) -> bool {
        match self {
            Operation::Read { ends, .. } => ends.contains(&end),
            _ => false,
        }
    }

    pub(super) fn writes(self, end: End) -> bool {
        match self {
            Operation::Write { end: written, .. } | Operation::Shutdown { end: written } => written == end,
            _ => false,
        }
    }
}

/// What a power failure leaves in the network.
pub(super) type Left = Box<(Connections, BTreeMap<(Endpoint, Endpoint), Channel>)>;

#[derive(Debug, Clone)]
pub(super) enum Move {
    Start {
        process: usize,
    },
    /// what is left of what was under way
    Crash {
        process: usize,
        returns: bool,
        left: Option<Left>,
    },
    /// some links are cut, with what is left of what was under way on them
    Cut {
        number: usize,
        left: Left,
    },
    /// a cut heals, at any time
    Heal {
        number: usize,
    },
    /// after a crash, at any time, with these files
    Restart {
        process: usize,
        files: Box<Files>,
    },
    /// a call on files that is begun is made
    Call {
        process: usize,
        index: usize,
        fails: bool,
    },
    Run {
        process: usize,
        task: usize,
    },
    Bind {
        process: usize,
        task: usize,
    },
    /// `copies` is `None` if the datagram is dropped at once; `listed` has the time of each, where times are listed
    Send {
        process: usize,
        task: usize,
        copies: Option<usize>,
        listed: Vec<u32>,
    },
    Choose {
        process: usize,
        task: usize,
        choice: usize,
    },
    ReadClock {
        process: usize,
        task: usize,
    },
    Deliver {
        process: usize,
        task: usize,
        channel: (Endpoint, Endpoint),
        packet: usize,
    },
    /// a receive that does not wait finds nothing
    FindNothing {
        process: usize,
        task: usize,
    },
    /// of a packet that is under way
    Arrive {
        link: (Endpoint, Address),
        packet: usize,
    },
    /// a receive takes what has arrived
    Take {
        process: usize,
        task: usize,
        buffer: (Endpoint, Endpoint),
    },
    Fire {
        process: usize,
        task: usize,
        deadline_ms: i64,
        timer: Timer,
    },
    /// time passes for these units alone
    PassAlone {
        units: Units,
        ms: u32,
    },
    /// time passes, and no timer fires yet
    Pass {
        until_ms: i64,
        /// something has to happen after it
        must: bool,
    },
    Connect {
        process: usize,
        task: usize,
    },
    Tcp {
        process: usize,
        task: usize,
        alternative: Alternative,
        is_failure: bool,
    },
    /// a segment comes to the other end
    ComeOut {
        from: End,
    },
    /// without `delay`: the connection is made or refused, and the task does not know yet
    Establish {
        process: usize,
        task: usize,
        alternative: Alternative,
    },
    /// a connect that waits for room finds some
    Knock {
        connection: usize,
    },
    /// the next segment without a time is due then
    Decide {
        due: Due,
    },
    /// no step: what these units wait for lies beyond the horizon
    Beyond {
        units: Units,
    },
    /// a connect will never be answered
    Hang {
        process: usize,
        task: usize,
    },
}

/// Which of the timers that a task waits for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Timer {
    Own,
    /// the outer one of two time-outs
    Outer,
    Tick,
}

impl Move {
    /// Whether it is a step of an execution.
    pub(super) fn is_step(&self) -> bool {
        !matches!(self, Move::Beyond { .. })
    }

    /// Whether nothing but packets lies beyond the horizon.
    pub(super) fn is_of_packets_alone(&self) -> bool {
        matches!(self, Move::Beyond { units: UNKNOWN })
    }

    /// Whether something is read from a stream.
    pub(super) fn reads(&self) -> bool {
        matches!(self, Move::Tcp { alternative: Alternative { event: Event::Read(_), .. }, .. })
    }

    pub(super) fn is_failure(&self) -> bool {
        matches!(
            self,
            Move::Tcp { is_failure: true, .. }
                | Move::Hang { .. }
                | Move::Crash { .. }
                | Move::Cut { .. }
                | Move::Call { fails: true, .. }
        )
    }
}
