//! Operations and outcomes as text that is the same in every run: no memory addresses, hashes or varying times.

use crate::id::CallerId;
use crate::operation::files::{Tree, shown};
use crate::operation::{Cause, Failure, Offer, Operation, Outcome, ReceiveMode, Side, Stream};
use crate::operation::{choices, mailboxes, storage, tasks, tcp, time, udp, unix};
use crate::unit::caller::{is_of_a_library, is_own};
use crate::unit::payload::payload;
use crate::unit::remark::Remark;
use crate::unit::shared::{Dating, Shared};
use crate::unit::source_line::{file_and_line, place};
use std::cmp::Ordering;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

/// The source line of an offer: the program's own if calls are traced.
pub fn line(offer: &Offer, shared: &Shared) -> String {
    match offer.caller {
        Some(caller) => line_of(caller, shared),
        None => place(offer.location),
    }
}

/// A remark on a step, with the source line of a call on files.
pub fn remark(remark: &Remark, shared: &Shared) -> String {
    match remark {
        Remark::Files { words, line: Some(line) } => format!("{words}  ({})", line_of(*line, shared)),
        Remark::Words(words) | Remark::Files { words, line: None } => words.clone(),
    }
}

/// A source line that makes calls.
pub fn line_of(caller: CallerId, shared: &Shared) -> String {
    let line = shared.line(caller);
    file_and_line(&line.file, line.number)
}

/// The line of a library that has called tokio for the program, if [`line`] is another one.
pub fn line_of_library(offer: &Offer) -> Option<String> {
    let file = Path::new(offer.location.file());
    (offer.caller.is_some() && is_of_a_library(file)).then(|| place(offer.location))
}

/// As [`line`], if it is one of the program, and not of netcheck or a library.
pub(super) fn own_line(offer: &Offer, shared: &Shared) -> Option<String> {
    let is_known = offer.caller.is_some() || is_own(Path::new(offer.location.file()));
    let is_called = !matches!(
        offer.operation,
        Operation::Tasks(tasks::Operation::Run(_) | tasks::Operation::Cancel | tasks::Operation::Crash,)
    );
    (is_known && is_called).then(|| line(offer, shared))
}

/// The kind of an operation, in one word.
pub fn kind(of: &Operation) -> String {
    operation(of.itself()).split(' ').next().unwrap_or_default().to_owned()
}

/// An operation without names, for diagnostics.
pub(crate) fn operation(operation: &Operation) -> String {
    match operation {
        Operation::Tasks(tasks::Operation::Start) => "start".to_owned(),
        Operation::Tasks(tasks::Operation::Restart) => "start again".to_owned(),
        Operation::Tasks(tasks::Operation::Crash) => "crash".to_owned(),
        Operation::Tasks(tasks::Operation::Run(task)) => format!("run task {}", task.0),
        Operation::Udp(udp::Operation::Bind { address, .. }) => format!("bind {address}"),
        Operation::Udp(udp::Operation::Connect { peer, .. }) => format!("connect {peer}"),
        Operation::Udp(udp::Operation::Send { to, payload: bytes, .. }) => format!("send {} to {to}", payload(bytes)),
        Operation::Udp(udp::Operation::Receive { mode, port, .. }) => format!("{} on port {port}", receive(*mode)),
        Operation::Udp(udp::Operation::Join { port, group, .. }) => format!("join {} on port {port}", group.ip),
        Operation::Udp(udp::Operation::Leave { port, group, .. }) => format!("leave {} on port {port}", group.ip),
        Operation::Udp(udp::Operation::TryReceive { mode, port, .. }) => {
            format!("try_{} on port {port}", receive(*mode))
        }
        Operation::Tcp(tcp::Operation::BindStream { address, .. }) => format!("bind {address}"),
        Operation::Tcp(tcp::Operation::Listen { address, .. }) => format!("listen on {address}"),
        Operation::Tcp(tcp::Operation::Open { peer, .. } | tcp::Operation::Dial { peer, .. }) => {
            format!("connect {peer}")
        }
        Operation::Tcp(tcp::Operation::Accept { local, .. }) => format!("accept on {local}"),
        Operation::Mailboxes(mailboxes::Operation::Bind { name, .. }) => format!("bind {name}"),
        Operation::Mailboxes(mailboxes::Operation::Connect { name, .. }) => format!("connect {name}"),
        Operation::Mailboxes(mailboxes::Operation::Send { payload: bytes, waits, .. }) => {
            format!("{} {}", if *waits { "send" } else { "try_send" }, payload(bytes))
        }
        Operation::Mailboxes(mailboxes::Operation::Receive { waits, .. }) => {
            if *waits { "recv" } else { "try_recv" }.to_owned()
        }
        Operation::Mailboxes(mailboxes::Operation::Ready { read, write, .. }) => ready(*read, *write).to_owned(),
        Operation::AtOnce { operation, .. } | Operation::Again(operation) => self::operation(operation),
        Operation::Tcp(tcp::Operation::Read { peeks: true, .. }) => "peek".to_owned(),
        Operation::Tcp(tcp::Operation::Read { waits, .. }) => if *waits { "read" } else { "try_read" }.to_owned(),
        Operation::Tcp(tcp::Operation::Write { bytes, waits, .. }) => {
            format!("{} {}", write(*waits), payload(bytes))
        }
        Operation::Tcp(tcp::Operation::Ready { read, write, .. }) => ready(*read, *write).to_owned(),
        Operation::Tcp(tcp::Operation::TakeError { .. }) => "take_error".to_owned(),
        Operation::Tcp(tcp::Operation::Shutdown { .. }) => "shutdown".to_owned(),
        Operation::Time(time::Operation::Timer { .. } | time::Operation::Try { .. }) => "timer".to_owned(),
        Operation::Time(time::Operation::Clock { is_date: false }) => "Instant::now".to_owned(),
        Operation::Time(time::Operation::Clock { is_date: true }) => "SystemTime::now".to_owned(),
        Operation::Time(time::Operation::Deadline { .. }) => "deadline".to_owned(),
        Operation::Time(time::Operation::Compare { .. }) => "compare instants".to_owned(),
        Operation::Time(time::Operation::Distance { .. }) => "time between instants".to_owned(),
        Operation::Storage(storage::Operation::Read) => "read of a file".to_owned(),
        Operation::Storage(storage::Operation::Write) => "write to a file".to_owned(),
        Operation::Storage(storage::Operation::Sync) => "sync of a file".to_owned(),
        Operation::Choices(choices::Operation::Choose { alternatives }) => format!("choose of {alternatives}"),
        Operation::Choices(choices::Operation::Select { candidates, .. }) => {
            format!("select! of {} branches", candidates.len())
        }
        Operation::Tasks(tasks::Operation::Join { .. }) => "join".to_owned(),
        Operation::Tasks(tasks::Operation::IsEnded { .. }) => "is_finished".to_owned(),
        Operation::Tasks(tasks::Operation::Cancel) => "end as aborted".to_owned(),
    }
}

/// An operation, with the names of processes.
pub fn operation_of(operation: &Operation, shared: &Shared) -> String {
    let is_unnamed = |address: SocketAddr| unix::is_unnamed(address.ip());
    let with = |stream: &Stream| match stream.side {
        _ if is_unnamed(stream.local) && is_unnamed(stream.peer) => "in a pair".to_owned(),
        Side::Server if is_unnamed(stream.peer) => format!("at {}", address(stream.local, shared)),
        Side::Client => format!("to {}", address(stream.peer, shared)),
        Side::Server => format!("with {}", address(stream.peer, shared)),
    };
    match operation.itself() {
        Operation::Udp(udp::Operation::Send { to, payload: bytes, .. }) => {
            format!("send {} to {}", shared.payloads.show(bytes), address(*to, shared))
        }
        Operation::Tcp(tcp::Operation::Write { stream, bytes, waits, .. }) => {
            format!("{} {} ({})", write(*waits), shared.payloads.show(bytes), with(stream))
        }
        Operation::Udp(udp::Operation::Connect { peer, .. })
        | Operation::Tcp(tcp::Operation::Open { peer, .. } | tcp::Operation::Dial { peer, .. }) => {
            format!("connect {}", address(*peer, shared))
        }
        Operation::Mailboxes(mailboxes::Operation::Send { to: Some(to), payload: bytes, waits, .. }) => {
            let send = if *waits { "send" } else { "try_send" };
            format!("{send} {} to {}", shared.payloads.show(bytes), address(*to, shared))
        }
        Operation::Mailboxes(mailboxes::Operation::Bind { name, .. }) => format!("bind {}", bound(*name, shared)),
        Operation::Mailboxes(mailboxes::Operation::Connect { name, .. }) => {
            format!("connect {}", address(*name, shared))
        }
        Operation::Tcp(tcp::Operation::BindStream { address, .. }) => format!("bind {}", bound(*address, shared)),
        Operation::Tcp(tcp::Operation::Listen { address, .. }) => format!("listen on {}", bound(*address, shared)),
        Operation::Tcp(tcp::Operation::Accept { local, .. }) => format!("accept on {}", bound(*local, shared)),
        Operation::Tcp(tcp::Operation::Read { stream, .. })
        | Operation::Tcp(tcp::Operation::Ready { stream, .. })
        | Operation::Tcp(tcp::Operation::TakeError { stream })
        | Operation::Tcp(tcp::Operation::Shutdown { stream }) => {
            format!("{} ({})", self::operation(operation), with(stream))
        }
        Operation::Tasks(tasks::Operation::Join { child, .. })
        | Operation::Tasks(tasks::Operation::IsEnded { child }) => {
            format!("{} {}", self::operation(operation), shared.unit(*child).name)
        }
        operation => self::operation(operation),
    }
}

/// The files with which a process starts again.
fn files(tree: &Tree, shared: &Shared) -> String {
    let all = tree.files();
    let each = all.iter().map(|(path, bytes)| format!("`{}` = {}", shown(path), shared.payloads.show(bytes)));
    match all.len() {
        // That of a real peer is not shown.
        0 if tree.has_aside() => "done".to_owned(),
        0 => "without files".to_owned(),
        _ => format!("with {}", each.collect::<Vec<_>>().join(", ")),
    }
}

fn ready(read: bool, write: bool) -> &'static str {
    match (read, write) {
        (true, true) => "readable and writable",
        (true, false) => "readable",
        (false, true) => "writable",
        (false, false) => "not ready",
    }
}

fn write(waits: bool) -> &'static str {
    if waits { "write" } else { "try_write" }
}

fn receive(mode: ReceiveMode) -> &'static str {
    match mode {
        ReceiveMode::Take => "recv",
        ReceiveMode::Peek => "peek",
        ReceiveMode::Ready => "readable",
    }
}

/// The words for a wait from which nobody can wake.
pub const NOTHING: &str = "nothing that could ever wake it";

/// The operations that a unit waits for, for diagnostics.
pub(crate) fn menu(offers: &[Offer], shared: &Shared) -> String {
    if offers.is_empty() {
        return NOTHING.to_owned();
    }
    let each = offers.iter().map(|offer| {
        let at = own_line(offer, shared).map_or_else(String::new, |line| format!(" at {line}"));
        operation_of(&offer.operation, shared) + &at
    });
    each.collect::<Vec<_>>().join(", ")
}

/// An address by the name of its process, or the name of a Unix domain socket: an abstract one begins with `@`.
pub fn address(address: SocketAddr, shared: &Shared) -> String {
    if unix::is_unix(address.ip()) {
        let names = shared.unix_names.borrow();
        let name = names.name(address).map(|name| String::from_utf8_lossy(name).replace('\0', "@"));
        return name.unwrap_or_else(|| UNNAMED.to_owned());
    }
    match shared.hosts.iter().find(|host| host.addresses.has(address.ip())) {
        Some(host) => format!("{}:{}", host.name, address.port()),
        None => address.to_string(),
    }
}

/// An address to which a socket of a process is bound.
pub fn bound(local: SocketAddr, shared: &Shared) -> String {
    if unix::is_unix(local.ip()) { address(local, shared) } else { local.to_string() }
}

/// A Unix domain socket without a name.
const UNNAMED: &str = "a socket without a name";

pub fn outcome(outcome: &Outcome, shared: &Shared) -> String {
    match outcome {
        Outcome::Done => "done".to_owned(),
        Outcome::Bound(local) => bound(*local, shared),
        Outcome::Datagram { from, payload: bytes } => {
            format!("{} from {}", shared.payloads.show(bytes), address(*from, shared))
        }
        Outcome::Connected { local } if unix::is_unnamed(local.ip()) => "connected".to_owned(),
        Outcome::Connected { local } => format!("connected from {}", address(*local, shared)),
        Outcome::Accepted { peer, .. } if unix::is_unnamed(peer.ip()) => "accepted".to_owned(),
        Outcome::Accepted { peer, .. } => format!("accepted {}", address(*peer, shared)),
        Outcome::Bytes(bytes) if bytes.is_empty() => "end of stream".to_owned(),
        Outcome::Bytes(bytes) => shared.payloads.show(bytes),
        Outcome::Written(1) => "1 byte".to_owned(),
        Outcome::Written(count) => format!("{count} bytes"),
        Outcome::Ready { read, write } => ready(*read, *write).to_owned(),
        Outcome::WouldBlock => "would block".to_owned(),
        Outcome::Woken => "ready: its waker is called".to_owned(),
        Outcome::Elapsed { is_missed: false, .. } => "elapsed".to_owned(),
        Outcome::Elapsed { is_missed: true, .. } => "elapsed, late".to_owned(),
        Outcome::Time { at } => match at.is_by_latest() || shared.modes.dating == Dating::Marks {
            true => "an instant".to_owned(),
            false => at.since_start().unwrap_or_else(|| format!("instant {}", at.mark)),
        },
        Outcome::Compared(Ordering::Less) => "earlier".to_owned(),
        Outcome::Compared(Ordering::Equal) => "the same".to_owned(),
        Outcome::Compared(Ordering::Greater) => "later".to_owned(),
        Outcome::Distance { ns } => {
            format!("{}{:?}", if *ns < 0 { "-" } else { "" }, Duration::from_nanos(ns.unsigned_abs()))
        }
        Outcome::Alternative(index) => format!("alternative {index}"),
        Outcome::Ended { output } => format!("ended with {}", shared.output(*output).text),
        Outcome::Cancelled => "cancelled".to_owned(),
        Outcome::Files(tree) => files(tree, shared),
        Outcome::Crashed { cause, returns } => {
            let what = match cause {
                Cause::Kill => "killed",
                Cause::Power => "its host loses its power",
            };
            if *returns { what.to_owned() } else { format!("{what}, and stays down") }
        }
        Outcome::Failed(failure) => match failure {
            Failure::AddressInUse => "address in use",
            Failure::AddressNotAvailable => "address not available",
            Failure::ConnectionRefused => "connection refused",
            Failure::NetworkUnreachable => "network unreachable",
            Failure::HostUnreachable => "host unreachable",
            Failure::TimedOut => "timed out",
            Failure::ConnectionAborted => "connection aborted",
            Failure::ConnectionReset => "connection reset",
            Failure::BrokenPipe => "broken pipe",
            Failure::NotConnected => "not connected",
            Failure::NotFound => "no such file",
            Failure::NotPermitted => "not permitted",
            Failure::OutOfMemory => "out of memory",
            Failure::InputOutput => "input/output error",
            Failure::NoSpace => "no space left on the disk",
        }
        .to_owned(),
    }
}

/// The kinds of randomness that are not the same in each run.
pub(super) fn random_causes() -> &'static str {
    if netcheck_memory::interposes() {
        "a generator of random numbers or a hasher that a static keeps or that takes its seed from elsewhere than the \
         C library, `rand::rng()` or `fastrand` in a stripped executable, iterating over a map with another hasher \
         than that of std's HashMap, addresses, "
    } else {
        "iterating over a std HashMap or HashSet, std::time, random numbers (which are fixed on 64-bit Linux with the \
         feature `memory`), "
    }
}
