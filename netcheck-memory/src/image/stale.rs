//! Parts of stale addresses, wherever a copy of stale bytes has left them.
//!
//! A variable of an address of a host, say, begins at any byte. Copied before it is written, it takes along eight bytes of
//! an old address, shifted; what is written over it then leaves some of these. The low half of an address is the same in
//! each run. The bytes 4 and 5 are the number of its stride (`reservation`), which differs between arenas and threads;
//! the bytes 6 and 7 are zero.

use std::ops::RangeInclusive;

/// The addresses in a chunk or in a stack.
pub struct Addresses {
    /// The number of the stride.
    low: u8,
    high: u8,
    /// Byte 3 of its addresses.
    before: RangeInclusive<u8>,
}

impl Addresses {
    /// A range of addresses in one stride.
    pub fn new(first: usize, bytes: usize) -> Addresses {
        let [.., low, high, _, _] = (first as u64).to_le_bytes();
        let top = |address: usize| (address >> 24) as u8;
        Addresses { low, high, before: top(first)..=top(first + bytes - 1) }
    }

    /// The number of the stride.
    #[inline]
    fn stride(&self) -> u64 {
        u64::from_le_bytes([self.low, self.high, 0, 0, 0, 0, 0, 0])
    }

    /// Whether a small number may be the end of an address that begins in the word before.
    #[inline]
    pub fn may_end(&self, word: u64) -> bool {
        [word, word >> 8].iter().any(|&word| u64::from(word as u16) == self.stride())
    }

    /// Which bytes of a word are the stride of an address, as a mask of eight bits: they are recognised by the byte before
    /// them, or by the two zeros behind them. A word that is nothing else is a number of the program, unless the byte before
    /// it is one of an address.
    #[inline]
    pub fn strides(&self, word: u64, around: Around) -> u64 {
        let before = (around.before >> 56) as u8;
        if word == self.stride() {
            return if self.before.contains(&before) { 0b11 } else { 0 };
        }
        if has_byte(word, self.low) { self.find(word, before, around.after) } else { 0 }
    }

    #[cold]
    fn find(&self, word: u64, before: u8, after: u64) -> u64 {
        let is_stride = |first: &u32| {
            let bytes = (u128::from(after) << 64 | u128::from(word)) >> (8 * first);
            let before = first.checked_sub(1).map_or(before, |before| (word >> (8 * before)) as u8);
            let is_its = bytes as u16 == u16::from_le_bytes([self.low, self.high]);
            is_its && (bytes as u32 >> 16 == 0 || self.before.contains(&before))
        };
        (0..8).filter(is_stride).fold(0, |mask, first| mask | 0b11 << first) & 0xff
    }
}

/// The words of the memory around a word; 0 where there are none.
#[derive(Clone, Copy, Default)]
pub struct Around {
    pub before: u64,
    pub after: u64,
}

/// The bytes of a word that are not in a mask; the others are zero.
pub fn without(word: u64, mask: u64) -> u64 {
    (0..8).filter(|byte| mask >> byte & 1 != 0).fold(word, |word, byte| word & !(0xff << (8 * byte)))
}

/// Whether one of the bytes of a word is this one.
fn has_byte(word: u64, byte: u8) -> bool {
    const ONES: u64 = u64::MAX / 0xff;
    let zero = word ^ (u64::from(byte) * ONES);
    zero.wrapping_sub(ONES) & !zero & (ONES << 7) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The addresses of a chunk in the stride 0x5f21.
    fn addresses() -> Addresses {
        Addresses::new(0x5f21_a400_0000, 1 << 26)
    }

    #[test]
    fn strides_are_found_by_their_neighbours() {
        let known = [
            // Whole addresses, and shifted ones.
            (0x0000_5f21_a40d_0060, 0, 0b0011_0000),
            (0x5f21_a40d_0060_f940, 0x0700_0000, 0b1100_0000),
            (0x21a4_0d00_60f9_4001, 0x0700_005f, 0b1000_0000),
            (0x0007_0000_5f21_a40d, 0, 0b0000_1100),
            (0x1234_5600_0000_5f21, 0, 0b0000_0011),
            // Numbers beside them, or over a part of them, and two in one word.
            (0x0000_5f21_0000_0005, 0, 0b0011_0000),
            (0x0000_0005_0000_5f21, 0, 0b0000_0011),
            (0x0000_5f21_0000_5f21, 0, 0b0011_0011),
            (0x005f_2107_0707_0700, 0, 0b0110_0000),
            // Numbers behind them.
            (0x0100_5f21_a40a_0010, 0, 0b0011_0000),
            (0x1122_5f21_a70d_0060, 0, 0b0011_0000),
            (0x5f21_a40d_0060_f940, 1, 0b1100_0000),
            (0x21a4_0d00_60f9_4001, 0x015f, 0b1000_0000),
            // Other numbers.
            (0x0000_5f22_a40d_0060, 0, 0),
            (0x0000_5e21_a40d_0060, 0, 0),
            (0x1100_5f21_a30d_0060, 0, 0),
            (0x5f21_a80d_0060_f940, 1, 0),
            (0x21a4_0d00_60f9_4001, 0x5f, 0b1000_0000),
            (0x5f21, 0, 0),
            (u64::MAX, u64::MAX, 0),
            (0, 0, 0),
        ];
        for (word, after, mask) in known {
            assert_eq!(addresses().strides(word, Around { before: 0, after }), mask, "{word:016x}");
            assert_eq!(without(word, mask) == word, mask == 0);
        }
        let around = Around { before: 0xa40d_0060_0000_0000, after: 0 };
        assert_eq!([0x5f21, 0x0700_0000_5f21].map(|word| addresses().strides(word, around)), [0b11; 2]);
        let ends = [0x5f21, 0x0107_5f21, 0x005f_21a4, 0x5f22].map(|word| addresses().may_end(word));
        assert_eq!(ends, [true, true, true, false]);
        assert_eq!(addresses().strides(0x0107_5f21, around), 0b11);
        assert_eq!(without(0x0807_0605_0403_0201, 0b0011_0001), 0x0807_0000_0403_0200);
    }

    #[test]
    fn a_byte_is_found_wherever_it_is() {
        for place in 0..8 {
            assert!(has_byte(0x0101_0101_0101_0101 ^ 0x20 << (8 * place), 0x21));
        }
        assert!(!has_byte(0x0101_0101_0101_0101, 0x21) && !has_byte(0x2223_2022_2320_2223, 0x21));
        assert!(has_byte(0, 0) && !has_byte(u64::MAX, 0));
    }
}
