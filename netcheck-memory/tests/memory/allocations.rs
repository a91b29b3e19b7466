//! Random allocations, reallocations and frees against a model.

use crate::arena;
use netcheck_memory::{Allocator, Arena};
use proptest::prelude::*;
use std::alloc::{GlobalAlloc, Layout};
use std::collections::BTreeMap;
use std::hint::black_box;

/// One call of the allocator. `which` selects one of the allocations that are live.
#[derive(Clone, Debug)]
enum Call {
    Allocate { size: usize, alignment_shift: u32, zeroed: bool },
    Reallocate { which: usize, size: usize },
    Free { which: usize },
}

fn size() -> impl Strategy<Value = usize> {
    prop_oneof![8 => 1..600_usize, 3 => 600..40_000_usize, 1 => 40_000..900_000_usize]
}

fn call() -> impl Strategy<Value = Call> {
    let alignment_shift = prop_oneof![6 => 0..5_u32, 1 => 5..18_u32];
    prop_oneof![
        4 => (size(), alignment_shift, any::<bool>())
            .prop_map(|(size, alignment_shift, zeroed)| Call::Allocate { size, alignment_shift, zeroed }),
        2 => (any::<usize>(), size()).prop_map(|(which, size)| Call::Reallocate { which, size }),
        3 => any::<usize>().prop_map(|which| Call::Free { which }),
    ]
}

/// An allocation of the model: each of its bytes is `fill`.
struct Model {
    memory: *mut u8,
    layout: Layout,
    fill: u8,
}

impl Model {
    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the allocation is live, has this size, and all its bytes have been written: by the allocator, which
        // promises zeros, or by `fill`.
        unsafe { std::slice::from_raw_parts_mut(black_box(self.memory), self.layout.size()) }
    }

    fn check(&mut self) {
        let fill = self.fill;
        assert!(self.bytes().iter().all(|&byte| byte == fill), "the contents have changed");
        assert_eq!(self.memory.addr() % self.layout.align(), 0, "{:?} is not aligned", self.layout);
    }
}

struct Heap<'a> {
    arena: &'a Arena,
    live: Vec<Model>,
    fills: u8,
}

impl Heap<'_> {
    fn fill(&mut self) -> u8 {
        self.fills = self.fills % 250 + 1;
        self.fills
    }

    fn apply(&mut self, call: &Call) {
        match *call {
            Call::Allocate { size, alignment_shift, zeroed } => self.allocate(size, 1 << alignment_shift, zeroed),
            Call::Reallocate { which, size } if !self.live.is_empty() => {
                let which = which % self.live.len();
                self.reallocate(which, size);
            }
            Call::Free { which } if !self.live.is_empty() => {
                let mut model = self.live.swap_remove(which % self.live.len());
                model.check();
                // SAFETY: the allocation is live, and is not used any more.
                unsafe { Allocator.dealloc(model.memory, model.layout) };
            }
            Call::Reallocate { .. } | Call::Free { .. } => {}
        }
        self.check_that_none_overlap();
        assert_eq!(self.arena.live(), self.live.len());
    }

    fn allocate(&mut self, size: usize, alignment: usize, zeroed: bool) {
        let layout = Layout::from_size_align(size, alignment).unwrap();
        // SAFETY: the size is not 0.
        let memory = self
            .arena
            .enter(|| unsafe { if zeroed { Allocator.alloc_zeroed(layout) } else { Allocator.alloc(layout) } });
        assert!(self.arena.contains(memory), "the arena is not full");
        let mut model = Model { memory, layout, fill: 0 };
        model.check();
        let fill = self.fill();
        model.fill = fill;
        model.bytes().fill(fill);
        self.live.push(model);
    }

    fn reallocate(&mut self, which: usize, size: usize) {
        let fill = self.fill();
        let model = &mut self.live[which];
        model.check();
        let old = model.layout.size();
        // SAFETY: the allocation is live, and the size is not 0.
        model.memory = unsafe { Allocator.realloc(model.memory, model.layout, size) };
        model.layout = Layout::from_size_align(size, model.layout.align()).unwrap();
        let was = model.fill;
        let (kept, new) = model.bytes().split_at_mut(old.min(size));
        assert!(kept.iter().all(|&byte| byte == was), "the contents have changed");
        assert!(new.iter().all(|&byte| byte == 0), "memory that is not in use is zero");
        model.fill = fill;
        model.bytes().fill(fill);
        model.check();
    }

    fn check_that_none_overlap(&self) {
        let ranges: BTreeMap<usize, usize> =
            self.live.iter().map(|model| (model.memory.addr(), model.memory.addr() + model.layout.size())).collect();
        assert_eq!(ranges.len(), self.live.len());
        // Not even the end of one is the beginning of another.
        assert!(ranges.iter().zip(ranges.keys().skip(1)).all(|((_, end), next)| end < next));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_calls_keep_contents_apart_and_free_memory_zero(calls in prop::collection::vec(call(), 1..200)) {
        let arena = arena();
        let mut heap = Heap { arena: &arena, live: Vec::new(), fills: 0 };
        calls.iter().for_each(|call| heap.apply(call));
        while !heap.live.is_empty() {
            heap.apply(&Call::Free { which: 0 });
        }
        prop_assert!(!arena.has_overflowed());
    }

    #[test]
    fn the_same_calls_get_the_same_places_in_each_arena(calls in prop::collection::vec(call(), 1..100)) {
        let places = || {
            let arena = arena();
            let mut heap = Heap { arena: &arena, live: Vec::new(), fills: 0 };
            calls.iter().for_each(|call| heap.apply(call));
            let places: Vec<usize> = heap.live.iter().map(|model| model.memory.addr() % (1 << 26)).collect();
            while !heap.live.is_empty() {
                heap.apply(&Call::Free { which: 0 });
            }
            places
        };
        prop_assert_eq!(places(), places());
    }
}

#[test]
fn addresses_depend_on_what_is_live_and_not_on_the_order_of_frees() {
    let layout = Layout::from_size_align(100, 8).unwrap();
    let next_three = |order: [usize; 3]| {
        let arena = arena();
        // SAFETY: the size is not 0, and each allocation is freed once.
        arena.enter(|| unsafe {
            let all: Vec<*mut u8> = (0..5).map(|_| Allocator.alloc(layout)).collect();
            order.iter().for_each(|&position| Allocator.dealloc(all[position], layout));
            let next = [(); 3].map(|()| Allocator.alloc(layout));
            next.iter().chain([&all[0], &all[4]]).for_each(|&memory| Allocator.dealloc(memory, layout));
            next.map(|memory| memory.addr() % (1 << 26))
        })
    };
    assert_eq!(next_three([1, 2, 3]), next_three([3, 1, 2]));
}
