//! The output of a process.

use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The last bytes that are kept.
const KEPT_BYTES: usize = 16 << 10;

/// The text that a process has printed, its end if that is long.
#[derive(Clone, Default)]
pub(crate) struct Log {
    printed: Arc<Mutex<Vec<u8>>>,
    readers: Arc<Mutex<Vec<JoinHandle<()>>>>,
}

impl Log {
    /// Reads an output of the process to its end, on a thread of its own.
    pub(crate) fn follow(&self, mut output: impl Read + Send + 'static) {
        let printed = Arc::clone(&self.printed);
        let reader = thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = output.read(&mut buffer) {
                let mut printed = printed.lock().unwrap_or_else(PoisonError::into_inner);
                printed.extend_from_slice(&buffer[..length]);
                let surplus = printed.len().saturating_sub(KEPT_BYTES);
                printed.drain(..surplus);
            }
        });
        self.readers.lock().unwrap_or_else(PoisonError::into_inner).push(reader);
    }

    /// Waits until all outputs have been read to their ends, at most this long: what a process has printed last may
    /// still be in a pipe when it has ended, and a process that it has started may keep the pipe open.
    pub(crate) fn settle(&self, at_most: Duration) {
        let begun = Instant::now();
        let readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        while begun.elapsed() < at_most && !readers.iter().all(JoinHandle::is_finished) {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Its output, as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.printed.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_much_output_the_end_is_kept() {
        let log = Log::default();
        log.follow(std::io::Cursor::new([vec![b'a'; 3 * KEPT_BYTES], b"the end".to_vec()].concat()));
        log.settle(Duration::from_secs(60));
        assert!(log.text().ends_with("the end"));
        assert_eq!(log.text().len(), KEPT_BYTES);
    }
}
