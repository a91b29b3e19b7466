//! Reports a poll that does not return, instead of hanging silently; and says which one it is to what is printed where a
//! poll ends the process.
//!
//! The exploring thread marks the beginning and the end of each poll; the thread that waits for it checks periodically
//! whether a poll is still the same one. There is no way to end a thread: one that is left behind is parked when its
//! program makes a call of netcheck, so that it takes neither memory nor processor time any more. One that makes none
//! gives way to all others.

use netcheck_memory::ThreadNumber;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

/// The longest time that one poll of user code may take.
pub const POLL_DURATION_MAX: Duration = Duration::from_secs(10);

/// The current poll of the watched thread.
#[derive(Default)]
pub struct Watch {
    /// Odd while user code is being polled.
    serial: AtomicU64,
    is_left_behind: AtomicBool,
    /// The watched thread, where the system can be told to let it give way.
    thread: OnceLock<ThreadNumber>,
    polled: Mutex<Polled>,
    /// The steps of user code that were run for the first time.
    steps: AtomicU64,
    /// Whether the poll waits for something that is no program under check.
    is_elsewhere: AtomicBool,
    /// The polls that did not return when the same work was done before, by a thread that was left behind.
    stuck: Vec<Stuck>,
}

/// A poll that does not return.
#[derive(Clone, Debug)]
pub struct Stuck {
    /// The number of the step among all that were run for the first time.
    step: u64,
    pub message: String,
}

#[derive(Clone, Default)]
struct Polled {
    process: String,
    last_operation: Option<&'static Location<'static>>,
}

impl Watch {
    /// For a thread that does the work of one that was left behind again: these polls are not to be tried.
    pub fn knowing(stuck: Vec<Stuck>) -> Self {
        Watch { stuck, ..Watch::default() }
    }

    /// From now on it is this thread that is watched.
    pub fn watch_this_thread(&self) {
        if let Some(thread) = ThreadNumber::current() {
            self.thread.get_or_init(|| thread);
        }
    }

    /// A step is about to be run for the first time; returns a poll of it that does not return, if one is known.
    pub(crate) fn step(&self) -> Option<&Stuck> {
        let step = self.steps.fetch_add(1, Ordering::Relaxed) + 1;
        self.stuck.iter().find(|stuck| stuck.step == step)
    }

    pub(crate) fn begin(&self, process: &str) {
        *self.lock() = Polled { process: process.to_owned(), last_operation: None };
        netcheck_memory::poll_begins(process);
        self.serial.fetch_add(1, Ordering::Release);
    }

    /// The program makes a call.
    pub(crate) fn call(&self) {
        while self.is_left_behind.load(Ordering::Relaxed) {
            thread::park();
        }
    }

    /// The program goes on without end: its thread stands still from here on, until the poll is called stuck, and is left
    /// behind.
    pub(crate) fn stand_still(&self) -> ! {
        loop {
            thread::park();
        }
    }

    /// The program begins an operation.
    pub(crate) fn operation(&self, location: &'static Location<'static>) {
        self.call();
        self.lock().last_operation = Some(location);
        netcheck_memory::operation_begins(location);
    }

    pub(crate) fn end(&self) {
        netcheck_memory::poll_ends();
        self.serial.fetch_add(1, Ordering::Release);
    }

    /// The poll waits for something that is no program under check, which takes as long as it takes.
    pub(crate) fn elsewhere<R>(&self, call: impl FnOnce() -> R) -> R {
        self.end();
        self.is_elsewhere.store(true, Ordering::Relaxed);
        let result = call();
        self.is_elsewhere.store(false, Ordering::Relaxed);
        // The same poll goes on.
        self.serial.fetch_add(1, Ordering::Release);
        result
    }

    /// Whether the thread waits for something that is no program under check.
    pub fn is_elsewhere(&self) -> bool {
        self.is_elsewhere.load(Ordering::Relaxed)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Polled> {
        self.polled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits until `finished`, a call that waits for the watched thread for a while, returns true. If a poll lasts
/// longer than `limit`, the thread is left behind.
pub fn guard(watch: &Arc<Watch>, limit: Duration, mut finished: impl FnMut(Duration) -> bool) -> Result<(), Stuck> {
    let pause = Duration::from_millis(200).min(limit);
    let (mut seen, mut same_for) = (0, Duration::ZERO);
    while !finished(pause) {
        let serial = watch.serial.load(Ordering::Acquire);
        if serial != seen || serial.is_multiple_of(2) {
            (seen, same_for) = (serial, Duration::ZERO);
            continue;
        }
        same_for += pause;
        if same_for >= limit {
            let polled = watch.lock().clone();
            let after = polled.last_operation.map_or_else(
                || "before its first operation in this poll".to_owned(),
                |l| format!("after the operation at {}:{}", l.file(), l.line()),
            );
            watch.is_left_behind.store(true, Ordering::Relaxed);
            if let Some(thread) = watch.thread.get() {
                thread.give_way();
            }
            let step = watch.steps.load(Ordering::Relaxed);
            let message = format!(
                "a poll of process \"{}\" has not returned for {} s, {after}\n  \
                 usual causes: a blocking call (std::thread::sleep, a blocking lock or socket, \
                 `blocking_send`, `blocking_recv`, `blocking_lock` …), or a loop without an await\n  \
                 use the async call instead, or move the work out of the checked program",
                polled.process,
                limit.as_secs()
            );
            return Err(Stuck { step, message });
        }
    }
    Ok(())
}
