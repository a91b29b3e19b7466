//! One step of an execution: data.

use crate::trace::asked::{Answered, Asked, Datagram};
pub use netcheck_models::event::Event;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// One step of a counterexample.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The process, or `process/function` for an isolated task; `network` for steps of no process.
    pub process: String,
    /// The task within the process, where there are several; 0 is the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<u32>,
    /// `file:line` of the operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// The line of the library that has called tokio for that one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library: Option<String>,
    /// The source line there, where the file could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The sort of operation.
    #[serde(default)]
    pub kind: Kind,
    /// The question to the world.
    pub operation: String,
    /// The world's answer.
    pub outcome: String,
    /// Whether the answer is an error.
    #[serde(default, skip_serializing_if = "is_false")]
    pub failed: bool,
    /// The process at the other end of the datagram or of the connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer: Option<String>,
    /// The payload that is sent or has arrived, longer than `operation` and `outcome` show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<String>,
    /// The numbers of the steps, from 1 on, that sent the arrivals of this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arrived: Vec<usize>,
    /// The acts of the network with this step, for readers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub network: Vec<Doing>,
    /// Other events within the program, for readers: which branch of a `select!` was taken, or which future of a
    /// `join!` has ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// In dense time: when the step happens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
    /// The events in the network with this step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Happening>,
    /// `operation` as data.
    pub(crate) asked: Asked,
    /// `outcome` as data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) answered: Option<Answered>,
    /// The number of this step among several that are the same otherwise.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) alternative: u32,
    /// The units among which it was quiet, for a step that waits for quiet; empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) among: Vec<String>,
    /// The units that nothing can happen to any more after this step, whatever others do; of the last step of a deadlock
    /// beside others that go on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) at_rest: Vec<String>,
}

impl Step {
    /// The source line, and that of the library that has called tokio for it.
    pub(crate) fn place(&self) -> Option<String> {
        let location = self.location.as_ref()?;
        Some(match self.library.as_ref().filter(|library| *library != location) {
            Some(library) => format!("{location}, in {library}"),
            None => location.clone(),
        })
    }
}

/// When a step happens, in nanoseconds since the start of the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// The instant in this execution.
    pub at_ns: u64,
    /// The earliest instant in any execution with the same steps.
    pub earliest_ns: u64,
    /// The latest instant in any execution with the same steps; `None` if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest_ns: Option<u64>,
}

impl Timing {
    /// The instant, in seconds: `1.500 s`.
    pub(crate) fn at(&self) -> String {
        seconds(self.at_ns)
    }

    /// The instant, and the others at which the step may happen.
    pub(crate) fn in_words(&self) -> String {
        let range = self.range().map(|range| format!(" ({range})")).unwrap_or_default();
        format!("{}{range}", self.at())
    }

    /// The instants at which the step may happen in executions with the same steps, if there are several.
    pub(crate) fn range(&self) -> Option<String> {
        let earliest = seconds(self.earliest_ns);
        match self.latest_ns {
            None => Some(format!("possible from {earliest} on")),
            Some(latest_ns) if latest_ns == self.earliest_ns => None,
            Some(latest_ns) => Some(format!("possible between {earliest} and {}", seconds(latest_ns))),
        }
    }
}

/// A length of time in the largest unit in which it is at least 1.
pub(crate) fn length(ns: u64) -> String {
    match ns {
        0 => "0s".to_owned(),
        ns => format!("{:?}", Duration::from_nanos(ns)),
    }
}

/// Seconds with three decimals, or as many as it takes.
fn seconds(ns: u64) -> String {
    let (whole, rest) = (ns / 1_000_000_000, format!("{:09}", ns % 1_000_000_000));
    let decimals = rest.trim_end_matches('0').len().max(3);
    format!("{whole}.{} s", &rest[..decimals])
}

/// An event, and where it happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Happening {
    /// The event.
    #[serde(flatten)]
    pub event: Event,
    /// The channel of the datagram that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<Channel>,
    /// The packet at the position that the event names, unless it is the one that arrives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) datagram: Option<Datagram>,
}

impl Happening {
    /// Whether it is the stored one. Positions and numbers of faults depend on the other outcomes of the declared
    /// faults, which may be different by now; the number of remaining packets depends on other steps.
    fn is(&self, stored: &Happening) -> bool {
        let is_same_event = match (self.event, stored.event) {
            (Event::Arrived { .. }, Event::Arrived { .. })
            | (Event::Unheard { .. }, Event::Unheard { .. })
            | (Event::Lost { .. }, Event::Lost { .. })
            | (Event::Overtook { .. }, Event::Overtook { .. })
            | (Event::Read { .. }, Event::Read { .. })
            | (Event::Wrote { .. }, Event::Wrote { .. }) => true,
            (Event::Duplicated { copy, .. }, Event::Duplicated { copy: stored, .. }) => copy == stored,
            (event, stored) => event == stored,
        };
        is_same_event && self.channel == stored.channel && self.datagram == stored.datagram
    }
}

/// A way of datagrams.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Channel {
    /// The socket that sends them: its number, and the process or isolated task that made it.
    pub from: String,
    /// The socket that they go to, or the address at which no socket is bound yet.
    pub to: String,
}

/// The sort of operation that a step is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Kind {
    /// A process or a task begins, or goes on.
    Run,
    /// A socket is bound, listens, or gets a peer for its datagrams.
    Bind,
    /// A datagram is sent.
    Send,
    /// A datagram is received.
    Receive,
    /// A TCP connection is opened.
    Connect,
    /// A TCP connection is accepted.
    Accept,
    /// Bytes are read from a stream.
    Read,
    /// Bytes are written to a stream.
    Write,
    /// The writing side of a stream is shut down.
    Shutdown,
    /// A timer is waited for.
    Timer,
    /// A process crashes.
    Crash,
    /// The network does something of its own.
    Network,
    /// Anything else, such as a choice.
    #[default]
    Other,
}

/// An act of the network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "did", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Doing {
    /// A datagram has not arrived and cannot any more.
    Lost {
        /// The datagram, its sender and its receiver.
        datagram: String,
        /// The number of the step that sent it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sent: Option<usize>,
    },
    /// The datagram has arrived before.
    Duplicated {
        /// Which arrival it is: 2 is the second.
        copy: u8,
    },
    /// The datagram was sent after another one that has not arrived, and may still.
    Overtook {
        /// The datagram that was overtaken.
        datagram: String,
        /// The number of the step that sent it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sent: Option<usize>,
    },
    /// No socket is bound to the address of a datagram.
    Unbound,
    /// A call failed that need not have.
    Failed,
    /// A call failed that need not have, and its connection goes on.
    FailedAlone,
    /// A call failed because its connection was reset.
    Reset,
    /// A call is never answered.
    Hung,
    /// The OS has given up what it had sent again and again.
    GivenUp,
    /// A datagram is sent over a link that is cut.
    CutOff,
    /// Something waits on a connection until a cut heals.
    HeldUp {
        /// The bytes, the end of the stream or the reset, and between whom.
        what: String,
    },
    /// The OS has ended a process, and closes what it held.
    Killed,
    /// A host has lost its power: nobody is told.
    Silenced,
}

impl fmt::Display for Doing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doing::Lost { datagram, sent: Some(sent) } => write!(f, "✗ lost: {datagram} (#{sent})"),
            Doing::Lost { datagram, sent: None } => write!(f, "✗ lost: {datagram}"),
            Doing::Duplicated { copy } => write!(f, "×{copy} duplicated"),
            Doing::Overtook { datagram, sent: Some(sent) } => write!(f, "↷ overtook #{sent}: {datagram}"),
            Doing::Overtook { datagram, sent: None } => write!(f, "↷ overtook: {datagram}"),
            Doing::Unbound => f.write_str("✗ dropped: nobody is bound there"),
            Doing::Failed => f.write_str("! failed: the network broke it"),
            Doing::FailedAlone => f.write_str("! failed: nothing else happened"),
            Doing::Reset => f.write_str("! reset: the network broke it"),
            Doing::Hung => f.write_str("! hung: it is never answered"),
            Doing::GivenUp => f.write_str("! given up: nothing came back"),
            Doing::CutOff => f.write_str("✗ lost: the link is cut"),
            Doing::HeldUp { what } => write!(f, "… waits: {what}"),
            Doing::Killed => f.write_str("✗ killed: what it held is closed"),
            Doing::Silenced => f.write_str("✗ no power: nobody is told"),
        }
    }
}

impl Step {
    /// Whether this step is the stored one, by its mover, its question and answer, and its events. Source lines may
    /// move when a program is edited.
    pub(crate) fn is(&self, stored: &Step) -> bool {
        // A reading of the clock follows from the steps before it, so a stored one fits whatever its number is.
        let is_told =
            matches!((&self.answered, &stored.answered), (Some(Answered::Time { .. }), Some(Answered::Time { .. })));
        (&self.process, self.task, &self.asked) == (&stored.process, stored.task, &stored.asked)
            && (is_told || self.answered == stored.answered)
            && self.events.len() == stored.events.len()
            && self.events.iter().zip(&stored.events).all(|(event, stored)| event.is(stored))
    }

    /// Whether a process crashes.
    pub(crate) fn is_crash(&self) -> bool {
        self.asked == Asked::Crash
    }

    /// Whether a process starts that has crashed.
    pub(crate) fn is_restart(&self) -> bool {
        self.asked == Asked::Restart
    }

    /// Whether no process takes the step.
    pub(crate) fn is_of_network(&self) -> bool {
        self.kind == Kind::Network
    }

    /// The name of the mover of the step.
    pub(crate) fn who(&self) -> String {
        match self.task {
            Some(task) => format!("{} (task {task})", self.process),
            None => self.process.clone(),
        }
    }

    /// The operation and its outcome.
    pub(crate) fn what(&self) -> String {
        match self.outcome.as_str() {
            "done" => self.operation.clone(),
            outcome => format!("{} -> {outcome}", self.operation),
        }
    }
}

/// The process of a unit: isolated tasks are named `process/function`.
pub(crate) fn process(unit: &str) -> &str {
    unit.split_once('/').map_or(unit, |(process, _)| process)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_false(flag: &bool) -> bool {
    !*flag
}
