//! ARF rate control: a station sends faster after ten successes in a row, and slower after failures.

use crate::frame::end_of;
use netcheck::capture::{Capture, CaptureTrace, Error, FrameKind, MacAddress, WirelessFrame};

/// The rates of 802.11b in bits per second.
const RATES: [u32; 4] = [1_000_000, 2_000_000, 5_500_000, 11_000_000];

/// What a station sends and receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// Data, at the rate of this number, from 0.
    Data {
        /// The number of the rate.
        rate: i64,
    },
    /// An acknowledgment comes.
    Ack,
}

netcheck::monitor! {
    /// After `successes` acknowledged frames in a row the rate rises by one, unless it is the highest; in between it may
    /// rise after `frames` frames. Only after a frame without an Ack, it may fall by one. A. Kamerman and L. Monteban,
    /// "WaveLAN-II: a high-performance wireless LAN for the unlicensed band", 1997.
    pub monitor Arf(successes: i64, frames: i64) over Sent {
        variable rate: 0..=3;
        variable acknowledged: 0..=successes;
        variable since: 0..=frames;

        state begin {
            Sent::Data { rate: now } => waiting { rate = *now; since = 1; }
            otherwise => reject
        }
        state idle {
            Sent::Data { rate: now } if acknowledged == successes && rate < 3 && *now == rate + 1 => waiting {
                rate = *now;
                acknowledged = 0;
                since = 1;
            }
            Sent::Data { rate: now } if acknowledged < successes && since == frames && *now == rate + 1 => waiting {
                rate = *now;
                acknowledged = 0;
                since = 1;
            }
            Sent::Data { rate: now } if (acknowledged < successes || rate == 3) && *now == rate => waiting {
                since = (since + 1).min(frames);
            }
            otherwise => reject
        }
        state waiting {
            Sent::Ack => idle { acknowledged = (acknowledged + 1).min(successes); }
            Sent::Data { rate: now } if *now == rate || *now == rate - 1 => waiting {
                rate = *now;
                acknowledged = 0;
                since = (since + 1).min(frames);
            }
            otherwise => reject
        }
    }
}

impl Default for Arf {
    /// With the figures of the paper by Kamerman and Monteban, which are those of ns-3.
    fn default() -> Self {
        Arf::new(10, 15)
    }
}

/// What the station sends and receives, in a capture of its own.
///
/// # Errors
///
/// If frames overlap.
pub fn trace_of(capture: &Capture, device: MacAddress) -> Result<CaptureTrace<Sent, WirelessFrame>, Error> {
    capture.trace_of_frames(|frame| {
        let rate = RATES.iter().position(|rate| Some(*rate) == frame.bits_per_second);
        let sent = match frame.kind {
            FrameKind::Data if frame.from == Some(device) => Sent::Data { rate: rate? as i64 },
            FrameKind::Ack if frame.to == device => Sent::Ack,
            _ => return None,
        };
        Some((end_of(frame), sent))
    })
}
