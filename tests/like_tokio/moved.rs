//! Runs of real tokio are among those that a check explores, for random programs whose futures move between tasks: shared
//! futures, ready queues and futures that are polled only when they have woken, all with wakers of their own, some of
//! which allocate, read the clock, spawn, drop sockets or panic. All configurations of a check agree on each of them.
//!
//! - `NETCHECK_MOVED_SEED=17` runs that program only, and prints it.
//! - `NETCHECK_MOVED_SEEDS=5000..9000` runs these instead.
#![allow(clippy::duplicate_mod, reason = "to be compiled against both is what the interpreter is for")]

mod checked;
mod generate;
mod program;
mod real;
mod shrink;

use netcheck::check::{Checker, Identity, Tasks, Verdict};
use program::Program;
use std::collections::BTreeSet;
use std::ops::Range;

/// A check that would take longer is left out.
const STATES_MAX: usize = 4_000;

/// Runs of each program by tokio.
const RUNS: usize = 3;

/// The traces of a program's executions; `Err` if it panics in one.
type Traces = Result<BTreeSet<String>, ()>;

/// The traces of some runs by tokio.
fn observed(program: &Program) -> Traces {
    let run = |_| {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_all().start_paused(true).build().expect("a runtime");
        let program = program.clone();
        let run = std::panic::AssertUnwindSafe(|| format!("{:?}", runtime.block_on(real::interpret::trace(program))));
        std::panic::catch_unwind(run).map_err(|_| ())
    };
    (0..RUNS).map(run).collect()
}

/// The traces that a check explores, if it does not take too long.
fn explored(checker: Checker, program: &Program) -> Option<Traces> {
    let report = checker.max_states(STATES_MAX).check(|net| {
        let program = program.clone();
        net.process("it", move || checked::interpret::trace(program.clone()));
    });
    match report.verdict() {
        Verdict::Verified => Some(Ok(report.outputs("it").iter().cloned().collect())),
        Verdict::Inconclusive => None,
        Verdict::Violated if report.to_string().contains("a waker that panics") => Some(Err(())),
        Verdict::Violated => panic!("nothing else in it is a violation: {report}\n{program:#?}"),
    }
}

/// A mistake of a program's checks, if they were done.
fn difference(program: &Program) -> Option<Result<(), String>> {
    let checker = |identity, reduction| Checker::new().identity(identity).reduction(reduction);
    let base = explored(checker(Identity::History, false), program)?;
    for (identity, reduction) in [(Identity::History, true), (Identity::Memory, true), (Identity::Memory, false)] {
        let explored = explored(checker(identity, reduction), program)?;
        if explored != base {
            return Some(Err(format!("{identity:?}, reduction {reduction}: {explored:?}, in place of {base:?}")));
        }
    }
    let observed = observed(program);
    let is_among = |explored: &Traces| match (&observed, explored) {
        (Ok(observed), Ok(explored)) => observed.is_subset(explored),
        // A search ends with the first violation.
        (_, Err(())) => true,
        (Err(()), Ok(_)) => false,
    };
    if !is_among(&base) {
        return Some(Err(format!("tokio does {observed:?}, which is not among {base:?}")));
    }
    for identity in [Identity::History, Identity::Memory] {
        let in_order = explored(Checker::new().identity(identity).tasks(Tasks::Fifo), program)?;
        if !is_among(&in_order) {
            return Some(Err(format!("fifo, {identity:?}: tokio does {observed:?}, which is not among {in_order:?}")));
        }
    }
    Some(Ok(()))
}

fn agree(seeds: Range<u64>) -> (usize, usize) {
    let (mut programs, mut too_large) = (0, 0);
    for seed in chosen().unwrap_or(seeds) {
        let program = generate::program(seed);
        match difference(&program) {
            None => too_large += 1,
            Some(Ok(())) => programs += 1,
            Some(Err(how)) => {
                let small = shrink::shrink(program, |smaller| matches!(difference(smaller), Some(Err(_))));
                let how = difference(&small).and_then(Result::err).unwrap_or(how);
                panic!("seed {seed}: {how}\n{small:#?}");
            }
        }
    }
    (programs, too_large)
}

/// The seeds that the environment asks for.
fn chosen() -> Option<Range<u64>> {
    if let Ok(seed) = std::env::var("NETCHECK_MOVED_SEED") {
        let seed = seed.parse().expect("NETCHECK_MOVED_SEED is a number");
        println!("{:#?}", generate::program(seed));
    }
    random::seeds_asked_for("MOVED")
}

#[test]
fn futures_that_move_between_tasks_do_what_they_do_on_tokio() {
    let (programs, too_large) = agree(0..150);
    println!("{programs} programs, {too_large} too large");
    assert!(chosen().is_some() || programs > 100, "too many were left out: {too_large}");
}

#[test]
#[ignore = "takes long: for a nightly run, in release"]
fn nightly_futures_that_move_between_tasks_do_what_they_do_on_tokio() {
    println!("{:?}", agree(0..10_000));
}
