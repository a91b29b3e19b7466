//! The keys of the standard library's hash maps.
//!
//! A `HashMap` with the standard hasher orders its entries by keys that are random in each process, and that differ for
//! each map. The standard library keeps them in a thread-local pair of numbers, and adds 1 to the first one for each
//! [`RandomState`]. A program's memory, and the order in which it iterates, depend on them. So the checker sets them to
//! the same numbers before each run.
//!
//! There is no interface for that. This module searches the thread-local variables of this thread for the pair, and
//! relies on how the standard library keeps it. That is validated at run time: the pair has to be found exactly once,
//! and new keys that are written there have to be the next ones that the library uses. If not, nothing is changed, and
//! the functions say so. Where the standard library is linked dynamically the pair is not found.

#![expect(
    clippy::disallowed_types,
    reason = "`RandomState` is the subject here: it is made to hash alike in every run"
)]

use crate::platform;
use std::cell::Cell;
use std::hash::RandomState;
use std::ptr::{self, NonNull};

/// The pair of keys that the next [`RandomState`] has.
type Keys = [u64; 2];

thread_local! {
    /// Where this thread's pair is; `Some(None)` if it was searched for in vain.
    static PAIR: Cell<Option<Option<NonNull<Keys>>>> = const { Cell::new(None) };
}

/// Makes the next [`RandomState::new`] on this thread return these keys, and the following ones `k0 + 1`, `k0 + 2` and
/// so on. Returns false, and changes nothing, if the keys of this standard library cannot be found.
pub fn set_hash_keys(k0: u64, k1: u64) -> bool {
    // SAFETY: the pair is this thread's, and no reference to it exists.
    pair().map(|pair| unsafe { pair.write([k0, k1]) }).is_some()
}

/// The keys that the next [`RandomState::new`] on this thread returns, if they can be found.
#[must_use]
pub fn hash_keys() -> Option<(u64, u64)> {
    // SAFETY: the pair is this thread's, and no reference to it exists.
    pair().map(|pair| unsafe { pair.read() }).map(|[k0, k1]| (k0, k1))
}

fn pair() -> Option<NonNull<Keys>> {
    PAIR.get().unwrap_or_else(|| {
        let found = search();
        PAIR.set(Some(found));
        found
    })
}

/// Searches for the pair, and leaves the keys as they were.
fn search() -> Option<NonNull<Keys>> {
    let locals = platform::thread_locals()?.block;
    let [k0, k1] = keys_of_next();
    let now = [k0.wrapping_add(1), k1];
    let last = locals.end.checked_sub(size_of::<Keys>())?;
    let mut candidates = (locals.start.next_multiple_of(align_of::<Keys>())..=last)
        .step_by(align_of::<Keys>())
        // SAFETY: the address is aligned, and the pair at it lies in this thread's variables, to which no other thread
        // writes. Volatile, because other code writes them.
        .filter(|&address| unsafe { ptr::with_exposed_provenance::<Keys>(address).read_volatile() } == now);
    let candidate = candidates.next().filter(|_| candidates.next().is_none())?;
    let pair = NonNull::new(ptr::with_exposed_provenance_mut::<Keys>(candidate))?;
    // These bytes are a variable that has been the pair of keys, so writing another pair there and back harms nobody even
    // if it is a copy of the pair.
    let others = [!k0, !k1];
    // SAFETY: the pair lies in this thread's variables, no reference to it exists, and every value is a valid one.
    let is_read = unsafe {
        pair.write_volatile(others);
        let is_read = keys_of_next() == others && pair.read_volatile() == [others[0].wrapping_add(1), others[1]];
        pair.write_volatile(if is_read { [k0, k1] } else { now });
        is_read
    };
    is_read.then_some(pair)
}

/// The keys of a new [`RandomState`].
fn keys_of_next() -> Keys {
    const { assert!(size_of::<RandomState>() == size_of::<Keys>(), "a `RandomState` is two numbers") };
    // SAFETY: the sizes are equal, which `transmute` checks too. A `RandomState` is two `u64` without padding; if it were
    // not, 16 bytes that hold all its data would still be initialised. In what order they are is found out by `search`.
    unsafe { std::mem::transmute::<RandomState, Keys>(RandomState::new()) }
}
