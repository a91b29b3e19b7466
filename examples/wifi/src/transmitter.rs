//! Behaviour of a station that sends: Figure 1, with any number of retransmissions.

use crate::frame::Frame;
use crate::physical::Physical;
use netcheck::monitor::{Guard, Monitor, Rule, Search, Sniffer, Values};
use std::ops::RangeInclusive;
use std::time::Duration;

/// Sequence numbers.
const NUMBERS: i64 = 4096;

/// A station that sends one packet after the other, each until it is acknowledged.
///
/// Instants are the ends of frames. The paper has `To` = 334 µs and `Tm` = 15 ms. The former is right for a rate of
/// 1 Mb/s: an Ack ends 10 µs (SIFS) and 304 µs (its 14 bytes) after the data. The latter is too tight: after six
/// transmissions a station of 802.11b waits for up to 1,023 slots of 20 µs before the seventh.
#[derive(Clone, Copy, Debug)]
pub struct Transmitter {
    /// The sequence number of the first packet, if the trace begins with its first transmission. None if the trace
    /// begins anywhere: its first data has any number, and may have been sent any number of times before.
    pub first: Option<u16>,
    /// How often a packet is sent at the most. If it is not acknowledged, it is sent so often, too.
    pub transmissions: u16,
    /// `To`: an Ack ends until then after the data.
    pub timeout: Duration,
    /// The least time from the end of data to the end of its retransmission; in the paper more than `To`.
    pub earliest: Duration,
    /// `Tm`: a retransmission ends until then after the data.
    pub latest: Duration,
    /// The least time from an Ack, or the end of a frame that gets none, to the end of the next frame. Without it, a
    /// sniffer might have missed any number of packets between two that it heard.
    pub between: Duration,
    /// Whether the station also sends to groups of stations: once, without an Ack.
    pub has_groups: bool,
}

impl Default for Transmitter {
    /// A station of 802.11b in ns-3, at 1 Mb/s, which numbers packets from 0 and sends each seven times at the most.
    fn default() -> Self {
        // DIFS, the preamble, and the 28 bytes of a packet without contents
        let between = Duration::from_micros(50 + 192 + 104 * 8);
        Transmitter {
            first: Some(0),
            transmissions: 7,
            timeout: Duration::from_micros(334),
            earliest: between,
            latest: Duration::from_millis(24),
            between,
            has_groups: false,
        }
    }
}

impl Transmitter {
    /// A station whose data has these times on the air, at the least and at the most. It sends each packet seven times
    /// at the most, and the trace begins anywhere.
    #[must_use]
    pub fn of(physical: Physical, on_air: &RangeInclusive<Duration>) -> Self {
        let between = *physical.space().start() + *on_air.start();
        Transmitter {
            first: None,
            transmissions: 7,
            timeout: physical.timeout(),
            earliest: between,
            latest: physical.latest(*on_air.end()),
            between,
            has_groups: false,
        }
    }

    /// The station, by instants that are this much too early or too late.
    #[must_use]
    pub fn within(self, tolerance: Duration) -> Self {
        Transmitter {
            timeout: self.timeout + tolerance,
            earliest: self.earliest.saturating_sub(tolerance),
            latest: self.latest + tolerance,
            between: self.between.saturating_sub(tolerance),
            ..self
        }
    }

    /// The reason why these rules make no monitor, in words.
    ///
    /// # Errors
    ///
    /// If there are fewer than two transmissions, or the times contradict each other.
    pub fn check(&self) -> Result<(), String> {
        let &Transmitter { transmissions, timeout, earliest, latest, .. } = self;
        if transmissions < 2 {
            return Err("a packet is sent again at least once: `--retransmissions` is 1 or more".to_owned());
        }
        if latest <= timeout || latest <= earliest {
            return Err(format!(
                "a retransmission would end at least {earliest:?} and at most {latest:?} after data whose Ack ends up \
                 to {timeout:?} after it: say a greater `--tm`, or a smaller `--to`"
            ));
        }
        Ok(())
    }

    /// The monitor. In `waiting`, a packet has been sent `sent` times and has to be sent again; in `last`, it has been
    /// sent as often as it may be. In `joined`, it was sent an unknown number of times before the trace began.
    ///
    /// # Panics
    ///
    /// If [`Transmitter::check`] finds a contradiction.
    #[must_use]
    pub fn monitor(&self) -> Monitor<Frame> {
        self.check().unwrap_or_else(|contradiction| panic!("{contradiction}"));
        let transmissions = i64::from(self.transmissions);
        let may_follow = move |values: &Values<'_>| values.get("sent") + 1 < transmissions;
        let mut builder = Monitor::builder("Transmitter")
            .state("begin")
            .state("idle")
            .state("waiting")
            .state("last")
            .deadline("waiting", "since", self.latest)
            .variable("packet", 0..=NUMBERS - 1)
            .variable("sent", 0..=transmissions)
            .clock("since")
            .rule("idle", "waiting", self.data("DATA", false, 0).at_least("since", self.between).set("sent", |_, _| 1))
            .rule("waiting", "idle", self.ack())
            .rule(
                "waiting",
                "waiting",
                more(self.again()).when("sent + 1 < transmissions", move |_, values| may_follow(values)),
            )
            .rule(
                "waiting",
                "last",
                more(self.again()).when("sent + 1 = transmissions", move |_, values| !may_follow(values)),
            )
            .rule("last", "idle", self.ack())
            .rule("last", "waiting", self.next());
        builder = match self.first {
            Some(_) => builder.rule("begin", "waiting", self.data("first DATA", false, 0).set("sent", |_, _| 1)),
            None => builder
                .state("joined")
                .rule("begin", "begin", Rule::on("Ack of earlier DATA", is_ack).guessed(|_| Vec::new()))
                .rule("begin", "waiting", joining("first DATA", false).set("sent", |_, _| 1))
                .rule("begin", "joined", joining("first DATA, sent before", true))
                .rule("joined", "joined", self.again())
                .rule("joined", "idle", self.ack())
                .rule("joined", "waiting", self.next()),
        };
        if self.has_groups {
            builder = builder.rule("idle", "idle", self.group(0)).rule("last", "idle", self.group(1));
            builder = match self.first {
                Some(_) => builder.rule("begin", "idle", self.group(0)),
                None => builder.rule("joined", "idle", self.group(1)).rule("begin", "idle", joining_group()),
            };
        }
        builder.build().expect("the monitor is well-formed")
    }

    /// The sequence number of the packet that is `ahead` of the present one.
    fn number(&self, ahead: i64) -> impl Fn(&Values<'_>) -> u16 + Copy + Send + Sync + 'static {
        let first = i64::from(self.first.unwrap_or(0));
        move |values| ((first + values.get("packet") + ahead) % NUMBERS) as u16
    }

    /// A rule for the data of the packet that is `ahead` of the present one.
    fn data(&self, label: &str, retry: bool, ahead: i64) -> Rule<Frame> {
        let number = self.number(ahead);
        Rule::on(label, move |frame| matches!(frame, Frame::Data { retry: says, .. } if *says == retry))
            .when(
                "the sequence number is right",
                move |frame, values| matches!(frame, Frame::Data { sequence, .. } if *sequence == number(values)),
            )
            .reset("since")
            .guessed(move |values| vec![Frame::Data { sequence: number(values), retry }])
    }

    /// A rule for a retransmission.
    fn again(&self) -> Rule<Frame> {
        self.data("DATA again", true, 0).at_least("since", self.earliest).at_most("since", self.latest)
    }

    /// A rule for the first data of the next packet, where the present one is given up.
    fn next(&self) -> Rule<Frame> {
        self.data("next DATA", false, 1).at_least("since", self.earliest).set("packet", after(1)).set("sent", |_, _| 1)
    }

    fn ack(&self) -> Rule<Frame> {
        Rule::on("Ack", is_ack)
            .at_most("since", self.timeout)
            .set("packet", after(1))
            .set("sent", |_, _| 0)
            .reset("since")
            .guessed(|_| vec![Frame::Ack])
    }

    /// A rule for a frame to a group, whose number is `ahead` of that of the present packet.
    fn group(&self, ahead: i64) -> Rule<Frame> {
        let number = self.number(ahead);
        Rule::on("DATA to a group", |frame| matches!(frame, Frame::Group { .. }))
            .when("the sequence number is right", move |frame, values| {
                *frame == Frame::Group { sequence: number(values) }
            })
            .guard(Guard::at_least("since", if ahead == 0 { self.between } else { self.earliest }))
            .set("packet", after(ahead + 1))
            .set("sent", |_, _| 0)
            .reset("since")
            .guessed(move |values| vec![Frame::Group { sequence: number(values) }])
    }

    /// A sniffer beside the station.
    #[must_use]
    pub fn sniffer() -> Sniffer<Frame> {
        Sniffer::of(|frame| *frame == Frame::Ack)
    }

    /// The search of the paper, with its heuristics: `GoBack(7)`, and `NumMissing(d, 100, k)` of either station.
    #[must_use]
    pub fn likely(most: usize, extensions_max: usize) -> Sniffer<Frame> {
        Transmitter::sniffer()
            .search(Search::Backtracking { extensions_max })
            .go_back(7)
            .num_missing(|frame| *frame == Frame::Ack, 100, most)
            .num_missing(|frame| *frame != Frame::Ack, 100, most)
    }
}

fn is_ack(frame: &Frame) -> bool {
    *frame == Frame::Ack
}

/// The number of the packet that comes so many packets after the present one.
fn after(packets: i64) -> impl Fn(&Frame, &Values<'_>) -> i64 + Send + Sync + 'static {
    move |_, values| (values.get("packet") + packets) % NUMBERS
}

/// A rule for the first data of a trace that begins anywhere, with any number.
fn joining(label: &str, retry: bool) -> Rule<Frame> {
    Rule::on(label, move |frame| matches!(frame, Frame::Data { retry: says, .. } if *says == retry))
        .set("packet", |frame, _| match frame {
            Frame::Data { sequence, .. } | Frame::Group { sequence } => i64::from(*sequence),
            Frame::Ack => 0,
        })
        .reset("since")
        .guessed(|_| Vec::new())
}

/// A rule for a frame to a group that is the first frame of a trace that begins anywhere.
fn joining_group() -> Rule<Frame> {
    Rule::on("first DATA to a group", |frame| matches!(frame, Frame::Group { .. }))
        .set("packet", |frame, _| match frame {
            Frame::Data { sequence, .. } | Frame::Group { sequence } => (i64::from(*sequence) + 1) % NUMBERS,
            Frame::Ack => 0,
        })
        .reset("since")
        .guessed(|_| Vec::new())
}

fn more(rule: Rule<Frame>) -> Rule<Frame> {
    rule.set("sent", |_, values| values.get("sent") + 1)
}
