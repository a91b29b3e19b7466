//! From a capture to the events of monitors.

use netcheck::capture::{Capture, CaptureTrace, Error, FrameKind, MacAddress, WirelessFrame};
use std::time::Duration;

/// What the device under test sends and receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// The device sends data.
    Data {
        /// The sequence number, 0 to 4095.
        sequence: u16,
        /// Whether the frame says that it was sent before.
        retry: bool,
    },
    /// An acknowledgment is sent to the device.
    Ack,
}

/// The preamble and the header of the physical layer of 802.11b, in their long form.
const PREAMBLE: Duration = Duration::from_micros(192);

/// The time before the earliest frame of a capture: a sniffer may have missed frames there.
const BEFORE: Duration = Duration::from_secs(1);

/// An instant a little before a capture, since 1970.
#[must_use]
pub fn origin_of(capture: &Capture) -> Duration {
    capture.began().saturating_sub(BEFORE)
}

/// The frames between the device and other stations, each with the instant at which it ends, since an instant that lies
/// before the capture: traces with the same `origin` can be compared.
///
/// Captures of ns-3 have the start of a frame where it was sent, and its end where it was received; the latter is told
/// from the former by the strength of the signal. So the time that it takes to send is added to the former.
///
/// # Errors
///
/// If frames overlap.
pub fn trace_of(
    capture: &Capture,
    device: MacAddress,
    origin: Duration,
) -> Result<CaptureTrace<Frame, WirelessFrame>, Error> {
    let offset = capture.began().saturating_sub(origin);
    capture.trace_of_frames(|frame| Some((offset + end_of(frame), frame_of(frame, device)?)))
}

/// What a frame is for the device.
fn frame_of(frame: &WirelessFrame, device: MacAddress) -> Option<Frame> {
    match frame.kind {
        FrameKind::Data if frame.from == Some(device) => {
            Some(Frame::Data { sequence: frame.sequence?, retry: frame.retry })
        }
        FrameKind::Ack if frame.to == device => Some(Frame::Ack),
        _ => None,
    }
}

/// The instant at which a frame ends.
#[must_use]
pub fn end_of(frame: &WirelessFrame) -> Duration {
    match frame.bits_per_second {
        Some(rate @ 1..) if !frame.has_signal => {
            let bits = frame.bytes as u64 * 8;
            frame.at + PREAMBLE + Duration::from_micros((bits * 1_000_000).div_ceil(u64::from(rate)))
        }
        _ => frame.at,
    }
}
