//! The stack and the registers as a program finds them.
//!
//! A compiler may copy a whole variable into a future, also the bytes that were never written. They are what earlier
//! calls left on the stack or in registers. If the engine leaves different bytes there in two runs, the images of equal
//! states differ. Neither may the results of its calls bring any there ([`call_apart`]).

use crate::handed::Handed;
use crate::platform;
use std::any::Any;
use std::hint::black_box;
use std::mem::needs_drop;
use std::panic::{self, AssertUnwindSafe};

/// The stack that a function is supposed to need which makes a value.
const MADE_BYTES: usize = 1024;

/// More than a function and its result need at the end of a stack.
const CALL_BYTES_MAX: usize = 1 << 14;

/// No type asks for more.
const CALL_ALIGNMENT: usize = 64;

/// Zeroes this many bytes below the frame of the caller.
///
/// So what is called next finds no bytes there that earlier calls left. It has to need less stack than that.
#[inline(never)]
pub fn wipe_stack<const BYTES: usize>() {
    black_box(&mut [0_u8; BYTES]);
}

/// The result of a function, made with zeros below its frame and in the place of its result: a value that is put together
/// there has zeros between its fields, and not what earlier calls left.
#[inline(never)]
pub fn made_clean<T>(make: impl FnOnce() -> T) -> T {
    #[inline(never)]
    fn called<T>(make: impl FnOnce() -> T) -> T {
        make()
    }
    wipe_stack::<MADE_BYTES>();
    called(make)
}

/// Calls a function with registers that are zero, and restores the callee-saved ones afterwards.
///
/// A program saves callee-saved registers on its stack, from where they can get into futures. A panic of the function
/// goes on in the caller. Where processors other than x86_64 and aarch64 are used, this only calls the function.
pub fn call_with_clean_registers<R>(function: impl FnOnce() -> R) -> R {
    // SAFETY: `run` and `call` fit together, and `run` does not unwind.
    call_through(function, |run, call| unsafe { platform::call_with_clean_registers(run, call) })
}

/// Calls a function through a trampoline, which is given a function and its only argument, and has to call it.
pub fn call_through<F: FnOnce() -> R, R>(function: F, trampoline: impl FnOnce(extern "C" fn(*mut u8), *mut u8)) -> R {
    let mut call = Call { function: Some(function), result: None };
    trampoline(run::<F, R>, (&raw mut call).cast());
    match call.result {
        Some(Ok(result)) => result,
        Some(Err(panic)) => panic::resume_unwind(panic),
        None => unreachable!("the trampoline calls the function"),
    }
}

/// Calls a function through a trampoline as [`call_through`] does, which is given a stack's end, too. The function and its
/// result lie at the end of the stack, and nothing of them but the fields of the result comes to the caller's.
///
/// # Safety
///
/// `end` is a multiple of 16, the end of memory that nobody else uses during the call.
pub unsafe fn call_apart<F: FnOnce() -> R, R: Handed>(
    function: F,
    end: *mut u8,
    trampoline: impl Fn(extern "C" fn(*mut u8), *mut u8, *mut u8),
) -> R {
    const { assert!(size_of::<Call<F, R>>() < CALL_BYTES_MAX && align_of::<Call<F, R>>() <= CALL_ALIGNMENT) };
    let bytes = size_of::<Call<F, R>>().next_multiple_of(CALL_ALIGNMENT);
    let at = end.wrapping_sub(bytes + end.addr() % CALL_ALIGNMENT);
    let call = at.cast::<Call<F, R>>();
    // SAFETY: the memory is the caller's for the call, aligned and large enough. What the trampolines run uses the stack
    // below `at`. The call is dropped once, and read before.
    unsafe {
        call.write(Call { function: Some(function), result: None });
        trampoline(run::<F, R>, at, at);
        let result = match &mut (*call).result {
            Some(Ok(result)) => Ok(result.handed()),
            Some(Err(panic)) => Err(std::mem::replace(panic, Box::new(()))),
            None => unreachable!("the trampoline calls the function"),
        };
        if needs_drop::<R>() {
            trampoline(drop_call::<F, R>, at, at);
        }
        result.unwrap_or_else(|panic| panic::resume_unwind(panic))
    }
}

extern "C" fn drop_call<F: FnOnce() -> R, R>(call: *mut u8) {
    // SAFETY: `call_apart` passed a call of this type, which it does not use any more.
    let _ = panic::catch_unwind(AssertUnwindSafe(|| unsafe { call.cast::<Call<F, R>>().drop_in_place() }));
}

/// A call on its way through a trampoline.
struct Call<F, R> {
    function: Option<F>,
    result: Option<Result<R, Box<dyn Any + Send>>>,
}

extern "C" fn run<F: FnOnce() -> R, R>(call: *mut u8) {
    // SAFETY: `call_through` passed a call of this type, which it does not use meanwhile.
    let call = unsafe { &mut *call.cast::<Call<F, R>>() };
    if let Some(function) = call.function.take() {
        // The panic goes on in `call_through`, so no state that it broke is seen before.
        call.result = Some(panic::catch_unwind(AssertUnwindSafe(function)));
    }
}
