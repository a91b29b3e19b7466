//! Polls that end the process.
//!
//! `std::process::exit` would end the test program, with success if the program under check says so. In a poll its call of
//! the C library's `exit` is left by a panic without a message, which the engine takes for what it is. That function is
//! declared not to unwind; the frames through which the panic goes are those of the standard library, which have nothing
//! to drop, and where the unwinder finds one that can't be left, it says so before it has changed anything: the panic can't
//! begin, and the standard library aborts the process.
//!
//! The standard library notes the thread that ends the process, and lets every other one that ends it wait for ever: the
//! test harness, too. So the note is taken back ([`take_back`]). It is found by name, in the executable's table of symbols,
//! and is taken for what it is only if it names this thread.

use crate::symbols::{self, Kind};
use crate::{place, source};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Part of the mangled name of the standard library's note, in each way of mangling.
const NOTE: &str = "18unique_thread_exit17EXITING_THREAD_ID";
const OF_THIS: &str = "15netcheck_memory10interposed5exits5PROBE";

/// A variable as the note is one, by which the executable's place in memory is found.
static PROBE: AtomicUsize = AtomicUsize::new(0);

/// Takes back that this thread ends the process. Returns false if that can't be done: then no thread can end it any more
/// but by the C library.
pub(super) fn take_back() -> bool {
    static FOUND: OnceLock<Option<&'static AtomicUsize>> = OnceLock::new();
    let Some(note) = *FOUND.get_or_init(|| place::outside(|| source::without_source(note))) else { return false };
    // SAFETY: the function has no conditions.
    let this_thread = unsafe { libc::__errno_location() }.addr();
    match note.compare_exchange(this_thread, 0, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => true,
        // The program has called the C library's function itself, so nothing is noted.
        Err(noted) => noted == 0,
    }
}

/// The note.
fn note() -> Option<&'static AtomicUsize> {
    let (probe, note) = (symbols::named(OF_THIS).next()?, symbols::named(NOTE).next()?);
    if note.bytes != size_of::<AtomicUsize>() || note.kind != Kind::Static {
        return None;
    }
    let start = ptr::from_ref(&PROBE).expose_provenance().checked_sub(probe.offset)?;
    let address = start.checked_add(note.offset)?;
    // SAFETY: the executable has a variable of this name and size there, which lives as long as the process. The standard
    // library uses it as an atomic pointer.
    (address % align_of::<AtomicUsize>() == 0)
        .then(|| unsafe { &*ptr::with_exposed_provenance::<AtomicUsize>(address) })
}
