//! Copies of what an arena holds, and putting them back.

use crate::arena;
use netcheck_memory::{Arena, Carried, Digest, Own, Saved, Unsaved};
use random::Random;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// Something that a program may hold: small and large allocations, of which some are shared.
#[derive(Debug, Default, PartialEq)]
struct Held {
    texts: BTreeMap<u64, String>,
    shared: Vec<Rc<Vec<u64>>>,
    large: Vec<u8>,
}

impl Held {
    fn change(&mut self, number: u64) {
        let key = number % 61;
        match number / 61 % 6 {
            0 | 1 => _ = self.texts.insert(key, "text ".repeat(key as usize)),
            2 => _ = self.texts.remove(&(key / 2)),
            3 => self.shared.push(self.shared.last().map_or_else(|| Rc::new(vec![number; 9]), Rc::clone)),
            4 => _ = (self.shared.len() > 3).then(|| self.shared.remove(key as usize % 3)),
            _ => self.large.resize((key * 1_500) as usize, key as u8),
        }
    }

    /// A copy in the memory of the system.
    fn outside(&self) -> Held {
        let shared = self.shared.iter().map(|shared| Rc::new(shared.to_vec())).collect();
        Held { texts: self.texts.clone(), shared, large: self.large.clone() }
    }

    fn counts(&self) -> Vec<usize> {
        self.shared.iter().map(Rc::strong_count).collect()
    }
}

/// A copy, and all that is to be found in it.
struct Moment {
    saved: Saved,
    held: Carried<Held>,
    outside: Held,
    counts: Vec<usize>,
    digest: Digest,
}

fn image(arena: &Arena, held: &Held) -> Digest {
    arena.image(|scan| scan.object(held)).expect("the arena is large enough")
}

fn save(arena: &Arena, like: Option<&Saved>) -> Result<Saved, Unsaved> {
    arena.save(&Own::default(), like)
}

fn put_back(arena: &Arena, saved: &Saved) -> bool {
    arena.put_back(&Own::default(), saved)
}

/// Goes on from any of the copies, as often as not, and from where it is else: it always is what it was when it was copied.
#[test]
fn what_is_put_back_is_what_was_saved() {
    let arena = arena();
    let mut held = arena.enter(|| Carried::new(Held::default()));
    let mut moments: Vec<Moment> = Vec::new();
    let mut random = Random::new(0);
    for _ in 0..400 {
        for _ in 0..random.below(8) {
            let number = random.number();
            arena.enter(|| held.change(number));
        }
        let like = moments.last().map(|moment| &moment.saved);
        let saved = save(&arena, like).expect("nothing of it is outside");
        let (outside, counts, digest) = (held.outside(), held.counts(), image(&arena, &held));
        moments.push(Moment { saved, held: held.clone(), outside, counts, digest });
        if random.one_in(2) {
            arena.enter(|| drop(held.take()));
            let moment = &moments[random.index(moments.len())];
            assert!(put_back(&arena, &moment.saved), "nothing is live");
            held = moment.held.clone();
            assert_eq!((&*held, &held.counts()), (&moment.outside, &moment.counts));
            assert_eq!(image(&arena, &held), moment.digest);
        }
    }
    arena.enter(|| drop(held.take()));
    assert_eq!(arena.live(), 0);
}

#[test]
fn copies_share_what_is_the_same() {
    let arena = arena();
    let mut large = arena.enter(|| vec![1_u8; 1 << 20]);
    let first = save(&arena, None).unwrap();
    let alone = first.unshared_bytes();
    assert!((1 << 20..2 << 20).contains(&alone), "{alone}");
    large[70_000] = 2;
    let second = save(&arena, Some(&first)).unwrap();
    let more = second.unshared_bytes();
    assert!(more < alone / 20, "{more} beside {alone}");
    drop(first);
    assert!(second.unshared_bytes() > alone / 2);
}

/// A counter outside would be lowered once for each time that the run comes to its end.
#[test]
fn what_holds_something_outside_is_not_saved() {
    let (arena, other) = (arena(), arena());
    let counted = Arc::new(7);
    let held = arena.enter(|| Box::new(Arc::clone(&counted)));
    assert_eq!(save(&arena, None).unwrap_err(), Unsaved::Outside);
    drop(held);
    let elsewhere = other.enter(|| Box::new(7));
    let held = arena.enter(|| Box::new(&raw const *elsewhere));
    assert_eq!(save(&arena, None).unwrap_err(), Unsaved::Outside);
    drop(held);
    let statics = arena.enter(|| Box::new(["a", "static"]));
    assert!(save(&arena, None).is_ok(), "{statics:?}");
}

/// Something outside may still use it.
#[test]
fn nothing_is_put_back_while_something_is_live() {
    let arena = arena();
    let held = arena.enter(|| Carried::new(Box::new(1)));
    let saved = save(&arena, None).unwrap();
    let copy = held.clone();
    let kept = arena.enter(|| Box::new(2));
    drop(held.take());
    assert!(!put_back(&arena, &saved) && !arena.is_unused());
    drop(kept);
    assert!(arena.is_unused() && put_back(&arena, &saved));
    assert_eq!(**copy, 1);
    drop(copy.take());
}

/// Where the system's allocator and its mappings put something, on this thread and on others.
#[test]
fn addresses_of_the_system_are_known() {
    let arena = arena();
    let refused = |address: usize| {
        let held = arena.enter(|| Box::new(address));
        let is_refused = save(&arena, None).is_err();
        drop(held);
        is_refused
    };
    for bytes in [16, 1 << 12, 1 << 20, 1 << 27] {
        let allocated = move || {
            let of_the_system = vec![1_u8; bytes];
            of_the_system.as_ptr().addr()
        };
        assert!(refused(allocated()), "{bytes} bytes");
        let elsewhere = std::thread::spawn(allocated).join().unwrap();
        assert!(refused(elsewhere), "{bytes} bytes on another thread");
    }
    assert!(!refused(0x0000_7a79_7877_7675), "text");
    assert!(!refused(1 << 20) && !refused(usize::MAX), "numbers");
    assert!(!refused((&raw const *"static").addr()) && !refused(main as fn() as usize));
}

fn main() {}
