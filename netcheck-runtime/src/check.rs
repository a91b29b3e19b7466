//! The checker: declares the faults, runs the search to its fixpoint, confirms what it found.

use crate::error::Error;
use crate::id::ProcessId;
use crate::network::Network;
use crate::property::Properties;
use crate::reduction::footprint::Footprints;
use crate::reduction::successors::Leg;
use crate::replay::{Replayed, replay, script};
use crate::report::{Figures, Report, Verdict};
use crate::search::explore::{Explored, Limit, Limits, explore};
use crate::search::frontier::Search;
use crate::state::place::StateVector;
use crate::state::store::StateId;
use crate::state::system::{Declared, Demands, Direction, Interrupt, Process, System, UdpFaults};
use crate::trace::counterexample::Counterexample;
use crate::trace::step::Step;
use crate::unit::context::{Host, Shared};
use crate::unit::instance::Program;
use crate::unit::watchdog::{self, Watch};
use crate::violation::Found;
use netcheck_models::udp::Perturbation;
use std::collections::BTreeSet;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::rc::Rc;
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// Distinct states that are visited at the most, unless `max_states` says otherwise.
const STATES_MAX: usize = 10_000_000;

/// States that are visited at the most to find a shorter counterexample than the one at hand.
const SHORTENING_STATES_MAX: usize = 50_000;

/// Stack of the thread that runs user code, in bytes: as a main thread's.
const STACK_BYTES: usize = 8 << 20;

/// The declared behaviour of UDP: by default reliable and in order.
///
/// What can be declared is papers/udp-net-iocache.txt Definition 5: each packet arrives as
/// often as one of the multiplication choices M says, and the network holds at most c packets.
#[derive(Clone, Debug)]
#[must_use]
pub struct Udp {
    copies: Vec<usize>,
    window: usize,
    direction: Option<Direction>,
    delay: bool,
    processes: Vec<String>,
}

impl Default for Udp {
    fn default() -> Self {
        Udp::new()
    }
}

impl Udp {
    /// Reliable: M = {1}, c = 1.
    pub fn new() -> Self {
        Udp { copies: vec![1], window: 1, direction: None, delay: false, processes: Vec::new() }
    }

    /// Packets may be lost: adds 0 to M.
    pub fn loss(self) -> Self {
        self.also(0)
    }

    /// Packets may arrive twice: adds 2 to M.
    pub fn duplication(self) -> Self {
        self.also(2)
    }

    fn also(mut self, copies: usize) -> Self {
        if !self.copies.contains(&copies) {
            self.copies.push(copies);
        }
        self
    }

    /// The network holds up to `packets` packets of a channel: so many may arrive in any order.
    ///
    /// # Panics
    /// If `packets` is 0.
    #[track_caller]
    pub fn reorder(self, packets: usize) -> Self {
        self.window(packets)
    }

    /// M, in full: how often each packet may arrive, in the order of exploration.
    ///
    /// # Panics
    /// If it is empty or has a number over 255.
    #[track_caller]
    pub fn copies(mut self, copies: impl IntoIterator<Item = usize>) -> Self {
        self.copies = copies.into_iter().collect();
        assert!(!self.copies.is_empty(), "`copies` needs at least one number: how often a packet may arrive");
        assert!(self.copies.iter().all(|&copies| copies <= 255), "a packet can arrive at most 255 times");
        self
    }

    /// c: how many packets of a channel the network can hold at a time. 1 keeps the order.
    ///
    /// # Panics
    /// If `packets` is 0.
    #[track_caller]
    pub fn window(mut self, packets: usize) -> Self {
        assert!(packets > 0, "the network holds at least one packet: `window` starts at 1");
        self.window = packets;
        self
    }

    /// Which side is perturbed: what the processes send, what they receive, or each in turn
    /// (then a packet can be multiplied twice). Without it, each packet that one of the
    /// processes sends or receives is perturbed once.
    pub fn direction(mut self, direction: Direction) -> Self {
        self.direction = Some(direction);
        self
    }

    /// Timers may fire while packets are under way: premature time-outs and late packets.
    pub fn delay(mut self) -> Self {
        self.delay = true;
        self
    }

    /// Only this process's traffic is perturbed; may be called for several.
    pub fn process(mut self, name: impl Into<String>) -> Self {
        self.processes.push(name.into());
        self
    }

    fn faults(&self, names: &[&str]) -> Result<UdpFaults, Error> {
        let named = |name: &String| match names.iter().position(|known| known == name) {
            Some(index) => Ok(ProcessId(index as u32)),
            None => Err(Error::unknown_process("udp(process = …)", name, names)),
        };
        let processes = self.processes.iter().map(named).collect::<Result<Vec<_>, _>>()?;
        Ok(UdpFaults {
            perturbation: Perturbation::new(self.copies.iter().copied(), self.window),
            direction: self.direction,
            delay: self.delay,
            processes: (!processes.is_empty()).then_some(processes),
        })
    }
}

/// A check, built by hand. `#[netcheck::model_check]` builds one from the same words.
#[derive(Clone, Debug)]
#[must_use]
pub struct Checker {
    udp: Option<Udp>,
    at_most: Option<usize>,
    search: Search,
    states_max: usize,
    depth_max: usize,
    reduction: bool,
    poll_duration_max: Duration,
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
            udp: None,
            at_most: None,
            search: Search::Bfs,
            states_max: STATES_MAX,
            depth_max: usize::MAX,
            reduction: true,
            poll_duration_max: watchdog::POLL_DURATION_MAX,
        }
    }

    /// Declares what UDP may do.
    pub fn udp(mut self, udp: Udp) -> Self {
        self.udp = Some(udp);
        self
    }

    /// At most so many faults in one execution: packets lost or overtaken, and further
    /// copies. Then a packet may always arrive once, whatever `copies` says.
    pub fn at_most(mut self, faults: usize) -> Self {
        self.at_most = Some(faults);
        self
    }

    /// The order of exploration.
    pub fn search(mut self, search: Search) -> Self {
        self.search = search;
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

    /// `false` explores every interleaving of independent steps too.
    pub fn reduction(mut self, reduction: bool) -> Self {
        self.reduction = reduction;
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
        self.try_check(network).unwrap_or_else(|error| panic!("{error}"))
    }

    /// As [`Checker::check`], without the panic.
    ///
    /// # Errors
    /// If the program can't be checked: it is not deterministic, a poll does not return, or
    /// the declaration names a process that is not there. The error says what to do.
    pub fn try_check(&self, network: impl FnOnce(&mut Network)) -> Result<Report, Error> {
        self.run(network, |job| job.check())
    }

    /// Runs one given execution again on the real code. Returns what was violated.
    ///
    /// # Errors
    /// If a step is not possible any more, or the program can't be checked.
    pub fn replay(
        &self,
        network: impl FnOnce(&mut Network),
        counterexample: &Counterexample,
    ) -> Result<Option<String>, Error> {
        let steps = counterexample.steps().to_vec();
        self.run(network, move |mut job| {
            let found = job.replay(&steps)?;
            Ok(found.map(|found| format!("{}: {}", found.kind, found.message)))
        })
    }

    /// Runs a job on a thread of its own, under the watchdog's eyes. A stuck thread is left
    /// behind: there is no way to end it.
    fn run<R: Send + 'static>(
        &self,
        network: impl FnOnce(&mut Network),
        run: impl FnOnce(Job) -> Result<R, Error> + Send + 'static,
    ) -> Result<R, Error> {
        let mut registered = Network::default();
        network(&mut registered);
        let watch = Arc::new(Watch::default());
        let (checker, watched) = (self.clone(), Arc::clone(&watch));
        let (sender, receiver) = mpsc::channel();
        let thread = std::thread::Builder::new().name("netcheck".to_owned()).stack_size(STACK_BYTES).spawn(move || {
            let result = Job::new(checker, registered, watched).and_then(run);
            // The receiver is gone only after a stuck poll that has returned after all.
            let _ = sender.send(result);
        });
        let thread = thread.map_err(|error| Error::new(format!("could not start a thread: {error}")))?;
        let mut result = None;
        let guarded = watchdog::guard(&watch, self.poll_duration_max, |pause| match receiver.recv_timeout(pause) {
            Ok(finished) => {
                result = Some(finished);
                true
            }
            Err(mpsc::RecvTimeoutError::Timeout) => false,
            Err(mpsc::RecvTimeoutError::Disconnected) => true,
        });
        guarded.map_err(Error::new)?;
        match (result, thread.join()) {
            (Some(result), _) => result,
            (None, Err(payload)) => std::panic::resume_unwind(payload),
            (None, Ok(())) => unreachable!("the thread sends a result or panics"),
        }
    }
}

/// One check on its own thread.
struct Job {
    checker: Checker,
    registered: Network,
    watch: Arc<Watch>,
    declared: Declared,
    after: Vec<Vec<ProcessId>>,
    properties: Properties,
    demands: Demands,
}

impl Job {
    fn new(checker: Checker, mut registered: Network, watch: Arc<Watch>) -> Result<Job, Error> {
        let names: Vec<&str> = registered.processes.iter().map(|process| process.name.as_str()).collect();
        if names.is_empty() {
            return Err(Error::new(
                "there is nothing to check: register a process with `net.process(\"name\", || async { … })`".to_owned(),
            ));
        }
        let declared = Declared {
            udp: checker.udp.as_ref().map(|udp| udp.faults(&names)).transpose()?,
            at_most: checker.at_most.map(|faults| u32::try_from(faults).unwrap_or(u32::MAX)),
        };
        let mut after = Vec::new();
        for process in &registered.processes {
            let named = |name: &String| match names.iter().position(|known| known == name) {
                Some(index) => Ok(ProcessId(index as u32)),
                None => Err(Error::unknown_process(&format!("after of \"{}\"", process.name), name, &names)),
            };
            after.push(process.after.iter().map(named).collect::<Result<Vec<_>, _>>()?);
        }
        let properties = Properties { finally: std::mem::take(&mut registered.finally) };
        Ok(Job { checker, registered, watch, declared, after, properties, demands: Demands::default() })
    }

    /// A system in which nothing has been learned.
    fn system(&self) -> (System, StateVector) {
        let host = |(index, process): (usize, &crate::network::Registered)| {
            let number = index as u32 + 1;
            let [_, b, c, d] = number.to_be_bytes();
            Host {
                name: process.name.clone(),
                v4: Ipv4Addr::new(10, b, c, d),
                v6: Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, (number >> 16) as u16, number as u16),
            }
        };
        let hosts = self.registered.processes.iter().enumerate().map(host).collect();
        let shared = Rc::new(Shared::new(hosts, Arc::clone(&self.watch)));
        let process = |(process, after): (&crate::network::Registered, &Vec<ProcessId>)| {
            let factory = Arc::clone(&process.factory);
            let program =
                Program { factory: Box::new(move || factory()), location: process.location, endpoints: Vec::new() };
            Process { daemon: process.daemon, after: after.clone(), program: Rc::new(program) }
        };
        let processes = self.registered.processes.iter().zip(&self.after).map(process).collect();
        let mut system = System::new(shared, processes, self.declared.clone(), self.demands);
        let initial = system.initial();
        (system, initial)
    }

    /// Runs `attempt` on a fresh system, again whenever it learns of a demand.
    fn attempt<R>(
        &mut self,
        mut attempt: impl FnMut(&Job, &mut System, &StateVector) -> Result<R, Interrupt>,
    ) -> Result<(R, System), Error> {
        loop {
            let (mut system, initial) = self.system();
            match attempt(self, &mut system, &initial) {
                Ok(result) => return Ok((result, system)),
                Err(Interrupt::Diagnostic(diagnostic)) => return Err(Error::new(diagnostic.0)),
                Err(Interrupt::Demands(demands)) => self.demands = demands,
            }
        }
    }

    fn limits(&self) -> Limits {
        Limits { states_max: self.checker.states_max, depth_max: self.checker.depth_max }
    }

    fn check(mut self) -> Result<Report, Error> {
        let ((mut explored, rounds), mut system) = self.attempt(Job::explore)?;
        let counterexample = match explored.found.clone() {
            None => None,
            Some((at, found)) => Some(self.counterexample(&mut system, &mut explored, at, &found)?),
        };
        let verdict = match (&counterexample, explored.limit) {
            (Some(_), _) => Verdict::Violated,
            (None, None) => Verdict::Verified,
            (None, Some(_)) => Verdict::Inconclusive,
        };
        let limit = explored.limit.map(|limit| match limit {
            Limit::States => format!(
                "max_states = {} was reached; raise it, or declare fewer faults or smaller bounds",
                self.checker.states_max
            ),
            Limit::Depth => format!(
                "max_depth = {} was reached; raise it, or bound the loops of the programs",
                self.checker.depth_max
            ),
        });
        let automata = &system.learner.automata;
        let figures = Figures {
            states: explored.store.len(),
            transitions: explored.transitions,
            depth: explored.depth,
            terminals: explored.terminals,
            suppressed_deadlocks: explored.suppressed_deadlocks,
            polls: system.learner.polls,
            operations: automata.edges.len() as u64,
            local_states: automata.nodes.len(),
            rounds,
            memory_bytes: explored.store.memory_bytes(),
        };
        let outputs = self.outputs(&system, &explored);
        Ok(Report { verdict, limit, figures, counterexample, outputs })
    }

    /// Explores until the stubborn sets have relied on nothing that grew.
    fn explore(&self, system: &mut System, initial: &StateVector) -> Result<(Explored, usize), Interrupt> {
        let Checker { search, reduction, .. } = self.checker;
        let mut footprints = reduction.then(Footprints::default);
        for round in 1.. {
            let mut explored = explore(system, initial, search, footprints.as_mut(), self.limits(), &self.properties)?;
            let grew = footprints.as_mut().is_some_and(|footprints| {
                footprints.update(system);
                footprints.grew()
            });
            let is_believed = explored.found.is_some() && (footprints.is_none() || explored.is_believed());
            if !grew || explored.limit == Some(Limit::States) {
                explored.judge_ends(system, &self.properties, !grew)?;
            }
            // A limit that was hit says nothing of what lies behind it, so another round would not either.
            if is_believed || !grew || explored.limit == Some(Limit::States) {
                return Ok((explored.unless_doubtful(grew), round));
            }
        }
        unreachable!("footprints are finite")
    }

    /// Every value that each process ended with.
    fn outputs(&self, system: &System, explored: &Explored) -> Vec<(String, Vec<String>)> {
        let of_unit = |index: usize| {
            let outputs = explored.outputs.iter().filter(|(unit, _)| unit.0 as usize == index);
            let texts: BTreeSet<String> =
                outputs.map(|&(_, output)| system.shared().output(output).text.to_string()).collect();
            texts.into_iter().collect()
        };
        let names = self.registered.processes.iter().enumerate();
        names.map(|(index, process)| (process.name.clone(), of_unit(index))).collect()
    }

    /// The steps to a violation: shortened, and confirmed on fresh futures.
    fn counterexample(
        &mut self,
        system: &mut System,
        explored: &mut Explored,
        at: StateId,
        found: &Found,
    ) -> Result<Counterexample, Error> {
        let (legs, mut found) = match explored.concrete.take() {
            Some(concrete) => concrete,
            None => (explored.path(system, at).map_err(interrupted)?, found.clone()),
        };
        let mut steps = script(system, &legs).map_err(interrupted)?;
        if let Some((shorter, instead)) = self.shorten(&found, &legs)? {
            (steps, found) = (shorter, instead);
        }
        match self.replay(&steps)? {
            Some(again) if again == found => Ok(Counterexample::new(found.kind, found.message, steps)),
            again => Err(Error::new(format!(
                "a {} was found that does not happen again on a fresh run of the same execution\n  \
                 found: {}\n  again: {}\n  \
                 if the program uses nothing that differs from run to run (random numbers, std HashMap, statics), \
                 this is a defect of netcheck",
                found.kind,
                found.message,
                again.map_or_else(|| "nothing".to_owned(), |again| again.message)
            ))),
        }
    }

    /// A shorter execution with the same kind of violation, breadth-first over all schedules.
    fn shorten(&mut self, found: &Found, legs: &[Leg]) -> Result<Option<(Vec<Step>, Found)>, Error> {
        let is_shortest = self.checker.search == Search::Bfs && !self.checker.reduction;
        if is_shortest || legs.len() < 2 {
            return Ok(None);
        }
        let depth_max = legs.len() - 1;
        let states_max = SHORTENING_STATES_MAX.min(self.checker.states_max);
        let limits = Limits { states_max, depth_max };
        let (shorter, _) = self.attempt(|job, system, initial| {
            let explored = explore(system, initial, Search::Bfs, None, limits, &job.properties)?;
            let Some((at, instead)) = explored.found.clone().filter(|(_, instead)| instead.kind == found.kind) else {
                return Ok(None);
            };
            let legs = explored.path(system, at)?;
            Ok(Some((script(system, &legs)?, instead)))
        })?;
        Ok(shorter)
    }

    /// Runs steps again on fresh futures; what they violate.
    fn replay(&mut self, steps: &[Step]) -> Result<Option<Found>, Error> {
        let (replayed, _) = self.attempt(|job, system, initial| replay(system, initial, &job.properties, steps))?;
        match replayed {
            Replayed::Violated(found) => Ok(Some(found)),
            Replayed::Held => Ok(None),
            Replayed::Diverged { number, expected, possible } => Err(Error::diverged(number, &expected, &possible)),
        }
    }
}

fn interrupted(interrupt: Interrupt) -> Error {
    match interrupt {
        Interrupt::Diagnostic(diagnostic) => Error::new(diagnostic.0),
        Interrupt::Demands(_) => unreachable!("a path was explored with all demands known"),
    }
}
