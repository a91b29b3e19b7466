//! Reports a poll that does not return, instead of hanging silently.
//!
//! The exploring thread marks the beginning and the end of each poll; the thread that waits for it checks periodically
//! whether a poll is still the same one.

use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The longest time that one poll of user code may take.
pub(crate) const POLL_DURATION_MAX: Duration = Duration::from_secs(10);

/// The current poll of the watched thread.
#[derive(Default)]
pub(crate) struct Watch {
    /// Odd while user code is being polled.
    serial: AtomicU64,
    polled: Mutex<Polled>,
}

#[derive(Clone, Default)]
struct Polled {
    process: String,
    last_operation: Option<&'static Location<'static>>,
}

impl Watch {
    pub(crate) fn begin(&self, process: &str) {
        *self.lock() = Polled { process: process.to_owned(), last_operation: None };
        self.serial.fetch_add(1, Ordering::Release);
    }

    pub(crate) fn operation(&self, location: &'static Location<'static>) {
        self.lock().last_operation = Some(location);
    }

    pub(crate) fn end(&self) {
        self.serial.fetch_add(1, Ordering::Release);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Polled> {
        self.polled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits until `finished`, a call that waits for the watched thread for a while, returns true. Returns a message for
/// the user if a poll lasted longer than `limit`.
pub(crate) fn guard(
    watch: &Arc<Watch>,
    limit: Duration,
    mut finished: impl FnMut(Duration) -> bool,
) -> Result<(), String> {
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
            return Err(format!(
                "a poll of process \"{}\" has not returned for {} s, {after}\n  \
                 usual causes: a blocking call (std::thread::sleep, a blocking lock or socket, \
                 `blocking_send`, `blocking_recv`, `blocking_lock` …), or a loop without an await\n  \
                 use the async call instead, or move the work out of the checked program",
                polled.process,
                limit.as_secs()
            ));
        }
    }
    Ok(())
}
