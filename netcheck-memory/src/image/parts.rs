//! The parts of an image, for readers who ask why two images differ.
//!
//! They are read from the words of the image, so that they are what the digest is made of, and the traversal need not
//! make them.

use crate::image::scan::BLOCK;
use crate::image::scratch::{Reached, Scratch};
use crate::image::words::Mark;

/// A part of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The address of an allocation; `None` for a root.
    pub address: Option<usize>,
    /// The words of the memory, in their order.
    pub cells: Vec<Cell>,
}

/// A word of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    /// A number, or an address that is not replaced.
    Number(u64),
    /// A pointer to an allocation: its place among the parts, and the offset there.
    Pointer {
        /// The allocation.
        part: usize,
        /// How far behind its start, in bytes.
        offset: usize,
    },
    /// An instant: how long it is before the latest one, in nanoseconds.
    Instant(u64),
    /// A stale address, or a word with a part of one: the number that the image has in its place.
    Stale(u64),
}

/// Reads the parts of an image.
struct Reader<'a> {
    words: &'a [u64],
    position: usize,
    /// How many parts are roots.
    roots: usize,
    /// The instants that were met, and not looked up yet: the parts, and the cells there.
    instants: Vec<(usize, usize)>,
    parts: Vec<Part>,
}

/// The parts of the image that a traversal has written: the roots, and then the allocations by their numbers.
pub(crate) fn of(scratch: &Scratch, base: usize) -> Vec<Part> {
    let mut reader = Reader { words: &scratch.words, position: 0, roots: 0, instants: Vec::new(), parts: Vec::new() };
    reader.roots(scratch.reached.len());
    for &Reached { offset, bytes } in &scratch.reached {
        reader.position += 1;
        reader.begin(Some(base + offset as usize));
        reader.region(bytes as usize / size_of::<u64>());
    }
    reader.finish()
}

impl Reader<'_> {
    fn next(&mut self) -> u64 {
        self.position += 1;
        self.words[self.position - 1]
    }

    fn begin(&mut self, address: Option<usize>) {
        self.parts.push(Part { address, cells: Vec::new() });
    }

    /// The part that was begun last.
    fn cells(&mut self) -> &mut Vec<Cell> {
        &mut self.parts.last_mut().expect("a part was begun").cells
    }

    /// Reads all roots, up to the first allocation, or to the instants if there is none.
    fn roots(&mut self, allocations: usize) {
        while let Some(&word) = self.words.get(self.position) {
            let Some((mark, value)) = Mark::of(word) else { break };
            if mark == Mark::Allocation && allocations > 0 {
                break;
            }
            self.begin(None);
            match mark {
                Mark::Root => {
                    self.position += 1;
                    self.block(1);
                }
                Mark::Instant => self.block(1),
                Mark::Word | Mark::Bytes => {
                    self.position += 1;
                    let words = if mark == Mark::Word { 1 } else { (value as usize).div_ceil(size_of::<u64>()) };
                    let numbers = self.words[self.position..self.position + words].iter().copied().map(Cell::Number);
                    let numbers: Vec<Cell> = numbers.collect();
                    self.position += words;
                    self.cells().extend(numbers);
                }
                _ => self.object(value),
            }
        }
        self.roots = self.parts.len();
    }

    /// Reads a root that lies outside of the arena.
    fn object(&mut self, kind: u64) {
        let (bytes, start) = ((kind >> 3) as usize, (kind & 7) as usize);
        let before = ((size_of::<u64>() - start) % size_of::<u64>()).min(bytes);
        self.position += 1;
        let first = Cell::Number(self.next());
        self.cells().push(first);
        self.region((bytes - before) / size_of::<u64>());
        let last = Cell::Number(self.next());
        self.cells().push(last);
    }

    /// Reads so many words of memory, in blocks.
    fn region(&mut self, words: usize) {
        let mut read = 0;
        while read < words {
            if let Some((Mark::Zeros, count)) = Mark::of(self.words[self.position]) {
                self.position += 1;
                self.cells().extend((0..count).map(|_| Cell::Number(0)));
                read += count as usize;
            } else {
                let block = BLOCK.min(words - read);
                self.block(block);
                read += block;
            }
        }
    }

    /// Reads so many words, and what follows behind them.
    fn block(&mut self, words: usize) {
        let mut behind = self.position + words;
        for _ in 0..words {
            let word = self.next();
            let cell = match Mark::of(word) {
                None => Cell::Number(word),
                Some((Mark::Pointer, value)) => {
                    let (number, offset) = Mark::pointed_to(value);
                    Cell::Pointer { part: number, offset }
                }
                Some((Mark::Escape, _)) => {
                    behind += 1;
                    Cell::Number(self.words[behind - 1])
                }
                Some((Mark::Stale, _)) => {
                    behind += 1;
                    Cell::Stale(self.words[behind - 1])
                }
                Some((Mark::Instant, _)) => {
                    let part = self.parts.len() - 1;
                    let cell = self.cells().len();
                    self.instants.push((part, cell));
                    Cell::Instant(0)
                }
                Some((Mark::Number, number)) => Cell::Number(number),
                Some((_, place)) => Cell::Stale(place),
            };
            self.cells().push(cell);
        }
        self.position = behind;
    }

    /// All parts: the instants are read, and allocations have their places among the parts.
    fn finish(mut self) -> Vec<Part> {
        for (part, cell) in std::mem::take(&mut self.instants) {
            let before = self.next();
            self.parts[part].cells[cell] = Cell::Instant(before);
        }
        debug_assert_eq!(self.position, self.words.len(), "all words belong to a part");
        let roots = self.roots;
        for cell in self.parts.iter_mut().flat_map(|part| &mut part.cells) {
            if let Cell::Pointer { part, .. } = cell {
                *part += roots;
            }
        }
        self.parts
    }
}
