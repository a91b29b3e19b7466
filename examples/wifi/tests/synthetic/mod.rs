//! Captures of stations of 802.11a, b and g that are simulated here, with code of its own: what the station itself
//! sends and receives, and what a sniffer beside it hears.

#![allow(dead_code, reason = "each test uses a part")]

pub mod file;

use file::{Heard, KIND_ACK, KIND_DATA};
use random::Random;

/// A physical layer, with times in microseconds and rates in units of 500 kb/s.
#[derive(Clone, Copy, Debug)]
pub struct Layer {
    pub letter: char,
    pub short_space: u64,
    pub slot: u64,
    pub window_min: u64,
    pub channel_mhz: u16,
    pub rates: &'static [u8],
}

pub const LAYERS: [Layer; 4] = [
    Layer {
        letter: 'a',
        short_space: 16,
        slot: 9,
        window_min: 15,
        channel_mhz: 5180,
        rates: &[12, 18, 24, 36, 48, 72, 96, 108],
    },
    Layer { letter: 'b', short_space: 10, slot: 20, window_min: 31, channel_mhz: 2412, rates: &[2, 4, 11, 22] },
    Layer {
        letter: 'g',
        short_space: 10,
        slot: 9,
        window_min: 15,
        channel_mhz: 2437,
        rates: &[12, 18, 24, 36, 48, 72, 96, 108],
    },
    Layer {
        letter: 'g',
        short_space: 10,
        slot: 20,
        window_min: 31,
        channel_mhz: 2437,
        rates: &[2, 4, 11, 22, 12, 18, 24, 36, 48, 72, 96, 108],
    },
];

impl Layer {
    /// How long a frame is on the air.
    pub fn time_on_air(&self, bytes: u64, rate: u8, short_preamble: bool) -> u64 {
        // Bits in a microsecond are half a rate.
        if [2, 4, 11, 22].contains(&rate) {
            return if short_preamble { 96 } else { 192 } + (bytes * 16).div_ceil(u64::from(rate));
        }
        let bits_of_symbol = u64::from(rate) * 2;
        let extension = if self.letter == 'a' { 0 } else { 6 };
        20 + 4 * (22 + bytes * 8).div_ceil(bits_of_symbol) + extension
    }
}

/// The fault of a wrong station, at the packet of this index.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    None,
    /// Leaves a sequence number out.
    Skips(usize),
    /// Uses the sequence number of the packet before once more.
    Repeats(usize),
    /// Sends it again although its Ack came.
    SendsAgain(usize),
    /// Gives it up after one transmission without an Ack.
    GivesUp(usize),
    /// Sends it eight times.
    SendsTooOften(usize),
    /// Waits 60 ms before it sends again.
    IsLate(usize),
    /// Never uses a higher rate than the first one, with ARF.
    IsStuck,
}

/// A link to simulate; chances are percents.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    pub layer: Layer,
    pub seed: u64,
    pub packets: usize,
    pub first: u64,
    /// The bytes of data, at the least and at the most.
    pub bytes: (u64, u64),
    /// The longest pause before a packet, in microseconds.
    pub pause: u64,
    pub lost: u64,
    pub missed: u64,
    pub fault: Fault,
    /// Whether the station changes its rate by ARF; else each packet has any rate.
    pub has_arf: bool,
}

impl Link {
    pub fn of(layer: Layer, seed: u64) -> Link {
        Link {
            layer,
            seed,
            packets: 60,
            first: 4_000 + seed,
            bytes: (28, 2346),
            pause: 3_000,
            lost: 20,
            missed: 10,
            fault: Fault::None,
            has_arf: false,
        }
    }

    pub fn with(self, fault: Fault) -> Link {
        Link { fault, ..self }
    }
}

/// The captures of the station and of the sniffer, and the number of the frame in the station's capture, from 1, with which
/// the fault shows.
pub struct Session {
    pub own: Vec<Heard>,
    pub heard: Vec<Heard>,
    pub wrong: Option<usize>,
}

/// The state of ARF: the index of the rate, successes, frames since the rate changed, failures, and whether it rose
/// just now.
#[derive(Default)]
struct Rate {
    index: usize,
    successes: u32,
    frames: u32,
    failures: u32,
    has_risen: bool,
}

impl Rate {
    fn succeed(&mut self, highest: usize) {
        (self.successes, self.frames, self.failures, self.has_risen) = (self.successes + 1, self.frames + 1, 0, false);
        if (self.successes == 10 || self.frames >= 15) && self.index < highest {
            *self = Rate { index: self.index + 1, has_risen: true, ..Rate::default() };
        }
    }

    fn fail(&mut self) {
        (self.successes, self.frames, self.failures) = (0, self.frames + 1, self.failures + 1);
        if self.has_risen || self.failures.is_multiple_of(2) {
            self.index = self.index.saturating_sub(1);
            (self.frames, self.has_risen) = (0, false);
        }
    }
}

/// Simulates a link.
pub fn session(link: &Link) -> Session {
    let Link { layer, fault, .. } = *link;
    let mut numbers = Random::new(link.seed * 1_000_003 + 17);
    let mut session = Session { own: Vec::new(), heard: Vec::new(), wrong: None };
    let (mut now, mut number, mut arf) = (1_000_000, link.first, Rate::default());
    let space = layer.short_space + 2 * layer.slot;
    for packet in 0..link.packets {
        let bytes = link.bytes.0 + numbers.below(link.bytes.1 - link.bytes.0 + 1);
        match fault {
            Fault::Skips(at) if at == packet => number += 1,
            Fault::Repeats(at) if at == packet => number -= 1,
            _ => {}
        }
        if matches!(fault, Fault::Skips(at) | Fault::Repeats(at) if at == packet) {
            session.wrong = Some(session.own.len() + 1);
        }
        now += space + numbers.below(layer.window_min + 1) * layer.slot + numbers.below(link.pause + 1);
        let transmissions = match fault {
            Fault::GivesUp(at) if at == packet => 1,
            Fault::SendsTooOften(at) if at == packet => 8,
            _ => 7,
        };
        let mut rate = numbers.one_of(layer.rates);
        let mut is_done = false;
        for attempt in 0..transmissions {
            if link.has_arf {
                rate = layer.rates[if fault == Fault::IsStuck { 0 } else { arf.index }];
            }
            if attempt > 0 {
                let window = ((layer.window_min + 1) << attempt).min(1024);
                now += layer.short_space + layer.slot + 20 + space + numbers.below(window) * layer.slot;
            }
            let is_late = fault == Fault::IsLate(packet) && attempt == 1;
            let is_too_often = fault == Fault::SendsTooOften(packet) && attempt == 7;
            if is_late {
                now += 60_000;
            }
            if is_late || is_too_often || is_done {
                session.wrong.get_or_insert(session.own.len() + 1);
            }
            let short_preamble = rate > 2 && link.seed % 2 == 1;
            let end = now + layer.time_on_air(bytes, rate, short_preamble);
            let data = Heard {
                at: now,
                kind: KIND_DATA,
                number: (number % 4096) as u16,
                retry: attempt > 0,
                bytes,
                rate,
                ..layer.frame()
            };
            let data = Heard { short_preamble, ..data };
            session.own.push(data);
            let sent = Heard { at: end, is_received: true, ..data };
            session.heard.extend((!numbers.percent(link.missed)).then_some(sent));
            now = end;
            // A frame with which a fault begins is lost, or is not.
            let is_lost = match fault {
                Fault::GivesUp(at) if at == packet => true,
                Fault::SendsTooOften(at) if at == packet => attempt < 7,
                Fault::IsLate(at) if at == packet && attempt == 0 => true,
                Fault::SendsAgain(at) if at == packet && attempt == 0 => false,
                _ => numbers.percent(link.lost),
            };
            if is_lost {
                arf.fail();
                continue;
            }
            let slower: Vec<u8> = layer.rates.iter().copied().filter(|slow| *slow <= rate).collect();
            let ack_rate = numbers.one_of(&slower);
            let ack_end = end + layer.short_space + layer.time_on_air(14, ack_rate, false);
            let ack =
                Heard { at: ack_end, kind: KIND_ACK, bytes: 14, rate: ack_rate, is_received: true, ..layer.frame() };
            session.heard.extend((!numbers.percent(link.missed)).then_some(ack));
            now = ack_end;
            let is_begun = fault == Fault::SendsAgain(packet) && attempt == 0;
            if !is_begun && numbers.percent(link.lost) {
                arf.fail();
                continue;
            }
            session.own.push(ack);
            arf.succeed(layer.rates.len() - 1);
            if is_done || fault != Fault::SendsAgain(packet) {
                break;
            }
            is_done = true;
        }
        if fault == Fault::GivesUp(packet) {
            session.wrong = Some(session.own.len() + 1);
        }
        number += 1;
    }
    session
}

impl Layer {
    fn frame(&self) -> Heard {
        Heard { channel_mhz: self.channel_mhz, ..Heard::default() }
    }
}
