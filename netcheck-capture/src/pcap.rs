//! Files of the format pcap.

use crate::error::Error;
use crate::record::{NS_PER_SECOND, Record, Take, must_be_whole};
use pcap_parser::pcap::{parse_pcap_frame, parse_pcap_frame_be, parse_pcap_frame_modified, parse_pcap_header};

/// Whether a file begins as a pcap file does, in either byte order.
pub(crate) fn is_pcap(file: &[u8]) -> bool {
    let magic = file.first_chunk().map(|magic| u32::from_le_bytes(*magic));
    magic.is_some_and(|magic| [0xa1b2_c3d4, 0xa1b2_3c4d, 0xa1b2_cd34, 0xd4c3_b2a1, 0x4d3c_b2a1].contains(&magic))
}

/// Takes each record of a file.
pub(crate) fn records<'a>(file: &'a [u8], take: Take<'_, 'a>) -> Result<(), Error> {
    let (mut rest, header) = parse_pcap_header(file).map_err(|_| Error::file("the file ends within its header"))?;
    if (header.version_major, header.version_minor) != (2, 4) {
        let what = format!("version {}.{} of pcap is not known: only 2.4", header.version_major, header.version_minor);
        return Err(Error::file(what));
    }
    let parse = match (header.is_bigendian(), header.is_modified_format()) {
        (true, _) => parse_pcap_frame_be,
        (_, true) => parse_pcap_frame_modified,
        _ => parse_pcap_frame,
    };
    let unit_ns = if header.is_nanosecond_precision() { 1 } else { 1_000 };
    // The upper six bits are about checksums of frames.
    let link_type = header.network.0.cast_unsigned() & 0x03ff_ffff;
    for number in 1.. {
        if rest.is_empty() {
            break;
        }
        let cut = "the file ends within it: the file is truncated, or the packet's length is corrupt";
        let (after, record) = parse(rest).map_err(|_| Error::packet_is(number, cut))?;
        must_be_whole(number, record.caplen, record.origlen)?;
        let fraction_ns = u64::from(record.ts_usec) * unit_ns;
        if fraction_ns >= NS_PER_SECOND {
            return Err(Error::packet_is(number, "its instant is corrupt: a fraction of more than a second"));
        }
        let at_ns = u64::from(record.ts_sec) * NS_PER_SECOND + fraction_ns;
        take(Record { number, at_ns, link_type, frame: record.data })?;
        rest = after;
    }
    Ok(())
}
