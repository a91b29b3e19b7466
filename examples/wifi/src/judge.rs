//! A capture, judged in words.

use crate::arf::{self, Arf};
use crate::frame::{Frame, Instants, Part, Reading, Refused, origin_of, parts, time_on_air, trace_of};
use crate::physical::{BYTES, Physical};
use crate::transmitter::Transmitter;
use netcheck::capture::{Capture, CaptureTrace, FrameKind, MacAddress, WirelessFrame};
use netcheck::monitor::{Explained, Guess, Monitor, Mutation, Search, Sniffer, Verdict};
use std::collections::{BTreeMap, VecDeque};
use std::fmt::{Debug, Write};
use std::ops::RangeInclusive;
use std::time::Duration;

/// The length of the window of `NumMissing`.
pub const WINDOW: usize = 100;

/// Calls of EXTEND that Algorithm 2 may take for one trace.
pub const EXTENSIONS_MAX: usize = 2_000_000;

/// States, lines and stations that are shown of many.
const SHOWN_MAX: usize = 5;

/// Packets that are shown before and after one that is wrong.
const PACKETS_AROUND: usize = 3;

/// Which rules a station is judged by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// The rules of the transmitter: Figure 1.
    #[default]
    Transmitter,
    /// The rules of ARF rate control.
    Arf,
}

/// A question about a capture.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The station.
    pub device: Option<MacAddress>,
    /// The rules.
    pub rules: Rules,
    /// Whether the capture is that of a sniffer.
    pub is_sniffer: bool,
    /// The most packets of a station that a sniffer misses in [`WINDOW`] packets in a row.
    pub missing_max: Option<usize>,
    /// The physical layer; by the capture if it is not said.
    pub physical: Option<Physical>,
    /// The bytes of data with its header and its checksum; by the capture of a station, or any, if they are not said.
    pub bytes: Option<RangeInclusive<usize>>,
    /// The rates of data in bits per second, the lowest first; those of the physical layer if they are not said.
    pub rates: Option<Vec<u32>>,
    /// At which end of a frame the capture has its instant.
    pub instants: Instants,
    /// `To`.
    pub timeout: Option<Duration>,
    /// `Tm`.
    pub latest: Option<Duration>,
    /// The sequence number of the first packet; any if it is not said.
    pub first: Option<u16>,
    /// How often a packet is sent again at the most.
    pub retransmissions: Option<u16>,
    /// By how much instants may be wrong.
    pub tolerance: Duration,
}

/// The verdict on the station by a capture, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// The station is right, or may be by what the sniffer heard.
    Right(String),
    /// The station is wrong, or no explanation within the bound of missed packets was found.
    Wrong(String),
    /// Nothing was judged.
    Nothing(String),
}

/// Judges a station.
///
/// # Errors
///
/// If the question leaves something open that the capture does not tell, or contradicts it.
///
/// # Panics
///
/// If the question names no device.
pub fn judge(capture: &Capture, question: &Question) -> Result<Judgement, Refused> {
    let device = question.device.expect("a question is about a device");
    let frames = capture.frames();
    let parts = parts(frames, device);
    if let Some(nothing) = nothing(capture, device, &parts) {
        return Ok(Judgement::Nothing(nothing));
    }
    let physical = question.physical.or_else(|| Physical::of(frames)).ok_or_else(|| {
        Refused::from("the capture tells neither channels nor rates: say the physical layer with `--phy`".to_owned())
    })?;
    let reading = Reading { physical, instants: question.instants };
    let transmitter = transmitter(frames, &parts, question, physical)?;
    // A sniffer may have missed packets before the first one that it heard.
    let may_begin_before = question.is_sniffer && question.first.is_some();
    let origin = if may_begin_before { origin_of(capture) } else { capture.began() };
    let judgement = match question.rules {
        Rules::Transmitter => {
            let trace = trace_of(capture, device, origin, reading)?;
            let is_ack = |frame: &Frame| *frame == Frame::Ack;
            ask((frames, &trace), &transmitter.monitor(), Transmitter::sniffer, is_ack, question)?
        }
        Rules::Arf => {
            let rates = question.rates.clone().unwrap_or_else(|| physical.rates());
            let trace = arf::trace_of(capture, device, reading, &rates, question.is_sniffer)?;
            let is_ack = |sent: &arf::Sent| *sent == arf::Sent::Ack;
            let arf = arf(&transmitter, physical, &rates, question);
            ask((frames, &trace), &arf.monitor(), Arf::sniffer, is_ack, question)?
        }
    };
    let notes = notes(frames, device, &parts);
    Ok(match judgement {
        Judgement::Right(text) => Judgement::Right(text + &notes.unruled),
        Judgement::Wrong(text) => Judgement::Wrong(text + &notes.unruled + &notes.others),
        Judgement::Nothing(text) => Judgement::Nothing(text),
    })
}

/// The rules of the transmitter for this question.
///
/// # Errors
///
/// If the question contradicts itself or the capture.
pub fn transmitter(
    frames: &[WirelessFrame],
    parts: &[Part],
    question: &Question,
    physical: Physical,
) -> Result<Transmitter, Refused> {
    let known = physical.rates();
    let rates = question.rates.as_ref().unwrap_or(&known);
    if let Some(rate) = rates.iter().find(|rate| !known.contains(rate)) {
        let rate = crate::frame::megabits(*rate);
        return Err(Refused::from(format!("{physical} does not have the rate of {rate} Mb/s that `--rates` says")));
    }
    let sent: Vec<&WirelessFrame> =
        frames.iter().zip(parts).filter(|(_, part)| is_sent(part)).map(|(f, _)| f).collect();
    let told: Vec<Duration> = sent.iter().filter_map(|frame| time_on_air(frame, physical).ok()).collect();
    // A sniffer may have missed the shortest and the longest data.
    let all_told = !question.is_sniffer && told.len() == sent.len();
    let on_air = match (&question.bytes, told.iter().min().zip(told.iter().max())) {
        (None, Some((shortest, longest))) if all_told => *shortest..=*longest,
        (bytes, _) => physical.times_on_air(bytes.as_ref().unwrap_or(&BYTES), rates),
    };
    let mut transmitter = Transmitter::of(physical, &on_air);
    transmitter.first = question.first;
    transmitter.has_groups = parts.iter().any(|part| matches!(part, Part::Judged(Frame::Group { .. })));
    if let Some(retransmissions) = question.retransmissions {
        transmitter.transmissions = retransmissions.saturating_add(1);
    }
    if let Some(timeout) = question.timeout {
        transmitter.timeout = timeout;
        transmitter.earliest = transmitter.between.max(timeout + Duration::from_nanos(1));
    }
    transmitter.latest = question.latest.unwrap_or(transmitter.latest);
    let transmitter = transmitter.within(question.tolerance);
    transmitter.check()?;
    Ok(transmitter)
}

/// The rules of ARF for this question. A sniffer's trace is explained by packets that it missed, so there it matters
/// how long data of each rate takes.
fn arf(transmitter: &Transmitter, physical: Physical, rates: &[u32], question: &Question) -> Arf {
    let shortest = transmitter.between.min(transmitter.earliest);
    let of_rate = |rate: &u32| {
        if !question.is_sniffer {
            return shortest;
        }
        let on_air = physical.times_on_air(question.bytes.as_ref().unwrap_or(&BYTES), &[*rate]);
        (*physical.space().start() + *on_air.start()).saturating_sub(question.tolerance).max(shortest)
    };
    Arf::of(transmitter.transmissions, rates.iter().map(of_rate).collect(), transmitter.has_groups)
}

/// Whether the device sent the frame, and there is a rule for it.
fn is_sent(part: &Part) -> bool {
    matches!(part, Part::Judged(Frame::Data { .. } | Frame::Group { .. }))
}

/// Why there is nothing to judge, if so.
fn nothing(capture: &Capture, device: MacAddress, parts: &[Part]) -> Option<String> {
    let frames = capture.frames();
    let all = frames.len();
    if all == 0 {
        return Some(format!("no frame of 802.11 in {} packets: nothing was judged\n", capture.packets()));
    }
    let unruled = |kind: &'static str| {
        parts.iter().position(|part| *part == Part::Unruled(kind)).map(|index| frames[index].number)
    };
    if let Some(number) = unruled("beacons") {
        return Some(format!(
            "frame {number} is a beacon of {device}, which is an access point: the rules are those of other stations, \
             nothing was judged\n"
        ));
    }
    if let Some(number) = unruled("fragments") {
        return Some(format!(
            "frame {number} is a fragment, for which there is no rule, nor for the numbers of the packets after it: \
             nothing was judged\n"
        ));
    }
    if parts.iter().any(|part| matches!(part, Part::Judged(Frame::Data { .. }))) {
        return None;
    }
    let of_device = frames.iter().filter(|frame| frame.from == Some(device) && !frame.is_corrupt).count();
    if of_device > 0 {
        return Some(format!(
            "no rule is for the {of_device} frames of {device} in {all} frames{}: nothing was judged\n",
            listed(unruled_kinds(parts).into_iter().collect())
        ));
    }
    let mut stations: BTreeMap<MacAddress, usize> = BTreeMap::new();
    for from in frames.iter().filter(|frame| !frame.is_corrupt).filter_map(|frame| frame.from) {
        *stations.entry(from).or_default() += 1;
    }
    let mut stations: Vec<(String, usize)> =
        stations.into_iter().map(|(station, count)| (format!("of {station}"), count)).collect();
    stations.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    Some(format!("no frame of {device} in {all} frames{}: nothing was judged\n", listed(stations)))
}

/// How many frames without a rule there are of each kind.
fn unruled_kinds(parts: &[Part]) -> BTreeMap<String, usize> {
    let mut kinds = BTreeMap::new();
    for part in parts {
        if let Part::Unruled(kind) = part {
            *kinds.entry((*kind).to_owned()).or_default() += 1;
        }
    }
    kinds
}

/// Names with numbers, in brackets.
fn listed(counts: Vec<(String, usize)>) -> String {
    if counts.is_empty() {
        return String::new();
    }
    let more = if counts.len() > SHOWN_MAX { ", …" } else { "" };
    let counts: Vec<String> = counts.iter().take(SHOWN_MAX).map(|(name, count)| format!("{count} {name}")).collect();
    format!(" ({}{more})", counts.join(", "))
}

/// Sentences beside the verdict.
struct Notes {
    /// A sentence on the frames of the device without a rule.
    unruled: String,
    /// A sentence on the frames of other stations.
    others: String,
}

fn notes(frames: &[WirelessFrame], device: MacAddress, parts: &[Part]) -> Notes {
    let kinds = unruled_kinds(parts);
    let count: usize = kinds.values().sum();
    let unruled = match count {
        0 => String::new(),
        _ => {
            format!("no rule is for {count} more frames of {device} or to it{}\n", listed(kinds.into_iter().collect()))
        }
    };
    let is_other = |frame: &&WirelessFrame| {
        frame.from.is_some_and(|from| from != device) || frame.kind == FrameKind::Ack && frame.to != device
    };
    let others = match frames.iter().filter(is_other).count() {
        0 => String::new(),
        others => format!(
            "there are frames of other stations ({others}): while they are on the air the device waits, so say a \
             greater `--tm` if it was late\n"
        ),
    };
    Notes { unruled, others }
}

/// Judges a trace by a monitor.
fn ask<E: Debug + Clone + 'static>(
    (frames, trace): (&[WirelessFrame], &CaptureTrace<E, WirelessFrame>),
    monitor: &Monitor<E>,
    sniffer: impl Fn() -> Sniffer<E>,
    is_ack: impl Fn(&E) -> bool + Copy + Send + Sync + 'static,
    question: &Question,
) -> Result<Judgement, Refused> {
    if !question.is_sniffer {
        let validation = trace.validate(monitor);
        let text = validation.to_string();
        return Ok(if validation.is_accepted() { Judgement::Right(text) } else { Judgement::Wrong(text) });
    }
    let validate = |sniffer: Sniffer<E>| {
        sniffer.validate(monitor, trace.trace()).map_err(|unclear| Refused::from(unclear.to_string()))
    };
    let mut explained = validate(sniffer())?;
    let bound = question.missing_max.filter(|most| match &explained.verdict {
        Verdict::Consistent(mutation) => most_missing(mutation, is_ack) > *most,
        _ => false,
    });
    if let Some(most) = bound {
        let search = Search::Backtracking { extensions_max: EXTENSIONS_MAX };
        let bounded = sniffer().search(search).num_missing(is_ack, WINDOW, most);
        explained = validate(bounded.num_missing(move |event| !is_ack(event), WINDOW, most))?;
    }
    let heard = trace.packets().len();
    Ok(match &explained.verdict {
        Verdict::Consistent(mutation) => {
            let missing = most_missing(mutation, is_ack);
            Judgement::Right(format!(
                "the station may be right: {} guesses explain {heard} frames, at most {missing} of {WINDOW} in a row \
                 are of one station and missed\n",
                mutation.guesses()
            ))
        }
        Verdict::Unknown => Judgement::Nothing(format!(
            "neither an explanation of {heard} frames was found nor that there is none, within {EXTENSIONS_MAX} calls \
             of EXTEND: say another `--missing`\n"
        )),
        Verdict::Violation | Verdict::Unlikely => Judgement::Wrong(unexplained((frames, trace), &explained, bound)),
    })
}

/// The packet that is not explained, in words.
fn unexplained<E: Debug + Clone>(
    (frames, trace): (&[WirelessFrame], &CaptureTrace<E, WirelessFrame>),
    explained: &Explained<E>,
    bound: Option<usize>,
) -> String {
    let index = explained.packet.unwrap_or(1) - 1;
    // With their instants in the file.
    let heard = trace.packets().iter().filter_map(|packet| {
        let index = frames.binary_search_by_key(&packet.number, |frame| frame.number).ok()?;
        Some(&frames[index])
    });
    let heard: Vec<&WirelessFrame> = heard.collect();
    let place = heard.get(index).map_or("the end of the capture".to_owned(), ToString::to_string);
    let mut text = match bound.filter(|_| matches!(explained.verdict, Verdict::Unlikely)) {
        Some(most) => format!(
            "an unlikely station: more than {most} of {WINDOW} frames in a row would be of one station and missed, if \
             it is right; explained are those before {place}\n"
        ),
        None => format!("a definite violation: whatever the sniffer missed, {place} is wrong\n"),
    };
    for before in explained.before.iter().take(SHOWN_MAX) {
        writeln!(text, "  the monitor may have been in {before}").expect("a string takes all");
    }
    if let Some(more @ 1..) = explained.before.len().checked_sub(SHOWN_MAX) {
        writeln!(text, "  and in {more} more configurations").expect("a string takes all");
    }
    let first = index.saturating_sub(PACKETS_AROUND);
    let events = trace.trace().packets().zip(heard).enumerate().skip(first);
    text.push('\n');
    for (shown, ((_, event), frame)) in events.take(index + PACKETS_AROUND + 1 - first) {
        let mark = if shown == index { '>' } else { ' ' };
        writeln!(text, "{mark} {frame}: {event:?}").expect("a string takes all");
    }
    text
}

/// The most packets of one station that were missed in [`WINDOW`] packets in a row.
pub fn most_missing<E>(mutation: &Mutation<E>, is_ack: impl Fn(&E) -> bool) -> usize {
    let mut window: VecDeque<Option<bool>> = VecDeque::new();
    let mut most = 0;
    for part in mutation.parts().iter().filter(|part| part.guess != Guess::Extra) {
        if window.len() == WINDOW {
            window.pop_front();
        }
        window.push_back((part.guess == Guess::Missed).then_some(is_ack(&part.event)));
        let count = |of: bool| window.iter().filter(|missed| **missed == Some(of)).count();
        most = most.max(count(true)).max(count(false));
    }
    most
}
