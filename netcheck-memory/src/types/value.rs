//! Which bytes of a value can be read, and where it points.

use crate::types::known::Types;
use crate::types::shape::{Field, Lookup, Shape, TypeId};

/// The target of a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A value.
    Value(TypeId),
    /// A value behind two counters.
    Counted(TypeId),
    /// The elements of a vector.
    Elements(Elements),
    /// The buckets of a hash table, and how many there are. The pointer is to what says of each whether it is full.
    Buckets(TypeId, usize),
}

/// The elements of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elements {
    /// Their type.
    pub of: TypeId,
    /// Where the vector itself lies: the address of its first byte.
    pub vector: usize,
    /// The first of them, and how many there are; `None`: there may be some in all of the room.
    pub range: Option<(usize, usize)>,
    /// The number of elements for which there is room.
    pub capacity: usize,
}

/// A pointer in a value.
#[derive(Clone, Copy, Debug)]
pub struct Pointer {
    /// Which word of the memory it is.
    pub position: usize,
    /// Its target.
    pub target: Target,
}

/// Reads a value in some memory.
pub struct Reading<'a> {
    /// The types.
    pub types: &'a mut Types,
    /// Where the memory begins.
    pub address: usize,
    /// The memory.
    pub words: &'a [u64],
    /// The bits that can be read, for each word.
    pub read: &'a mut [u64],
    /// The pointers that have been met.
    pub pointers: &'a mut Vec<Pointer>,
}

const WORD_BYTES: usize = size_of::<u64>();

/// The bytes that say which buckets of a hash table are full are read in groups of as many, and lie at a multiple of it.
const GROUP_BYTES: usize = 16;

/// The bit of such a byte that says that its bucket is not full.
const IS_NOT_FULL: u64 = 0x80;

/// Where the bytes lie that say which buckets are full: behind the last bucket. Where groups are smaller, there is padding.
pub fn control_of(bucket_bytes: usize, buckets: usize) -> usize {
    (bucket_bytes * buckets).next_multiple_of(GROUP_BYTES)
}

impl Reading<'_> {
    /// Reads a value that lies at a place.
    pub fn value(&mut self, of: TypeId, at: usize) {
        let described = self.types.get(of);
        if described.is_plain {
            return self.mark(at, described.size);
        }
        match &described.shape {
            Shape::Bytes => self.mark(at, described.size),
            Shape::Struct(fields) => self.fields(fields, at),
            Shape::Enum { common, discriminant: (place, bytes), variants } => {
                self.fields(common, at);
                self.mark(at + place, Some(*bytes));
                let value = self.number(at + place, *bytes);
                let of_bits = |number: u64| number & (u64::MAX >> (64 - 8 * bytes));
                let present =
                    variants.iter().find(|variant| variant.number.is_some_and(|number| of_bits(number) == value));
                let present = present.or_else(|| variants.iter().find(|variant| variant.number.is_none()));
                present.iter().for_each(|variant| self.fields(&variant.fields, at));
                if present.is_none_or(|variant| variant.has_others) {
                    self.mark(at, described.size);
                }
            }
            Shape::Pointer(of) => {
                self.mark(at, Some(WORD_BYTES));
                self.point(at, Target::Value(*of));
            }
            Shape::Object { pointer, table, is_counted } => {
                self.mark(at, described.size);
                let table = self.number(at + table, WORD_BYTES);
                if let Some(of) = self.types.of_table(table as usize) {
                    self.point(at + pointer, if *is_counted { Target::Counted(of) } else { Target::Value(of) });
                }
            }
            Shape::Array(element, count) => self.values(*element, at, 0..*count),
            Shape::Vector { fields, pointer, length, capacity, head, element } => {
                self.fields(fields, at);
                let word = |at| self.number(at, WORD_BYTES) as usize;
                let range = Some((head.map_or(0, |head| word(at + head)), word(at + length)));
                let (vector, capacity) = (self.address + at, word(at + capacity));
                self.point(at + pointer, Target::Elements(Elements { of: *element, vector, range, capacity }));
            }
            Shape::Table { fields, control, mask, element } => {
                self.fields(fields, at);
                let buckets = (self.number(at + mask, WORD_BYTES) as usize).wrapping_add(1);
                self.point(at + control, Target::Buckets(*element, buckets));
            }
        }
    }

    /// Reads values of an array that begins at a place.
    fn values(&mut self, of: TypeId, at: usize, numbers: impl IntoIterator<Item = usize>) {
        match self.types.get(of).size {
            Some(size) => numbers.into_iter().for_each(|number| self.value(of, at + number * size)),
            None => self.mark(at, None),
        }
    }

    /// Reads the elements of a vector, whose room is this memory.
    pub fn elements(&mut self, Elements { of, range, capacity, .. }: Elements) {
        // An allocation has somewhat more room than was asked for, which has to stay zero.
        let room = self.types.get(of).size.unwrap_or(0).saturating_mul(capacity);
        self.mark(room, None);
        match range {
            Some((first, count)) => {
                self.values(of, 0, (0..count.min(capacity)).map(|number| (first + number) % capacity))
            }
            None => self.values(of, 0, 0..capacity),
        }
    }

    /// Reads the full buckets of a hash table, whose room is this memory, and what says which these are.
    pub fn buckets(&mut self, of: TypeId, buckets: usize) {
        let size = self.types.get(of).size.unwrap_or(0);
        let control = control_of(size, buckets);
        // All behind the last bucket: also what there is more room for.
        self.mark(control, None);
        for number in 0..buckets {
            if self.number(control + number, 1) & IS_NOT_FULL == 0 {
                self.value(of, control - (number + 1) * size);
            }
        }
    }

    /// Reads a value, behind which everything can be read: it may be the beginning of something larger.
    pub fn whole(&mut self, of: TypeId, at: usize) {
        self.value(of, at);
        let size = self.types.get(of).size.unwrap_or(0);
        self.mark(at + size, None);
    }

    fn fields(&mut self, fields: &[Field], at: usize) {
        fields.iter().for_each(|field| self.value(field.of, at + field.at));
    }

    fn point(&mut self, at: usize, target: Target) {
        if at.is_multiple_of(WORD_BYTES) {
            self.pointers.push(Pointer { position: at / WORD_BYTES, target });
        }
    }

    /// So many bytes can be read; `None`: all that follow.
    pub fn mark(&mut self, at: usize, bytes: Option<usize>) {
        let room = self.read.len() * WORD_BYTES;
        let end = bytes.map_or(room, |bytes| room.min(at + bytes));
        let mut at = at;
        while at < end {
            let (position, within) = (at / WORD_BYTES, at % WORD_BYTES);
            let count = (WORD_BYTES - within).min(end - at);
            self.read[position] |= u64::MAX >> (64 - 8 * count) << (8 * within);
            at += count;
        }
    }

    /// The number of up to 8 bytes at a place.
    fn number(&self, at: usize, bytes: usize) -> u64 {
        let byte = |at: usize| self.words.get(at / WORD_BYTES).map_or(0, |word| word >> (8 * (at % WORD_BYTES)) & 0xff);
        (0..bytes).fold(0, |number, index| number | byte(at + index) << (8 * index))
    }
}
