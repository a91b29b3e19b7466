//! Threads that nobody waits for any more.

use crate::platform;

/// The number that the system gives a thread.
#[derive(Clone, Copy, Debug)]
pub struct ThreadNumber(platform::ThreadNumber);

impl ThreadNumber {
    /// The number of this thread, `None` where the system is not supported.
    pub fn current() -> Option<Self> {
        platform::thread_number().map(ThreadNumber)
    }

    /// From now on the thread runs where others leave it processor time: there is no way to end it. Has no effect on a
    /// thread that has ended.
    pub fn give_way(self) {
        platform::give_way(self.0);
    }
}

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    use std::sync::{Arc, mpsc};

    /// The nice value that the system has for a thread, the 19th field of its description: see `proc_pid_stat(5)`.
    fn nice(ThreadNumber(number): ThreadNumber) -> i32 {
        let description = std::fs::read_to_string(format!("/proc/self/task/{number}/stat")).unwrap();
        let (_, fields) = description.rsplit_once(')').unwrap();
        fields.split_whitespace().nth(16).unwrap().parse().unwrap()
    }

    #[test]
    fn a_thread_that_goes_on_gives_way_and_no_other_does() {
        let (counted, is_over) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (sender, receiver) = mpsc::channel();
        let spinning = std::thread::spawn({
            let (counted, is_over) = (Arc::clone(&counted), Arc::clone(&is_over));
            move || {
                sender.send(ThreadNumber::current().unwrap()).unwrap();
                while !is_over.load(Ordering::Relaxed) {
                    counted.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        let (number, own) = (receiver.recv().unwrap(), ThreadNumber::current().unwrap());
        let before = [nice(number), nice(own)];
        number.give_way();
        assert_eq!([nice(number), nice(own)], [19, before[1]]);
        // it still runs
        let seen = counted.load(Ordering::Relaxed);
        while counted.load(Ordering::Relaxed) == seen {
            std::thread::yield_now();
        }
        is_over.store(true, Ordering::Relaxed);
        spinning.join().unwrap();
        number.give_way();
        assert_eq!(nice(own), before[1], "nothing happens to others once it has ended");
    }
}
