//! Figures of a run, and how a run that does not end is ended.

use serde::{Deserialize, Serialize};
use std::process;
use std::thread;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Verdict {
    Holds,
    Violated,
    /// The time was over first; the figures are those until then.
    NoEnd,
}

/// The counts of a tool. Tools that keep no states count executions.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Counts {
    pub states: Option<u64>,
    pub transitions: Option<u64>,
    pub executions: Option<u64>,
}

/// A row of the table.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Figures {
    pub verdict: Verdict,
    pub counts: Counts,
    pub seconds: f64,
    /// The most that was resident at one time.
    pub memory_bytes: u64,
}

impl Figures {
    /// The figures of this process, which has run one tool since `start` and nothing else.
    pub fn of_this_process(verdict: Verdict, counts: Counts, start: Instant) -> Figures {
        Figures { verdict, counts, seconds: start.elapsed().as_secs_f64(), memory_bytes: peak_bytes() }
    }

    /// Says them to the parent process.
    pub fn print(&self) {
        println!("{}", serde_json::to_string(self).expect("figures are plain data"));
    }
}

/// Ends this process when the time is over, with what was counted by then.
pub fn end_after(limit: Duration, counts: impl FnOnce() -> Counts + Send + 'static) {
    let start = Instant::now();
    after(limit, move || {
        Figures::of_this_process(Verdict::NoEnd, counts(), start).print();
        process::exit(0);
    });
}

pub fn after(limit: Duration, action: impl FnOnce() + Send + 'static) {
    let start = Instant::now();
    thread::spawn(move || {
        while let Some(rest) = limit.checked_sub(start.elapsed()) {
            thread::park_timeout(rest);
        }
        action();
    });
}

fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak.and_then(|peak| peak.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or_default() * 1024
}
