//! Where this thread's allocations go: to the system, to the engine's region, or to an arena.

use crate::chunk::Chunk;
use crate::handed::Handed;
use crate::stack::wipe_stack;
use crate::stacks::call_on_engine_stack;
use crate::tables::Owner;
use std::cell::Cell;
use std::marker::PhantomData;

/// Where allocations go, as one number: the base of an arena's chunk, or one of these.
const SYSTEM: usize = 0;
const ENGINE: usize = 1;
/// Added to the base: what is allocated in the arena is the engine's.
const KEPT: usize = 2;

/// The stack that a call of the engine is supposed to need.
const CALL_BYTES: usize = 4096;

thread_local! {
    // Without a destructor: allocators are asked even while a thread ends.
    static PLACE: Cell<usize> = const { Cell::new(SYSTEM) };
}

/// Where allocations go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    System,
    Engine,
    /// The arena whose chunk has this base, and whose memory it is there.
    Arena(usize, Owner),
}

/// Where this thread's allocations go now.
#[inline]
pub fn current() -> Place {
    match PLACE.get() {
        SYSTEM => Place::System,
        ENGINE => Place::Engine,
        base if base & KEPT == 0 => Place::Arena(base, Owner::Program),
        base => Place::Arena(base & !KEPT, Owner::Engine),
    }
}

/// Until it is dropped, allocations of this thread go to a place. It restores the previous one.
pub struct Stay {
    previous: usize,
    /// It must be dropped on its thread.
    on_this_thread: PhantomData<*const ()>,
}

impl Stay {
    /// In an arena.
    #[inline]
    pub fn in_arena(chunk: &'static Chunk) -> Stay {
        Stay::at(chunk.base())
    }

    /// In an arena, for the engine.
    pub fn kept_in_arena(chunk: &'static Chunk) -> Stay {
        Stay::at(chunk.base() | KEPT)
    }

    /// In the system's memory.
    #[inline]
    pub fn outside() -> Stay {
        Stay::at(SYSTEM)
    }

    fn at(place: usize) -> Stay {
        Stay { previous: PLACE.replace(place), on_this_thread: PhantomData }
    }
}

impl Drop for Stay {
    #[inline]
    fn drop(&mut self) {
        PLACE.set(self.previous);
    }
}

/// While it exists, allocations of this thread go to the engine's region. Dropping it restores the previous place.
///
/// Guards are to be dropped in the reverse order of their creation, as scopes do it.
#[must_use = "dropping it ends the stay in the engine's region"]
pub struct EngineGuard {
    stay: Stay,
}

/// Back in an arena, the program finds nothing of the engine's calls on the stack.
impl Drop for EngineGuard {
    #[inline]
    fn drop(&mut self) {
        if self.stay.previous > ENGINE {
            wipe_stack::<CALL_BYTES>();
        }
    }
}

/// From here on, if this thread is in an arena, its allocations go to the engine's region.
///
/// A thread that is in no arena stays where it is: with the allocator installed but unused, nothing changes.
#[inline]
pub fn engine_guard() -> EngineGuard {
    let place = PLACE.get();
    EngineGuard { stay: Stay::at(if place == SYSTEM { SYSTEM } else { ENGINE }) }
}

/// Calls a function of the engine: if this thread is in an arena, its allocations go to the engine's region, and it runs
/// on a stack of its own, so that it leaves nothing where the program's variables will be.
///
/// The result is [put together anew](Handed) for the program. A thread that is in no arena stays where it is, as with
/// [`engine_guard`]. A panic of the function goes on in the caller. The function must not call the program: its frames
/// would be on the engine's stack.
#[inline]
pub fn engine<R: Handed>(function: impl FnOnce() -> R) -> R {
    if PLACE.get() <= ENGINE {
        return function();
    }
    call_on_engine_stack(|| {
        let _stay = Stay::at(ENGINE);
        function()
    })
}

/// Calls a function whose allocations go to the engine's region, wherever this thread is.
///
/// For objects that the engine makes outside of polls and programs hold pointers to.
#[inline]
pub fn engine_region<R>(function: impl FnOnce() -> R) -> R {
    let _stay = Stay::at(ENGINE);
    function()
}

/// Calls a function whose allocations go to the system, wherever this thread is.
#[inline]
pub fn outside<R>(function: impl FnOnce() -> R) -> R {
    let _stay = Stay::outside();
    function()
}
