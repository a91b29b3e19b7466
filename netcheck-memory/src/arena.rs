//! The heap of one run.

use crate::chunk::Chunk;
use crate::image::{self, Digest, Held, Image, Part, Scan};
use crate::place::{self, Stay};
use crate::tables::Owner;
use crate::variables::Own;
use crate::{pool, reservation};
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

/// The heap of one run: all allocations that are made while a thread is in it.
///
/// Every arena has the same layout, and its addresses have the same low half: a run that repeats the allocations of
/// another gets the same addresses apart from their high bits.
///
/// An arena may be dropped while something in it is live. Such memory stays valid, can be freed by every thread, and is
/// not used for another arena before the last of it is freed: what a static or a thread-local variable holds is never
/// given to another run.
#[derive(Debug)]
pub struct Arena {
    chunk: &'static Chunk,
}

impl Arena {
    /// A new, empty heap.
    ///
    /// `None` if the system is not supported, if [`Allocator`](crate::Allocator) is not this program's global allocator,
    /// if the system refuses the address space, or if all arenas are in use.
    #[must_use]
    pub fn new() -> Option<Arena> {
        let arena = Arena { chunk: pool::take()? };
        is_installed(&arena).then_some(arena)
    }

    /// Calls a function whose allocations on this thread go to this arena. Afterwards they go where they went before,
    /// also if the function panics.
    pub fn enter<R>(&self, function: impl FnOnce() -> R) -> R {
        let _stay = Stay::in_arena(self.chunk);
        function()
    }

    /// While the result exists, this thread's allocations lie in this arena, but are the engine's: of a pointer to one of
    /// them, an image has the address, and nothing of what it holds.
    ///
    /// For objects of the engine that programs hold pointers to: they lie at the same place in each run if they are made
    /// in the same order. Guards are to be dropped in the reverse order of their creation.
    pub fn keep(&self) -> ArenaGuard {
        ArenaGuard { _stay: Stay::kept_in_arena(self.chunk) }
    }

    /// The digest of the [image](crate::image) of the memory that can be reached from some roots. `None` if the arena
    /// has [overflowed](Arena::has_overflowed).
    ///
    /// `roots` names the roots; its own allocations go to the system. No other thread may write to memory that can be
    /// reached: the digest would be that of no state.
    pub fn image(&self, roots: impl FnOnce(&mut Scan<'_>)) -> Option<Digest> {
        self.dated_image(roots).map(|(digest, _)| digest)
    }

    /// As [`Arena::image`], with the [instants](Scan::recognise) that the memory holds.
    pub fn dated_image(&self, roots: impl FnOnce(&mut Scan<'_>)) -> Option<(Digest, Held)> {
        place::outside(|| image::of(self.chunk, roots, |scratch| image::digest(&scratch.words)))
    }

    /// As [`Arena::image`], with all words that the digest is made of.
    pub fn full_image(&self, roots: impl FnOnce(&mut Scan<'_>)) -> Option<Image> {
        place::outside(|| image::of(self.chunk, roots, |scratch| Image::new(&scratch.words))).map(|(image, _)| image)
    }

    /// As [`Arena::image`], in parts: the roots, and then all allocations that are reached.
    pub fn parts(&self, roots: impl FnOnce(&mut Scan<'_>)) -> Option<Vec<Part>> {
        let parts =
            place::outside(|| image::of(self.chunk, roots, |scratch| image::parts_of(scratch, self.chunk.base())));
        parts.map(|(parts, _)| parts)
    }

    /// Writes a number over the bytes of what the roots reach that no program can read, by the [types](crate::types) of what
    /// lies there; over each word of them the same. To be called while none of the program's code is running.
    pub fn overwrite_unread(&self, roots: impl FnOnce(&mut Scan<'_>), number: u64) {
        place::outside(|| image::overwrite_unread(self.chunk, roots, number));
    }

    /// Frees what the variables of a run hold that has ended, if all that the program has allocated here can be reached from
    /// them: else something outside of the run holds a part of it. Its destructors are not called.
    pub fn free_held(&self, own: &Own) {
        place::outside(|| image::free_reached(self.chunk, |scan| own.scan(scan)));
    }

    pub(crate) fn chunk(&self) -> &'static Chunk {
        self.chunk
    }

    /// The number of live allocations.
    #[must_use]
    pub fn live(&self) -> usize {
        self.chunk.lock().live()
    }

    /// Whether nothing that the program has allocated is live, and nothing of it lies elsewhere.
    #[must_use]
    pub fn is_unused(&self) -> bool {
        !self.has_overflowed() && self.chunk.lock().live_of(Owner::Program) == 0
    }

    /// Whether an allocation had no room here and went to the system, where no image sees it.
    #[must_use]
    pub fn has_overflowed(&self) -> bool {
        self.chunk.overflowed.load(Ordering::Relaxed)
    }

    /// Whether an address lies in this arena.
    #[must_use]
    pub fn contains<T: ?Sized>(&self, pointer: *const T) -> bool {
        let address = pointer.cast::<()>().addr();
        address.wrapping_sub(self.chunk.base()) < reservation::CHUNK_BYTES
    }

    /// How many arenas a thread may hold if each thread that uses some is to find as many.
    #[must_use]
    pub fn share() -> usize {
        pool::share()
    }

    /// The number of arenas that were dropped while something in them was live, and that still are not free.
    #[must_use]
    pub fn retired() -> usize {
        pool::retired()
    }
}

/// While it exists, allocations of this thread are the engine's and lie in an arena. Dropping it restores the previous
/// place.
#[must_use = "dropping it ends the stay in the arena"]
pub struct ArenaGuard {
    _stay: Stay,
}

impl Drop for Arena {
    fn drop(&mut self) {
        pool::give_back(self.chunk);
    }
}

/// Whether the global allocator of this program puts what is allocated in an arena there.
fn is_installed(arena: &Arena) -> bool {
    static INSTALLED: OnceLock<bool> = OnceLock::new();
    *INSTALLED.get_or_init(|| {
        let probe = arena.enter(|| std::hint::black_box(Box::new(0_u64)));
        arena.contains(&raw const *probe)
    })
}
