//! Which room an allocation of a given layout gets. It depends on the layout alone, so a free and a reallocation know
//! it without a look at the tables.
//!
//! A slot is at least one byte larger than the allocation: the end pointer of a slice (one past its last element) lies
//! in the slot of that slice, and is not mistaken for a pointer to the next slot's allocation.

use std::alloc::Layout;

/// The size of a slab, and its alignment.
pub const SLAB_BYTES: usize = 1 << 16;
/// The size of the smallest slot.
pub const SLOT_BYTES_MIN: usize = 16;
/// The size of the largest slot. Larger allocations take whole slabs.
pub const SLOT_BYTES_MAX: usize = 1 << 15;

/// The room for an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// One slot of a slab.
    Slot(SizeClass),
    /// Whole consecutive slabs, the first at a multiple of `alignment` slabs.
    Slabs { slabs: usize, alignment: usize },
}

impl Room {
    /// The room for an allocation of this size and alignment.
    #[inline]
    pub fn of(layout: Layout) -> Room {
        let (size, alignment) = (layout.size(), layout.align());
        // Each size of slots is a multiple of 16, and each slab is aligned to 64 KiB. Beyond 16, a slot whose size is a
        // power of two is aligned to its size.
        let at_least =
            if alignment <= SLOT_BYTES_MIN { size } else { (size.max(alignment - 1) + 1).next_power_of_two() - 1 };
        if at_least < SLOT_BYTES_MAX {
            return Room::Slot(SizeClass::above(at_least));
        }
        Room::Slabs { slabs: (size + 1).div_ceil(SLAB_BYTES), alignment: alignment.div_ceil(SLAB_BYTES) }
    }
}

/// One of the sizes of slots: the multiples of 16 up to 256, then four for each doubling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeClass(u8);

impl SizeClass {
    /// The number of size classes.
    pub const COUNT: usize = 16 + 4 * 7;

    /// The smallest class whose slots are larger than `size`, which is below [`SLOT_BYTES_MAX`].
    #[inline]
    fn above(size: usize) -> SizeClass {
        if size < 256 {
            return SizeClass((size / 16) as u8);
        }
        let doubling = size.ilog2();
        SizeClass((16 + 4 * (doubling - 8)) as u8 + ((size >> (doubling - 2)) & 3) as u8)
    }

    /// The class with this number, below [`SizeClass::COUNT`].
    #[inline]
    pub fn numbered(number: u8) -> SizeClass {
        SizeClass(number)
    }

    /// The number of the class.
    #[inline]
    pub fn number(self) -> u8 {
        self.0
    }

    /// The size of a slot.
    #[inline]
    pub fn slot_bytes(self) -> usize {
        SLOT_BYTES[usize::from(self.0)] as usize
    }

    /// The number of slots of a slab.
    #[inline]
    pub fn slots(self) -> usize {
        SLOTS[usize::from(self.0)] as usize
    }

    /// The slot that contains a byte of a slab; the slab's rest counts as one more slot.
    #[inline]
    pub fn slot_at(self, offset: usize) -> usize {
        ((offset as u64 * u64::from(RECIPROCALS[usize::from(self.0)])) >> 32) as usize
    }
}

static SLOT_BYTES: [u32; SizeClass::COUNT] = {
    let mut bytes = [0; SizeClass::COUNT];
    let mut class = 0;
    while class < SizeClass::COUNT {
        bytes[class] = if class < 16 {
            16 * (class as u32 + 1)
        } else {
            let (doubling, quarter) = ((class as u32 - 16) / 4 + 8, (class as u32 - 16) % 4);
            (1 << doubling) + (quarter + 1) * (1 << (doubling - 2))
        };
        class += 1;
    }
    bytes
};

static SLOTS: [u32; SizeClass::COUNT] = {
    let mut slots = [0; SizeClass::COUNT];
    let mut class = 0;
    while class < SizeClass::COUNT {
        slots[class] = SLAB_BYTES as u32 / SLOT_BYTES[class];
        class += 1;
    }
    slots
};

/// 2³² divided by the size, rounded up. An offset is below 2¹⁶ and a size at most 2¹⁵, so the product is too large by
/// less than one slot's share.
static RECIPROCALS: [u32; SizeClass::COUNT] = {
    let mut reciprocals = [0; SizeClass::COUNT];
    let mut class = 0;
    while class < SizeClass::COUNT {
        reciprocals[class] = (1_u64 << 32).div_ceil(SLOT_BYTES[class] as u64) as u32;
        class += 1;
    }
    reciprocals
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_larger_than_its_allocation_and_the_next_smaller_class_is_not() {
        for size in 1..SLOT_BYTES_MAX {
            let class = SizeClass::above(size);
            assert!(class.slot_bytes() > size, "{size}");
            assert!(class.number() == 0 || SizeClass::numbered(class.number() - 1).slot_bytes() <= size, "{size}");
        }
    }

    #[test]
    fn the_reciprocal_divides_exactly() {
        for class in (0..SizeClass::COUNT as u8).map(SizeClass::numbered) {
            for offset in 0..SLAB_BYTES {
                assert_eq!(class.slot_at(offset), offset / class.slot_bytes());
            }
        }
    }

    #[test]
    fn slots_are_aligned_as_their_allocations_ask() {
        for alignment in (0..16).map(|shift| 1_usize << shift) {
            for size in (1..3000).chain([SLOT_BYTES_MAX - 1, SLOT_BYTES_MAX, 70_000]) {
                match Room::of(Layout::from_size_align(size, alignment).unwrap()) {
                    Room::Slot(class) => {
                        assert_eq!(class.slot_bytes() % alignment, 0, "{size} {alignment}");
                        assert!(class.slot_bytes() > size);
                    }
                    Room::Slabs { slabs, .. } => assert!(slabs * SLAB_BYTES > size),
                }
            }
        }
    }
}
