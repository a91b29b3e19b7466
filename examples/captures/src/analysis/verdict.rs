//! Verdicts on transfers.

use super::Settings;
use super::follow::{Rejected, follow};
use super::program::packet::{Mode, Packet};
use super::side::{Move, moves};
use super::specification::{Receiving, Sending, Transmitting};
use super::transfers::{Sent, Side, Transfer, Way};
use std::fmt::{self, Write};
use std::panic::Location;
use std::time::Duration;

/// The text of the specification, whose sentences stand above its rules.
const SPECIFICATION: &str = include_str!("../../../tftp/specification.rs");

/// Packets that are shown before and after a rejected one.
const PACKETS_AROUND: usize = 3;

/// Where one side is rejected within a capture of some length: what the first monitor says that rejects.
pub fn judge(transfer: &Transfer, side: Side, settings: &Settings<'_>, until: Duration) -> Option<Rejected> {
    let (times, last) = (settings.times, transfer.last());
    let moves = moves(transfer, side, &times);
    let follows_role = match transfer.sender() == side {
        true => follow(Sending::new(last), &moves, times.reaction, until),
        false => follow(Receiving::new(last), &moves, times.reaction, until),
    };
    // It watches no arrivals.
    let sends: Vec<Move> = moves.into_iter().filter(|one| matches!(one, Move::Sends { .. })).collect();
    let transmits = follow(Transmitting::new(settings.retries.into()), &sends, times.reaction, until);
    [follows_role, transmits].into_iter().filter_map(Result::err).min_by_key(|rejected| rejected.packet)
}

/// A transfer in one line.
pub fn title(transfer: &Transfer) -> String {
    let Transfer { client, server, request, .. } = transfer;
    let (verb, preposition) = match transfer.way {
        Way::Read => ("reads", "from"),
        Way::Write => ("writes", "to"),
    };
    let mode = if request.mode == Mode::Netascii { "netascii" } else { "octet" };
    let port = match transfer.peer {
        Some(peer) if peer != *server => format!(", which answers from port {}", peer.port()),
        _ => String::new(),
    };
    format!("{client} {verb} `{}` ({mode}) {preposition} {server}{port}", request.file.escape_debug())
}

/// How many packets and blocks there are, and what became of the transfer.
pub fn summary(transfer: &Transfer) -> String {
    let numbers = transfer.packets.iter().map(|sent| sent.place.number);
    let (first, last) = (numbers.clone().min().unwrap_or(0), numbers.max().unwrap_or(0));
    let blocks = transfer.packets.iter().filter(|sent| matches!(sent.what, Packet::Data { .. })).map(|sent| sent.block);
    let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let mut text = format!(
        "{} ({first} to {last}), {} of {} bytes: {}",
        count(transfer.packets.len(), "packet"),
        count(blocks.max().map_or(0, |highest| highest as usize), "block"),
        transfer.block_bytes(),
        transfer.end()
    );
    for (numbers, what) in [
        (&transfer.strangers, "between the same hosts, with no part in it"),
        (&transfer.malformed, "that is no packet of TFTP"),
    ] {
        if let [first, ..] = numbers[..] {
            write!(text, "\n  {} {what}, the first one {first}", count(numbers.len(), "packet"))
                .expect("a text takes all");
        }
    }
    text
}

/// The broken rules, the sentences that they come from, and the packets around.
pub fn explained(transfer: &Transfer, rejected: &Rejected) -> String {
    let mut text = format!("{}\n", rejected.rejection).replace("examples/captures/src/analysis/../../../", "examples/");
    let sentences = sentences(rejected);
    if !sentences.is_empty() {
        text += "what the specification says there:\n";
        sentences.iter().for_each(|sentence| text += &format!("  {sentence}\n"));
    }
    text += "the packets around:\n";
    let (at, packets) = (rejected.packet, &transfer.packets);
    for (shown, packet) in
        packets.iter().enumerate().take(at + PACKETS_AROUND + 1).skip(at.saturating_sub(PACKETS_AROUND))
    {
        text += &format!("{} {}\n", if shown == at { '>' } else { ' ' }, Line(packet));
    }
    text
}

/// The comments above the rules that could have been taken instead, and above their states.
fn sentences(rejected: &Rejected) -> Vec<String> {
    let lines: Vec<&str> = SPECIFICATION.lines().map(str::trim).collect();
    let mut sentences: Vec<String> = Vec::new();
    let mut add = |line: usize| {
        let begin = lines[..line].iter().rposition(|line| !line.starts_with("//")).map_or(0, |before| before + 1);
        let words: Vec<&str> = lines[begin..line].iter().map(|line| line.trim_start_matches('/').trim()).collect();
        let sentence = words.join(" ");
        if !sentence.is_empty() && !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
    };
    let rules = rejected.rejection.rules().filter(|rule| rule.file().ends_with("specification.rs"));
    for rule in rules.map(Location::line) {
        let rule = rule as usize - 1;
        if let Some(state) = lines[..rule].iter().rposition(|line| line.starts_with("state ")) {
            add(state);
        }
        add(rule);
    }
    sentences
}

/// A packet as a line.
struct Line<'a>(&'a Sent);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sent { place, by, what, block } = self.0;
        let to = if *by == Side::Client { Side::Server } else { Side::Client };
        write!(f, "packet {:>4} at {:>3}.{:06} s  ", place.number, place.at.as_secs(), place.at.subsec_micros())?;
        write!(f, "{by} -> {to}  ")?;
        match what {
            Packet::Read(_) => write!(f, "read request"),
            Packet::Write(_) => write!(f, "write request"),
            Packet::Data { bytes, .. } => write!(f, "data {block}, {} bytes", bytes.len()),
            Packet::Ack { .. } => write!(f, "Ack {block}"),
            Packet::Error { code, message } => write!(f, "error {code}: {message}"),
            Packet::OptionAck(_) => write!(f, "Ack of options"),
        }
    }
}
