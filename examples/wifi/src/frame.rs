//! From a capture to the events of monitors.

use crate::physical::{Physical, bytes_on_air};
use netcheck::capture::{Capture, CaptureTrace, FrameKind, MacAddress, WirelessFrame};
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::time::Duration;

/// Frames that the device under test sends and receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// The device sends data, or management, to one station, which acknowledges it.
    Data {
        /// The sequence number, 0 to 4095.
        sequence: u16,
        /// Whether the frame says that it was sent before.
        retry: bool,
    },
    /// The device sends to a group of stations: no station acknowledges that.
    Group {
        /// The sequence number, 0 to 4095.
        sequence: u16,
    },
    /// An acknowledgment is sent to the device.
    Ack,
}

/// At which end of a frame a capture has its instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Instants {
    /// The start of a frame that was sent where it was captured, and the end of one that was received there, as ns-3
    /// has them. Radiotap headers of the latter have the strength of a signal. Without radiotap headers, the end.
    #[default]
    BySignal,
    /// The start of each frame.
    Starts,
    /// The end of each frame.
    Ends,
}

/// How a capture is read.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// The physical layer of the stations.
    pub physical: Physical,
    /// At which end of a frame the capture has its instant.
    pub instants: Instants,
}

/// Why a capture has no trace for the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Refused {}

impl From<netcheck::capture::Error> for Refused {
    fn from(error: netcheck::capture::Error) -> Self {
        Refused(error.to_string())
    }
}

impl From<String> for Refused {
    fn from(text: String) -> Self {
        Refused(text)
    }
}

/// The time before the earliest frame of a capture: a sniffer may have missed frames there.
const BEFORE: Duration = Duration::from_secs(1);

/// An instant a little before a capture, since 1970.
#[must_use]
pub fn origin_of(capture: &Capture) -> Duration {
    capture.began().saturating_sub(BEFORE)
}

/// The part of a frame in the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// There is a rule for it.
    Judged(Frame),
    /// The device sent it, and there is no rule for such frames, which are named here; or it is the Ack of such a
    /// frame.
    Unruled(&'static str),
    /// It is neither sent by the device nor an Ack to it, or it is corrupt.
    Other,
}

/// The part of each frame. An Ack belongs to the last frame of the device before it.
#[must_use]
pub fn parts(frames: &[WirelessFrame], device: MacAddress) -> Vec<Part> {
    let mut is_ack_judged = true;
    let part = |frame: &WirelessFrame| match frame.kind {
        _ if frame.is_corrupt => Part::Other,
        FrameKind::Ack if frame.to == device && is_ack_judged => Part::Judged(Frame::Ack),
        FrameKind::Ack if frame.to == device => Part::Unruled("Acks of frames without a rule"),
        _ if frame.from != Some(device) => Part::Other,
        _ => {
            let part = part_of_sent(frame);
            is_ack_judged = matches!(part, Part::Judged(_));
            part
        }
    };
    frames.iter().map(part).collect()
}

/// The part of a frame that the device sent.
fn part_of_sent(frame: &WirelessFrame) -> Part {
    match frame.sequence {
        _ if frame.is_beacon => Part::Unruled("beacons"),
        _ if frame.is_fragment => Part::Unruled("fragments"),
        _ if frame.is_qos => Part::Unruled("QoS data"),
        Some(sequence) if frame.to.is_group() => Part::Judged(Frame::Group { sequence }),
        Some(sequence) => Part::Judged(Frame::Data { sequence, retry: frame.retry }),
        None => Part::Unruled("control frames"),
    }
}

/// The frames for which there is a rule, each with the instant at which it ends, since an instant that lies before the
/// capture: traces with the same `origin` can be compared.
///
/// # Errors
///
/// As [`trace_by`].
pub fn trace_of(
    capture: &Capture,
    device: MacAddress,
    origin: Duration,
    reading: Reading,
) -> Result<CaptureTrace<Frame, WirelessFrame>, Refused> {
    let parts = parts(capture.frames(), device);
    let offset = capture.began().saturating_sub(origin);
    trace_by(capture, reading, offset, |index| match parts[index] {
        Part::Judged(frame) => Ok(Some(frame)),
        Part::Unruled(_) | Part::Other => Ok(None),
    })
}

/// The events that a function makes of frames, by their index in the file, each with the instant at which the frame
/// ends and `offset` more.
///
/// # Errors
///
/// If the function has one, the time that a frame was on the air is needed and not known, or frames end before others
/// that stand before them in the file.
pub fn trace_by<E: fmt::Debug + Clone>(
    capture: &Capture,
    reading: Reading,
    offset: Duration,
    event: impl Fn(usize) -> Result<Option<E>, Refused>,
) -> Result<CaptureTrace<E, WirelessFrame>, Refused> {
    let frames = capture.frames();
    let has_rates = frames.iter().any(|frame| frame.bits_per_second.is_some());
    let mut events: BTreeMap<usize, (Duration, E)> = BTreeMap::new();
    let mut last: Option<(&WirelessFrame, Duration)> = None;
    for (index, frame) in frames.iter().enumerate() {
        let Some(event) = event(index)? else { continue };
        let end = end_of(frame, reading, has_rates)?;
        if let Some((before, before_end)) = last.filter(|(before, ends)| end < *ends && before.at <= frame.at) {
            return Err(Refused(format!(
                "frame {} ends {:?} before frame {}, which was captured before it, if the capture has the starts of \
                 frames that were sent and the ends of those that were received: say which with `--instants`",
                frame.number,
                before_end - end,
                before.number
            )));
        }
        last = Some((frame, end));
        events.insert(frame.number, (offset + end, event));
    }
    Ok(capture.trace_of_frames(|frame| events.get(&frame.number).cloned())?)
}

/// The instant at which a frame ends.
fn end_of(frame: &WirelessFrame, reading: Reading, has_rates: bool) -> Result<Duration, Refused> {
    let is_end = match reading.instants {
        Instants::BySignal => frame.has_signal || !has_rates,
        Instants::Starts => false,
        Instants::Ends => true,
    };
    Ok(if is_end { frame.at } else { frame.at + time_on_air(frame, reading.physical)? })
}

/// How long a frame was on the air.
///
/// # Errors
///
/// If its radiotap header does not tell its rate, or it is not one of the physical layer.
pub fn time_on_air(frame: &WirelessFrame, physical: Physical) -> Result<Duration, Refused> {
    let number = frame.number;
    match frame.bits_per_second {
        Some(rate) if physical.rates().contains(&rate) => {
            Ok(physical.time_on_air(bytes_on_air(frame), rate, frame.has_short_preamble))
        }
        Some(rate) => Err(Refused(format!(
            "frame {number} has a rate of {} Mb/s, which {physical} does not have: say another layer with `--phy`",
            megabits(rate)
        ))),
        None => Err(Refused(format!(
            "frame {number} has no rate in its radiotap header, so its time on the air is not known; 802.11n and later \
             have no rules here. If the capture has the ends of frames, say `--instants ends`"
        ))),
    }
}

/// A rate in Mb/s.
#[must_use]
pub fn megabits(bits_per_second: u32) -> f64 {
    f64::from(bits_per_second) / 1e6
}
