//! ARF rate control: a station sends faster after ten successes in a row, and slower after failures.

use crate::frame::{Frame, Part, Reading, Refused, megabits, parts, trace_by};
use netcheck::capture::{Capture, CaptureTrace, MacAddress, WirelessFrame};
use netcheck::monitor::{Guard, Monitor, Rule, Sniffer, Values};
use std::fmt;
use std::time::Duration;

/// Sequence numbers.
const NUMBERS: i64 = 4096;

/// Frames that a station sends and receives.
///
/// Where a sniffer heard them, frames of the station tell the number of the next one that it heard: packets with
/// greater numbers were not sent before that. A sniffer that missed 4,096 packets in a row is not covered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// Data, at the rate of this number, from 0 for the slowest.
    Data {
        /// The number of the rate.
        rate: i64,
        /// The sequence number, 0 to 4095.
        sequence: u16,
        /// Whether the frame says that it was sent before.
        retry: bool,
        /// The sequence number of the next frame that a sniffer heard.
        next: Option<u16>,
    },
    /// A frame to a group of stations, which no station acknowledges. Its rate says nothing.
    Group {
        /// The sequence number, 0 to 4095.
        sequence: u16,
        /// The sequence number of the next frame that a sniffer heard.
        next: Option<u16>,
    },
    /// An acknowledgment comes.
    Ack,
}

/// Without the number of the next frame.
impl fmt::Debug for Sent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sent::Data { rate, sequence, retry, .. } => {
                let mut data = f.debug_struct("Data");
                data.field("rate", rate).field("sequence", sequence).field("retry", retry).finish()
            }
            Sent::Group { sequence, .. } => f.debug_struct("Group").field("sequence", sequence).finish(),
            Sent::Ack => f.write_str("Ack"),
        }
    }
}

impl Sent {
    /// The frame as the station sends it, whatever the sniffer heard next.
    fn alone(self) -> Sent {
        match self {
            Sent::Data { rate, sequence, retry, .. } => Sent::Data { rate, sequence, retry, next: None },
            Sent::Group { sequence, .. } => Sent::Group { sequence, next: None },
            Sent::Ack => Sent::Ack,
        }
    }

    /// The number of the next frame that the sniffer heard; the value before if this frame does not tell.
    fn next(&self, values: &Values<'_>) -> i64 {
        let (Sent::Data { next, .. } | Sent::Group { next, .. }) = self else { return values.get("next") };
        next.map_or(values.get("next"), i64::from)
    }
}

/// The frame as a guess, if its number is not beyond that of the next frame that the sniffer heard.
fn guess(sent: Sent, values: &Values<'_>) -> Vec<Sent> {
    let (Sent::Data { sequence, .. } | Sent::Group { sequence, .. }) = sent else { return vec![sent] };
    let distance = (values.get("next") - i64::from(sequence)).rem_euclid(NUMBERS);
    if distance < NUMBERS / 2 { vec![sent] } else { Vec::new() }
}

/// After `successes` acknowledged frames in a row the rate rises by one, unless it is the highest; in between it may
/// rise after `frames` frames. Only after a frame without an Ack, it may fall by one. A. Kamerman and L. Monteban,
/// "WaveLAN-II: a high-performance wireless LAN for the unlicensed band", 1997.
///
/// Packets are numbered one after the other, and each is sent again until its Ack comes or it is given up: without
/// that, a sniffer could explain each rate that does not rise by an Ack that the station missed.
#[derive(Clone, Debug)]
pub struct Arf {
    /// For each rate, the least time from the end of a frame to the end of the next data at this rate.
    pub between: Vec<Duration>,
    /// After so many acknowledged frames in a row the rate rises.
    pub successes: i64,
    /// After so many frames it may rise.
    pub frames: i64,
    /// How often a packet is sent at the most.
    pub transmissions: i64,
    /// Whether the station also sends to groups of stations.
    pub has_groups: bool,
}

impl Arf {
    /// With the figures of the paper by Kamerman and Monteban, which are those of ns-3, for a station that sends each
    /// packet so often at the most.
    #[must_use]
    pub fn of(transmissions: u16, between: Vec<Duration>, has_groups: bool) -> Self {
        Arf { between, successes: 10, frames: 15, transmissions: i64::from(transmissions), has_groups }
    }

    /// The monitor. In `waiting`, no Ack of the last frame has come. `packet` is the number of the present packet,
    /// which was sent `sent` times, or more often if that was before the trace; `since` counts frames since the rate
    /// rose.
    ///
    /// # Panics
    ///
    /// If there is no rate.
    #[must_use]
    pub fn monitor(&self) -> Monitor<Sent> {
        let Arf { successes, frames, transmissions, .. } = *self;
        let highest = i64::try_from(self.between.len()).expect("rates are few") - 1;
        assert!(highest >= 0, "{self:?}");
        let is_due = move |values: &Values<'_>| values.get("acknowledged") == successes && values.get("rate") < highest;
        let mut builder = Monitor::builder("Arf")
            .state("begin")
            .state("idle")
            .state("waiting")
            .variable("rate", 0..=highest)
            .variable("acknowledged", 0..=successes)
            .variable("since", 0..=frames)
            .variable("packet", 0..=NUMBERS - 1)
            .variable("sent", 0..=transmissions)
            .variable("next", 0..=NUMBERS - 1)
            .clock("quiet")
            .rule("begin", "begin", Rule::on("Ack of earlier DATA", is_ack).guessed(|_| Vec::new()))
            .rule("begin", "waiting", first(transmissions, frames))
            .rule("idle", "waiting", risen(self.next(1)).when("the rate is to rise", move |_, values| is_due(values)))
            .rule(
                "idle",
                "waiting",
                risen(self.next(1)).when("the rate may rise", move |_, values| {
                    values.get("acknowledged") < successes && values.get("since") == frames
                }),
            )
            .rule(
                "idle",
                "waiting",
                self.counted(self.next(0)).when("the rate may stay", move |_, values| !is_due(values)),
            )
            .rule(
                "waiting",
                "idle",
                Rule::on("Ack", is_ack)
                    .set("acknowledged", move |_, values| (values.get("acknowledged") + 1).min(successes))
                    .reset("quiet")
                    .guessed(|_| vec![Sent::Ack]),
            )
            .rule("waiting", "waiting", self.failed(self.again(0)))
            .rule("waiting", "waiting", self.failed(self.again(-1)))
            .rule("waiting", "waiting", self.failed(self.given_up(0)))
            .rule("waiting", "waiting", self.failed(self.given_up(-1)));
        if self.has_groups {
            let given_up = self.group().when("the packet is given up", move |_, values| is_last(values, transmissions));
            builder = builder
                .rule("begin", "begin", Rule::on("DATA to a group", is_group).guessed(|_| Vec::new()))
                .rule("idle", "idle", self.group())
                .rule("waiting", "waiting", given_up);
        }
        builder.build().expect("the monitor is well-formed")
    }

    /// A rule for a frame to a group.
    fn group(&self) -> Rule<Sent> {
        let number = |values: &Values<'_>| ((values.get("packet") + 1) % NUMBERS) as u16;
        let expected = move |values: &Values<'_>| Sent::Group { sequence: number(values), next: None };
        Rule::on("DATA to a group", is_group)
            .when("it has the right number", move |sent, values| sent.alone() == expected(values))
            .set("next", Sent::next)
            .at_least("quiet", self.shortest())
            .set("packet", |_, values| (values.get("packet") + 1) % NUMBERS)
            .reset("quiet")
            .guessed(move |values| guess(expected(values), values))
    }

    /// A rule for data at a rate that differs by `step`, of the packet that is `ahead` of the present one.
    fn data(&self, label: &str, step: i64, ahead: i64, retry: bool) -> Rule<Sent> {
        let expected = move |values: &Values<'_>| Sent::Data {
            rate: values.get("rate") + step,
            sequence: ((values.get("packet") + ahead) % NUMBERS) as u16,
            retry,
            next: None,
        };
        let name = match step {
            0 => "the same rate",
            1 => "the next rate",
            _ => "the rate below",
        };
        let is_retry = move |sent: &Sent| matches!(sent, Sent::Data { retry: says, .. } if *says == retry);
        Rule::on(label, is_retry)
            .when(&format!("it has the right number and {name}"), move |sent, values| sent.alone() == expected(values))
            .guard(self.follows())
            .set("next", Sent::next)
            .set("rate", move |_, values| values.get("rate") + step)
            .set("packet", move |_, values| (values.get("packet") + ahead) % NUMBERS)
            .reset("quiet")
            .guessed(move |values| guess(expected(values), values))
    }

    /// The least time from the end of a frame to the end of the next one.
    fn shortest(&self) -> Duration {
        self.between.iter().copied().min().unwrap_or_default()
    }

    /// The guard that data does not end earlier than the times between frames allow.
    fn follows(&self) -> Guard<Sent> {
        if self.between.iter().all(|between| *between == self.shortest()) {
            return Guard::at_least("quiet", self.shortest());
        }
        let at_rate = self.between.iter().enumerate().map(|(index, between)| {
            let is_at = move |sent: &Sent, _: &Values<'_>| {
                matches!(sent, Sent::Data { rate, .. } if usize::try_from(*rate) == Ok(index))
            };
            Guard::when(&format!("rate {index}"), is_at).and(Guard::at_least("quiet", *between))
        });
        at_rate.reduce(Guard::or).unwrap_or_else(Guard::always)
    }

    fn next(&self, step: i64) -> Rule<Sent> {
        self.data("DATA", step, 1, false).set("sent", |_, _| 1)
    }

    fn again(&self, step: i64) -> Rule<Sent> {
        let transmissions = self.transmissions;
        self.data("DATA again", step, 0, true).set("sent", move |_, values| (values.get("sent") + 1).min(transmissions))
    }

    fn given_up(&self, step: i64) -> Rule<Sent> {
        let transmissions = self.transmissions;
        self.data("next DATA", step, 1, false)
            .when("the packet is given up", move |_, values| is_last(values, transmissions))
            .set("sent", |_, _| 1)
    }

    fn counted(&self, rule: Rule<Sent>) -> Rule<Sent> {
        let frames = self.frames;
        rule.set("since", move |_, values| (values.get("since") + 1).min(frames))
    }

    fn failed(&self, rule: Rule<Sent>) -> Rule<Sent> {
        self.counted(rule).set("acknowledged", |_, _| 0)
    }

    /// A sniffer beside the station.
    #[must_use]
    pub fn sniffer() -> Sniffer<Sent> {
        Sniffer::of(is_ack)
    }
}

fn is_ack(sent: &Sent) -> bool {
    *sent == Sent::Ack
}

fn is_group(sent: &Sent) -> bool {
    matches!(sent, Sent::Group { .. })
}

/// Whether a packet has been sent as often as it may be.
fn is_last(values: &Values<'_>, transmissions: i64) -> bool {
    values.get("sent") == transmissions
}

/// The rule for the first data of a trace. Data that was sent before may have been sent as often as it may be, and the
/// rate may have risen so long ago that it may rise at any time.
fn first(transmissions: i64, frames: i64) -> Rule<Sent> {
    let of = |field: fn(i64, u16, bool) -> i64| {
        move |sent: &Sent, _: &Values<'_>| match *sent {
            Sent::Data { rate, sequence, retry, .. } => field(rate, sequence, retry),
            Sent::Group { .. } | Sent::Ack => 0,
        }
    };
    Rule::on("first DATA", |sent| matches!(sent, Sent::Data { .. }))
        .set("next", Sent::next)
        .set("rate", of(|rate, _, _| rate))
        .set("packet", of(|_, sequence, _| i64::from(sequence)))
        .set("sent", move |sent, _| if matches!(sent, Sent::Data { retry: true, .. }) { transmissions } else { 1 })
        .set("since", move |_, _| frames)
        .reset("quiet")
        .guessed(|_| Vec::new())
}

fn risen(rule: Rule<Sent>) -> Rule<Sent> {
    rule.set("acknowledged", |_, _| 0).set("since", |_, _| 1)
}

/// The transmissions and receptions of the station; `rates` are those that it changes between, in bits per second, the lowest
/// first.
///
/// # Errors
///
/// As [`trace_by`], and if data has a rate that is not among them, or none.
pub fn trace_of(
    capture: &Capture,
    device: MacAddress,
    reading: Reading,
    rates: &[u32],
    is_sniffer: bool,
) -> Result<CaptureTrace<Sent, WirelessFrame>, Refused> {
    let parts = parts(capture.frames(), device);
    let mut next = vec![None; parts.len()];
    for index in (1..parts.len()).rev() {
        next[index - 1] = match parts[index] {
            Part::Judged(Frame::Data { sequence, .. } | Frame::Group { sequence }) if is_sniffer => Some(sequence),
            _ => next[index],
        };
    }
    trace_by(capture, reading, Duration::ZERO, |index| match parts[index] {
        Part::Judged(Frame::Data { sequence, retry }) => {
            let rate = rate_of(&capture.frames()[index], rates)?;
            Ok(Some(Sent::Data { rate, sequence, retry, next: next[index] }))
        }
        Part::Judged(Frame::Ack) => Ok(Some(Sent::Ack)),
        Part::Judged(Frame::Group { sequence }) => Ok(Some(Sent::Group { sequence, next: next[index] })),
        Part::Unruled(_) | Part::Other => Ok(None),
    })
}

/// The number of a frame's rate.
fn rate_of(frame: &WirelessFrame, rates: &[u32]) -> Result<i64, Refused> {
    let number = frame.number;
    let Some(rate) = frame.bits_per_second else {
        return Err(Refused::from(format!(
            "frame {number} has no rate in its radiotap header: ARF is judged by the rates of all data"
        )));
    };
    let found = rates.iter().position(|known| *known == rate).and_then(|index| i64::try_from(index).ok());
    found.ok_or_else(|| {
        let rates: Vec<String> = rates.iter().map(|rate| megabits(*rate).to_string()).collect();
        Refused::from(format!(
            "frame {number} has a rate of {} Mb/s, which is none of {}: say all rates between which the station \
             changes with `--rates`, the lowest first",
            megabits(rate),
            rates.join(", ")
        ))
    })
}
