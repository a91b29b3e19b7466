//! Threads whose output is dropped.
//!
//! A search polls a program thousands of times, and what it prints each time tells nobody anything. A thread that is
//! [muted](mute) writes nothing to standard output and standard error: the functions of `interposed` drop it. But the
//! standard library keeps the output of a test back before it comes there, and threads inherit that. Threads that are
//! started [apart](start_apart) do not.

use crate::last_words;
use crate::place::outside;
use crate::platform;
use crate::stack::call_through;
use std::cell::{Cell, RefCell};

/// The output of a muted thread that is kept until it is taken.
const KEPT_BYTES_MAX: usize = 1 << 16;

thread_local! {
    // Without a destructor: output is written even while a thread ends.
    static MUTED: Cell<Muted> = const { Cell::new(Muted::No) };
    static KEPT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Whether output of a thread is dropped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Muted {
    No,
    /// Yes; and whether there was any.
    Yes {
        has_written: bool,
    },
}

/// Calls a function on a thread that the standard library has not started. Threads that the function starts are not those
/// of a test: their output is not kept back. A panic of the function goes on in the caller.
///
/// Where the system is not supported or has no thread, the function is called on this one.
pub fn start_apart<R: Send>(function: impl FnOnce() -> R + Send) -> R {
    call_through(function, |run, call| {
        // SAFETY: `run` and `call` fit together, and `run` does not unwind. The function and its result may be sent, and
        // nothing else uses them until the thread has ended.
        unsafe { platform::call_on_new_thread(run, call) }
    })
}

/// From here on, what this thread writes to standard output and standard error is dropped, if
/// [`interposes`](crate::interposes).
pub fn mute() {
    MUTED.set(Muted::Yes { has_written: false });
}

/// Takes what this thread has written since it was muted, or since the last call; at most 64 KiB of it, and then what came
/// first.
#[must_use]
pub fn take_output() -> Vec<u8> {
    KEPT.try_with(|kept| outside(|| std::mem::take(&mut *kept.borrow_mut()))).unwrap_or_default()
}

/// Whether output of this thread has been dropped.
#[must_use]
pub fn has_dropped_output() -> bool {
    MUTED.get() == Muted::Yes { has_written: true }
}

/// Whether output of this thread is dropped.
#[must_use]
pub fn is_muted() -> bool {
    MUTED.get() != Muted::No
}

/// Drops output of this thread, and keeps some of it.
#[allow(dead_code, reason = "the interposed functions call it, where there are some")]
pub(crate) fn drop_output(bytes: &[u8]) {
    MUTED.set(Muted::Yes { has_written: true });
    last_words::keep(bytes);
    // A thread that is about to end has nobody that takes it.
    let _ = KEPT.try_with(|kept| {
        let Ok(mut kept) = kept.try_borrow_mut() else { return };
        let count = bytes.len().min(KEPT_BYTES_MAX - kept.len());
        outside(|| kept.extend_from_slice(&bytes[..count]));
    });
}
