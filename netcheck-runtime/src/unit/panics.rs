//! Panics of user code: caught with message and location, and not printed during a search.

use crate::unit::caller::Running;
use crate::unit::source_line::{file_and_line, place};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

/// A panic of user code.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Panic {
    pub message: String,
    /// `file:line` of the panic.
    pub location: String,
    pub(crate) cause: Cause,
}

/// The cause of a panic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Cause {
    /// The program.
    Program,
    /// An `always!` that does not hold.
    Claim,
    /// An isolated task has ended, but a task that it spawned goes on: a check can't represent this.
    LeftBehind,
    /// None: the panic stands for a poll that does not return.
    Stuck,
    /// None: the panic stands for a call that ends the process of the test program.
    Exit,
}

thread_local! {
    static CATCHING: Cell<bool> = const { Cell::new(false) };
    static ALOUD: Cell<bool> = const { Cell::new(false) };
    /// Tells the call at which the poll that is running was given up, if it was.
    static GAVE_UP_AT: Cell<fn() -> Option<String>> = const { Cell::new(|| None) };
    static CAUGHT: RefCell<Option<Panic>> = const { RefCell::new(None) };
}

/// How user code left a poll other than by returning.
pub(crate) enum Unwound {
    Panicked(Panic),
    /// A payload of the engine, thrown with `resume_unwind`.
    Thrown(Box<dyn Any + Send>),
}

/// Runs `poll`; a panic in it is returned, not printed.
pub(crate) fn catch<R>(poll: impl FnOnce() -> R) -> Result<R, Unwound> {
    install();
    let outer = CATCHING.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(poll));
    CATCHING.set(outer);
    result.map_err(|payload| match CAUGHT.take() {
        Some(panic) => Unwound::Panicked(panic),
        None => Unwound::Thrown(payload),
    })
}

/// Runs `polls`; panics that are caught in it are printed too, with a backtrace if the environment asks for one.
pub(crate) fn aloud<R>(polls: impl FnOnce() -> R) -> R {
    let outer = ALOUD.replace(true);
    let result = polls();
    ALOUD.set(outer);
    result
}

/// Runs a poll of which `gave_up_at` tells the call at which it was given up, if it was: a panic in it does not count then.
pub(crate) fn telling<R>(gave_up_at: fn() -> Option<String>, poll: impl FnOnce() -> R) -> R {
    struct Restore(fn() -> Option<String>);
    impl Drop for Restore {
        fn drop(&mut self) {
            GAVE_UP_AT.set(self.0);
        }
    }
    let _restore = Restore(GAVE_UP_AT.replace(gave_up_at));
    poll()
}

/// The message of a panic.
pub(crate) fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("(a payload that is no text)").to_owned()
}

/// The message of tokio's calls that need tokio's runtime.
const NO_RUNTIME: &str = "there is no reactor running, must be called from the context of a Tokio 1.x runtime";

/// The advice for a program that uses files.
const FILES: &str = "this is the `fs` of the real tokio: a check runs the program thousands of times, and all its executions \
    would share the files. Call that of netcheck, which gives each process files of its own (`use netcheck as tokio;`; for \
    a dependency, `cargo netcheck test`), and declare what is there with `.files([(path, contents)])`";

/// The message of a panic, and its place; for a call of tokio's that needs tokio's runtime, with what to do instead, and
/// the program's own line.
fn advised(message: String, location: String) -> (String, String) {
    if !message.contains(NO_RUNTIME) {
        return (message, location);
    }
    let Running { line, within } = Running::now();
    let location = line.map_or(location, |line| file_and_line(&line.file, line.number));
    if within.iter().any(|within| within.is_of("tokio::fs")) {
        return (FILES.to_owned(), location);
    }
    let message = format!(
        "{message} (this call is tokio's own, and needs a timer, a thread or a driver of tokio's runtime, which does \
         not run in a check; for `tx.send_timeout(value, d)`, write `timeout(d, tx.send(value))` with \
         `tokio::time::timeout`; standard streams and processes are not modelled)"
    );
    (message, location)
}

/// A panic in a destructor that runs while a poll is left, with what to do instead.
fn given_up(call: &str, message: &str, location: &str) -> String {
    format!(
        "{message} (at {location}), in a poll that is left at {call} by unwinding: it is repeated with the answer. \
         A `Mutex` of the standard library that is locked there is poisoned meanwhile: make the call before the lock is \
         taken, or let the destructor take a poisoned lock too (`lock().unwrap_or_else(PoisonError::into_inner)`)"
    )
}

/// Chains a hook before the current one, once for the whole program: it keeps the message of a caught panic and leaves
/// every other panic to the earlier hook.
fn install() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !CATCHING.get() {
                // On a muted thread only the message is kept, not what programs have printed before.
                drop(netcheck_memory::take_output());
                return previous(info);
            }
            let gave_up_at = GAVE_UP_AT.get()();
            if ALOUD.get() && !netcheck_memory::is_muted() && gave_up_at.is_none() {
                netcheck_memory::without_source(|| previous(info));
            }
            netcheck_memory::engine(|| {
                let location = info.location().map_or_else(|| "an unknown place".to_owned(), place);
                let (message, location) = advised(message(info.payload()), location);
                // The process may be ended by this one: then this is the last that was printed.
                match (CAUGHT.take(), gave_up_at) {
                    _ if !netcheck_memory::is_muted() => {}
                    (None, None) => {}
                    (None, Some(call)) => eprintln!("{}", given_up(&call, &message, &location)),
                    (Some(_), Some(_)) => eprintln!("and while that unwinds: {message} (at {location})"),
                    (Some(first), None) => eprintln!(
                        "{} (at {})\nand while that unwinds: {message} (at {location})",
                        first.message, first.location
                    ),
                }
                CAUGHT.set(Some(Panic { message, location, cause: Cause::Program }));
            });
        }));
    });
}
