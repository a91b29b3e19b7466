//! The physical layers (PHY) of 802.11a, b and g: rates, times on the air, and the times that stations wait.
//!
//! The numbers are those of IEEE Std 802.11-2016: table 15-3 (DSSS), 16-4 (HR/DSSS), 17-21 (OFDM) and 18-5 (ERP).

use netcheck::capture::WirelessFrame;
use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

/// The bytes of a data frame with its header and its checksum: from none of contents to the most that these layers
/// carry.
pub const BYTES: RangeInclusive<usize> = 28..=2346;

/// The bytes of a checksum (FCS).
const CHECKSUM_BYTES: usize = 4;

/// The greatest contention window, in slots.
const WINDOW_MAX: u32 = 1023;

/// Rates of 802.11b in bits per second.
const DSSS: [u32; 4] = [1_000_000, 2_000_000, 5_500_000, 11_000_000];
/// Rates of 802.11a in bits per second.
const OFDM: [u32; 8] = [6_000_000, 9_000_000, 12_000_000, 18_000_000, 24_000_000, 36_000_000, 48_000_000, 54_000_000];

/// A physical layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Physical {
    /// 802.11a: OFDM at 5 GHz.
    A,
    /// 802.11b: DSSS and CCK at 2.4 GHz.
    B,
    /// 802.11g: OFDM at 2.4 GHz, beside stations of 802.11b.
    G,
}

impl fmt::Display for Physical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Physical::A => "802.11a",
            Physical::B => "802.11b",
            Physical::G => "802.11g",
        })
    }
}

impl Physical {
    /// The layer of a capture, by the channels and the rates of its radiotap headers: 802.11g if there is OFDM at
    /// 2.4 GHz. None if they do not tell.
    #[must_use]
    pub fn of(frames: &[WirelessFrame]) -> Option<Physical> {
        let channel = frames.iter().find_map(|frame| frame.channel_mhz);
        let has =
            |rates: &[u32]| frames.iter().any(|frame| frame.bits_per_second.is_some_and(|rate| rates.contains(&rate)));
        match channel {
            Some(4900..=5925) => Some(Physical::A),
            None if !has(&DSSS) => None,
            Some(2400..=2500) | None => Some(if has(&OFDM) { Physical::G } else { Physical::B }),
            Some(_) => None,
        }
    }

    /// The rates in bits per second, the slowest first.
    #[must_use]
    pub fn rates(self) -> Vec<u32> {
        let mut rates = match self {
            Physical::A => OFDM.to_vec(),
            Physical::B => DSSS.to_vec(),
            Physical::G => [&DSSS[..], &OFDM].concat(),
        };
        rates.sort_unstable();
        rates
    }

    /// SIFS: the time between data and its Ack.
    fn short_space(self) -> Duration {
        Duration::from_micros(if self == Physical::A { 16 } else { 10 })
    }

    /// A slot. One of 802.11g lasts 9 µs, and 20 µs beside stations of 802.11b.
    fn slots(self) -> RangeInclusive<Duration> {
        let [shortest, longest] = match self {
            Physical::A => [9, 9],
            Physical::B => [20, 20],
            Physical::G => [9, 20],
        };
        Duration::from_micros(shortest)..=Duration::from_micros(longest)
    }

    /// DIFS: the time for which the channel has to be free before a frame.
    #[must_use]
    pub fn space(self) -> RangeInclusive<Duration> {
        let (shortest, longest) = self.slots().into_inner();
        self.short_space() + 2 * shortest..=self.short_space() + 2 * longest
    }

    /// The time on the air of an Ack at the lowest rate.
    fn acknowledgment(self) -> Duration {
        self.time_on_air(14, self.rates()[0], false)
    }

    /// `To`: an Ack ends until then after the end of the data. It begins after SIFS, give or take a slot.
    #[must_use]
    pub fn timeout(self) -> Duration {
        self.short_space() + *self.slots().end() + self.acknowledgment()
    }

    /// `Tm`: a retransmission ends until then after the end of the data before, on a free channel, if it is `longest`
    /// on the air: after the wait for the Ack, the wait after a frame that could not be read (EIFS), and the greatest
    /// contention window.
    #[must_use]
    pub fn latest(self, longest: Duration) -> Duration {
        let after_error = self.short_space() + self.acknowledgment() + *self.space().end();
        self.timeout() + after_error + WINDOW_MAX * *self.slots().end() + longest
    }

    /// How long a frame is on the air that has so many bytes, with its checksum. The 6 µs without a signal that end a
    /// frame of OFDM at 2.4 GHz count.
    #[must_use]
    pub fn time_on_air(self, bytes: usize, bits_per_second: u32, has_short_preamble: bool) -> Duration {
        let bits = bytes as u64 * 8;
        let rate = u64::from(bits_per_second.max(1));
        if DSSS.contains(&bits_per_second) {
            let preamble = if has_short_preamble { 96 } else { 192 };
            return Duration::from_micros(preamble + (bits * 1_000_000).div_ceil(rate));
        }
        // The preamble and the signal field, then symbols of 4 µs with 16 bits before and 6 bits after the frame.
        let symbols = ((16 + bits + 6) * 1_000_000).div_ceil(rate * 4);
        let extension = if self == Physical::A { 0 } else { 6 };
        Duration::from_micros(20 + 4 * symbols + extension)
    }

    /// The shortest and the longest time on the air of data with so many bytes at one of the rates.
    ///
    /// # Panics
    ///
    /// If there is no rate.
    #[must_use]
    pub fn times_on_air(self, bytes: &RangeInclusive<usize>, rates: &[u32]) -> RangeInclusive<Duration> {
        let of = |bytes: usize, is_short: bool| {
            let times = rates.iter().map(move |&rate| self.time_on_air(bytes, rate, is_short && rate > DSSS[0]));
            times.collect::<Vec<_>>()
        };
        let shortest = of(*bytes.start(), true).into_iter().min().expect("there is a rate");
        let longest = of(*bytes.end(), false).into_iter().max().expect("there is a rate");
        shortest..=longest
    }
}

/// The bytes of a frame on the air: a capture may lack the checksum.
#[must_use]
pub fn bytes_on_air(frame: &WirelessFrame) -> usize {
    frame.bytes + if frame.has_checksum { 0 } else { CHECKSUM_BYTES }
}
