//! The stacks on which programs and the engine run.
//!
//! A program's variables overlay what earlier calls left on the stack, and a compiler may copy a whole variable into a
//! future, also the bytes that were never written. So what programs find there must be the same in each run.
//!
//! - *Programs* run on a stack whose addresses have the same low half on each thread: a stale address of it is the same
//!   in each run but for its high half. Where an image is made of the run, each call finds zeros there: what the calls before
//!   have touched is wiped, and which pages these are the system knows. It is asked only if the thread has had a fault of
//!   a page since, without which no page is touched for the first time. Without optimization a call may need hundreds of
//!   kilobytes.
//! - *The engine*, while it serves a poll, runs on another stack, behind that one: a compiler may leave the address of a
//!   call's result on the program's stack. Its own numbers (lengths of histories, sizes of tables)
//!   differ where the program's states do not. Wiping the stack behind its calls is not enough, because a frame may still
//!   hold copies of them after the call. So only the arguments of its calls are ever on the program's, and the fields of
//!   their results (`handed`).
//! - *The engine*, while it takes a step, runs on a third stack: what it lends to the program, and whose address may
//!   be left on the program's stack, would otherwise lie where the caller's depth puts it.

use crate::handed::Handed;
use crate::parts;
use crate::platform;
use crate::reservation::{self, ENGINE_STACK, PROGRAM_STACK, Reservation, STEP_STACK};
use crate::stack::{call_apart, call_through, call_with_clean_registers, wipe_stack};
use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::LocalKey;

/// The message when a program needs more stack.
const OVERFLOW: &str =
    "\nnetcheck: a poll of the program has overflowed its stack of 8 MiB: does it call itself without end?\n";

/// The lowest addresses of a stack, which are never reached: a call that needs more ends the process, as it does on the
/// stack of a thread.
const GUARD_BYTES: usize = 1 << 16;

/// The step by which the system is asked which pages of a stack were touched: no frame goes further without touching it.
const LOOK_BYTES: usize = 1 << 16;

/// Bytes that are wiped of a stack whose pages the system does not tell, or that a call is on already.
const WIPED_BYTES: usize = 1 << 16;

/// Beyond so many bytes, the memory of a stack is given back before the next call, which is faster then than wiping it.
const KEPT_BYTES: usize = 1 << 20;

/// The stride with the stacks of the first thread. Where the range begins as is wanted, the byte 4 of its addresses is
/// 0x80, which programs write over stale addresses less often than small numbers (`pool`).
const FIRST_STRIDE: usize = 0x7f;

thread_local! {
    static STACKS: Stacks =
        const { Stacks { programs_end: Cell::new(0), touched: Cell::new(0), page_faults: Cell::new(None) } };
    static IS_FOR_A_PROGRAM: Cell<bool> = const { Cell::new(false) };
    static IS_FOR_THE_ENGINE: Cell<bool> = const { Cell::new(false) };
    static IS_FOR_A_STEP: Cell<bool> = const { Cell::new(false) };
}

/// The ends of the stacks for programs of threads that have ended.
static UNUSED: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// A thread's stacks: the one for programs, and behind it those for the engine.
struct Stacks {
    /// The address at which the stack for programs ends; 0 if there are none yet.
    programs_end: Cell<usize>,
    /// Bytes at its end that earlier calls may have touched, as far as that is known.
    touched: Cell<usize>,
    /// The faults of this thread when that was found out: without a further one, no call has touched more.
    page_faults: Cell<Option<u64>>,
}

impl Stacks {
    /// The end of the stack for programs; `None` if the system gives no stacks.
    fn programs_end(&self) -> Option<usize> {
        if self.programs_end.get() == 0 {
            let unused = UNUSED.lock().unwrap_or_else(PoisonError::into_inner).pop();
            self.programs_end.set(unused.or_else(new_stacks)?);
        }
        Some(self.programs_end.get())
    }

    /// The end of the stack for calls of the engine.
    fn engine_end(&self) -> Option<usize> {
        Some(self.programs_end()? + (ENGINE_STACK.end - PROGRAM_STACK.end))
    }

    /// The end of the stack for steps.
    fn steps_end(&self) -> Option<usize> {
        Some(self.programs_end()? + (STEP_STACK.end - PROGRAM_STACK.end))
    }

    /// Zeroes what earlier calls have left on the stack for programs. No call is on it.
    fn wipe(&self) {
        let top = self.programs_end.get();
        let below = |bytes: usize| std::ptr::with_exposed_provenance_mut::<u8>(top - bytes);
        let mut touched = self.touched.get();
        let page_faults = platform::page_faults();
        let may_be_more = page_faults.is_none() || self.page_faults.replace(page_faults) != page_faults;
        while may_be_more && touched + LOOK_BYTES <= PROGRAM_STACK.len() - GUARD_BYTES {
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

impl Drop for Stacks {
    fn drop(&mut self) {
        if self.programs_end.get() != 0 {
            UNUSED.lock().unwrap_or_else(PoisonError::into_inner).push(self.programs_end.get());
        }
    }
}

/// Where this thread's stacks lie, if it has them.
pub fn own_stacks() -> Option<Range<usize>> {
    let end = STACKS.try_with(|stacks| stacks.programs_end.get()).ok().filter(|&end| end != 0)?;
    Some(end - PROGRAM_STACK.len()..end - PROGRAM_STACK.len() + reservation::STACKS.len())
}

/// Makes the stacks of a thread, and gives the end of the one for programs; `None` if the system does not.
fn new_stacks() -> Option<usize> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let reservation = Reservation::get()?;
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    if count >= reservation.engine_chunks() {
        return None;
    }
    if count == 0 {
        platform::explain_faults(is_below_a_program_stack, OVERFLOW);
    }
    let stride = (FIRST_STRIDE + count) % reservation.engine_chunks();
    if !parts::map_stacks(reservation, stride, reservation::STACKS) {
        return None;
    }
    let at = |place: usize| std::ptr::with_exposed_provenance_mut(reservation.engine_stride(stride) + place);
    // Few of their pages are touched.
    // SAFETY: the ranges are reserved, and begin at a page; nothing uses their memory yet.
    unsafe {
        platform::prefer_small_pages(at(reservation::STACKS.start), reservation::STACKS.len());
        [PROGRAM_STACK, ENGINE_STACK, STEP_STACK]
            .iter()
            .for_each(|stack| platform::protect(at(stack.start), GUARD_BYTES));
    }
    Some(reservation.engine_stride(stride) + PROGRAM_STACK.end)
}

/// Whether an address lies below a stack for programs, where one that has overflowed is found.
fn is_below_a_program_stack(address: usize) -> bool {
    let place = Reservation::existing().and_then(|reservation| reservation.in_engine_stride(address));
    place.is_some_and(|place| (PROGRAM_STACK.start..PROGRAM_STACK.start + GUARD_BYTES).contains(&place))
}

/// Calls a function on this thread's stack for programs; on the current one if a call is on that already, if the thread is
/// about to end, or where the system is not supported. A panic of the function goes on in the caller.
///
/// The function begins at the same place of the stack each time, with zeros below it, and with registers that are zero:
/// a program saves them on its stack, from where they can get into futures.
pub fn call_on_program_stack<R>(function: impl FnOnce() -> R) -> R {
    call_on(true, function)
}

/// As [`call_on_program_stack`], for a function of whose memory no image is made: it finds what the calls before have left.
pub fn call_on_used_program_stack<R>(function: impl FnOnce() -> R) -> R {
    call_on(false, function)
}

fn call_on<R>(is_to_be_wiped: bool, function: impl FnOnce() -> R) -> R {
    let call = |is_wiped: bool| {
        if !is_wiped {
            wipe_stack::<WIPED_BYTES>();
        }
        call_with_clean_registers(function)
    };
    let end = |stacks: &Stacks| {
        let end = stacks.programs_end()?;
        if is_to_be_wiped {
            stacks.wipe();
        }
        Some(end)
    };
    let Some(taken) = Taken::new(&IS_FOR_A_PROGRAM, end) else { return call(!is_to_be_wiped) };
    // SAFETY: `run` and `call` fit together, and `run` does not unwind. The stack is this thread's, no other call is
    // on it, and its end is one of pages.
    call_through(|| call(true), |run, call| unsafe { platform::call_on_stack(run, call, taken.end()) })
}

/// Calls a function on this thread's stack for the engine; on the current one if a call is on that already, if the thread
/// is about to end, or where the system is not supported. A panic of the function goes on in the caller.
///
/// The caller gets the result as [`Handed`] makes it: all of its bytes come from the caller's stack, but for those
/// of its fields.
pub fn call_on_engine_stack<R: Handed>(function: impl FnOnce() -> R) -> R {
    let Some(taken) = Taken::new(&IS_FOR_THE_ENGINE, Stacks::engine_end) else { return function() };
    // SAFETY: `call_apart` passes a function and an argument that fit together, the function does not unwind, and the
    // end is one that it was given, less what it keeps there. The stack is this thread's, and no other call is on it.
    unsafe { call_apart(function, taken.end(), |run, call, end| platform::call_on_stack(run, call, end)) }
}

/// Calls a function, in which the engine takes a step of a run, on this thread's stack for steps; on the current one if a
/// call is on that already, if the thread is about to end, or where the system is not supported. A panic of the function
/// goes on in the caller.
///
/// Values that the step lends to the program lie at the same place each time, however deep the caller is.
pub fn call_on_step_stack<R>(function: impl FnOnce() -> R) -> R {
    let Some(taken) = Taken::new(&IS_FOR_A_STEP, Stacks::steps_end) else { return function() };
    // SAFETY: as above.
    call_through(function, |run, call| unsafe { platform::call_on_stack(run, call, taken.end()) })
}

/// One of this thread's stacks, while a call is on it.
struct Taken {
    is_busy: &'static LocalKey<Cell<bool>>,
    end: usize,
}

impl Taken {
    /// The stack that ends at an address, if no call is on it; `None` if the thread is about to end, too.
    fn new(is_busy: &'static LocalKey<Cell<bool>>, end: impl FnOnce(&Stacks) -> Option<usize>) -> Option<Taken> {
        if is_busy.get() {
            return None;
        }
        let end = STACKS.try_with(end).ok()??;
        is_busy.set(true);
        Some(Taken { is_busy, end })
    }

    fn end(&self) -> *mut u8 {
        std::ptr::with_exposed_provenance_mut(self.end)
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.is_busy.set(false);
    }
}
