//! What a station that sends may do: Figure 1, with any number of retransmissions.

use crate::frame::Frame;
use netcheck::monitor::{Guard, Monitor, Rule, Search, Sniffer, Values};
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
    /// The sequence number of the first packet.
    pub first: u16,
    /// How often a packet is sent at the most. If it is not acknowledged, it is sent so often, too.
    pub transmissions: u16,
    /// `To`: an Ack comes until then, and a retransmission after that.
    pub timeout: Duration,
    /// `Tm`: a retransmission comes until then.
    pub latest: Duration,
    /// The least time from an Ack to the end of the next data. Without it, a sniffer might have missed any number of
    /// packets between two that it heard.
    pub between: Duration,
}

impl Default for Transmitter {
    /// A station of 802.11b in ns-3, at 1 Mb/s, which numbers packets from 0 and sends each seven times at the most.
    fn default() -> Self {
        Transmitter {
            first: 0,
            transmissions: 7,
            timeout: Duration::from_micros(334),
            latest: Duration::from_millis(24),
            // DIFS, the preamble, and the 28 bytes of a packet without contents
            between: Duration::from_micros(50 + 192 + 104 * 8),
        }
    }
}

impl Transmitter {
    /// The monitor. In `waiting`, a packet has been sent `sent` times and has to be sent again; in `last`, it has been
    /// sent as often as it may be.
    ///
    /// # Panics
    ///
    /// If there are fewer than two transmissions, or the times contradict each other.
    #[must_use]
    pub fn monitor(&self) -> Monitor<Frame> {
        let &Transmitter { timeout, latest, between, .. } = self;
        assert!(self.transmissions >= 2 && timeout < latest, "{self:?}");
        let transmissions = i64::from(self.transmissions);
        let ack = || {
            Rule::on("Ack", |frame| *frame == Frame::Ack)
                .at_most("since", timeout)
                .set("packet", |_, values| (values.get("packet") + 1) % NUMBERS)
                .set("sent", |_, _| 0)
                .reset("since")
                .guessed(|_| vec![Frame::Ack])
        };
        let again = || {
            self.data("DATA again", true, 0)
                .guard(Guard::more_than("since", timeout))
                .at_least("since", between)
                .at_most("since", latest)
        };
        let may_follow = move |values: &Values<'_>| values.get("sent") + 1 < transmissions;
        Monitor::builder("Transmitter")
            .state("begin")
            .state("idle")
            .state("waiting")
            .state("last")
            .deadline("waiting", "since", latest)
            .variable("packet", 0..=NUMBERS - 1)
            .variable("sent", 0..=transmissions)
            .clock("since")
            .rule("begin", "waiting", self.data("first DATA", false, 0).set("sent", |_, _| 1))
            .rule("idle", "waiting", self.data("DATA", false, 0).at_least("since", between).set("sent", |_, _| 1))
            .rule("waiting", "idle", ack())
            .rule(
                "waiting",
                "waiting",
                more(again()).when("sent + 1 < transmissions", move |_, values| may_follow(values)),
            )
            .rule(
                "waiting",
                "last",
                more(again()).when("sent + 1 = transmissions", move |_, values| !may_follow(values)),
            )
            .rule("last", "idle", ack())
            .rule(
                "last",
                "waiting",
                self.data("next DATA", false, 1)
                    .guard(Guard::more_than("since", timeout))
                    .at_least("since", between)
                    .set("packet", |_, values| (values.get("packet") + 1) % NUMBERS)
                    .set("sent", |_, _| 1),
            )
            .build()
            .expect("the monitor is well-formed")
    }

    /// A rule for the packet that is `ahead` of the present one.
    fn data(&self, label: &str, retry: bool, ahead: i64) -> Rule<Frame> {
        let first = i64::from(self.first);
        let number = move |values: &Values<'_>| ((first + values.get("packet") + ahead) % NUMBERS) as u16;
        Rule::on(label, move |frame| matches!(frame, Frame::Data { retry: says, .. } if *says == retry))
            .when(
                "the sequence number is right",
                move |frame, values| matches!(frame, Frame::Data { sequence, .. } if *sequence == number(values)),
            )
            .reset("since")
            .guessed(move |values| vec![Frame::Data { sequence: number(values), retry }])
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

fn more(rule: Rule<Frame>) -> Rule<Frame> {
    rule.set("sent", |_, values| values.get("sent") + 1)
}
