//! Which type each allocation is read as, and which of its bits a program can read.
//!
//! # Why the type is right
//!
//! A pointer with a type can be stale: a variable that was moved away keeps its bytes, and the memory to which it pointed may
//! be somebody else's by now. So an allocation is read as a type only if *every* word of the image that points into it
//! agrees: it is a pointer to the whole, or to something that the type has at that place. A word in memory without a type,
//! in a union, or that is a pointer to bytes, agrees with nothing. A program that uses the allocation as something else has a
//! pointer to that in memory which it can reach, as the [argument](crate::image) for images has it; and if that one agrees,
//! what it points to is a part of the type, and is read as such.
//!
//! # Why the elements of a vector are those that it counts
//!
//! Code that takes elements out of a vector one by one (`Drain`, `ExtractIf`, `PeekMut`) has it count fewer than there are, for
//! as long as that code holds a pointer to the vector, or to the elements. So if a word points to the vector itself or to
//! an element, there may be elements in all of its room. The buckets of a hash table say themselves whether they are full.
//!
//! # Why it ends, and what it depends on
//!
//! Bytes that are unread point nowhere, so whether all agree depends on what is read. Allocations are taken to have the type
//! of the first pointer. Where another one disagrees, an allocation has no type any more, and all of its words point; or it
//! has the type that both are part of, or all of a vector's room is read. No such step is ever undone, so it ends, and at the
//! end all pointers that are read agree. What comes out depends on the memory that is read and on nothing else.
//!
//! # What the argument leaves out
//!
//! Unsafe code that keeps elements of a vector of the standard library where the vector does not count them, while nothing
//! points to it.

use crate::image::numbers::Numbers;
use crate::reservation::CHUNK_BYTES;
use crate::tables::{Live, Owner, Tables};
use crate::types::{Elements, Lookup, Pointer, Reading, Target, TypeId, Types, control_of};
use std::collections::{BTreeMap, BTreeSet};

/// Two counters, before the object of an `Arc` or `Rc`.
const COUNTERS_BYTES: usize = 2 * size_of::<usize>();

const WORD_BYTES: usize = size_of::<u64>();

/// The types of the allocations that some roots reach.
pub struct Typed {
    /// Whether they are asked for.
    is_on: bool,
    /// The first address of the arena.
    base: usize,
    types: Types,
    /// Addresses, with the table of functions of a task's future.
    roots: Vec<(usize, Option<usize>)>,
    numbers: Numbers,
    known: Vec<Known>,
    /// The places to which some word points.
    pointed: BTreeSet<usize>,
    /// The places of vectors, with the allocations of their elements.
    vectors: BTreeMap<usize, u32>,
    /// The allocations that are to be read.
    open: Vec<u32>,
    /// The words of the allocation that is being read.
    words: Vec<u64>,
    pointers: Vec<Pointer>,
    /// The bits that are read, of all allocations.
    bits: Vec<u64>,
}

/// An allocation.
struct Known {
    live: Live,
    target: Option<Target>,
    /// Whether it is a task's future.
    is_root: bool,
    /// Where its bits begin, once it was read as something.
    bits: Option<usize>,
}

impl Typed {
    /// No allocation; `None` if the types of this program are not known.
    pub fn new() -> Option<Box<Typed>> {
        Some(Box::new(Typed {
            is_on: false,
            base: 0,
            types: Types::new()?,
            roots: Vec::new(),
            numbers: Numbers::new(),
            known: Vec::new(),
            pointed: BTreeSet::new(),
            vectors: BTreeMap::new(),
            open: Vec::new(),
            words: Vec::new(),
            pointers: Vec::new(),
            bits: Vec::new(),
        }))
    }

    /// For the next traversal, which asks for none unless it says so.
    pub fn clear(&mut self) {
        self.is_on = false;
        self.roots.clear();
        self.numbers.clear();
        self.known.clear();
        self.pointed.clear();
        self.vectors.clear();
        self.bits.clear();
    }

    /// Types are asked for, of the arena that begins there.
    pub fn begin(&mut self, base: usize) {
        (self.is_on, self.base) = (true, base);
    }

    /// Adds a root: an address, with the table of functions if it is that of a task's future.
    pub fn add_root(&mut self, address: usize, table: Option<usize>) {
        if self.is_on {
            self.roots.push((address, table));
        }
    }

    /// Finds out what all allocations are read as. `read` adds the words of one.
    pub fn settle(&mut self, tables: &Tables, read: impl Fn(Live, &mut Vec<u64>)) {
        // The futures of tasks come first: their types are known for certain.
        self.roots.sort_by_key(|(_, table)| table.is_none());
        for index in 0..self.roots.len() {
            let (address, table) = self.roots[index];
            let of = table.and_then(|table| self.types.of_table(table));
            self.point(tables, address, of.map(Target::Value), table.is_some());
        }
        while let Some(number) = self.open.pop() {
            let Known { live, target, .. } = self.known[number as usize];
            self.words.clear();
            self.pointers.clear();
            read(live, &mut self.words);
            if let Some(target) = target {
                self.read_as(number, target);
            }
            self.follow(tables, self.known[number as usize].bits.filter(|_| target.is_some()));
        }
    }

    /// Each word of the allocation that is being read points somewhere.
    fn follow(&mut self, tables: &Tables, bits: Option<usize>) {
        let (words, pointers) = (std::mem::take(&mut self.words), std::mem::take(&mut self.pointers));
        let mut told = pointers.iter().peekable();
        for (position, &word) in words.iter().enumerate() {
            let address = (word & bits.map_or(u64::MAX, |bits| self.bits[bits + position])) as usize;
            let mut is_told = false;
            while let Some(pointer) = told.next_if(|pointer| pointer.position == position) {
                is_told = true;
                self.point(tables, address, Some(pointer.target), false);
            }
            if !is_told {
                self.point(tables, address, None, false);
            }
        }
        (self.words, self.pointers) = (words, pointers);
    }

    /// Calls a function with each allocation that is read as something, and the bits of it that can be read.
    pub fn for_each(&self, mut function: impl FnMut(usize, &[u64])) {
        for Known { live, target, bits, .. } in &self.known {
            if let (Some(_), Some(first)) = (target, *bits) {
                function(live.offset, &self.bits[first..first + live.bytes / WORD_BYTES]);
            }
        }
    }

    /// A word points somewhere: to something, or it is not known to what.
    fn point(&mut self, tables: &Tables, address: usize, target: Option<Target>, is_root: bool) {
        let offset = address.wrapping_sub(self.base);
        if offset >= CHUNK_BYTES {
            return;
        }
        let Some(live) = tables.find(offset).filter(|live| live.owner == Owner::Program) else { return };
        // The engine takes no elements out of a future that is a vector.
        if !is_root
            && self.pointed.insert(offset)
            && let Some(&elements) = self.vectors.get(&offset)
        {
            self.read_all(elements);
        }
        let within = offset - live.offset;
        let target = target.map(|target| self.unless_pointed(target));
        let number = match self.numbers.of(tables, live).checked_sub(1) {
            Some(number) => {
                self.add(number, within, target);
                number
            }
            None => {
                let target = target.filter(|&target| self.is_whole(target, within, live));
                self.known.push(Known { live, target, is_root, bits: None });
                let number = self.known.len() as u32 - 1;
                *self.numbers.of(tables, live) = number + 1;
                self.open.push(number);
                number
            }
        };
        if let Some(Target::Elements(Elements { vector, .. })) = target {
            self.vectors.insert(vector.wrapping_sub(self.base), number);
        }
    }

    /// Adds a pointer to an allocation that is known.
    fn add(&mut self, number: u32, within: usize, target: Option<Target>) {
        let Known { live, target: before, is_root, .. } = self.known[number as usize];
        let Some(before) = before.filter(|_| !is_root) else { return };
        let after = target.and_then(|target| self.meet(before, within, target)).filter(|&after| self.fits(after, live));
        if after != Some(before) {
            self.known[number as usize].target = after;
            self.open.push(number);
        }
    }

    /// There may be elements of a vector in all of its room.
    fn read_all(&mut self, number: u32) {
        let known = &mut self.known[number as usize];
        if let Some(Target::Elements(elements)) = &mut known.target
            && elements.range.take().is_some()
        {
            self.open.push(number);
        }
    }

    /// A vector's pointer to its elements, which may be in all of its room if some word points to the vector itself.
    fn unless_pointed(&self, target: Target) -> Target {
        match target {
            Target::Elements(elements) if self.pointed.contains(&elements.vector.wrapping_sub(self.base)) => {
                Target::Elements(Elements { range: None, ..elements })
            }
            _ => target,
        }
    }

    /// The type of an allocation that had one, once a further pointer is known, to something at a place in it; `None`
    /// if these disagree.
    fn meet(&mut self, before: Target, within: usize, target: Target) -> Option<Target> {
        match (before, target) {
            (Target::Value(outer), Target::Value(inner)) => {
                if self.types.holds(outer, within, inner) {
                    return Some(before);
                }
                let is_larger = within == 0 && self.size(inner) > self.size(outer);
                (is_larger && self.types.holds(inner, 0, outer)).then_some(target)
            }
            (Target::Counted(outer), Target::Value(inner)) => {
                let within = within.checked_sub(behind_counters(&mut self.types, outer))?;
                self.types.holds(outer, within, inner).then_some(before)
            }
            (Target::Elements(elements), Target::Value(inner)) => {
                let within = within % self.size(elements.of).max(1);
                let agrees = self.types.holds(elements.of, within, inner);
                agrees.then_some(Target::Elements(Elements { range: None, ..elements }))
            }
            (Target::Value(inner), Target::Elements(elements)) => {
                let agrees = within == 0 && self.types.holds(elements.of, 0, inner);
                agrees.then_some(Target::Elements(Elements { range: None, ..elements }))
            }
            (Target::Elements(one), Target::Elements(other)) => {
                let agrees = within == 0 && one.capacity == other.capacity && self.types.are_same(one.of, other.of);
                let range = if one.range == other.range { one.range } else { None };
                // Two vectors that count different elements are not both there.
                let is_stale = range.is_none() && one.range.is_some() && other.range.is_some();
                (agrees && !is_stale).then_some(Target::Elements(Elements { range, ..one }))
            }
            (Target::Counted(one), Target::Counted(other)) => {
                (within == 0 && self.types.are_same(one, other)).then_some(before)
            }
            (Target::Buckets(one, buckets), Target::Buckets(other, others)) => {
                let agrees = within == control_of(self.size(one), buckets) && buckets == others;
                (agrees && self.types.are_same(one, other)).then_some(before)
            }
            _ => None,
        }
    }

    /// Whether a pointer is one to the whole of an allocation.
    fn is_whole(&mut self, target: Target, within: usize, live: Live) -> bool {
        let begins = match target {
            Target::Buckets(of, buckets) => within == control_of(self.size(of), buckets),
            _ => within == 0,
        };
        begins && self.fits(target, live)
    }

    /// Whether the room of an allocation is large enough.
    fn fits(&mut self, target: Target, live: Live) -> bool {
        let (of, bytes) = match target {
            Target::Value(of) => (of, self.size(of)),
            Target::Counted(of) => (of, behind_counters(&mut self.types, of) + self.size(of)),
            Target::Elements(Elements { of, capacity, .. }) => (of, self.size(of).saturating_mul(capacity.max(1))),
            Target::Buckets(of, buckets) => {
                (of, control_of(self.size(of).min(CHUNK_BYTES), buckets.min(CHUNK_BYTES)) + buckets.min(CHUNK_BYTES))
            }
        };
        self.size(of) > 0 && bytes <= live.bytes
    }

    /// The size of a type; 0 if it is not known.
    fn size(&mut self, of: TypeId) -> usize {
        self.types.get(of).size.unwrap_or(0)
    }

    /// Notes which bits of an allocation can be read, and where it points.
    fn read_as(&mut self, number: u32, target: Target) {
        let known = &mut self.known[number as usize];
        let (count, address) = (self.words.len(), self.base + known.live.offset);
        let first = *known.bits.get_or_insert(self.bits.len());
        self.bits.resize(self.bits.len().max(first + count), 0);
        let read = &mut self.bits[first..first + count];
        read.fill(0);
        let (types, words, pointers) = (&mut self.types, &self.words, &mut self.pointers);
        let mut reading = Reading { types, address, words, read, pointers };
        match target {
            Target::Value(of) => reading.whole(of, 0),
            Target::Counted(of) => {
                let at = behind_counters(reading.types, of);
                reading.mark(0, Some(COUNTERS_BYTES));
                reading.whole(of, at);
            }
            Target::Elements(elements) => reading.elements(elements),
            Target::Buckets(of, buckets) => reading.buckets(of, buckets),
        }
        self.pointers.sort_by_key(|pointer| pointer.position);
    }
}

/// Where an object lies in an allocation that begins with two counters.
fn behind_counters(types: &mut Types, of: TypeId) -> usize {
    COUNTERS_BYTES.next_multiple_of(types.get(of).alignment)
}
