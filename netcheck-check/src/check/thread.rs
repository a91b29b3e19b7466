//! The thread that a check runs on.

use super::Checker;
use super::monitor::Monitor;
use super::setup::Job;
use super::unused::unused_groups;
use crate::error::Error;
use crate::network::Network;
use netcheck_runtime::property::Finally;
use netcheck_runtime::search::progress::Progress;
use netcheck_runtime::unit::watchdog::{self, Stuck, Watch};
use std::io::Write;
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// Stack of the thread that runs user code, in bytes: as a main thread's.
const STACK_BYTES: usize = 8 << 20;

/// The way of the output that programs print.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Output {
    /// It is heard: one execution runs.
    Heard,
    /// It is dropped, where that can be done: a search polls a program thousands of times.
    Dropped,
    /// It is dropped, and nothing is said of the progress, either: another search waits for this one.
    NothingSaid,
}

/// Sends what a muted thread has said of its panic, when it is dropped.
struct LastWords(mpsc::Sender<String>);

impl Drop for LastWords {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // The receiver is gone only after a stuck poll that has returned after all.
            let _ = self.0.send(String::from_utf8_lossy(&netcheck_memory::take_output()).into_owned());
        }
    }
}

impl Checker {
    /// A sentence for each declaration that means nothing for these processes.
    pub(super) fn warnings(&self, registered: &Network) -> Vec<String> {
        let names: Vec<&str> = registered.processes.iter().map(|process| process.name.as_str()).collect();
        unused_groups(&self.udp, &names)
    }

    /// Runs a job on a thread of its own, under the watchdog's eyes. A stuck thread is left behind.
    pub(super) fn run<R: Send + 'static>(
        &self,
        registered: Network,
        run: impl FnOnce(Job) -> Result<R, Error> + Send + 'static,
    ) -> Result<R, Error> {
        let ended = self.run_knowing(Vec::new(), registered, Output::Dropped, run);
        ended.unwrap_or_else(|stuck| Err(Error::new(stuck.message)))
    }

    /// As `run`, for one execution: what the programs print is heard.
    pub(super) fn run_aloud<R: Send + 'static>(
        &self,
        registered: Network,
        run: impl FnOnce(Job) -> Result<R, Error> + Send + 'static,
    ) -> Result<R, Error> {
        let ended = self.run_knowing(Vec::new(), registered, Output::Heard, run);
        ended.unwrap_or_else(|stuck| Err(Error::new(stuck.message)))
    }

    /// As `run`, without trying polls that are known not to return.
    pub(super) fn run_knowing<R: Send + 'static>(
        &self,
        stuck: Vec<Stuck>,
        registered: Network,
        output: Output,
        run: impl FnOnce(Job) -> Result<R, Error> + Send + 'static,
    ) -> Result<Result<R, Error>, Stuck> {
        let watch = Arc::new(Watch::knowing(stuck));
        let progress = Arc::new(Progress::default());
        let mut monitor = match Monitor::new(Arc::clone(&progress), self.duration_max, self.states_max) {
            Ok(monitor) if output == Output::NothingSaid => monitor.silent(),
            Ok(monitor) => monitor,
            Err(error) => return Ok(Err(error)),
        };
        if output == Output::Dropped {
            self.warnings(&registered).iter().for_each(|warning| monitor.warn(warning));
        }
        let (checker, watched) = (self.clone(), Arc::clone(&watch));
        let (sender, receiver) = mpsc::channel();
        let (words, last_words) = mpsc::channel();
        let builder = std::thread::Builder::new().name("netcheck".to_owned()).stack_size(STACK_BYTES);
        let start = move || {
            builder.spawn(move || {
                if output != Output::Heard {
                    netcheck_memory::mute();
                }
                watched.watch_this_thread();
                let _last_words = LastWords(words);
                let result = Job::new(checker, registered, watched, progress).and_then(run);
                // A line that was begun must not appear later. It can't be written, so that this fails is no loss.
                let _ = std::io::stdout().flush();
                // The receiver is gone only after a stuck poll that has returned after all.
                let _ = sender.send(result);
            })
        };
        let thread = match output {
            Output::Dropped | Output::NothingSaid if netcheck_memory::interposes() => {
                netcheck_memory::start_apart(start)
            }
            _ => start(),
        };
        let thread = match thread {
            Ok(thread) => thread,
            Err(error) => return Ok(Err(Error::new(format!("could not start a thread: {error}")))),
        };
        let mut result = None;
        // For real peers, which are as fast as they are.
        let mut waited = Duration::ZERO;
        let guarded = watchdog::guard(&watch, self.poll_duration_max, |pause| {
            // The time of the check may be over before the pause is.
            let first = monitor.left().map_or(pause, |left| left.min(pause));
            [first, pause - first].into_iter().filter(|part| !part.is_zero()).any(|part| {
                match receiver.recv_timeout(part) {
                    Ok(finished) => {
                        result = Some(finished);
                        true
                    }
                    Err(mpsc::RecvTimeoutError::Timeout) => {
                        if watch.is_elsewhere() {
                            waited += part;
                        }
                        monitor.tick(waited);
                        false
                    }
                    Err(mpsc::RecvTimeoutError::Disconnected) => true,
                }
            })
        });
        guarded?;
        match (result, thread.join()) {
            (Some(result), _) => Ok(result),
            (None, Err(payload)) => {
                // The message of the panic belongs to the test that has asked for the check.
                eprint!("{}", last_words.try_iter().collect::<String>());
                std::panic::resume_unwind(payload)
            }
            (None, Ok(())) => unreachable!("the thread sends a result or panics"),
        }
    }
}

impl Job {
    /// The result of another check of the same programs, on a thread of its own, of which nothing is said. This one waits
    /// for it: programs that share a static are never run by both at once.
    pub(super) fn beside<R: Send + 'static>(
        &self,
        checker: &Checker,
        finally: Vec<Finally>,
        run: impl FnOnce(Job) -> Result<R, Error> + Send + 'static,
    ) -> Option<R> {
        let network = Network { finally, ..self.registered.clone() };
        checker.run_knowing(Vec::new(), network, Output::NothingSaid, run).ok()?.ok()
    }
}
