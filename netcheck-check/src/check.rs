//! The checker: what is declared, and what it is checked for.
//!
//! - `advice`: what may make a check smaller; `trial`: what it saves (`gain`);
//! - `again`: an execution that is known, run again;
//! - `automata`: what each process was seen to do;
//! - `coverage`: the claims and operations that the executions came across;
//! - `declare`: what the network may do;
//! - `differences`: why local states differ; `explore`: a check that is explored by hand;
//! - `monitor`: the progress of a long check, and how Ctrl-C ends it;
//! - `hunt`: random executions beside a search that takes long; `simulation`: in place of one;
//! - `job`: one check: searches to the fixpoint, shortens and confirms what it found; `liveness`: executions that never end;
//! - `profile`: why a check is too big; `propagation`: which fault is seen at the outputs of which processes;
//! - `thread`: the thread that a check runs on, and what becomes of what the programs print;
//! - `words`: a checker from a text of the attribute's words, and its faults as such a text.

mod advice;
mod again;
mod alike;
mod automata;
mod blame;
mod confirm;
mod coverage;
mod dates;
mod declare;
mod differences;
#[cfg(feature = "explore")]
mod explore;
mod fixpoint;
mod forecast;
mod gain;
mod hunt;
mod identity;
mod job;
mod liveness;
mod monitor;
mod order;
mod partitions;
mod profile;
mod propagation;
pub(crate) mod seed;
mod setup;
mod shorten;
mod simulation;
mod spent;
mod summary;
#[cfg(test)]
mod tests;
mod thread;
mod trial;
mod turns;
mod unread;
mod unused;
pub(crate) mod words;

pub use dates::Dates;
pub use declare::{Crash, Files, Hosts, Partition, Tasks, Tcp, Udp};
pub use identity::Identity;
pub use netcheck_runtime::property::Deadlocks;
pub use simulation::Simulation;
pub use unread::Unread;

use crate::error::Error;
use crate::network::Network;
use crate::propagation::Propagation;
use crate::report::Report;
use netcheck_runtime::search::drawn::Delays;
use netcheck_runtime::search::frontier::Search;
use netcheck_runtime::search::score::{Score, State};
use netcheck_runtime::unit::watchdog;
use netcheck_runtime::world::store::Keep;
use setup::Job;
use std::time::Duration;
use thread::Output;

/// Distinct states that are visited at the most, unless `max_states` says otherwise.
const STATES_MAX: usize = 10_000_000;

/// Visited states after which a search merges those that no receiver can tell apart, unless `merge_after` says otherwise: few
/// enough to begin again, and too many for most checks.
const MERGES_AFTER_STATES: usize = 1 << 14;

/// Bytes that states may take unless `max_memory` says otherwise: a machine should not have to swap.
const MEMORY_BYTES_MAX: usize = 8 << 30;

/// Bytes that copies of runs may take unless `max_copies` says otherwise.
const COPIES_BYTES_MAX: usize = 256 << 20;

/// The most threads that explore: the states that are expanded at once have no work for more.
const THREADS_MAX: usize = 256;

/// The values that `threads` may have, as text.
fn threads_meaning() -> String {
    format!("`threads` is how many explore, from 1 to {THREADS_MAX}: take at most as many as the machine has cores")
}

/// The number of times that a reduced check begins again without a poll that did not return, before it goes on without
/// reduction.
const STUCK_POLLS_MAX: usize = 2;

/// A check, built by hand. `#[netcheck::model_check]` builds one from the same words.
#[derive(Clone, Debug)]
#[must_use]
pub struct Checker {
    udp: Vec<Udp>,
    tcp: Option<Tcp>,
    crashes: Vec<Crash>,
    partitions: Vec<Partition>,
    files: Option<Files>,
    tasks: Tasks,
    deadlocks: Deadlocks,
    liveness: Option<bool>,
    at_most: Option<usize>,
    /// The horizon, in the programs' time.
    duration: Option<Duration>,
    /// How many steps of an execution may come out of turn.
    deviations: Option<usize>,
    /// `None`: the default for the other options.
    search: Option<Search>,
    score: Option<Score>,
    simulation: Option<Simulation>,
    delays: Option<Delays>,
    states_max: usize,
    depth_max: usize,
    messages_max: Option<usize>,
    memory_bytes_max: usize,
    copies_bytes_max: usize,
    duration_max: Option<Duration>,
    reduction: bool,
    subsumption: bool,
    symmetry: bool,
    merges_after: usize,
    keep: Keep,
    threads: usize,
    capture: bool,
    /// `None`: the default for the other options.
    identity: Option<Identity>,
    seed: u64,
    audit: bool,
    poll_duration_max: Duration,
    /// Whether the caller runs the check again, in a system process of its own, if programs change statics.
    may_run_apart: bool,
    /// Whether the report says why local states differ.
    asks_why: bool,
    unread: Unread,
    dates: Dates,
}

impl Default for Checker {
    fn default() -> Self {
        Checker::new()
    }
}

impl Checker {
    /// Breadth-first, reduced, without faults, at most 10 million states.
    pub fn new() -> Self {
        Checker {
            udp: Vec::new(),
            tcp: None,
            crashes: Vec::new(),
            partitions: Vec::new(),
            files: None,
            tasks: Tasks::Shared,
            deadlocks: Deadlocks::EachProcess,
            liveness: None,
            at_most: None,
            duration: None,
            deviations: None,
            search: None,
            score: None,
            simulation: None,
            delays: None,
            states_max: STATES_MAX,
            depth_max: usize::MAX,
            messages_max: None,
            memory_bytes_max: MEMORY_BYTES_MAX,
            copies_bytes_max: COPIES_BYTES_MAX,
            duration_max: None,
            reduction: true,
            subsumption: false,
            symmetry: false,
            merges_after: MERGES_AFTER_STATES,
            keep: Keep::Exact,
            threads: 1,
            capture: true,
            identity: None,
            seed: 0,
            audit: true,
            poll_duration_max: watchdog::POLL_DURATION_MAX,
            may_run_apart: false,
            asks_why: false,
            unread: Unread::ClearedOfMany,
            dates: Dates::Absolute,
        }
    }

    /// Declares what UDP may do, in place of what was declared before.
    pub fn udp(mut self, udp: Udp) -> Self {
        self.udp = vec![udp];
        self
    }

    /// Declares what UDP may do besides, with packets of which nothing was said so far: links differ. A packet does what
    /// the first declaration says that names it; one that none names arrives at once.
    pub fn also_udp(mut self, udp: Udp) -> Self {
        self.udp.push(udp);
        self
    }

    /// Declares what TCP may do.
    pub fn tcp(mut self, tcp: Tcp) -> Self {
        self.tcp = Some(tcp);
        self
    }

    /// Declares which processes crash, in place of what was declared before.
    pub fn crash(mut self, crash: Crash) -> Self {
        self.crashes = vec![crash];
        self
    }

    /// Declares how further processes crash: a process does what the first declaration says that names it.
    pub fn also_crash(mut self, crash: Crash) -> Self {
        self.crashes.push(crash);
        self
    }

    /// Declares what a power failure ([`Crash::power`]) leaves of files that are not synced.
    pub fn files(mut self, files: Files) -> Self {
        self.files = Some(files);
        self
    }

    /// Declares what the tasks of a process share, and in which order they are polled.
    pub fn tasks(mut self, tasks: Tasks) -> Self {
        self.tasks = tasks;
        self
    }

    /// Declares which processes have to wait for ever for a deadlock.
    pub fn deadlocks(mut self, deadlocks: Deadlocks) -> Self {
        self.deadlocks = deadlocks;
        self
    }

    /// At most so many faults in one execution: packets lost or overtaken, and further
    /// copies. Then a packet may always arrive once, whatever `copies` says.
    pub fn at_most(mut self, faults: usize) -> Self {
        self.at_most = Some(faults);
        self
    }

    /// Only what happens in the first so many seconds of the programs' time, up to and including that instant: of programs
    /// that poll or keep instants for ever, there may be no end of states otherwise.
    ///
    /// Programs that wait for a later time are cut off: that is neither a deadlock nor an end, so that properties of the end are
    /// judged only where all processes end before. The report says `verified within 10 s`.
    pub fn duration(mut self, duration: Duration) -> Self {
        self.duration = Some(duration);
        self
    }

    /// The order of exploration: breadth-first, unless said otherwise; in dense time ([`Udp::delay`]) by length, where reads
    /// are long ([`Search::Reads`]); else by faults with [`Checker::subsumption`].
    pub fn search(mut self, search: Search) -> Self {
        (self.search, self.score, self.simulation) = (Some(search), None, None);
        self
    }

    /// The order of exploration by a score, the highest first; of equal scores, the state that was met first.
    /// Each state gets its score when it is met. Replaces [`Checker::search`], as that replaces this.
    pub fn best_first(mut self, score: impl Fn(&State<'_>) -> i64 + Send + Sync + 'static) -> Self {
        (self.score, self.simulation) = (Some(Score::new(score)), None);
        self
    }

    /// Distinct states to visit at the most; reaching it is `Inconclusive`.
    pub fn max_states(mut self, states: usize) -> Self {
        self.states_max = states;
        self
    }

    /// Steps of an execution at the most; reaching it is `Inconclusive`.
    pub fn max_depth(mut self, steps: usize) -> Self {
        self.depth_max = steps;
        self
    }

    /// Messages that are written or read in an execution at the most, in the sense of [`Search::Joint`]; reaching it is
    /// `Inconclusive`. They are counted on the ways to a state that were met before its turn came: with `Search::Joint`
    /// the fewest, so that everything with so many messages is explored; with other orders perhaps more.
    ///
    /// # Panics
    /// If `messages` is 0.
    #[track_caller]
    pub fn max_messages(mut self, messages: usize) -> Self {
        assert!(messages > 0, "programs on a network send messages: `max_messages` is at least 1");
        self.messages_max = Some(messages);
        self
    }

    /// Bytes that the states may take at the most, about: those that are visited, those to be expanded, and the packets
    /// on their way in them, with copies of runs ([`max_copies`](Checker::max_copies)). Reaching it is `Inconclusive`. 8 GiB
    /// unless it is set.
    pub fn max_memory(mut self, bytes: usize) -> Self {
        self.memory_bytes_max = bytes;
        self
    }

    /// Bytes that copies of runs may take at the most, about. A local state that a program leaves a second way is reached
    /// again by setting a run of it back to such a copy, and without one by polling the program through its whole history:
    /// so this changes how long a check takes, and nothing that it finds. 256 MiB unless it is set; 0 for none.
    pub fn max_copies(mut self, bytes: usize) -> Self {
        self.copies_bytes_max = bytes;
        self
    }

    /// How long the check may take; reaching it is `Inconclusive`. It has to be at its end soon after, whatever it does
    /// then: a violation that was found may not be the least one. No limit unless it is set.
    pub fn max_time(mut self, duration: Duration) -> Self {
        self.duration_max = Some(duration);
        self
    }

    /// `false` explores every interleaving of independent steps too.
    pub fn reduction(mut self, reduction: bool) -> Self {
        self.reduction = reduction;
        self
    }

    /// `true` leaves out states that add nothing to a visited one: all else equal, their channels
    /// hold some of its packets, and the others may get lost. It pays where packets pile up, and
    /// does nothing without loss, with `at_most`, or where both sides perturb (`Direction::Both`).
    ///
    /// Unless time is dense or [`Checker::search`] says otherwise, what happens without loss is then explored first
    /// ([`Search::Faults`]): the fuller a channel, the more it covers.
    pub fn subsumption(mut self, subsumption: bool) -> Self {
        self.subsumption = subsumption;
        self
    }

    /// `true` visits states once that differ only by a permutation of like processes: of three clients that do the
    /// same, it makes no difference which of them has its answer. With n of them there are up to n! times fewer states.
    ///
    /// Processes are alike if they are registered with one function or closure (in a loop, say), both as processes or
    /// both as daemons, `after` the same ones, and if no process behaves differently when they are exchanged. This is
    /// watched as long as the check runs: a client that sends other bytes or ends with another value is told apart, and
    /// so are clients between which a server, or the declared faults, make a difference. The check then begins again
    /// without those; [`Report::asymmetries`] says why.
    ///
    /// Isolated tasks are alike that a process spawns in one step from one `#[netcheck::process]` function, if it waits for
    /// none of them before the others: with a `JoinSet`, say, or not at all.
    ///
    /// No verdict and no output is lost, and a counterexample is an execution of the processes that it names; a
    /// [`finally`](Network::finally) is asked about every end, whichever process it names. A score of
    /// [`best_first`](Checker::best_first) sees one state of those that differ by a permutation.
    ///
    /// It does nothing with `tasks = tracked`, and is not used in [`Checker::propagation`] or a
    /// replay. With the reduction it is given up where executions go round for ever.
    pub fn symmetry(mut self, symmetry: bool) -> Self {
        self.symmetry = symmetry;
        self
    }

    /// The number of visited states after which a reduced search merges states that no receiver can tell apart: they differ
    /// only in datagrams under way which their receivers treat alike, and in what local states have kept of such datagrams.
    /// 16,384 unless this is called; with 0, whatever can be merged is.
    ///
    /// No verdict and no output is lost, and a counterexample shows what was really sent. To find out what is alike, programs are
    /// also run on datagrams that no execution gives them at that point; nothing is told of what they do then. The search
    /// begins again if at most half of the states are left.
    ///
    /// It does nothing for TCP, in dense time, with monitors, real peers, crashes, `at_most`, `max_depth`,
    /// `max_messages` or `tasks = tracked`, where processes are alike by [`Checker::symmetry`], where programs read the
    /// time, for a store of fingerprints, and in other orders than [`Search::Bfs`] and [`Search::Dfs`].
    pub fn merge_after(mut self, states: usize) -> Self {
        self.merges_after = states;
        self
    }

    /// How visited states are stored.
    pub fn store(mut self, keep: Keep) -> Self {
        self.keep = keep;
        self
    }

    /// How many threads explore. Verdict, states and counterexample are the same for any number.
    ///
    /// It pays for big state spaces: programs are run by one thread only, and so their futures need not be `Send`; the
    /// other threads work out steps that are known already, and only breadth-first, by faults or by reads
    /// ([`Search::Bfs`], [`Search::Faults`], [`Search::Reads`]). Other orders are explored by one thread.
    ///
    /// # Panics
    /// If `threads` is 0 or more than 256. More threads than the machine has cores only wait for each other.
    #[track_caller]
    pub fn threads(mut self, threads: usize) -> Self {
        assert!((1..=THREADS_MAX).contains(&threads), "{}", threads_meaning());
        self.threads = threads;
        self
    }

    /// `false` takes every local state for a state of its own, also where a loop's variables hold all that matters of
    /// the past.
    pub fn capture(mut self, capture: bool) -> Self {
        self.capture = capture;
        self
    }

    /// `false` leaves out the audit of the reduction: before a check ends as verified, a random sample of its states is
    /// explored again without reduction, a few steps deep, within a twentieth of its time. An output or a violation
    /// that was found only then would be a defect of netcheck, and is reported as one.
    pub fn audit(mut self, audit: bool) -> Self {
        self.audit = audit;
        self
    }

    /// How long one poll of user code may take before it is called stuck: 10 s, unless said otherwise.
    pub fn max_poll_duration(mut self, duration: Duration) -> Self {
        self.poll_duration_max = duration;
        self
    }

    /// Explores everything that the processes registered by `network` can do.
    ///
    /// # Panics
    /// If the program can't be checked; see [`Checker::try_check`].
    #[track_caller]
    pub fn check(&self, network: impl FnOnce(&mut Network)) -> Report {
        match self.try_check(network) {
            Ok(report) => report,
            Err(error) => panic!("{error}"),
        }
    }

    /// As [`Checker::check`], without the panic.
    ///
    /// # Errors
    /// If the program can't be checked: it is not deterministic, a poll does not return, or
    /// the declaration names a process that is not there. The error says what to do.
    pub fn try_check(&self, network: impl FnOnce(&mut Network)) -> Result<Report, Error> {
        let registered = registered(network);
        let mut known = Vec::new();
        // While a reduced search does not know yet what processes send each other, timers fire too early: it may come to
        // a poll that no execution reaches. Once it knows more, it tells whether one does.
        while self.reduction && known.len() <= STUCK_POLLS_MAX {
            match self.run_knowing(known.clone(), registered.clone(), Output::Dropped, check) {
                Ok(checked) => return checked,
                Err(stuck) => known.push(stuck),
            }
        }
        // Without reduction no timer fires early: an execution comes to each poll.
        let checked = self.clone().reduction(false).run(registered, check)?;
        Ok(Report { is_given_up: self.reduction, ..checked })
    }

    /// Which fault of the network is seen at the outputs of which processes: a table, from all executions.
    ///
    /// First every execution without faults is explored: how each process ends there is correct. Then every execution
    /// with the declared faults, at most one in each unless [`at_most`](Checker::at_most) says otherwise, and each end
    /// of a process is compared with the correct ones. With several faults in one execution, the first that shows is
    /// the one that is blamed: a lost or late datagram shows when a later one arrives or nothing else can happen.
    ///
    /// - Lost, duplicated and late datagrams are named by their senders, failing calls by their callers. Of several
    ///   datagrams with the same content on one way, the receiver can't tell which one it was: with several faults in
    ///   one execution, one of them may stand for another.
    /// - `delay` and `split` are no faults: they are there in both searches.
    /// - Panics and deadlocks end no search. A process that panics is gone, its sockets are closed, and the others
    ///   go on, as they would if it ran alone.
    /// - `finally` is not asked, and monitors do not watch. An execution that goes on for ever has no end to be judged.
    /// - The full space is explored, and states are kept whole: `reduction`, `subsumption` and `store` mean nothing
    ///   here. The limits hold for each of the two searches, and the table says if one was reached.
    ///
    /// # Panics
    /// If the program can't be checked; see [`Checker::try_propagation`].
    #[track_caller]
    pub fn propagation(&self, network: impl FnOnce(&mut Network)) -> Propagation {
        self.try_propagation(network).unwrap_or_else(|error| panic!("{error}"))
    }

    /// As [`Checker::propagation`], without the panic.
    ///
    /// # Errors
    /// As [`Checker::try_check`].
    pub fn try_propagation(&self, network: impl FnOnce(&mut Network)) -> Result<Propagation, Error> {
        self.run(registered(network), |job| job.propagation())
    }
}

/// Searches; the report says whether the programs have printed something.
fn check(job: Job) -> Result<Report, Error> {
    let report = job.check()?;
    Ok(Report { has_printed: netcheck_memory::has_dropped_output(), ..report })
}

/// The processes that `network` registers.
fn registered(network: impl FnOnce(&mut Network)) -> Network {
    let mut registered = Network::default();
    network(&mut registered);
    registered
}
