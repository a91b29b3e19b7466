//! Frames of 802.11, alone or behind a radiotap header.

use core::time::Duration;
use ieee80211::GenericFrame;
use ieee80211::common::{ControlFrameSubtype, FrameType, ManagementFrameSubtype};
use std::fmt;

/// The link type of 802.11 frames without anything before them.
pub(crate) const ALONE: u32 = 105;
/// The link type of 802.11 frames behind radiotap headers (<https://www.radiotap.org>).
pub(crate) const BEHIND_RADIOTAP: u32 = 127;

/// The address of a station.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MacAddress(pub [u8; 6]);

impl MacAddress {
    /// Whether this is the address of a group of stations, or of all: frames to it are not acknowledged.
    #[must_use]
    pub fn is_group(self) -> bool {
        self.0[0] & 1 == 1
    }
}

impl fmt::Display for MacAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

impl fmt::Debug for MacAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The purpose of a frame of 802.11.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FrameKind {
    /// Data, or a frame without data in its place.
    Data,
    /// The acknowledgment of one frame.
    Ack,
    /// A control frame of another kind.
    Control,
    /// Beacons, probes, associations and other management.
    Management,
}

/// A frame of 802.11 as a capture has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WirelessFrame {
    /// Its number in the file, from 1.
    pub number: usize,
    /// When it was captured, since the earliest packet of the file: its start or its end, as the capture has it.
    pub at: Duration,
    /// Its purpose.
    pub kind: FrameKind,
    /// The station that it was sent to (address 1).
    pub to: MacAddress,
    /// The station that sent it (address 2). An Ack does not tell.
    pub from: Option<MacAddress>,
    /// Its sequence number, 0 to 4095, if it has one.
    pub sequence: Option<u16>,
    /// Whether it says that it was sent before.
    pub retry: bool,
    /// Whether it is QoS data: its sequence numbers are those of its receiver and its traffic class.
    pub is_qos: bool,
    /// Whether it is a fragment: all fragments of a packet have one sequence number.
    pub is_fragment: bool,
    /// Whether it is a beacon.
    pub is_beacon: bool,
    /// Its length in bytes, as captured.
    pub bytes: usize,
    /// Whether its last four bytes are its checksum (FCS). Without a radiotap header, this is not known to be so.
    pub has_checksum: bool,
    /// Whether the radiotap header says that the checksum is wrong, so that each of its bytes may be.
    pub is_corrupt: bool,
    /// Its rate, if the radiotap header tells.
    pub bits_per_second: Option<u32>,
    /// Whether the radiotap header tells of a short preamble, which 802.11b has at rates above 1 Mb/s.
    pub has_short_preamble: bool,
    /// The frequency of its channel, if the radiotap header tells.
    pub channel_mhz: Option<u16>,
    /// Whether the radiotap header tells how strong the signal was: so the frame was received, and not sent, where it
    /// was captured.
    pub has_signal: bool,
}

/// `frame 7 at 0.123456 s, 00:00:00:00:00:01 -> 00:00:00:00:00:02`; an Ack has no sender.
impl fmt::Display for WirelessFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "frame {} at {}.{:06} s, ", self.number, self.at.as_secs(), self.at.subsec_micros())?;
        self.from.map_or(Ok(()), |from| write!(f, "{from} "))?;
        write!(f, "-> {}", self.to)
    }
}

/// The fields of a radiotap header that matter here.
#[derive(Default)]
struct Radio {
    flags: u8,
    bits_per_second: Option<u32>,
    channel_mhz: Option<u16>,
    has_signal: bool,
}

/// Flags of a radiotap header.
mod flag {
    pub(super) const SHORT_PREAMBLE: u8 = 0x02;
    pub(super) const CHECKSUM: u8 = 0x10;
    pub(super) const CORRUPT: u8 = 0x40;
}

/// A frame with what its radiotap header tells, or why it is refused.
pub(crate) fn decode(link_type: u32, number: usize, bytes: &[u8]) -> Result<WirelessFrame, String> {
    let (radio, bytes) = if link_type == BEHIND_RADIOTAP { after_radiotap(bytes)? } else { (Radio::default(), bytes) };
    let frame = GenericFrame::new(bytes, false).map_err(|_| "ends within its 802.11 header")?;
    let control = frame.frame_control_field();
    let kind = match control.frame_type() {
        FrameType::Data(_) => FrameKind::Data,
        FrameType::Management(_) => FrameKind::Management,
        FrameType::Control(ControlFrameSubtype::Ack) => FrameKind::Ack,
        FrameType::Control(_) => FrameKind::Control,
        FrameType::Unknown(_) => return Err("is of a type that 802.11 does not have".to_owned()),
    };
    let numbered = matches!(kind, FrameKind::Data | FrameKind::Management);
    let numbers = frame.sequence_control().filter(|_| numbered);
    if numbered && numbers.is_none() {
        return Err("ends within its 802.11 header".to_owned());
    }
    Ok(WirelessFrame {
        number,
        at: Duration::ZERO,
        kind,
        to: MacAddress(frame.address_1().0),
        from: frame.address_2().map(|address| MacAddress(address.0)),
        sequence: numbers.map(|numbers| numbers.sequence_number()),
        retry: control.flags().retry(),
        is_qos: matches!(control.frame_type(), FrameType::Data(subtype) if subtype.is_qos()),
        is_fragment: numbers.is_some_and(|numbers| control.flags().more_fragments() || numbers.fragment_number() > 0),
        is_beacon: control.frame_type() == FrameType::Management(ManagementFrameSubtype::Beacon),
        bytes: bytes.len(),
        has_checksum: radio.flags & flag::CHECKSUM != 0,
        is_corrupt: radio.flags & flag::CORRUPT != 0,
        bits_per_second: radio.bits_per_second,
        has_short_preamble: radio.flags & flag::SHORT_PREAMBLE != 0,
        channel_mhz: radio.channel_mhz,
        has_signal: radio.has_signal,
    })
}

/// Splits a radiotap header off. Of its fields, which stand in a fixed order, the first six are looked at.
fn after_radiotap(bytes: &[u8]) -> Result<(Radio, &[u8]), &'static str> {
    const CUT: &str = "ends within its radiotap header";
    /// Size and alignment in bytes: TSFT, flags, rate, channel, FHSS, signal.
    const FIELDS: [(usize, usize); 6] = [(8, 8), (1, 1), (1, 1), (4, 2), (2, 2), (1, 1)];
    const FLAGS: usize = 1;
    const RATE: usize = 2;
    const CHANNEL: usize = 3;
    const SIGNAL: usize = 5;
    const MORE_WORDS: u32 = 1 << 31;
    let [version, _, low, high] = *bytes.first_chunk().ok_or(CUT)?;
    if version != 0 {
        return Err("has a radiotap header of an unknown version");
    }
    let length = usize::from(u16::from_le_bytes([low, high]));
    let (header, frame) = bytes.split_at_checked(length).ok_or(CUT)?;
    let word = |index: usize| header.get(4 + 4 * index..)?.first_chunk().map(|word| u32::from_le_bytes(*word));
    let present = word(0).ok_or(CUT)?;
    let words = 1 + (0..).take_while(|&index| word(index).is_some_and(|word| word & MORE_WORDS != 0)).count();
    let mut at = 4 + 4 * words;
    let mut radio = Radio::default();
    for (field, (size, alignment)) in FIELDS.into_iter().enumerate().filter(|(field, _)| present >> field & 1 == 1) {
        at = at.next_multiple_of(alignment);
        let value = header.get(at..at + size).ok_or(CUT)?;
        match field {
            FLAGS => radio.flags = value[0],
            CHANNEL => radio.channel_mhz = Some(u16::from_le_bytes([value[0], value[1]])),
            // In units of 500 kb/s.
            RATE => radio.bits_per_second = Some(u32::from(value[0]) * 500_000),
            SIGNAL => radio.has_signal = true,
            _ => {}
        }
        at += size;
    }
    Ok((radio, frame))
}
