//! netcheck: the program itself.

#[path = "../../../../examples/alphabet/checked.rs"]
mod checked;

use crate::figures::{Counts, Figures, Verdict, after};
use crate::system::System;
use checked::Sessions;
use netcheck::check::{self, Checker, Udp};
use nix::sys::signal::{Signal, raise};
use std::time::{Duration, Instant};

pub fn run(system: System, checker: &Checker, limit: Duration) -> Figures {
    let System { connections, requests, loss } = system;
    let udp = if loss { Udp::new().loss() } else { Udp::new() };
    let checker = checker.clone().udp(udp).max_states(usize::MAX);
    // A check that is interrupted says what it has seen.
    after(limit, || {
        let _ = raise(Signal::SIGINT);
    });
    let start = Instant::now();
    let report = checker.check(|net| Sessions { connections, requests, asserting: false }.register(net));
    let verdict = match report.verdict() {
        check::Verdict::Verified => Verdict::Holds,
        check::Verdict::Violated => Verdict::Violated,
        check::Verdict::Inconclusive => Verdict::NoEnd,
    };
    let counts =
        Counts { states: Some(report.states() as u64), transitions: Some(report.transitions()), executions: None };
    Figures::of_this_process(verdict, counts, start)
}
