//! shuttle and loom: threads and channels. Neither has a choice of values when it explores everything, nor a time-out
//! that it decides on, so that only the reliable network is expressed; nor a thread that may wait for ever, so that a
//! server ends after the last request.

use crate::figures::{Counts, Figures, Verdict, end_after};
use crate::system::System;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

static EXECUTIONS: AtomicU64 = AtomicU64::new(0);

/// `sessions(system)` on the threads and channels of a crate.
macro_rules! sessions {
    ($tool:ident) => {
        fn sessions(system: System) {
            EXECUTIONS.fetch_add(1, Ordering::Relaxed);
            let System { connections, requests, .. } = system;
            let mut threads = Vec::new();
            for _ in 0..connections {
                let (ask, asked) = $tool::sync::mpsc::channel();
                let (answer, answered) = $tool::sync::mpsc::channel();
                threads.push($tool::thread::spawn(move || {
                    (0..requests).for_each(|request| ask.send(request).expect("the server is there"));
                }));
                threads.push($tool::thread::spawn(move || {
                    for _ in 0..requests {
                        let digit = asked.recv().expect("there are more requests");
                        answer.send(digit).expect("the consumer is there");
                    }
                }));
                threads.push($tool::thread::spawn(move || {
                    (0..requests).for_each(|request| assert_eq!(answered.recv(), Ok(request)));
                }));
            }
            threads.into_iter().for_each(|thread| thread.join().expect("nobody panics"));
        }
    };
}

pub fn run_shuttle(system: System, limit: Duration) -> Figures {
    sessions!(shuttle);
    run(limit, || shuttle::check_dfs(move || sessions(system), None))
}

pub fn run_loom(system: System, limit: Duration) -> Figures {
    sessions!(loom);
    run(limit, || loom::model::Builder::new().check(move || sessions(system)))
}

/// A violation is a panic, and ends the process.
fn run(limit: Duration, explore: impl FnOnce()) -> Figures {
    end_after(limit, counts);
    let start = Instant::now();
    explore();
    Figures::of_this_process(Verdict::Holds, counts(), start)
}

fn counts() -> Counts {
    Counts { executions: Some(EXECUTIONS.load(Ordering::Relaxed)), ..Counts::default() }
}
