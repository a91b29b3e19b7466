//! Which slabs of a chunk are in use for what, and which of their slots are live.
//!
//! All-zero bytes are tables of an empty chunk except that the slabs at its head, in which the tables themselves lie,
//! must be [withheld](Tables::withhold). When the last allocation is freed the tables are as they were at first.
//!
//! The lowest free slot is taken, of the lowest slab of its size that has one. An address therefore depends on what is
//! live and on the slabs' sizes, not on the order in which allocations were freed.
//!
//! Memory that the engine keeps in an arena lies in slabs of its own, apart from what the program allocates.
//!
//! A slab's slots are two levels of bits: 64 words of slots that are live, and a word of words that are full. Bits
//! beyond the last slot are set, as if they were live.

use crate::size_class::{Room, SLAB_BYTES, SLOT_BYTES_MIN, SizeClass};
use std::ops::Range;

/// The number of slabs of a chunk.
pub const SLABS: usize = 1024;
/// The words of bits for the slots of a slab.
const WORDS: usize = SLAB_BYTES / SLOT_BYTES_MIN / 64;

/// A set of slabs.
type SlabSet = [u64; SLABS / 64];

/// The tables of one chunk.
#[repr(C)]
pub struct Tables {
    live: usize,
    used: SlabSet,
    with_room: [[SlabSet; SizeClass::COUNT]; Owner::COUNT],
    slabs: [Slab; SLABS],
    slots: [[u64; WORDS]; SLABS],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
struct Slab {
    use_: Use,
    class: u8,
    live: u16,
    /// The first of a run of consecutive slabs, and their number.
    first: u16,
    slabs: u16,
    /// The words of this slab's bits that are full.
    full: u64,
}

/// The use of a slab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Use {
    /// Nothing: it is free, or one of the slabs at the head.
    Nothing = 0,
    /// Slots of one size for the program.
    Slots,
    /// One allocation, alone or with neighbours.
    Whole,
    /// Slots of one size for the engine.
    EngineSlots,
}

impl Use {
    /// Whose slots these are. `None` if there are no slots.
    #[inline]
    fn owner(self) -> Option<Owner> {
        match self {
            Use::Slots => Some(Owner::Program),
            Use::EngineSlots => Some(Owner::Engine),
            Use::Nothing | Use::Whole => None,
        }
    }
}

/// The entries of the tables for one slab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlabTable {
    slab: Slab,
    slots: [u64; WORDS],
}

/// Whose memory an allocation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The program's: what it holds is part of an image.
    Program,
    /// The engine's: only its address is part of an image.
    Engine,
}

impl Owner {
    const COUNT: usize = 2;

    #[inline]
    fn slots(self) -> Use {
        match self {
            Owner::Program => Use::Slots,
            Owner::Engine => Use::EngineSlots,
        }
    }
}

/// The place of a live allocation in its chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Live {
    /// The slab in which it begins.
    pub slab: usize,
    /// Its slot in that slab; 0 for whole slabs.
    pub slot: usize,
    /// Its first byte in the chunk.
    pub offset: usize,
    /// The size of its room.
    pub bytes: usize,
    pub owner: Owner,
}

impl Tables {
    /// Withholds the first slabs from allocation.
    pub fn withhold(&mut self, slabs: usize) {
        (0..slabs).for_each(|slab| insert(&mut self.used, slab));
    }

    /// The number of live allocations.
    pub fn live(&self) -> usize {
        self.live
    }

    /// The number of live allocations that are the program's, or the engine's.
    pub fn live_of(&self, owner: Owner) -> usize {
        let of_slab = |(number, slab): (usize, &Slab)| match slab.use_ {
            Use::Whole => usize::from(owner == Owner::Program && usize::from(slab.first) == number),
            use_ if use_.owner() == Some(owner) => usize::from(slab.live),
            _ => 0,
        };
        self.slabs.iter().enumerate().map(of_slab).sum()
    }

    /// The entries for a slab, if it is used for what the program allocates.
    pub fn of_program(&self, slab: usize) -> Option<SlabTable> {
        let is_programs = matches!(self.slabs[slab].use_, Use::Slots | Use::Whole);
        is_programs.then(|| SlabTable { slab: self.slabs[slab], slots: self.slots[slab] })
    }

    /// Whether some bytes of a slab belong to a live allocation.
    pub fn has_live(&self, slab: usize, bytes: Range<usize>) -> bool {
        let entry = &self.slabs[slab];
        match entry.use_ {
            Use::Nothing => false,
            Use::Whole => true,
            Use::Slots | Use::EngineSlots => {
                let class = SizeClass::numbered(entry.class);
                let (first, last) = (class.slot_at(bytes.start), class.slot_at(bytes.end - 1).min(class.slots() - 1));
                (first / 64..=last / 64).any(|word| {
                    let from = if word == first / 64 { !0 << (first % 64) } else { !0 };
                    let until = if word == last / 64 { !0 >> (63 - last % 64) } else { !0 };
                    self.slots[slab][word] & from & until != 0
                })
            }
        }
    }

    /// Whether a slab is used for nothing.
    pub fn is_free(&self, slab: usize) -> bool {
        !contains(&self.used, slab)
    }

    /// Uses a free slab as it was used before.
    pub fn put_back(&mut self, number: usize, SlabTable { slab, slots }: &SlabTable) {
        insert(&mut self.used, number);
        (self.slabs[number], self.slots[number]) = (*slab, *slots);
        match slab.use_.owner() {
            Some(owner) => {
                self.live += usize::from(slab.live);
                if slab.full != !0 {
                    insert(&mut self.with_room[owner as usize][usize::from(slab.class)], number);
                }
            }
            None => self.live += usize::from(usize::from(slab.first) == number),
        }
    }

    /// Frees a live allocation.
    pub fn give_back_live(&mut self, live: Live) {
        let entry = self.slabs[live.slab];
        let given_back = match entry.use_ {
            Use::Whole => self.give_back_slabs(live.slab, usize::from(entry.slabs)),
            _ => self.give_back_slot(live.offset, SizeClass::numbered(entry.class)),
        };
        self.live -= usize::from(given_back);
    }

    /// Finds room and returns its offset in the chunk. `None` if there is none. What takes whole slabs is the program's.
    #[inline]
    pub fn take(&mut self, room: Room, owner: Owner) -> Option<usize> {
        let offset = match room {
            Room::Slot(class) => self.take_slot(class, owner)?,
            Room::Slabs { slabs, alignment } => self.take_slabs(slabs, alignment)?,
        };
        self.live += 1;
        Some(offset)
    }

    /// Frees the room at an offset. Returns false if no such allocation is live.
    #[inline]
    #[must_use]
    pub fn give_back(&mut self, offset: usize, room: Room) -> bool {
        let given_back = match room {
            Room::Slot(class) => self.give_back_slot(offset, class),
            Room::Slabs { slabs, .. } => self.give_back_slabs(offset / SLAB_BYTES, slabs),
        };
        self.live -= usize::from(given_back);
        given_back
    }

    /// Gives back the last slabs of an allocation of whole slabs, so that `slabs` remain.
    pub fn shorten(&mut self, offset: usize, slabs: usize) {
        let first = offset / SLAB_BYTES;
        let end = first + usize::from(self.slabs[first].slabs);
        self.free_slabs(first + slabs, end);
        self.slabs[first].slabs = slabs as u16;
    }

    /// The live allocation whose room contains the byte at an offset below the size of a chunk.
    #[inline]
    pub fn find(&self, offset: usize) -> Option<Live> {
        let slab = offset / SLAB_BYTES;
        let entry = &self.slabs[slab];
        match entry.use_ {
            Use::Nothing => None,
            Use::Slots | Use::EngineSlots => {
                let owner = if entry.use_ == Use::Slots { Owner::Program } else { Owner::Engine };
                let class = SizeClass::numbered(entry.class);
                let slot = class.slot_at(offset % SLAB_BYTES);
                let is_live = slot < class.slots() && self.slots[slab][slot / 64] & (1 << (slot % 64)) != 0;
                let bytes = class.slot_bytes();
                is_live.then_some(Live { slab, slot, offset: slab * SLAB_BYTES + slot * bytes, bytes, owner })
            }
            Use::Whole => {
                let first = usize::from(entry.first);
                let bytes = usize::from(self.slabs[first].slabs) * SLAB_BYTES;
                Some(Live { slab: first, slot: 0, offset: first * SLAB_BYTES, bytes, owner: Owner::Program })
            }
        }
    }

    /// The number of slots of the slab in which an allocation was found.
    pub fn slots(&self, slab: usize) -> usize {
        match self.slabs[slab].use_ {
            Use::Slots | Use::EngineSlots => SizeClass::numbered(self.slabs[slab].class).slots(),
            Use::Whole | Use::Nothing => 1,
        }
    }

    #[inline]
    fn take_slot(&mut self, class: SizeClass, owner: Owner) -> Option<usize> {
        let number = usize::from(class.number());
        let slab = match lowest(&self.with_room[owner as usize][number]) {
            Some(slab) => slab,
            None => self.cut(class, owner)?,
        };
        let entry = &mut self.slabs[slab];
        let word = (!entry.full).trailing_zeros() as usize;
        let bits = &mut self.slots[slab][word];
        let bit = (!*bits).trailing_zeros() as usize;
        *bits |= 1 << bit;
        entry.live += 1;
        if *bits == !0 {
            entry.full |= 1 << word;
            if entry.full == !0 {
                remove(&mut self.with_room[owner as usize][number], slab);
            }
        }
        Some(slab * SLAB_BYTES + (64 * word + bit) * class.slot_bytes())
    }

    /// Cuts the lowest free slab into slots.
    #[cold]
    fn cut(&mut self, class: SizeClass, owner: Owner) -> Option<usize> {
        let slab = (0..SLABS / 64).find(|&word| self.used[word] != !0)?;
        let slab = 64 * slab + (!self.used[slab]).trailing_zeros() as usize;
        let words = class.slots().div_ceil(64);
        let full = if words == WORDS { 0 } else { !0 << words };
        self.slabs[slab] = Slab { use_: owner.slots(), class: class.number(), live: 0, first: 0, slabs: 0, full };
        if !class.slots().is_multiple_of(64) {
            self.slots[slab][words - 1] = !0 << (class.slots() % 64);
        }
        insert(&mut self.used, slab);
        insert(&mut self.with_room[owner as usize][usize::from(class.number())], slab);
        Some(slab)
    }

    #[inline]
    fn give_back_slot(&mut self, offset: usize, class: SizeClass) -> bool {
        let (slab, slot) = (offset / SLAB_BYTES, class.slot_at(offset % SLAB_BYTES));
        let entry = &mut self.slabs[slab];
        let (word, bit) = (slot / 64, 1 << (slot % 64));
        let Some(owner) = entry.use_.owner() else { return false };
        if entry.class != class.number() || self.slots[slab][word] & bit == 0 {
            return false;
        }
        let with_room = &mut self.with_room[owner as usize][usize::from(class.number())];
        self.slots[slab][word] &= !bit;
        entry.full &= !(1 << word);
        entry.live -= 1;
        if entry.live == 0 {
            // the bits beyond the last slot
            self.slots[slab][class.slots().div_ceil(64) - 1] = 0;
            remove(with_room, slab);
            self.free_slabs(slab, slab + 1);
        } else {
            insert(with_room, slab);
        }
        true
    }

    fn take_slabs(&mut self, slabs: usize, alignment: usize) -> Option<usize> {
        let mut first = 0;
        while first + slabs <= SLABS {
            match (first..first + slabs).rev().find(|&slab| contains(&self.used, slab)) {
                Some(used) => first = (used + 1).next_multiple_of(alignment),
                None => {
                    let entry =
                        Slab { use_: Use::Whole, class: 0, live: 0, first: first as u16, slabs: slabs as u16, full: 0 };
                    for slab in first..first + slabs {
                        insert(&mut self.used, slab);
                        self.slabs[slab] = entry;
                    }
                    return Some(first * SLAB_BYTES);
                }
            }
        }
        None
    }

    fn give_back_slabs(&mut self, first: usize, slabs: usize) -> bool {
        let entry = self.slabs[first];
        let is_live =
            entry.use_ == Use::Whole && usize::from(entry.first) == first && usize::from(entry.slabs) == slabs;
        if is_live {
            self.free_slabs(first, first + slabs);
        }
        is_live
    }

    fn free_slabs(&mut self, first: usize, end: usize) {
        for slab in first..end {
            remove(&mut self.used, slab);
            self.slabs[slab] = Slab { use_: Use::Nothing, class: 0, live: 0, first: 0, slabs: 0, full: 0 };
        }
    }
}

#[inline]
fn insert(set: &mut SlabSet, slab: usize) {
    set[slab / 64] |= 1 << (slab % 64);
}

#[inline]
fn remove(set: &mut SlabSet, slab: usize) {
    set[slab / 64] &= !(1 << (slab % 64));
}

#[inline]
fn contains(set: &SlabSet, slab: usize) -> bool {
    set[slab / 64] & (1 << (slab % 64)) != 0
}

#[inline]
fn lowest(set: &SlabSet) -> Option<usize> {
    set.iter().position(|&word| word != 0).map(|word| 64 * word + set[word].trailing_zeros() as usize)
}
