//! One packet as a file holds it.

use crate::error::Error;

pub(crate) const NS_PER_SECOND: u64 = 1_000_000_000;

/// A captured frame.
pub(crate) struct Record<'a> {
    /// Its number in the file, from 1.
    pub number: usize,
    /// Nanoseconds since 1970.
    pub at_ns: u64,
    /// The kind of its first header: a number of <https://www.tcpdump.org/linktypes.html>.
    pub link_type: u32,
    pub frame: &'a [u8],
}

/// The function that is called with each record.
pub(crate) type Take<'t, 'a> = &'t mut dyn FnMut(Record<'a>) -> Result<(), Error>;

/// Refuses a frame of which only the beginning was captured.
pub(crate) fn must_be_whole(number: usize, captured_bytes: u32, original_bytes: u32) -> Result<(), Error> {
    if captured_bytes < original_bytes {
        let what = format!(
            "only {captured_bytes} of its {original_bytes} bytes were captured: capture whole packets \
             (`tcpdump --snapshot-length=0`)"
        );
        return Err(Error::packet_is(number, what));
    }
    if captured_bytes > original_bytes {
        let what = format!("{captured_bytes} bytes were captured of {original_bytes}: the record is corrupt");
        return Err(Error::packet_is(number, what));
    }
    Ok(())
}
