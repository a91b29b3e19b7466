//! The stack on which the engine runs while it serves a poll.
//!
//! A program's variables overlay what earlier calls left on the stack. The engine's own numbers (lengths of histories,
//! sizes of tables) must not be among that: they differ where the program's states do not. Wiping the stack behind the
//! engine's calls is not enough, because a frame may still hold copies of them after the call. So the engine runs on
//! another stack, and only the arguments and the results of its calls are ever on the program's.

use crate::platform;
use crate::stack::call_through;
use std::cell::Cell;
use std::sync::{Mutex, PoisonError};

/// The size of a stack. Only what is used of it takes memory.
const STACK_BYTES: usize = 8 << 20;

/// The lowest addresses of a stack, which are never reached: a call that needs more ends the process, as it does on the
/// stack of a thread.
const GUARD_BYTES: usize = 1 << 16;

/// The ends of the stacks of threads that have ended.
static UNUSED: Mutex<Vec<usize>> = Mutex::new(Vec::new());

thread_local! {
    static STACK: EngineStack = const { EngineStack { top: Cell::new(0), is_busy: Cell::new(false) } };
}

/// A thread's stack for the engine.
struct EngineStack {
    /// The address at which it ends; 0 if there is none yet.
    top: Cell<usize>,
    /// Whether a call is on it.
    is_busy: Cell<bool>,
}

impl EngineStack {
    /// The end of the stack, if no call is on it and the system gives one.
    fn take(&self) -> Option<usize> {
        if self.is_busy.get() {
            return None;
        }
        if self.top.get() == 0 {
            let unused = UNUSED.lock().unwrap_or_else(PoisonError::into_inner).pop();
            self.top.set(unused.or_else(new_stack)?);
        }
        self.is_busy.set(true);
        Some(self.top.get())
    }
}

impl Drop for EngineStack {
    fn drop(&mut self) {
        if self.top.get() != 0 {
            UNUSED.lock().unwrap_or_else(PoisonError::into_inner).push(self.top.get());
        }
    }
}

fn new_stack() -> Option<usize> {
    let start = platform::reserve(STACK_BYTES)?;
    // SAFETY: the range was reserved just now, and nothing uses it.
    unsafe { platform::protect(start, GUARD_BYTES) };
    Some(start.expose_provenance() + STACK_BYTES)
}

/// Calls a function on this thread's stack for the engine; on the current one if a call is on that already, if the thread
/// is about to end, or where the system is not supported. A panic of the function goes on in the caller.
pub fn call_on_engine_stack<R>(function: impl FnOnce() -> R) -> R {
    let Ok(Some(top)) = STACK.try_with(EngineStack::take) else { return function() };
    struct Free;
    impl Drop for Free {
        fn drop(&mut self) {
            // A thread that is about to end has given its stack away, which no call is on any more then.
            let _ = STACK.try_with(|stack| stack.is_busy.set(false));
        }
    }
    let _free = Free;
    call_through(function, |run, call| {
        let top = std::ptr::with_exposed_provenance_mut(top);
        // SAFETY: `run` and `call` fit together, and `run` does not unwind. The stack is this thread's, no other call is
        // on it (`is_busy`), and its end is one of pages.
        unsafe { platform::call_on_stack(run, call, top) }
    })
}
