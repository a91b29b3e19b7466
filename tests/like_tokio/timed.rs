//! Clocks, timers and intervals say what tokio's say with time paused, for random programs of one task.
//!
//! A program is data, and its interpreter is compiled twice, against tokio and against netcheck. The trace that tokio gives
//! has to be among the outputs of the check, and the only one where nothing waits for two timers at a time: by memory and by
//! history, in quiet and in dense time.
//!
//! - `NETCHECK_TIMED_SEEDS=5000..9000` runs these instead.
#![allow(clippy::duplicate_mod, reason = "to be compiled against both is what the interpreter is for")]

mod checked;
mod generate;
mod program;
mod real;

use netcheck::check::{Checker, Identity, Udp, Verdict};
use program::{Block, derives, is_sequential};
use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Duration;

/// In dense time, how far an instant is that was made from another one may not be known.
const NO_NUMBER: &str = "the time there is no number";

/// The trace of a run by tokio.
fn observed(program: &Block) -> String {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_time().start_paused(true).build().expect("a runtime");
    format!("{:?}", runtime.block_on(real::interpret::trace(program.clone())))
}

/// The traces that a check explores, or why it has not come to an end.
fn explored(program: &Block, checker: Checker) -> Result<BTreeSet<String>, String> {
    let own = program.clone();
    let checked = checker.max_states(3_000).try_check(|net| {
        net.process("it", move || checked::interpret::trace(own.clone()));
    });
    match checked {
        Ok(report) if report.verdict() == Verdict::Verified => Ok(report.outputs("it").iter().cloned().collect()),
        Ok(report) => Err(report.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

/// The difference between tokio and a check in words, if there is one.
fn difference(program: &Block) -> Option<String> {
    let seen = observed(program);
    let dense = || Checker::new().udp(Udp::new().delay(Duration::ZERO..=Duration::from_millis(1)));
    let checkers = [
        ("by memory", Checker::new().identity(Identity::Memory)),
        ("by history", Checker::new().identity(Identity::History)),
        ("by memory in dense time", dense().identity(Identity::Memory)),
    ];
    checkers.into_iter().find_map(|(how, checker)| match explored(program, checker) {
        Ok(explored) if explored.contains(&seen) && (explored.len() == 1 || !is_sequential(program)) => None,
        Err(why) if why.contains(NO_NUMBER) && derives(program) => None,
        explored => Some(format!("tokio does {seen}, a check {how} {explored:?}")),
    })
}

fn agree(seeds: Range<u64>) {
    for seed in random::seeds_asked_for("TIMED").unwrap_or(seeds) {
        let mut program = generate::program(seed);
        if difference(&program).is_none() {
            continue;
        }
        while let Some(smaller) = program::smaller(&program).into_iter().find(|smaller| difference(smaller).is_some()) {
            program = smaller;
        }
        panic!("seed {seed}: {} in\n{program:#?}", difference(&program).expect("it differs"));
    }
}

#[test]
fn clocks_and_timers_say_what_tokios_say() {
    agree(0..400);
}

#[test]
#[ignore = "takes minutes: for a nightly run"]
fn nightly_clocks_and_timers_say_what_tokios_say() {
    agree(1_000..41_000);
}
