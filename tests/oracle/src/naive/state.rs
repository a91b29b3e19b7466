//! The state of a system: its processes, their tasks and what they have open, and the network between them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::connections::{Connections, Due, End};
use super::datagrams::{Channel, Datagrams};
use super::files::Files;
use super::helpless;
use super::objects::Objects;
use super::operation::{Kind, Operation, Wait};
use super::{BACKLOG_MAX, Clocks, Findings};
use crate::language::automaton::{Sighted, What};
use crate::language::everyday::LATER_MS;
use crate::language::program::{Event, Instruction, Process, Side, System};

/// A task without nesting: repetitions are unrolled, conditions are jumps.
#[derive(Debug)]
pub(super) enum Code {
    Do(Instruction),
    JumpUnless { register: usize, equals: u8, target: usize },
    Jump { target: usize },
    Lock,
    Unlock,
}

#[derive(Clone)]
pub(super) struct World<'a> {
    pub(super) system: &'a System,
    pub(super) code: &'a [Vec<Vec<Code>>],
    pub(super) state: State,
    /// the process of which a task went on for too long without a wait
    pub(super) runs_on: bool,
    /// what monitors see of the last move, if any watch
    pub(super) sighted: Vec<Sighted>,
    pub(super) clocks: Clocks,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct State {
    pub(super) now_ms: u32,
    pub(super) faults_left: Option<usize>,
    pub(super) processes: Vec<ProcessState>,
    /// in quiet time: from one socket to another
    pub(super) channels: BTreeMap<(Endpoint, Endpoint), Channel>,
    /// with `delay`
    pub(super) datagrams: Datagrams,
    pub(super) connections: Connections,
    /// the cuts that have not healed, and how many were made
    pub(super) cuts: BTreeSet<usize>,
    pub(super) cuts_made: usize,
    /// by unit, the latest time that is looked at; none: for ever
    pub(super) horizons_ms: Vec<u32>,
}

/// A process and the number of a socket of it.
pub(super) type Endpoint = (usize, usize);

/// A process and a port of it.
pub(super) type Address = (usize, u16);

/// A bound socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Socket {
    pub(super) number: usize,
    pub(super) port: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ProcessState {
    pub(super) phase: Phase,
    pub(super) crashes: usize,
    pub(super) registers: Vec<u8>,
    pub(super) sockets: Vec<Slot<Socket>>,
    /// the sockets that some task still has, by number
    pub(super) open: BTreeMap<usize, OpenSocket>,
    /// by socket, where the last datagram came from, if the process replies to any
    pub(super) heard: Vec<Option<Address>>,
    pub(super) listeners: Vec<Slot<u16>>,
    pub(super) streams: Vec<Slot<End>>,
    pub(super) tasks: Vec<TaskState>,
    pub(super) log: Vec<Event>,
    /// how often each kind of operation was begun, as far as that matters
    pub(super) begun: BTreeMap<Kind, usize>,
    pub(super) output: Option<String>,
    /// the task that holds the mutex, and those that wait for it, first come, first served
    pub(super) mutex: VecDeque<usize>,
    pub(super) objects: Objects,
    pub(super) interval: Option<Interval>,
    /// when the clock was read
    pub(super) stamps_ms: [Option<i64>; 2],
    pub(super) files: Files,
    /// when it starts again after a crash, if that is bounded
    pub(super) back: Option<Due>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct OpenSocket {
    pub(super) port: u16,
    pub(super) peer: Option<Address>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Interval {
    /// it is late where this is in the past
    pub(super) next_ms: i64,
    pub(super) period_ms: u16,
    /// a tick was waited for in vain, and has not come since
    pub(super) is_given_up: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Phase {
    Unstarted,
    Running,
    Ended,
    /// it has crashed, and will start again
    Crashed,
    /// it has crashed for ever
    Down,
}

impl Phase {
    /// Whether the process does nothing any more.
    pub(super) fn is_over(self) -> bool {
        matches!(self, Phase::Ended | Phase::Down)
    }
}

/// A place for a socket, listener or stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Slot<T> {
    Closed,
    Opening,
    Open(T),
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct TaskState {
    /// the next instruction
    pub(super) position: usize,
    pub(super) activity: Activity,
    pub(super) handle: bool,
    /// aborted: nothing it waits for can come any more, and when it is run it ends
    pub(super) cancelled: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Activity {
    Unspawned,
    Runnable,
    Waiting(Wait),
    Ended,
}

impl<'a> World<'a> {
    pub(super) fn new(system: &'a System, code: &'a [Vec<Vec<Code>>]) -> Self {
        let processes = system.processes.iter().map(ProcessState::new).collect();
        let state = State {
            now_ms: 0,
            faults_left: system.network.at_most,
            processes,
            channels: BTreeMap::new(),
            datagrams: Datagrams::default(),
            connections: match () {
                () if system.takes_time() => Connections::timed(),
                () if system.network.crash.as_ref().is_some_and(|crash| crash.power) => {
                    Connections::default().with_power_failures()
                }
                () if system.network.partition.is_some() => Connections::default().with_partitions(),
                () => Connections::default(),
            }
            .with_retries(system.network.tcp.as_ref().and_then(|tcp| tcp.retries_ms)),
            cuts: BTreeSet::new(),
            cuts_made: 0,
            horizons_ms: match system.network.duration_ms {
                Some(duration_ms) => vec![duration_ms; helpless::units(system).count()],
                None => Vec::new(),
            },
        };
        World { system, code, state, runs_on: false, sighted: Vec::new(), clocks: Clocks::OfJoined }
    }

    /// Shows something to the monitors.
    pub(super) fn sight(&mut self, what: What, process: usize, value: u8) {
        if self.system.network.watched {
            self.sighted.push(Sighted { what, process, value });
        }
    }

    /// Nothing but failures can happen any more.
    pub(super) fn rest(&self, findings: &mut Findings) {
        let mut waiting = Vec::new();
        for (state, process) in self.state.processes.iter().zip(&self.system.processes) {
            let accepts = state.tasks.iter().any(TaskState::is_accepting);
            if !state.phase.is_over() && !process.daemon {
                waiting.push(accepts);
            }
        }
        findings.deadlock |= waiting.iter().any(|accepts| !accepts);
        findings.suppressed |= waiting.iter().any(|&accepts| accepts);
        if waiting.iter().all(|&accepts| accepts) {
            findings.terminals.insert(self.state.processes.iter().map(|process| self.end_of(process)).collect());
        }
    }
}

impl World<'_> {
    /// The output of a process, and its files, if there are any in the system.
    fn end_of(&self, process: &ProcessState) -> Option<String> {
        if !self.system.has_files() {
            return process.output.clone();
        }
        let disk = &process.files.disk;
        let is_silent =
            process.phase == Phase::Down && self.system.network.crash.as_ref().is_some_and(|crash| crash.power);
        let content = if is_silent { disk.durable() } else { disk.seen() };
        let files: BTreeMap<&str, &[u8]> =
            content.names.keys().filter_map(|place| Some((place.1.as_str(), content.file(place)?))).collect();
        Some(format!("{:?} with {files:?}", process.output))
    }
}

/// States that endless executions come back to: without the parts that can make no difference any more.
impl State {
    pub(super) fn forget(&mut self) {
        let now_ms = std::mem::take(&mut self.now_ms);
        let tasks = self.processes.iter_mut().flat_map(|process| &mut process.tasks);
        tasks.flat_map(TaskState::deadlines_ms).for_each(|deadline_ms| {
            *deadline_ms = deadline_ms.saturating_sub(now_ms);
        });
        self.horizons_ms.iter_mut().for_each(|horizon_ms| *horizon_ms = horizon_ms.saturating_sub(now_ms));
        for interval in self.processes.iter_mut().filter_map(|process| process.interval.as_mut()) {
            interval.next_ms -= i64::from(now_ms);
        }
        for process in &mut self.processes {
            set_stamps_back(&mut process.stamps_ms, now_ms);
            let set_back = |(earliest_ms, latest_ms): Due| {
                (earliest_ms.saturating_sub(now_ms), latest_ms.map(|latest_ms| latest_ms - now_ms))
            };
            process.back = process.back.map(set_back);
        }
        self.channels.values_mut().for_each(Channel::forget);
        self.channels.retain(|_, channel| !channel.is_empty());
        self.datagrams.set_back(now_ms);
        self.connections.set_back(now_ms);
        self.datagrams.forget();
    }

    /// Whether there are more packets than any but an endless execution has.
    pub(super) fn has_backlog(&self) -> bool {
        let channels = self.channels.values().map(Channel::backlog);
        channels.chain(self.datagrams.backlogs()).any(|backlog| backlog > BACKLOG_MAX)
    }
}

impl ProcessState {
    fn new(process: &Process) -> ProcessState {
        let task = TaskState { position: 0, activity: Activity::Unspawned, handle: false, cancelled: false };
        ProcessState {
            phase: Phase::Unstarted,
            crashes: 0,
            registers: vec![0; process.registers],
            sockets: vec![Slot::Closed; process.sockets],
            open: BTreeMap::new(),
            heard: vec![None; process.sockets],
            listeners: vec![Slot::Closed; process.listeners],
            streams: vec![Slot::Closed; process.streams],
            tasks: vec![task; process.tasks.len()],
            log: Vec::new(),
            begun: BTreeMap::new(),
            output: None,
            mutex: VecDeque::new(),
            objects: Objects::new(),
            interval: None,
            stamps_ms: [None; 2],
            files: Files::new(&process.files),
            back: None,
        }
    }

    /// Nothing is left of the process but its files, and how often it has crashed.
    pub(super) fn crash(&mut self, process: &Process, phase: Phase, power: bool) {
        let files = self.files.after_crash(power);
        *self = ProcessState { phase, crashes: self.crashes + 1, files, ..ProcessState::new(process) };
    }

    /// The task gives the mutex back, or its place in the queue up.
    pub(super) fn release(&mut self, task: usize) {
        let holder = self.mutex.front().copied();
        self.objects.withdraw(task);
        self.mutex.retain(|&queued| queued != task);
        if let Some(&next) = self.mutex.front()
            && holder != Some(next)
        {
            self.tasks[next].activity = Activity::Runnable;
        }
    }
}

/// Listeners and streams.
impl ProcessState {
    /// The first task that is in the middle of a poll.
    pub(super) fn calling(&self, now_ms: u32) -> Option<usize> {
        (0..self.tasks.len()).find(|&task| self.is_calling(task, now_ms))
    }

    /// Whether a task is in the middle of a poll. A timer that is over, and not only now, does not wait.
    pub(super) fn is_calling(&self, task: usize, now_ms: u32) -> bool {
        let ticks = matches!(self.tasks[task].activity, Activity::Waiting(Wait::Tick { .. }));
        let is_over = |interval: Interval| interval.next_ms < i64::from(now_ms);
        self.tasks[task].is_calling() || ticks && self.interval.is_some_and(is_over)
    }

    /// The stream to be read from, unless somebody reads from it already.
    pub(super) fn to_read(&self, stream: usize) -> Option<End> {
        let end = self.streams[stream].value()?;
        let mut operations = self.tasks.iter().filter_map(TaskState::operation);
        (!operations.any(|operation| operation.reads(end))).then_some(end)
    }

    /// The stream to be written to, unless somebody writes to it already.
    pub(super) fn to_write(&self, stream: usize) -> Option<End> {
        let end = self.streams[stream].value()?;
        let mut operations = self.tasks.iter().filter_map(TaskState::operation);
        (!operations.any(|operation| operation.writes(end))).then_some(end)
    }

    /// Counts an operation that begins.
    pub(super) fn is_among_first(&mut self, kind: Kind, first: Option<usize>) -> bool {
        let Some(first) = first else { return true };
        let begun = self.begun.entry(kind).or_default();
        let is_among = *begun < first;
        *begun += usize::from(is_among);
        is_among
    }

    /// An operation on a listener or stream ended; the event is logged by a process that has a log.
    pub(super) fn finish(
        &mut self,
        operation: Operation,
        into: usize,
        opened: Option<End>,
        (event, is_logged): (Event, bool),
    ) {
        match operation {
            Operation::Listen { listener, port, .. } => {
                let is_open = event == Event::Listening;
                self.listeners[listener] = if is_open { Slot::Open(port) } else { Slot::Closed };
            }
            Operation::Accept { stream, .. } | Operation::Connect { stream, .. } => {
                self.streams[stream] = opened.map_or(Slot::Closed, Slot::Open);
            }
            _ => {}
        }
        self.registers[into] = event.code();
        self.log.extend(is_logged.then_some(event));
    }
}

impl<T: Copy> Slot<T> {
    pub(super) fn value(&self) -> Option<T> {
        match *self {
            Slot::Open(value) => Some(value),
            Slot::Closed | Slot::Opening => None,
        }
    }

    pub(super) fn close(&mut self) {
        if self.value().is_some() {
            *self = Slot::Closed;
        }
    }
}

impl TaskState {
    /// The operation on a listener or stream that it waits for.
    pub(super) fn operation(&self) -> Option<Operation> {
        match self.activity {
            Activity::Waiting(Wait::Tcp { operation, .. }) => Some(operation),
            _ => None,
        }
    }

    pub(super) fn deadlines_ms(&mut self) -> impl Iterator<Item = &mut u32> {
        let (own, outer) = match &mut self.activity {
            Activity::Waiting(Wait::Tcp { operation: Operation::Connect { until_ms, .. }, deadline_ms, .. }) => {
                (deadline_ms.as_mut(), until_ms.as_mut())
            }
            Activity::Waiting(Wait::Sleep { deadline_ms, .. }) => (Some(deadline_ms), None),
            Activity::Waiting(Wait::Recv { deadline_ms, outer_ms, .. }) => (deadline_ms.as_mut(), outer_ms.as_mut()),
            Activity::Waiting(
                Wait::Tcp { deadline_ms, .. } | Wait::Tick { deadline_ms, .. } | Wait::Object { deadline_ms, .. },
            ) => (deadline_ms.as_mut(), None),
            Activity::Waiting(Wait::Join { deadline, .. }) => {
                (deadline.as_mut().map(|(deadline_ms, _)| deadline_ms), None)
            }
            _ => (None, None),
        };
        own.into_iter().chain(outer)
    }

    pub(super) fn is_calling(&self) -> bool {
        let calls = match self.activity {
            Activity::Waiting(wait) => {
                let is_over = matches!(wait, Wait::Sleep { is_over: true, .. });
                is_over || matches!(wait, Wait::Clock { .. } | Wait::TryReceive { .. } | Wait::FileCall)
            }
            _ => false,
        };
        calls || self.operation().is_some_and(Operation::is_synchronous)
    }

    pub(super) fn is_accepting(&self) -> bool {
        self.operation().is_some_and(|operation| operation.kind() == Kind::Accept)
    }
}

pub(super) fn side_of((_, end): End) -> Side {
    if end == 0 { Side::Client } else { Side::Server }
}

/// Readings of the clock by now, and by each other, as far back as programs look.
fn set_stamps_back(stamps_ms: &mut [Option<i64>; 2], now_ms: u32) {
    let Some(latest_ms) = stamps_ms.iter().flatten().max().copied() else { return };
    let back_ms = (latest_ms - i64::from(now_ms)).max(-LATER_MS);
    for stamp_ms in stamps_ms.iter_mut().flatten() {
        *stamp_ms = back_ms - (latest_ms - *stamp_ms).min(LATER_MS);
    }
}
