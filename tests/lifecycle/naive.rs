//! The naive explorer: every execution of a system, from state to state, each state once.
//!
//! It is an interpreter with a network, a clock and a scheduler of its own. It shares no code with the engine and knows
//! nothing of automata, reductions or late choice. Its rules:
//!
//! - Time passes only when nothing in the whole system can happen. Then the earliest timers fire, one at a time, in
//!   every order; each lets its task run, and what that makes possible happens before time passes again.
//! - A task runs until it waits. Everything that it waits for and that may come next is a step of its own, so that
//!   other tasks may come in between.
//! - The end of an ordinary task wakes those that wait for it: when they run, they find it, before they look whether
//!   a time-out around them is over. The end of an isolated task is a message like a datagram: at the instant at which
//!   a time-out is over, either may come first.
//! - In the middle of a call that does not wait (`is_finished` of an isolated task, `Instant::now`) other processes and
//!   isolated tasks may move, and tasks of the same memory may not: tokio's workers are threads.
//! - An aborted task is dropped when it would run next. A dropped task closes its sockets, drops its handles, leaves its
//!   `faults::scope`s, and aborts the tasks of its `JoinSet`.
//! - An ordinary task goes on when the isolated task that has spawned it has ended.
//! - A `JoinSet` gives its tasks in the order in which they ended, or as `Reading` says.
//! - How often a packet arrives is chosen when it is sent, and a delivery is allowed if Definition 3 of
//!   papers/udp-net-iocache.txt, read literally, can still be met. Both by the choices and the capacity that the sender's
//!   `faults::with` sets for this packet: that which was entered last in the sender's memory, or else in the root's.

#[path = "naive/channel.rs"]
mod channel;
#[path = "naive/compile.rs"]
mod compile;
#[path = "naive/run.rs"]
mod run;
#[path = "naive/state.rs"]
mod state;

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::program::{REGIONS, System, name};
use channel::Channel;
use compile::{Code, compile};
use state::{Activity, Frame, Outcome, Phase, State, TaskState, Timer, Wait, World};
pub use state::{Move, TaskId};

/// The findings of all executions of a system together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Findings {
    /// process and message
    pub panics: BTreeSet<(String, String)>,
    pub deadlock: bool,
    /// of each process, what it ended with
    pub outputs: Vec<BTreeSet<String>>,
    /// of each execution that came to rest, what its processes ended with
    pub terminals: BTreeSet<Vec<Option<String>>>,
    pub met: Met,
    /// what there would be if there were faults outside of scopes, too; only if a scope is entered somewhere
    pub unscoped: Option<Box<Findings>>,
}

impl Findings {
    /// Neither a panic nor a deadlock.
    pub fn is_clean(&self) -> bool {
        self.panics.is_empty() && !self.deadlock
    }
}

/// Events that happened in some execution.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Met {
    /// a `faults::scope` was entered
    pub scope: bool,
    /// a `faults::with` was entered
    pub region: bool,
    /// a time-out was over
    pub elapsed: bool,
    /// an isolated task was dropped before it ended by itself
    pub dropped: bool,
    /// an isolated task ended by itself
    pub ended: bool,
    /// a datagram arrived
    pub arrived: bool,
    /// an isolated task ended or was dropped, and an ordinary task that it has spawned went on
    pub left_behind: bool,
}

/// Rules of the language that are read in more than one way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// A `JoinSet` gives the isolated tasks that have ended in any order, and the ordinary ones in the order in which
    /// they ended, before, between or after these.
    pub joins_in_any_order: bool,
}

impl Reading {
    /// The reading of tokio.
    pub const TOKIO: Reading = Reading { joins_in_any_order: false };
    /// The reading of the engine: it does not know in which order isolated tasks ended.
    pub const ENGINE: Reading = Reading { joins_in_any_order: true };
}

/// More packets under way from one socket to another are the beginning of ever more.
const BACKLOG_MAX: usize = 8;

/// The findings and the number of states, unless there are more than `states_max`.
pub fn explore(system: &System, states_max: usize, reading: Reading) -> Option<(Findings, usize)> {
    let (unscoped, count) = explore_with(system, states_max, reading, false)?;
    if !unscoped.met.scope {
        return Some((unscoped, count));
    }
    let (findings, count) = explore_with(system, states_max, reading, true)?;
    Some((Findings { unscoped: Some(Box::new(unscoped)), ..findings }, count))
}

fn explore_with(system: &System, states_max: usize, reading: Reading, is_scoped: bool) -> Option<(Findings, usize)> {
    let code: Vec<Vec<Vec<Code>>> =
        system.processes.iter().map(|process| process.routines.iter().map(|block| compile(block)).collect()).collect();
    let mut findings = Findings { outputs: vec![BTreeSet::new(); system.processes.len()], ..Findings::default() };
    let first = World::new(system, &code, reading, is_scoped);
    let mut known = Known::default();
    known.insert(&first.state);
    let mut open = vec![first];
    while let Some(world) = open.pop() {
        let moves = world.moves();
        if moves.is_empty() {
            world.rest(&mut findings);
        }
        for chosen in &moves {
            let mut next = world.clone();
            if let Err(panic) = next.make(chosen, &mut findings) {
                findings.panics.insert(panic);
                continue;
            }
            if next.state.channels.values().any(|channel| channel.backlog() > BACKLOG_MAX) {
                return None;
            }
            if known.insert(&next.state) {
                open.push(next);
            }
        }
        if known.count > states_max {
            return None;
        }
    }
    Some((findings, known.count))
}

/// The states that were met, by their hashes: to compare whole states takes long.
#[derive(Default)]
struct Known {
    states: BTreeMap<u64, Vec<State>>,
    count: usize,
}

impl Known {
    /// Whether it is a new one.
    fn insert(&mut self, state: &State) -> bool {
        let mut hasher = DefaultHasher::new();
        state.hash(&mut hasher);
        let alike = self.states.entry(hasher.finish()).or_default();
        let is_new = !alike.contains(state);
        if is_new {
            alike.push(state.clone());
            self.count += 1;
        }
        is_new
    }
}

impl World<'_> {
    /// Everything that may happen next.
    fn moves(&self) -> Vec<Move> {
        let mut others = Vec::new();
        let mut deliveries = Vec::new();
        let mut timers = Vec::new();
        for (process, state) in self.state.processes.iter().enumerate() {
            if state.phase == Phase::Unstarted {
                others.push(Move::Start { process });
            }
        }
        let calling: BTreeMap<TaskId, TaskId> = self.calling().collect();
        let left = |timer: &Move| match timer {
            Move::Fire { left, .. } => *left,
            _ => unreachable!("only timers"),
        };
        for (&task, state) in &self.state.tasks {
            if calling.get(&state.unit).is_some_and(|&calling| calling != task) {
                continue;
            }
            let wait = match &state.activity {
                Activity::Ended(_) => continue,
                Activity::Waiting(wait) if !state.cancelled => wait,
                Activity::Waiting(_) | Activity::Runnable => {
                    others.push(Move::Run { task });
                    continue;
                }
            };
            let own = timers.len();
            let mut step = |outcome| others.push(Move::Step { task, outcome });
            match *wait {
                Wait::Bind { .. } | Wait::Connect { .. } | Wait::IsFinished { .. } | Wait::Clock { .. } => {
                    step(Outcome::Done);
                }
                Wait::Send { slot, to, port, .. } => match self.route(task, slot, to, port) {
                    Some(_) => self.copies(task).into_iter().for_each(|copies| step(Outcome::Sent { copies })),
                    None => step(Outcome::Done),
                },
                Wait::Choose { among, .. } => (0..among).for_each(|chosen| step(Outcome::Chosen(chosen as u8))),
                Wait::Await { task: awaited, .. } => {
                    if self.output_of(awaited).is_some() {
                        step(Outcome::Joined(awaited));
                    }
                }
                Wait::JoinNext { .. } => {
                    self.next_of_set(task).into_iter().for_each(|next| step(Outcome::Joined(next)))
                }
                Wait::Select { handles, left, .. } => {
                    for handle in handles {
                        let branch = state.handles[handle].expect("it has not ended yet");
                        if self.output_of(branch).is_some() {
                            step(Outcome::Joined(branch));
                        }
                    }
                    timers.extend(left.map(|left| Move::Fire { task, timer: Timer::Own, left }));
                }
                Wait::Sleep { left } => timers.push(Move::Fire { task, timer: Timer::Own, left }),
                Wait::Tick => {
                    let Some(Frame::Interval { next, .. }) = state.frames.last() else { unreachable!() };
                    timers.push(Move::Fire { task, timer: Timer::Own, left: *next });
                }
                Wait::Recv { slot, .. } => {
                    let socket = state.sockets[slot].expect("it is bound");
                    for (&channel, packets) in self.state.channels.iter().filter(|((_, to), _)| *to == socket) {
                        let may_come = (0..packets.packets.len()).filter(|&packet| self.may_deliver(packets, packet));
                        deliveries.extend(
                            may_come.map(|packet| Move::Step { task, outcome: Outcome::Arrived { channel, packet } }),
                        );
                    }
                }
                Wait::Pending => {}
            }
            // Nobody asks whether the time is over in the middle of a poll.
            if !self.is_woken(task) && !wait.is_call() {
                let frames = state.frames.iter().enumerate();
                let outer = frames.filter_map(|(frame, kind)| match *kind {
                    Frame::Timeout { left, .. } => Some((frame, left)),
                    _ => None,
                });
                // The inner future is polled first, and seen if it is over as well.
                let mut earliest = timers[own..].iter().map(left).min();
                for (frame, left) in outer.rev().filter(|_| !self.is_there(state)) {
                    if earliest.is_none_or(|inner| inner.max(0) > left.max(0)) {
                        timers.push(Move::Fire { task, timer: Timer::Frame(frame), left });
                    }
                    earliest = Some(earliest.map_or(left, |inner| inner.min(left)));
                }
            }
        }
        let (due, mut running): (Vec<Move>, Vec<Move>) = timers.into_iter().partition(|timer| left(timer) <= 0);
        others.extend(due);
        others.extend(deliveries);
        if others.is_empty() {
            let earliest = running.iter().map(left).min();
            running.retain(|timer| Some(left(timer)) == earliest);
            others = running;
        }
        others
    }

    /// The multiplication choices that the faults left allow, of a packet that this task sends now.
    fn copies(&self, task: TaskId) -> BTreeSet<usize> {
        let (Some(copies), _) = self.perturbation(task) else { return BTreeSet::from([1]) };
        let mut copies: BTreeSet<usize> = copies.iter().copied().collect();
        if let Some(left) = self.state.faults_left {
            copies.insert(1);
            copies.retain(|&copies| copies.abs_diff(1) <= left);
        }
        copies
    }

    /// The multiplication choices of what a task sends now, if it is perturbed, and the capacity.
    fn perturbation(&self, task: TaskId) -> (Option<&[usize]>, usize) {
        let network = &self.system.network;
        let TaskState { process, unit, .. } = self.state.tasks[&task];
        let root = self.state.processes[process].root.expect("it has begun");
        let last = |unit: TaskId| self.regions_of(unit).max().map(|(_, region)| REGIONS[region]);
        match last(unit).or_else(|| last(root)) {
            Some(([1], 1)) => (None, network.window),
            Some((copies, window)) => (Some(copies), window),
            None => (self.is_perturbed(process).then_some(&network.copies), network.window),
        }
    }

    /// The regions that the tasks of one memory are in: their places in the order in which they were entered, and their
    /// numbers.
    fn regions_of(&self, unit: TaskId) -> impl Iterator<Item = (u32, usize)> {
        let tasks = self.state.tasks.values().filter(move |task| task.unit == unit);
        tasks.flat_map(|task| &task.frames).filter_map(|frame| match *frame {
            Frame::Region { region, order } => Some((order, region)),
            _ => None,
        })
    }

    /// Whether there are faults for what this process sends now.
    fn is_perturbed(&self, process: usize) -> bool {
        let own = self.state.tasks.values().filter(|task| task.process == process);
        !self.is_scoped || own.flat_map(|task| &task.frames).any(|frame| *frame == Frame::Scope)
    }

    fn may_deliver(&self, channel: &Channel, packet: usize) -> bool {
        channel.remaining(packet) > 0
            && self.state.faults_left.is_none_or(|left| channel.newly_overtaken_by(packet).len() <= left)
            && channel.meets_definition_3(packet)
    }

    /// Nothing can happen any more.
    fn rest(&self, findings: &mut Findings) {
        let mut processes = self.state.processes.iter().zip(&self.system.processes);
        if processes.all(|(state, process)| state.phase == Phase::Ended || process.daemon) {
            let outputs = self.state.processes.iter().map(|process| process.output.clone());
            findings.terminals.insert(outputs.collect());
        } else {
            findings.deadlock = true;
        }
    }

    /// Does one move; an error is a panic of the program.
    fn make(&mut self, chosen: &Move, findings: &mut Findings) -> Result<(), (String, String)> {
        let done = match *chosen {
            Move::Start { process } => {
                let root = self.start(process);
                self.run(root, findings)
            }
            Move::Run { task } => self.run(task, findings),
            Move::Step { task, outcome } => {
                self.complete(task, outcome, findings);
                self.go_on(task, findings)
            }
            Move::Fire { task, timer, left } => {
                self.let_time_pass(left.max(0));
                self.fire(task, timer, findings);
                self.go_on(task, findings)
            }
        };
        self.state.forget();
        done.map_err(|(process, message)| (name(process), message))
    }
}
