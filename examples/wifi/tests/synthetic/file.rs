//! Capture files by the letter of their formats: pcap, radiotap (<https://www.radiotap.org>) and 802.11.

pub const KIND_DATA: u8 = 0x08;
pub const KIND_ACK: u8 = 0xd4;

/// The station that is judged.
pub const STATION: [u8; 6] = [2, 0, 0, 0, 0, 1];
/// The station to which it sends.
pub const PEER: [u8; 6] = [2, 0, 0, 0, 0, 2];

/// A frame as it was captured.
#[derive(Clone, Copy, Debug)]
pub struct Heard {
    /// In microseconds.
    pub at: u64,
    /// The first byte of the frame control field.
    pub kind: u8,
    pub number: u16,
    pub retry: bool,
    pub from: [u8; 6],
    pub to: [u8; 6],
    /// With its checksum.
    pub bytes: u64,
    /// In units of 500 kb/s; 0 if the radiotap header does not tell.
    pub rate: u8,
    pub short_preamble: bool,
    pub channel_mhz: u16,
    pub is_received: bool,
    pub is_corrupt: bool,
    /// In the second byte of the frame control field, besides the retry bit.
    pub flags: u8,
}

impl Default for Heard {
    fn default() -> Self {
        Heard {
            at: 0,
            kind: KIND_DATA,
            number: 0,
            retry: false,
            from: STATION,
            to: PEER,
            bytes: 28,
            rate: 2,
            short_preamble: false,
            channel_mhz: 2412,
            is_received: false,
            is_corrupt: false,
            flags: 0,
        }
    }
}

impl Heard {
    /// The frame, behind a radiotap header unless it is `alone`. Without that header, the checksum is not captured.
    fn captured(&self, alone: bool) -> Vec<u8> {
        let mut frame = vec![self.kind, self.flags | if self.retry { 0x08 } else { 0 }, 0, 0];
        if self.kind == KIND_ACK {
            frame.extend(STATION);
        } else {
            frame.extend([self.to, self.from, PEER].concat());
            frame.extend((self.number << 4).to_le_bytes());
        }
        frame.resize(self.bytes as usize, 0);
        if alone {
            frame.truncate(frame.len() - 4);
            return frame;
        }
        // Flags, rate, channel and, if the frame was received, the strength of the signal.
        let has_rate = self.rate > 0;
        let present: u32 = 0b1010 | u32::from(has_rate) << 2 | u32::from(self.is_received) << 5;
        let flags = 0x10 | if self.short_preamble { 0x02 } else { 0 } | if self.is_corrupt { 0x40 } else { 0 };
        let mut header = vec![0, 0, 14 + u8::from(self.is_received), 0];
        header.extend(present.to_le_bytes());
        // Where the rate is not told, its byte keeps the channel at an even place.
        header.extend([flags, self.rate]);
        header.extend(self.channel_mhz.to_le_bytes());
        header.extend([0, 0]);
        header.extend(self.is_received.then_some(0xd8));
        [header, frame].concat()
    }
}

/// A pcap file with microseconds.
pub fn pcap(frames: &[Heard], alone: bool) -> Vec<u8> {
    let link_type: u32 = if alone { 105 } else { 127 };
    let mut file = Vec::new();
    for word in [0xa1b2_c3d4, 0x0004_0002, 0, 0, 262_144, link_type] {
        file.extend(word.to_le_bytes());
    }
    for frame in frames {
        let captured = frame.captured(alone);
        let length = captured.len() as u32;
        for word in [(frame.at / 1_000_000) as u32, (frame.at % 1_000_000) as u32, length, length] {
            file.extend(word.to_le_bytes());
        }
        file.extend(captured);
    }
    file
}
