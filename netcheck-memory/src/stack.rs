//! The stack and the registers as a program finds them.
//!
//! A compiler may copy a whole variable into a future, also the bytes that were never written. They are what earlier
//! calls left on the stack or in registers. If the engine leaves different bytes there in two runs, the images of equal
//! states differ.

use crate::platform;
use std::any::Any;
use std::hint::black_box;
use std::panic::{self, AssertUnwindSafe};

/// The stack that a function is supposed to need which makes a value.
const MADE_BYTES: usize = 1024;

/// Zeroes this many bytes below the frame of the caller.
///
/// So what is called next finds no bytes there that earlier calls left. It has to need less stack than that.
#[inline(never)]
pub fn wipe_stack<const BYTES: usize>() {
    black_box(&mut [0_u8; BYTES]);
}

/// What a function returns, made with zeros below its frame and in the place of its result: a value that is put together
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
