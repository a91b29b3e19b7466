//! The package `bytes`, with buffers that begin at the front again when they are empty.
//!
//! A `BytesMut` from which all was taken goes on behind what was taken, and comes back to its front when its room is used
//! up. So its position counts the bytes that have passed: a loop that reads a message of 5 bytes into a buffer of 8 KiB,
//! as `tokio_util::codec::Framed` does, is back where it was after 1,639 rounds, and two such loops multiply. Nothing that
//! is in the buffer depends on where it lies, so the one of the mirror begins at the front again, and clears what was
//! taken, when it is asked for room, is empty, and is the only handle of its memory.
//!
//! A program sees one difference: there is more room. It may ask for the capacity, and a read that the end of the real
//! buffer would cut in two is not cut there. A check has reads that are cut at each byte with `tcp(split)`, and none without.
//!
//! The source is that of the version that is locked, but for two calls and the function that they call; lines keep their
//! numbers. A version before 1.8, in which a buffer can't be asked to use its room again, stays as it is.

/// The file with the buffer, from the package's folder on.
pub(super) const FILE: &str = "src/bytes_mut.rs";

/// The functions in which a buffer is asked for room.
const ASKED: [&str; 2] = [
    "    pub fn reserve(&mut self, additional: usize) {\n",
    "    fn chunk_mut(&mut self) -> &mut UninitSlice {\n        if self.capacity() == self.len() {\n",
];

/// A function that the source has to have, to be used.
const USED: &str = "pub fn try_reclaim(&mut self, additional: usize) -> bool {";

const FUNCTION: &str = r"
impl BytesMut {
    /// Begins at the front again, if it is empty and the only handle of its memory; what was taken is cleared.
    fn begin_again(&mut self) {
        let before = self.capacity();
        if self.is_empty() && self.try_reclaim(before.saturating_add(1)) {
            let taken = self.capacity() - before;
            self.spare_capacity_mut()[..taken].fill(MaybeUninit::new(0));
        }
    }
}
";

/// The source of the buffer; unchanged if it lacks one of these functions.
pub(super) fn edited(source: &str) -> String {
    let is_one = |&asked: &&str| source.matches(asked).count() == 1;
    if !source.contains(USED) || !ASKED.iter().all(is_one) {
        return source.to_owned();
    }
    let mut edited = source.to_owned();
    for asked in ASKED {
        let called = asked.replacen("{\n", "{ self.begin_again();\n", 1);
        edited = edited.replace(asked, &called);
    }
    edited + FUNCTION
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "impl BytesMut {\n    pub fn reserve(&mut self, additional: usize) {\n        1;\n    }\n    \
                          pub fn try_reclaim(&mut self, additional: usize) -> bool {\n        true\n    }\n}\n\
                          unsafe impl BufMut for BytesMut {\n    fn chunk_mut(&mut self) -> &mut UninitSlice {\n        \
                          if self.capacity() == self.len() {\n        }\n    }\n}\n";

    #[test]
    fn buffers_begin_again_where_they_are_asked_for_room_and_lines_keep_their_numbers() {
        let edited = edited(SOURCE);
        assert_eq!(edited.matches("{ self.begin_again();\n").count(), 2, "{edited}");
        let as_before = edited.replace(" self.begin_again();", "");
        assert_eq!(as_before.strip_suffix(FUNCTION), Some(SOURCE));
        assert!(edited.lines().nth(8).is_some_and(|line| line == SOURCE.lines().nth(8).unwrap_or_default()));
    }

    #[test]
    fn a_version_that_lacks_something_stays_as_it_is() {
        for lacking in ["pub fn reserve", "try_reclaim", "fn chunk_mut"] {
            let source = SOURCE.replace(lacking, "fn other");
            assert_eq!(edited(&source), source);
        }
    }
}
