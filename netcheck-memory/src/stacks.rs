//! The stacks on which programs and the engine run.
//!
//! A program's variables overlay what earlier calls left on the stack, and a compiler may copy a whole variable into a
//! future, also the bytes that were never written. So what programs find there must be the same in each run.
//!
//! - *Programs* run on a stack whose addresses have the same low half on each thread: a stale address of it is the same
//!   in each run but for its high half. Each call finds zeros there: what the calls before have touched is wiped, and
//!   which pages these are the system knows. Without optimization a call may need hundreds of kilobytes.
//! - *The engine*, while it serves a poll, runs on another stack. Its own numbers (lengths of histories, sizes of tables)
//!   differ where the program's states do not. Wiping the stack behind its calls is not enough, because a frame may still
//!   hold copies of them after the call. So only the arguments of its calls are ever on the program's, and the fields of
//!   their results (`handed`).

use crate::handed::Handed;
use crate::platform;
use crate::reservation::{Reservation, STACK};
use crate::stack::{call_apart, call_through, call_with_clean_registers, wipe_stack};
use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::LocalKey;

/// What is written when a program needs more stack.
const OVERFLOW: &str =
    "\nnetcheck: a poll of the program has overflowed its stack of 8 MiB: does it call itself without end?\n";

/// The lowest addresses of a stack, which are never reached: a call that needs more ends the process, as it does on the
/// stack of a thread.
const GUARD_BYTES: usize = 1 << 16;

/// The step by which the system is asked which pages of a stack were touched: no frame goes further without touching it.
const LOOK_BYTES: usize = 1 << 16;

/// What is wiped of a stack whose pages the system does not tell, or that a call is on already.
const WIPED_BYTES: usize = 1 << 16;

/// Beyond so many bytes, the memory of a stack is given back before the next call, which is faster then than wiping it.
const KEPT_BYTES: usize = 1 << 20;

thread_local! {
    static FOR_PROGRAMS: Stack = const { Stack::new(&PROGRAM_STACKS) };
    static FOR_THE_ENGINE: Stack = const { Stack::new(&ENGINE_STACKS) };
}

static PROGRAM_STACKS: Stacks = Stacks { unused: Mutex::new(Vec::new()), new: new_program_stack };
static ENGINE_STACKS: Stacks = Stacks { unused: Mutex::new(Vec::new()), new: new_engine_stack };

/// The stacks for one purpose.
struct Stacks {
    /// The ends of those of threads that have ended.
    unused: Mutex<Vec<usize>>,
    /// Makes one more, and gives its end; `None` if the system does not.
    new: fn() -> Option<usize>,
}

impl Stacks {
    fn take(&self) -> Option<usize> {
        let unused = self.unused.lock().unwrap_or_else(PoisonError::into_inner).pop();
        unused.or_else(self.new)
    }
}

/// One of a thread's stacks.
struct Stack {
    /// The address at which it ends; 0 if there is none yet.
    top: Cell<usize>,
    /// Bytes at its end that earlier calls may have touched, as far as that is known.
    touched: Cell<usize>,
    /// Whether a call is on it.
    is_busy: Cell<bool>,
    of: &'static Stacks,
}

impl Stack {
    const fn new(of: &'static Stacks) -> Stack {
        Stack { top: Cell::new(0), touched: Cell::new(0), is_busy: Cell::new(false), of }
    }

    /// The end of the stack, if no call is on it and the system gives one.
    fn take(&self) -> Option<usize> {
        if self.is_busy.get() {
            return None;
        }
        if self.top.get() == 0 {
            self.top.set(self.of.take()?);
        }
        self.is_busy.set(true);
        Some(self.top.get())
    }

    /// Zeroes what earlier calls have left there. No call is on it.
    fn wipe(&self) {
        let top = self.top.get();
        let below = |bytes: usize| std::ptr::with_exposed_provenance_mut::<u8>(top - bytes);
        let mut touched = self.touched.get();
        while touched + LOOK_BYTES <= STACK.len() - GUARD_BYTES {
            // SAFETY: the range lies in the stack, which is reserved memory, and it begins and ends at a page.
            match unsafe { platform::touched_bytes::<LOOK_BYTES>(below(touched + LOOK_BYTES)) } {
                Some(0) => break,
                Some(more) => touched += more,
                None => {
                    touched = touched.max(WIPED_BYTES);
                    break;
                }
            }
        }
        if touched > KEPT_BYTES {
            // SAFETY: the range consists of whole pages of the stack, and no call is on it.
            let is_given_back = unsafe { platform::discard(below(touched), touched - KEPT_BYTES) };
            touched = if is_given_back { KEPT_BYTES } else { touched };
        }
        // SAFETY: the range lies in the stack, and no call is on it.
        unsafe { std::ptr::write_bytes(below(touched), 0, touched) };
        self.touched.set(touched);
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        if self.top.get() != 0 {
            self.of.unused.lock().unwrap_or_else(PoisonError::into_inner).push(self.top.get());
        }
    }
}

/// Where this thread's stack for programs lies, if it has one.
pub fn program_stack() -> Option<Range<usize>> {
    let top = FOR_PROGRAMS.try_with(|stack| stack.top.get()).ok().filter(|&top| top != 0)?;
    Some(top - STACK.len()..top)
}

fn new_engine_stack() -> Option<usize> {
    guarded(platform::reserve(None, STACK.len())?.expose_provenance())
}

fn new_program_stack() -> Option<usize> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let reservation = Reservation::get()?;
    let stride = COUNT.fetch_add(1, Ordering::Relaxed);
    if stride >= reservation.engine_chunks() {
        return None;
    }
    if stride == 0 {
        platform::explain_faults(is_below_a_program_stack, OVERFLOW);
    }
    let start = reservation.engine_stride(stride) + STACK.start;
    // Few of its pages are touched.
    // SAFETY: the range is reserved, and begins at a page.
    unsafe { platform::prefer_small_pages(std::ptr::with_exposed_provenance_mut(start), STACK.len()) };
    guarded(start)
}

/// Whether an address lies below a stack for programs, where one that has overflowed is found.
fn is_below_a_program_stack(address: usize) -> bool {
    let place = Reservation::existing().and_then(|reservation| reservation.in_engine_stride(address));
    place.is_some_and(|place| (STACK.start..STACK.start + GUARD_BYTES).contains(&place))
}

/// The end of the stack that begins at an address. Nothing uses its memory yet.
fn guarded(start: usize) -> Option<usize> {
    // SAFETY: both callers pass the start of memory that was reserved, and that nothing uses.
    unsafe { platform::protect(std::ptr::with_exposed_provenance_mut(start), GUARD_BYTES) };
    Some(start + STACK.len())
}

/// Calls a function on this thread's stack for programs; on the current one if a call is on that already, if the thread is
/// about to end, or where the system is not supported. A panic of the function goes on in the caller.
///
/// The function begins at the same place of the stack each time, with zeros below it, and with registers that are zero:
/// a program saves them on its stack, from where they can get into futures.
pub fn call_on_program_stack<R>(function: impl FnOnce() -> R) -> R {
    let call = |is_wiped: bool| {
        if !is_wiped {
            wipe_stack::<WIPED_BYTES>();
        }
        call_with_clean_registers(function)
    };
    call_on(&FOR_PROGRAMS, Stack::wipe, call)
}

/// Calls a function on this thread's stack for the engine; on the current one if a call is on that already, if the thread
/// is about to end, or where the system is not supported. A panic of the function goes on in the caller.
///
/// Of the result, the caller gets what [`Handed`] makes of it: all of its bytes come from the caller's stack, but for those
/// of its fields.
pub fn call_on_engine_stack<R: Handed>(function: impl FnOnce() -> R) -> R {
    let Some(taken) = Taken::new(&FOR_THE_ENGINE, |_| {}) else { return function() };
    // SAFETY: `call_apart` passes a function and an argument that fit together, the function does not unwind, and the
    // end is one that it was given, less what it keeps there. The stack is this thread's, and no other call is on it.
    unsafe { call_apart(function, taken.end(), |run, call, end| platform::call_on_stack(run, call, end)) }
}

/// Prepares a stack and calls a function on it, which is told whether it runs there.
fn call_on<R>(stack: &'static LocalKey<Stack>, prepare: fn(&Stack), function: impl FnOnce(bool) -> R) -> R {
    let Some(taken) = Taken::new(stack, prepare) else { return function(false) };
    // SAFETY: `run` and `call` fit together, and `run` does not unwind. The stack is this thread's, no other call is
    // on it, and its end is one of pages.
    call_through(|| function(true), |run, call| unsafe { platform::call_on_stack(run, call, taken.end()) })
}

/// One of this thread's stacks, while a call is on it.
struct Taken {
    stack: &'static LocalKey<Stack>,
    end: usize,
}

impl Taken {
    fn new(stack: &'static LocalKey<Stack>, prepare: fn(&Stack)) -> Option<Taken> {
        let end = stack.try_with(|stack| stack.take().inspect(|_| prepare(stack))).ok()??;
        Some(Taken { stack, end })
    }

    fn end(&self) -> *mut u8 {
        std::ptr::with_exposed_provenance_mut(self.end)
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        // A thread that is about to end has given its stack away, which no call is on any more then.
        let _ = self.stack.try_with(|stack| stack.is_busy.set(false));
    }
}
