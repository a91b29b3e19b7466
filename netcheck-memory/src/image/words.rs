//! How an image is written as words, and its digest.
//!
//! A word that begins with the bits 52 to 63 of [`MARK`] is not a word of the memory: bits 48 to 51 say what it is. A
//! word of the memory that begins like that is replaced by an escape, and follows behind the words of its block: as many
//! words follow there as there are escapes and words with parts of stale addresses. Raw data follows marks that say how
//! much it is, so it needs no escape.

use std::fmt;
use xxhash_rust::xxh3::xxh3_128;

/// The bits with which a mark begins.
const MARK: u64 = 0xa5c << 52;
/// An offset in a chunk has this many bits, and a number of an allocation the 22 bits above.
const OFFSET_BITS: u32 = crate::reservation::CHUNK_SHIFT;

/// The meaning of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mark {
    /// A pointer: the rest of the word is a number and an offset.
    Pointer,
    /// A word of the memory that looks like a mark. It follows behind the words of its block.
    Escape,
    /// So many words of the memory that are zero, in whole blocks.
    Zeros,
    /// An allocation begins: the rest of the word is its size.
    Allocation,
    /// A root that lies outside of the arena begins: the rest of the word is its size, and its address modulo 8.
    Object,
    /// A root that is a pointer follows.
    Root,
    /// Raw bytes begin: the rest of the word is their number.
    Bytes,
    /// Raw data: one word follows.
    Word,
    /// An address of free memory in this arena, or of tables in any: its place there.
    Free,
    /// An address in what the engine keeps in this arena: its place there.
    Engine,
    /// An address in a stack for programs: its place there.
    Stack,
    /// A word with parts of stale addresses: which of its bytes are the strides of an arena, and which of a stack. The
    /// others follow behind the words of its block.
    Stale,
    /// An instant. How long it is before the latest one follows at the end of the image.
    Instant,
    /// A number of 32 bits whose other half is that of a stale instant.
    Number,
}

/// All marks, by their numbers.
const ALL: [Mark; 14] = [
    Mark::Pointer,
    Mark::Escape,
    Mark::Zeros,
    Mark::Allocation,
    Mark::Object,
    Mark::Root,
    Mark::Bytes,
    Mark::Word,
    Mark::Free,
    Mark::Engine,
    Mark::Stack,
    Mark::Stale,
    Mark::Instant,
    Mark::Number,
];

impl Mark {
    /// The mark and the value that a word of an image stands for, if it is no word of the memory.
    pub fn of(word: u64) -> Option<(Mark, u64)> {
        let is_mark = word >> 52 == MARK >> 52;
        let mark = ALL.get((word >> 48 & 0xf) as usize).filter(|_| is_mark)?;
        Some((*mark, word & ((1 << 48) - 1)))
    }

    /// The number and the offset in the value of a pointer.
    pub fn pointed_to(value: u64) -> (usize, usize) {
        ((value >> OFFSET_BITS) as usize, (value & ((1 << OFFSET_BITS) - 1)) as usize)
    }

    /// The word for this mark and a value of 48 bits.
    #[inline]
    pub fn with(self, value: u64) -> u64 {
        debug_assert!(value < 1 << 48);
        MARK | (self as u64) << 48 | value
    }

    /// The word for a pointer.
    #[inline]
    pub fn pointer(number: u32, offset: usize) -> u64 {
        Mark::Pointer.with(u64::from(number) << OFFSET_BITS | offset as u64)
    }
}

/// A word as it is, or an escape for it, with the word itself behind all others.
#[inline]
pub fn escaped(words: &mut Vec<u64>, word: u64) -> u64 {
    if word >> 52 != MARK >> 52 {
        return word;
    }
    words.push(word);
    Mark::Escape.with(0)
}

/// The digest of an image: 128 bits that are the same for equal images, and on each machine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(u128);

impl Digest {
    /// The digest as a number.
    #[must_use]
    pub fn to_u128(self) -> u128 {
        self.0
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:032x}", self.0)
    }
}

/// The digest of words.
pub fn digest(words: &[u64]) -> Digest {
    // SAFETY: each byte of the words is a valid `u8`, and the slice is borrowed as long as the words are.
    let bytes = unsafe { std::slice::from_raw_parts(words.as_ptr().cast::<u8>(), size_of_val(words)) };
    Digest(xxh3_128(bytes))
}

/// A full image: what a digest is made of.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Image {
    digest: Digest,
    words: Vec<u64>,
}

impl Image {
    pub(crate) fn new(words: &[u64]) -> Image {
        Image { digest: digest(words), words: words.to_vec() }
    }

    /// An image with the digest of another one.
    #[cfg(test)]
    pub(super) fn forged(digest: Digest, words: &[u64]) -> Image {
        Image { digest, words: words.to_vec() }
    }

    /// The digest.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The words, as the [module](crate::image) describes them.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }
}

impl fmt::Debug for Image {
    /// The digest, and the words in lines of four.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}", self.digest)?;
        for (position, word) in self.words.iter().enumerate() {
            write!(formatter, "{}{word:016x}", if position % 4 == 0 { "\n" } else { " " })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_of_a_mark_is_read_as_it_was_written() {
        for (number, mark) in ALL.into_iter().enumerate() {
            assert_eq!(mark as usize, number);
            assert_eq!(Mark::of(mark.with(0x1234_5678_9abc)), Some((mark, 0x1234_5678_9abc)));
        }
        let (_, value) = Mark::of(Mark::pointer(77, 4_000)).expect("a mark");
        assert_eq!(Mark::pointed_to(value), (77, 4_000));
        assert!([0, u64::MAX, MARK ^ 1 << 63].into_iter().all(|word| Mark::of(word).is_none()));
    }
}
