//! Acts of one side of a transfer, as far as a capture shows them.
//!
//! Packets are captured, timers are not. A packet that is sent again shows that a time was up, unless it is the answer to
//! what came: where both may be, data are sent again because the time was up, and an Ack because something came, since
//! that is what each may do. How long a side waits shows when its time is up. What has arrived may be received a little
//! later, after packets that the side has sent in between.

use super::program::packet::Packet;
use super::specification::Step;
use super::transfers::{Sent, Side, Transfer};
use std::time::Duration;

/// The known times of the programs.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// A side that sends something again sooner after it was sent, and after something has come, answers what came.
    pub timeout: Duration,
    /// In this time a program receives what has come.
    pub reaction: Duration,
    /// So long, a receiver waits after its last Ack for the last data to come again.
    pub dally: Duration,
}

/// A thing that happens at one side; packets are given by their places in the transfer.
#[derive(Clone, Debug, PartialEq)]
pub enum Move {
    /// A packet arrives. The program receives it then or later.
    Arrives { packet: usize, at: Duration, step: Step },
    /// The program sends a packet. Timers belong to it: each step has the packet that shows it.
    Sends { at: Duration, steps: Vec<(usize, Step)> },
}

/// A packet that the side has sent.
struct Own {
    packet: usize,
    at: Duration,
    why: Why,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    /// It was not sent before.
    New,
    /// It is sent again because the time was up.
    TimeIsUp,
    /// It is sent again because something came.
    Answer,
}

/// Acts of a side, and events that it met.
pub fn moves(transfer: &Transfer, side: Side, times: &Times) -> Vec<Move> {
    let own = own(transfer, side, times);
    let mut sent = sends(transfer, &own).into_iter();
    let goes = own.last().and_then(|last| goes(transfer, last, times));
    let mut moves = Vec::new();
    for (packet, one) in transfer.packets.iter().enumerate() {
        let at = one.place.at;
        if goes.is_some_and(|goes| goes < at) {
            moves.push(Move::Sends { at, steps: vec![(packet - 1, Step::TimeIsUp)] });
            break;
        }
        if one.by == side {
            moves.extend(sent.next());
        } else if let Some(step) = Step::gets(&one.what) {
            moves.push(Move::Arrives { packet, at, step: numbered(step, one.block) });
        }
    }
    moves
}

/// The packets that a side has sent, each with its reason.
fn own(transfer: &Transfer, side: Side, times: &Times) -> Vec<Own> {
    let sent = |packet: usize| -> &Sent { &transfer.packets[packet] };
    let least = least_timeout(transfer, side, times);
    let mut all: Vec<Own> = Vec::new();
    let (mut armed, mut arrived) = (Duration::ZERO, None);
    for (packet, one) in transfer.packets.iter().enumerate() {
        let at = one.place.at;
        if one.by != side {
            arrived = Some(at);
            continue;
        }
        let is_again = all.last().is_some_and(|before| sent(before.packet).what == one.what);
        // A packet that arrived shortly before an instant may have been received after it.
        let has_come_since = |instant| arrived.is_some_and(|arrived| arrived + times.reaction >= instant);
        let is_ack = matches!(one.what, Packet::Ack { .. });
        let is_answer = has_come_since(armed) && (at - armed < least || (is_ack && has_come_since(at)));
        let why = match (is_again, is_answer) {
            (false, _) => Why::New,
            (true, false) => Why::TimeIsUp,
            (true, true) => Why::Answer,
        };
        if why != Why::Answer {
            armed = at;
        }
        all.push(Own { packet, at, why });
    }
    all
}

/// The shortest time after which a side has sent something again although nothing came: 9/10 of it, as timers are not
/// exact. Otherwise the time-out that was agreed on, or the one that is given.
fn least_timeout(transfer: &Transfer, side: Side, times: &Times) -> Duration {
    let packets = &transfer.packets;
    let silences =
        packets.windows(2).filter(|pair| pair.iter().all(|one| one.by == side) && pair[0].what == pair[1].what);
    let silences = silences.map(|pair| pair[1].place.at - pair[0].place.at);
    let agreed = packets.iter().find_map(|sent| match sent.what {
        Packet::OptionAck(options) => options.timeout_s.map(|seconds| Duration::from_secs(seconds.into())),
        _ => None,
    });
    let known = silences.filter(|silence| *silence >= times.timeout).min().or(agreed);
    known.map_or(times.timeout, |known| known * 9 / 10)
}

/// The steps with which the packets are sent: what was waited for before, the packet, and for how long is waited then.
fn sends(transfer: &Transfer, own: &[Own]) -> Vec<Move> {
    let mut patience_ms: i64 = 0;
    let moves = own.iter().enumerate().map(|(index, one)| {
        let sent = &transfer.packets[one.packet];
        let mut steps = vec![(one.packet, numbered(Step::sends(&sent.what), sent.block))];
        if one.why == Why::TimeIsUp {
            steps.insert(0, (one.packet, Step::TimeIsUp));
        }
        if one.why != Why::Answer && !matches!(sent.what, Packet::Error { .. }) {
            let next = own[index + 1..].iter().find(|next| next.why != Why::Answer);
            let waited = next.filter(|next| next.why == Why::TimeIsUp);
            let before_ms = if one.why == Why::New { 0 } else { patience_ms };
            let (shows, waits_ms) = match waited {
                Some(next) => (next.packet, alike((next.at - one.at).as_millis() as i64, before_ms)),
                // An answer ended the wait, which may have been longer than the one before.
                None => (one.packet, before_ms + 1),
            };
            patience_ms = waits_ms;
            steps.push((shows, Step::Waits(waits_ms)));
        }
        Move::Sends { at: one.at, steps }
    });
    moves.collect()
}

/// Timers are not exact: a wait that is longer or shorter by less than a tenth is the same.
fn alike(waits_ms: i64, before_ms: i64) -> i64 {
    if (waits_ms - before_ms).abs() * 10 < before_ms { before_ms } else { waits_ms }
}

/// When a receiver goes that has sent its last Ack: nothing arrives any more then.
fn goes(transfer: &Transfer, last: &Own, times: &Times) -> Option<Duration> {
    let sent = &transfer.packets[last.packet];
    let is_last_ack = matches!(sent.what, Packet::Ack { .. }) && Some(sent.block) == transfer.last_sent();
    is_last_ack.then(|| last.at + times.dally)
}

/// The step with the number of its block.
fn numbered(step: Step, block: i64) -> Step {
    match step {
        Step::SendsData(_) => Step::SendsData(block),
        Step::SendsAck(_) => Step::SendsAck(block),
        Step::GetsData(_) => Step::GetsData(block),
        Step::GetsAck(_) => Step::GetsAck(block),
        step => step,
    }
}
