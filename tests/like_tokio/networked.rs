//! Runs of real tokio with sockets on loopback are among those that `tasks = fifo` explores, for random programs: one
//! process, or two, whose tasks send and receive datagrams, connect, accept, read, write and close.
//!
//! A process is data, and its interpreter is compiled twice, against tokio and against netcheck. On tokio each process
//! is a runtime of one thread, and is run many times; each trace that is seen has to be among the outputs of the check.
//! Where only one is possible, it is the one.
//!
//! - `NETCHECK_NETWORKED_SEED=17` runs that program only, and prints it.
//! - `NETCHECK_NETWORKED_RUNS=200` runs each program so often on tokio.
#![allow(clippy::duplicate_mod, reason = "to be compiled against both is what the interpreter is for")]

mod checked;
mod program;
mod real;

use netcheck::check::{Checker, Tasks, Verdict};
use program::Process;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

const SEED: &str = "NETCHECK_NETWORKED_SEED";

/// A check that would take longer is left out.
const STATES_MAX: usize = 40_000;

/// So often nothing has happened before a process is taken to be at rest.
const QUIET_ROUNDS: usize = 3;

/// The hosts of the processes, and which of them is a process's own.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    own: String,
    hosts: Vec<String>,
}

impl Place {
    pub(crate) fn socket(&self, socket: usize) -> String {
        format!("{}:{}", self.own, 4_000 + socket)
    }

    pub(crate) fn socket_of(&self, process: usize, socket: usize) -> String {
        format!("{}:{}", self.hosts[process], 4_000 + socket)
    }

    pub(crate) fn listener(&self) -> String {
        format!("{}:5000", self.own)
    }

    pub(crate) fn listener_of(&self, process: usize) -> String {
        format!("{}:5000", self.hosts[process])
    }
}

/// Tells when nothing happens any more.
pub(crate) trait Meter: Send + Sync + 'static {
    /// Something has happened.
    fn progress(&self);
    /// Whether the process is to end; asked from time to time.
    fn is_over(&self) -> bool;
}

/// In a check, time passes only if nothing else can happen: after [`ROUNDS`] rounds no task has anything left to do.
struct TimeTells {
    rounds_left: AtomicUsize,
}

/// Each task has at most four things to do, which sleep for at most 3 ms each.
const ROUNDS: usize = 8;

impl TimeTells {
    fn new() -> Self {
        TimeTells { rounds_left: AtomicUsize::new(ROUNDS) }
    }
}

impl Meter for TimeTells {
    fn progress(&self) {}

    fn is_over(&self) -> bool {
        self.rounds_left.fetch_sub(1, Ordering::Relaxed) == 1
    }
}

/// The rounds since something has happened, by process; `None` if the process has ended. However slow the machine is,
/// no process ends before all of them had time to do something.
struct Rounds {
    own: usize,
    quiet: Arc<Mutex<Vec<Option<usize>>>>,
}

impl Meter for Rounds {
    fn progress(&self) {
        let mut quiet = self.quiet.lock().unwrap_or_else(PoisonError::into_inner);
        quiet.iter_mut().flatten().for_each(|rounds| *rounds = 0);
    }

    fn is_over(&self) -> bool {
        let mut quiet = self.quiet.lock().unwrap_or_else(PoisonError::into_inner);
        quiet[self.own].iter_mut().for_each(|rounds| *rounds += 1);
        let is_over = quiet.iter().flatten().all(|&rounds| rounds >= QUIET_ROUNDS);
        if is_over {
            quiet[self.own] = None;
        }
        is_over
    }
}

type Traces = BTreeSet<String>;

/// By process, what a check explores; `None` if it takes too long.
fn explored(program: &[Process], tasks: Tasks) -> Option<Vec<Traces>> {
    let name = |process: usize| format!("process{process}");
    let hosts: Vec<String> = (0..program.len()).map(name).collect();
    let report = Checker::new().tasks(tasks).max_states(STATES_MAX).check(|net| {
        for (number, process) in program.iter().enumerate() {
            let (process, place) = (process.clone(), Place { own: "0.0.0.0".to_owned(), hosts: hosts.clone() });
            net.process(name(number), move || {
                checked::interpret::trace(process.clone(), place.clone(), TimeTells::new())
            });
        }
    });
    match report.verdict() {
        Verdict::Verified => Some(hosts.iter().map(|host| report.outputs(host).iter().cloned().collect()).collect()),
        Verdict::Inconclusive => None,
        Verdict::Violated => panic!("nothing in it is a violation: {report}\n{program:?}"),
    }
}

/// By process, the trace of one run by tokio.
fn observed(program: &[Process]) -> Vec<String> {
    // Addresses of its own for each run: all of 127.0.0.0/8 is the machine itself.
    static RUN: AtomicUsize = AtomicUsize::new(0);
    let run = RUN.fetch_add(1, Ordering::Relaxed);
    let subnet = format!("127.{}.{}", 1 + std::process::id() % 250, run / 120 % 250);
    let hosts: Vec<String> = (0..program.len()).map(|own| format!("{subnet}.{}", 1 + 2 * (run % 120) + own)).collect();
    let quiet = Arc::new(Mutex::new(vec![Some(0); program.len()]));
    let one = |own: usize| {
        let place = Place { own: hosts[own].clone(), hosts: hosts.clone() };
        let meter = Rounds { own, quiet: Arc::clone(&quiet) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        format!("{:?}", runtime.block_on(real::interpret::trace(program[own].clone(), place, meter)))
    };
    std::thread::scope(|scope| {
        let (first, others) = (0, 1..program.len());
        let one = &one;
        let others: Vec<_> = others.map(|own| scope.spawn(move || one(own))).collect();
        let first = one(first);
        let others = others.into_iter().map(|other| other.join().expect("it does not panic"));
        [first].into_iter().chain(others).collect()
    })
}

#[derive(Debug, Default)]
struct Figures {
    programs: usize,
    too_large: usize,
    /// processes of which only one trace is possible
    determined: usize,
    observed: usize,
    explored: usize,
}

/// A number that the environment asks for.
fn number(name: &str) -> Option<u64> {
    let value = std::env::var(name).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

/// Whether one program is run only.
fn is_one() -> bool {
    number(SEED).is_some()
}

fn included(seeds: Range<u64>, processes: usize, runs: usize) -> Figures {
    all_included(seeds, |seed| program::program(seed, processes), Tasks::Fifo, runs)
}

/// Runs random programs so often each, and looks for each trace among those that are explored.
fn all_included(seeds: Range<u64>, program: impl Fn(u64) -> Vec<Process>, tasks: Tasks, runs: usize) -> Figures {
    let only = number(SEED);
    let runs = number("NETCHECK_NETWORKED_RUNS").map_or(runs, |runs| runs as usize);
    let mut figures = Figures::default();
    for seed in only.map_or(seeds, |seed| seed..seed + 1) {
        let program = program(seed);
        let processes = program.len();
        if only.is_some() {
            println!("{program:#?}");
        }
        let Some(explored) = explored(&program, tasks) else {
            figures.too_large += 1;
            continue;
        };
        let mut seen = vec![Traces::new(); processes];
        for _ in 0..runs {
            for (process, trace) in observed(&program).into_iter().enumerate() {
                assert!(
                    explored[process].contains(&trace),
                    "seed {seed}, process {process}: tokio does {trace}, which is not among {:?}, in\n{program:#?}",
                    explored[process]
                );
                seen[process].insert(trace);
            }
        }
        figures.programs += 1;
        figures.observed += seen.iter().map(BTreeSet::len).sum::<usize>();
        figures.explored += explored.iter().map(BTreeSet::len).sum::<usize>();
        figures.determined += explored.iter().filter(|traces| traces.len() == 1).count();
    }
    println!("{tasks:?}: {figures:?}");
    figures
}

#[test]
fn what_one_process_does_with_sockets_is_explored_in_tokios_order() {
    let figures = included(0..60, 1, 8);
    assert!(is_one() || figures.too_large < 5 && figures.determined < figures.programs, "{figures:?}");
}

/// A connect completed in the poll that had begun it, which no driver had reported.
#[test]
fn what_was_told_apart_once_is_explored() {
    assert_eq!(included(2_199..2_200, 1, 20).too_large, 0);
}

#[test]
fn what_two_processes_do_with_sockets_is_explored_in_tokios_order() {
    let figures = included(0..40, 2, 8);
    assert!(is_one() || figures.too_large < 10 && figures.determined < 2 * figures.programs, "{figures:?}");
}

/// Packets that are there are taken at once, whatever else the task or the process might do.
#[test]
fn drained_sockets_are_among_what_is_explored() {
    for tasks in [Tasks::Fifo, Tasks::Shared] {
        let figures = all_included(0..60, |seed| program::drained(seed, tasks == Tasks::Shared), tasks, 8);
        assert!(is_one() || figures.too_large < 10 && figures.determined > 0, "{figures:?}");
    }
}

/// A loop that asks a socket in each round sees what has come while the process had nothing to run, and else perhaps.
#[test]
fn loops_that_poll_sockets_are_among_what_is_explored() {
    for tasks in [Tasks::Fifo, Tasks::Shared] {
        let figures = all_included(20..40, |seed| program::polled(seed, tasks == Tasks::Shared), tasks, 8);
        assert!(is_one() || figures.too_large < 5 && figures.determined > 0, "{figures:?}");
    }
}

#[test]
#[ignore = "takes many minutes: for a nightly run, in release"]
fn nightly_loops_that_poll_sockets_are_among_what_is_explored() {
    for tasks in [Tasks::Fifo, Tasks::Shared] {
        all_included(1_000..6_000, |seed| program::polled(seed, tasks == Tasks::Shared), tasks, 20);
    }
}

#[test]
#[ignore = "takes many minutes: for a nightly run, in release"]
fn nightly_drained_sockets_are_among_what_is_explored() {
    for tasks in [Tasks::Fifo, Tasks::Shared] {
        all_included(1_000..6_000, |seed| program::drained(seed, tasks == Tasks::Shared), tasks, 20);
    }
}

#[test]
#[ignore = "takes many minutes: for a nightly run, in release"]
fn nightly_what_processes_do_with_sockets_is_explored_in_tokios_order() {
    included(1_000..6_000, 1, 20);
    included(1_000..4_000, 2, 20);
}
