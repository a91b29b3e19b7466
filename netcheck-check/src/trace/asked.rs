//! The question of a step to the world and the answer, as data: a stored step is found again by them, and not by the
//! words that people read.
//!
//! The data tells apart all that the words tell apart, and payloads beyond the part that the words show. Processes and
//! tasks have their names, since numbers differ from run to run.

use netcheck_runtime::operation::{Cause, Failure, Operation, Outcome, ReceiveMode, Side, Stream};
use netcheck_runtime::unit::shared::Shared;
use netcheck_runtime::unit::wording;
use netcheck_runtime::world::{choices, mailboxes, storage, tasks, tcp, time, udp};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Bytes of a payload that are kept.
pub(super) const PAYLOAD_BYTES_MAX: usize = 1024;

/// The question of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "call", rename_all = "snake_case")]
pub(crate) enum Asked {
    #[default]
    Start,
    /// A process starts that has crashed.
    Restart,
    Crash,
    Run {
        task: u32,
    },
    Cancel,
    Bind {
        address: String,
    },
    Connect {
        peer: String,
    },
    Send {
        to: String,
        payload: Payload,
    },
    Receive {
        port: u16,
        mode: ReceiveMode,
        waits: bool,
    },
    /// A socket of this port joins a multicast group.
    JoinGroup {
        port: u16,
        group: String,
    },
    LeaveGroup {
        port: u16,
        group: String,
    },
    BindStream {
        address: String,
    },
    Listen {
        address: String,
    },
    Open {
        peer: String,
    },
    /// A Unix domain socket sends a datagram; none: to its peer.
    SendUnix {
        to: Option<String>,
        payload: Payload,
        waits: bool,
    },
    ReceiveUnix {
        waits: bool,
    },
    ReadyUnix {
        read: bool,
        write: bool,
    },
    /// A Unix domain socket connects.
    DialUnix {
        peer: String,
    },
    Accept {
        address: String,
    },
    Read {
        of: End,
        peeks: bool,
        waits: bool,
    },
    Write {
        of: End,
        payload: Payload,
        waits: bool,
    },
    Ready {
        of: End,
        read: bool,
        write: bool,
    },
    TakeError {
        of: End,
    },
    Shutdown {
        of: End,
    },
    Timer,
    Clock,
    Deadline,
    Compare,
    Distance,
    /// Bytes of a file are read.
    ReadFile,
    /// Bytes of a file are written, or its length is set.
    WriteFile,
    SyncFile,
    Choose {
        alternatives: usize,
    },
    Select {
        branches: usize,
    },
    Join {
        task: String,
    },
    IsEnded {
        task: String,
    },
    /// The network loses the packets in flight.
    LoseInFlight,
    /// A datagram arrives at its socket.
    Arrive {
        datagram: Option<Datagram>,
    },
    /// A connect has its connection or is refused; where segments take delays, it is under way from now on.
    Dial {
        asked: Box<Asked>,
    },
    /// A segment arrives at the other end of its connection.
    Reach {
        from: String,
        to: String,
    },
    /// A segment gets a listed delay; `follows`: until the one before it arrives.
    Delay {
        from: String,
        to: String,
        ns: u64,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        follows: bool,
    },
    /// Whether the deadline is over for which a unit waits again.
    Settle {
        unit: String,
        is_over: bool,
    },
    /// Links between hosts are cut.
    Cut(Sides),
    /// A cut heals.
    Heal(Sides),
    /// Time passes, and no timer fires yet.
    Pass,
    /// The network never answers a unit's operation.
    Hang {
        unit: String,
        task: u32,
        asked: Box<Asked>,
    },
}

/// The processes on both sides of a cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sides {
    pub(crate) one: Vec<String>,
    pub(crate) other: Vec<String>,
    /// Only what the first side sends is stopped.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) one_way: bool,
}

impl fmt::Display for Sides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let between = if self.one_way { "->" } else { "|" };
        write!(f, "{} {between} {}", self.one.join(", "), self.other.join(", "))
    }
}

/// The answer to a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub(crate) enum Answered {
    Done,
    Bound {
        address: String,
    },
    Datagram(Datagram),
    Connected {
        address: String,
    },
    Accepted {
        peer: String,
    },
    Bytes {
        payload: Payload,
    },
    Written {
        bytes: usize,
    },
    Ready {
        read: bool,
        write: bool,
    },
    WouldBlock,
    /// The waker of the operation is called, which could complete.
    Woken,
    Elapsed,
    Time {
        at_ns: i64,
        /// After which instant that was read; 0: the start.
        #[serde(default, skip_serializing_if = "is_zero")]
        mark: u32,
    },
    /// Less than 0: earlier, 0: the same, more: later.
    Compared {
        order: i8,
    },
    Distance {
        ns: i64,
    },
    Alternative {
        number: usize,
    },
    Ended {
        output: String,
    },
    Cancelled,
    /// The paths of all files, each with its bytes.
    Files {
        files: Vec<(String, Payload)>,
    },
    Crashed {
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        power: bool,
        returns: bool,
    },
    Failed {
        error: Failure,
    },
}

/// A datagram by its content.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Datagram {
    from: String,
    payload: Payload,
}

/// An end of a stream, with the process at the other one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct End {
    peer: String,
    side: Side,
}

/// Bytes, as text where they are text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Payload {
    Text(String),
    Bytes(Vec<u8>),
    Beginning { beginning: Box<Payload>, bytes: usize },
}

impl Asked {
    pub(crate) fn of(operation: &Operation, shared: &Shared) -> Asked {
        let named = |address| wording::address(address, shared);
        let bound = |address| wording::bound(address, shared);
        let end = |stream: &Stream| End { peer: named(stream.peer), side: stream.side };
        match operation.itself() {
            Operation::Tasks(tasks::Operation::Start) => Asked::Start,
            Operation::Tasks(tasks::Operation::Restart) => Asked::Restart,
            Operation::Tasks(tasks::Operation::Crash) => Asked::Crash,
            Operation::Tasks(tasks::Operation::Run(task)) => Asked::Run { task: task.0 },
            Operation::Tasks(tasks::Operation::Cancel) => Asked::Cancel,
            Operation::Udp(udp::Operation::Bind { address, .. }) => Asked::Bind { address: address.to_string() },
            Operation::Udp(udp::Operation::Connect { peer, .. }) => Asked::Connect { peer: named(*peer) },
            Operation::Udp(udp::Operation::Send { to, payload, .. }) => {
                Asked::Send { to: named(*to), payload: Payload::of(payload) }
            }
            Operation::Udp(udp::Operation::Join { port, group, .. }) => {
                Asked::JoinGroup { port: *port, group: group.ip.to_string() }
            }
            Operation::Udp(udp::Operation::Leave { port, group, .. }) => {
                Asked::LeaveGroup { port: *port, group: group.ip.to_string() }
            }
            Operation::Udp(udp::Operation::Receive { port, mode, .. }) => {
                Asked::Receive { port: *port, mode: *mode, waits: true }
            }
            Operation::Udp(udp::Operation::TryReceive { port, mode, .. }) => {
                Asked::Receive { port: *port, mode: *mode, waits: false }
            }
            Operation::Tcp(tcp::Operation::BindStream { address, .. }) => {
                Asked::BindStream { address: bound(*address) }
            }
            Operation::Tcp(tcp::Operation::Listen { address, .. }) => Asked::Listen { address: bound(*address) },
            Operation::Tcp(tcp::Operation::Open { peer, .. }) => Asked::Open { peer: named(*peer) },
            Operation::Tcp(tcp::Operation::Dial { peer, .. }) => Asked::DialUnix { peer: named(*peer) },
            Operation::Tcp(tcp::Operation::Accept { local, .. }) => Asked::Accept { address: bound(*local) },
            Operation::Tcp(tcp::Operation::Read { stream, peeks, waits, .. }) => {
                Asked::Read { of: end(stream), peeks: *peeks, waits: *waits }
            }
            Operation::Tcp(tcp::Operation::Write { stream, bytes, waits }) => {
                Asked::Write { of: end(stream), payload: Payload::of(bytes), waits: *waits }
            }
            Operation::Tcp(tcp::Operation::Ready { stream, read, write, .. }) => {
                Asked::Ready { of: end(stream), read: *read, write: *write }
            }
            Operation::Tcp(tcp::Operation::TakeError { stream }) => Asked::TakeError { of: end(stream) },
            Operation::Tcp(tcp::Operation::Shutdown { stream }) => Asked::Shutdown { of: end(stream) },
            Operation::Mailboxes(operation) => of_mailbox(operation, shared),
            Operation::Time(time::Operation::Timer { .. } | time::Operation::Try { .. }) => Asked::Timer,
            Operation::Time(time::Operation::Clock { .. }) => Asked::Clock,
            Operation::Time(time::Operation::Deadline { .. }) => Asked::Deadline,
            Operation::Time(time::Operation::Compare { .. }) => Asked::Compare,
            Operation::Time(time::Operation::Distance { .. }) => Asked::Distance,
            Operation::Storage(storage::Operation::Read) => Asked::ReadFile,
            Operation::Storage(storage::Operation::Write) => Asked::WriteFile,
            Operation::Storage(storage::Operation::Sync) => Asked::SyncFile,
            Operation::Choices(choices::Operation::Choose { alternatives }) => {
                Asked::Choose { alternatives: *alternatives }
            }
            Operation::Choices(choices::Operation::Select { candidates, .. }) => {
                Asked::Select { branches: candidates.len() }
            }
            Operation::Tasks(tasks::Operation::Join { child, .. }) => Asked::Join { task: shared.unit(*child).name },
            Operation::Tasks(tasks::Operation::IsEnded { child }) => Asked::IsEnded { task: shared.unit(*child).name },
            Operation::AtOnce { .. } | Operation::Again(_) => {
                unreachable!("an operation that is tried is another one itself")
            }
        }
    }
}

fn of_mailbox(operation: &mailboxes::Operation, shared: &Shared) -> Asked {
    use mailboxes::Operation;
    let named = |address| wording::address(address, shared);
    match operation {
        Operation::Bind { name, .. } => Asked::Bind { address: named(*name) },
        Operation::Connect { name, .. } => Asked::Connect { peer: named(*name) },
        Operation::Send { to, payload, waits, .. } => {
            Asked::SendUnix { to: to.map(named), payload: Payload::of(payload), waits: *waits }
        }
        Operation::Receive { waits, .. } => Asked::ReceiveUnix { waits: *waits },
        Operation::Ready { read, write, .. } => Asked::ReadyUnix { read: *read, write: *write },
    }
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Answered {
    pub(crate) fn of(outcome: &Outcome, shared: &Shared) -> Answered {
        let named = |address| wording::address(address, shared);
        match outcome {
            Outcome::Done => Answered::Done,
            Outcome::Bound(local) => Answered::Bound { address: wording::bound(*local, shared) },
            Outcome::Datagram { from, payload } => {
                Answered::Datagram(Datagram { from: named(*from), payload: Payload::of(payload) })
            }
            Outcome::Connected { local } => Answered::Connected { address: named(*local) },
            Outcome::Accepted { peer, .. } => Answered::Accepted { peer: named(*peer) },
            Outcome::Bytes(bytes) => Answered::Bytes { payload: Payload::of(bytes) },
            Outcome::Written(bytes) => Answered::Written { bytes: *bytes },
            Outcome::Ready { read, write } => Answered::Ready { read: *read, write: *write },
            Outcome::WouldBlock => Answered::WouldBlock,
            Outcome::Woken => Answered::Woken,
            Outcome::Elapsed { .. } => Answered::Elapsed,
            Outcome::Time { at } => Answered::Time { at_ns: at.ns(), mark: at.mark },
            Outcome::Compared(order) => Answered::Compared { order: *order as i8 },
            Outcome::Distance { ns } => Answered::Distance { ns: *ns },
            Outcome::Alternative(number) => Answered::Alternative { number: *number },
            Outcome::Ended { output } => Answered::Ended { output: shared.output(*output).text.to_string() },
            Outcome::Cancelled => Answered::Cancelled,
            Outcome::Files(tree) => {
                let file = |(path, bytes): (&Arc<[u8]>, &Arc<[u8]>)| {
                    (String::from_utf8_lossy(path).into_owned(), Payload::of(bytes))
                };
                Answered::Files { files: tree.files().iter().map(file).collect() }
            }
            Outcome::Crashed { cause, returns } => {
                Answered::Crashed { power: *cause == Cause::Power, returns: *returns }
            }
            Outcome::Failed(error) => Answered::Failed { error: *error },
        }
    }
}

impl Datagram {
    /// The content of a packet.
    pub(crate) fn of(packet: &Outcome, shared: &Shared) -> Option<Datagram> {
        match Answered::of(packet, shared) {
            Answered::Datagram(datagram) => Some(datagram),
            _ => None,
        }
    }
}

impl Payload {
    fn of(bytes: &[u8]) -> Payload {
        if bytes.len() > PAYLOAD_BYTES_MAX {
            let beginning = Box::new(Payload::of(&bytes[..PAYLOAD_BYTES_MAX]));
            return Payload::Beginning { beginning, bytes: bytes.len() };
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => Payload::Text(text.to_owned()),
            Err(_) => Payload::Bytes(bytes.to_vec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PAYLOAD_BYTES_MAX, Payload};
    use netcheck_peer::json;

    #[test]
    fn payloads_are_read_as_they_were_written() {
        let long = vec![b'x'; PAYLOAD_BYTES_MAX + 1];
        let known = [(&b"ask"[..], r#""ask""#), (&[0xff, 1], "[255,1]"), (b"", r#""""#)];
        for (bytes, json) in known {
            assert_eq!(json::to_string(&Payload::of(bytes)), json);
        }
        for bytes in [&b"ask"[..], &[0xff, 1], b"", &long] {
            let payload = Payload::of(bytes);
            let json = json::to_string(&payload);
            assert_eq!(json::from_str::<Payload>(&json).unwrap(), payload, "{json}");
        }
    }
}
