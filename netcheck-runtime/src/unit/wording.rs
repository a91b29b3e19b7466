//! Operations and outcomes in words: stable, without addresses of memory, hashes or times
//! that vary.

use crate::operation::{Failure, Offer, Operation, Outcome, ReceiveMode};
use crate::unit::context::Shared;
use std::net::SocketAddr;
use std::panic::Location;
use std::time::Duration;

/// Bytes of a payload that are shown.
const PAYLOAD_BYTES_MAX: usize = 32;

/// `file:line`, without the detours that a `#[path]` attribute leaves in file names.
pub(crate) fn place(location: &Location<'_>) -> String {
    let mut file: Vec<&str> = Vec::new();
    for part in location.file().split(['/', '\\']) {
        match (part, file.last()) {
            ("..", Some(&folder)) if folder != ".." => {
                file.pop();
            }
            _ => file.push(part),
        }
    }
    format!("{}:{}", file.join("/"), location.line())
}

/// An operation without names: for diagnostics.
pub(crate) fn operation(operation: &Operation) -> String {
    match operation {
        Operation::Start => "start".to_owned(),
        Operation::Run(task) => format!("run task {}", task.0),
        Operation::Bind { address, .. } => format!("bind {address}"),
        Operation::Connect { peer, .. } => format!("connect {peer}"),
        Operation::Send { to, payload: bytes, .. } => format!("send {} to {to}", payload(bytes)),
        Operation::Receive { mode, port, .. } => format!("{} on port {port}", receive(*mode)),
        Operation::TryReceive { mode, port, .. } => format!("try_{} on port {port}", receive(*mode)),
        Operation::Timer { .. } => "timer".to_owned(),
        Operation::Clock => "Instant::now".to_owned(),
        Operation::Deadline { .. } => "deadline".to_owned(),
        Operation::Choose { alternatives } => format!("choose of {alternatives}"),
        Operation::Select { candidates, .. } => format!("select! of {} branches", candidates.len()),
        Operation::Join { .. } => "join".to_owned(),
        Operation::IsEnded { .. } => "is_finished".to_owned(),
    }
}

fn receive(mode: ReceiveMode) -> &'static str {
    match mode {
        ReceiveMode::Take => "recv",
        ReceiveMode::Peek => "peek",
        ReceiveMode::Ready => "readable",
    }
}

/// A menu: what a unit waits for, for diagnostics.
pub(crate) fn menu(offers: &[Offer]) -> String {
    if offers.is_empty() {
        return "nothing that could ever wake it".to_owned();
    }
    let each = offers.iter().map(|offer| match offer.operation {
        Operation::Run(_) => operation(&offer.operation),
        _ => format!("{} at {}", operation(&offer.operation), place(offer.location)),
    });
    each.collect::<Vec<_>>().join(", ")
}

/// An address by the name of its process.
pub(crate) fn address(address: SocketAddr, shared: &Shared) -> String {
    match shared.hosts.iter().find(|host| host.has(address.ip())) {
        Some(host) => format!("{}:{}", host.name, address.port()),
        None => address.to_string(),
    }
}

pub(crate) fn outcome(outcome: &Outcome, shared: &Shared) -> String {
    match outcome {
        Outcome::Done => "done".to_owned(),
        Outcome::Bound(local) => local.to_string(),
        Outcome::Datagram { from, payload: bytes } => format!("{} from {}", payload(bytes), address(*from, shared)),
        Outcome::WouldBlock => "would block".to_owned(),
        Outcome::Elapsed { .. } => "elapsed".to_owned(),
        Outcome::Time { at_ns } => format!("{:?} after the start", Duration::from_nanos(*at_ns)),
        Outcome::Alternative(index) => format!("alternative {index}"),
        Outcome::Ended { output } => format!("ended with {}", shared.output(*output).text),
        Outcome::Cancelled => "cancelled".to_owned(),
        Outcome::Failed(Failure::AddressInUse) => "address in use".to_owned(),
        Outcome::Failed(Failure::AddressNotAvailable) => "address not available".to_owned(),
    }
}

/// A payload as text, else in hexadecimal; shortened.
pub(crate) fn payload(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(PAYLOAD_BYTES_MAX)];
    let printable = |text: &&str| text.chars().all(|c| !c.is_control() || c == '\n' || c == '\t');
    let text = match std::str::from_utf8(shown) {
        Err(error) if shown.len() < bytes.len() => std::str::from_utf8(&shown[..error.valid_up_to()]).ok(),
        text => text.ok(),
    };
    let mut words = match text.filter(printable) {
        Some(text) => format!("{text:?}"),
        None => {
            let hex: Vec<String> = shown.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("[{}]", hex.join(" "))
        }
    };
    if shown.len() < bytes.len() {
        words.push_str(&format!("… ({} bytes)", bytes.len()));
    }
    words
}
