//! The naive explorer: every execution of a system, one after the other, each from the start.
//!
//! It is an interpreter with a network and a scheduler of its own. It shares no code with the engine and knows
//! nothing of automata, reductions or late choice: how often a packet arrives is chosen when it is sent, and a
//! delivery is allowed if Definition 3 of papers/udp-net-iocache.txt, read literally, can still be met. With `delay`,
//! each arrival of a packet is a move of its own: see `naive_datagrams.rs`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

#[path = "naive_datagrams.rs"]
mod datagrams;
#[path = "naive_everyday.rs"]
mod everyday;
#[path = "naive_moves.rs"]
mod moves;
#[path = "naive_run.rs"]
mod run;
#[path = "naive_step.rs"]
mod step;
#[path = "naive_watched.rs"]
pub mod watched;

use crate::automaton::{Sighted, What};
use crate::connections::{Alternative, Connections, Due, End, Port};
use crate::everyday::LATER_MS;
use crate::objects::Objects;
use crate::program::{Event, Instruction, Side, System};
use datagrams::{Channel, Datagrams};
use run::compile;

/// What all executions of a system show together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Findings {
    /// process and message
    pub panics: BTreeSet<(String, String)>,
    pub deadlock: bool,
    /// some execution came to rest while a process waited for a next client
    pub suppressed: bool,
    /// of each process, what it ended with
    pub outputs: Vec<BTreeSet<String>>,
    /// of each execution that came to rest, what its processes ended with
    pub terminals: BTreeSet<Vec<Option<String>>>,
    /// some time-out was elapsed in some execution
    pub timeout_elapsed: bool,
    /// some operation on a listener or stream failed as declared
    pub failed: bool,
    /// something was read from a stream
    pub read: bool,
    /// some execution comes back to a state that it has left
    pub endless: bool,
    /// some datagram arrived where nobody was bound who takes it
    pub dropped: bool,
    /// some datagram came to a socket that was not there, or did not take it, when it was sent
    pub overdue: bool,
}

/// How much to explore, and how.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub executions_max: u64,
    /// Break an execution off where it meets a state that an earlier one left in every way.
    /// For systems with too many executions, or endless ones; the findings are the same.
    pub remember: bool,
}

impl Limits {
    pub const fn of(executions_max: u64) -> Self {
        Limits { executions_max, remember: true }
    }
}

/// More packets under way from one socket to another are the beginning of ever more.
const BACKLOG_MAX: usize = 8;

/// More states for each execution that there may be are the beginning of ever more: of a sequence of deliveries, for
/// example, that a channel without a bound has to remember.
const STATES_EACH: u64 = 5;

/// More instructions in a row without a wait are the beginning of ever more.
const RUN_MAX: usize = 1_000;

/// The first of the ports that a process is given which asks for any.
const ANY_PORT: u16 = 50_000;

/// The place of a receive that does not ask for the sender.
const NOWHERE: usize = usize::MAX;

/// The findings and the number of executions, unless there are too many.
pub fn explore(system: &System, limits: Limits) -> Option<(Findings, u64)> {
    let code: Vec<Vec<Vec<Code>>> =
        system.processes.iter().map(|process| process.tasks.iter().map(|task| compile(task)).collect()).collect();
    let mut findings = Findings { outputs: vec![BTreeSet::new(); system.processes.len()], ..Findings::default() };
    if limits.remember {
        let executions = execute_from_each_state(system, &code, limits, &mut findings)?;
        return Some((findings, executions));
    }
    let mut executions = 0;
    // the choice sequence: (chosen, alternatives)
    let mut choices: Vec<(usize, usize)> = Vec::new();
    loop {
        if executions == limits.executions_max {
            return None;
        }
        executions += 1;
        execute(system, &code, &mut choices, &mut findings);
        while choices.pop_if(|(chosen, alternatives)| *chosen + 1 == *alternatives).is_some() {}
        match choices.last_mut() {
            Some((chosen, _)) => *chosen += 1,
            None => return Some((findings, executions)),
        }
    }
}

/// One execution: follows the choices given, then takes the first alternative each time and records it.
fn execute<'a>(
    system: &'a System,
    code: &'a [Vec<Vec<Code>>],
    choices: &mut Vec<(usize, usize)>,
    findings: &mut Findings,
) {
    let mut made = 0;
    let mut world = World::new(system, code);
    loop {
        let moves = world.moves();
        if world.may_rest(&moves) {
            world.rest(findings);
        }
        if moves.is_empty() {
            return;
        }
        let chosen = if moves.len() == 1 {
            0
        } else {
            if made == choices.len() {
                choices.push((0, moves.len()));
            }
            let (chosen, alternatives) = choices[made];
            assert_eq!(alternatives, moves.len(), "the interpreter is deterministic");
            made += 1;
            chosen
        };
        let stepped = world.make(&moves[chosen], findings);
        if let Err(panic) = stepped {
            findings.panics.insert(panic);
            return;
        }
    }
}

/// Every execution as far as the first state that one before it has been in; their number, unless there are too many
/// or they need ever more memory.
fn execute_from_each_state(
    system: &System,
    code: &[Vec<Vec<Code>>],
    limits: Limits,
    findings: &mut Findings,
) -> Option<u64> {
    let first = World::new(system, code);
    let mut numbers = BTreeMap::from([(first.state.clone(), 0)]);
    let mut open = vec![(0, first)];
    let mut steps = Vec::new();
    let mut executions = 0;
    while let Some((number, world)) = open.pop() {
        let moves = world.moves();
        if world.may_rest(&moves) {
            world.rest(findings);
        }
        executions += u64::from(moves.is_empty());
        for chosen in &moves {
            let mut next = world.clone();
            if let Err(panic) = next.make(chosen, findings) {
                findings.panics.insert(panic);
                executions += 1;
                continue;
            }
            if next.runs_on || next.state.has_backlog() {
                return None;
            }
            next.state.forget();
            let new = numbers.len();
            let reached = *numbers.entry(next.state.clone()).or_insert(new);
            steps.push((number, reached));
            if reached == new {
                open.push((new, next));
            } else {
                executions += 1;
            }
        }
        if executions > limits.executions_max || numbers.len() as u64 > STATES_EACH * limits.executions_max {
            return None;
        }
    }
    findings.endless = has_cycle(numbers.len(), &steps);
    Some(executions)
}

/// Whether some steps lead back: states that no step leads to are taken away as long as there are any.
fn has_cycle(states: usize, steps: &[(usize, usize)]) -> bool {
    let mut ways = vec![0; states];
    let mut targets = vec![Vec::new(); states];
    for &(from, to) in steps {
        ways[to] += 1;
        targets[from].push(to);
    }
    let mut open: Vec<usize> = (0..states).filter(|&state| ways[state] == 0).collect();
    let mut taken = 0;
    while let Some(state) = open.pop() {
        taken += 1;
        for &target in &targets[state] {
            ways[target] -= 1;
            if ways[target] == 0 {
                open.push(target);
            }
        }
    }
    taken < states
}

/// A task without nesting: repetitions are unrolled, conditions are jumps.
#[derive(Debug)]
enum Code {
    Do(Instruction),
    JumpUnless { register: usize, equals: u8, target: usize },
    Jump { target: usize },
    Lock,
    Unlock,
}

#[derive(Clone)]
struct World<'a> {
    system: &'a System,
    code: &'a [Vec<Vec<Code>>],
    state: State,
    /// the process of which a task went on for too long without a wait
    runs_on: bool,
    /// what monitors see of the last move, if any watch
    sighted: Vec<Sighted>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    now_ms: u32,
    faults_left: Option<usize>,
    processes: Vec<ProcessState>,
    /// in quiet time: from one socket to another
    channels: BTreeMap<(Endpoint, Endpoint), Channel>,
    /// with `delay`
    datagrams: Datagrams,
    connections: Connections,
}

/// A process and the number of a socket of it.
type Endpoint = (usize, usize);

/// A process and a port of it.
type Address = (usize, u16);

/// A bound socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Socket {
    number: usize,
    port: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct ProcessState {
    phase: Phase,
    registers: Vec<u8>,
    sockets: Vec<Slot<Socket>>,
    /// the sockets that some task still has, by number
    open: BTreeMap<usize, OpenSocket>,
    /// by socket, where the last datagram came from, if the process replies to any
    heard: Vec<Option<Address>>,
    listeners: Vec<Slot<u16>>,
    streams: Vec<Slot<End>>,
    tasks: Vec<TaskState>,
    log: Vec<Event>,
    /// how often each kind of operation was begun, as far as that matters
    begun: BTreeMap<Kind, usize>,
    output: Option<String>,
    /// the task that holds the mutex, and those that wait for it, first come, first served
    mutex: VecDeque<usize>,
    objects: Objects,
    interval: Option<Interval>,
    /// when the clock was read
    stamp_ms: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct OpenSocket {
    port: u16,
    peer: Option<Address>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Interval {
    /// it is late where this is in the past
    next_ms: i64,
    period_ms: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Unstarted,
    Running,
    Ended,
}

/// A place for a socket, listener or stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Slot<T> {
    Closed,
    Opening,
    Open(T),
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct TaskState {
    /// the next instruction
    position: usize,
    activity: Activity,
    handle: bool,
    /// aborted: nothing it waits for can come any more, and when it is run it ends
    cancelled: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Activity {
    Unspawned,
    Runnable,
    Waiting(Wait),
    Ended,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Wait {
    /// 0 is any port
    Bind {
        socket: usize,
        port: u16,
        number: usize,
    },
    ConnectDatagrams {
        socket: Socket,
        peer: Address,
    },
    Send {
        socket: Socket,
        to: Address,
        value: u8,
    },
    Recv {
        sockets: [Socket; 2],
        slots: [usize; 2],
        into: usize,
        deadline_ms: Option<u32>,
        outer_ms: Option<u32>,
    },
    Tick {
        into: usize,
        deadline_ms: Option<u32>,
    },
    Object {
        into: usize,
        deadline_ms: Option<u32>,
    },
    Sleep {
        deadline_ms: u32,
    },
    Choose {
        among: usize,
        into: usize,
    },
    Join {
        task: usize,
        deadline: Option<(u32, usize)>,
    },
    Lock,
    Tcp {
        operation: Operation,
        into: usize,
        deadline_ms: Option<u32>,
        may_fail: bool,
    },
}

/// What a task waits for on a listener or stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Operation {
    Listen {
        listener: usize,
        port: u16,
        backlog: Option<usize>,
    },
    /// in a `select!`, with the listeners
    Accept {
        ports: [u16; 2],
        listeners: Option<[usize; 2]>,
        stream: usize,
    },
    Connect {
        to: Port,
        stream: usize,
        hangs: bool,
        /// the connection that it called for: with `delay` from the beginning, else once it is made
        called: Option<usize>,
    },
    Write {
        end: End,
        value: u8,
        length: usize,
    },
    Read {
        ends: [End; 2],
        bytes_max: usize,
    },
    TryWrite {
        end: End,
        value: u8,
        length: usize,
    },
    TryRead {
        end: End,
        bytes_max: usize,
    },
    Shutdown {
        end: End,
    },
}

/// Which failures an operation can meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Listen,
    Accept,
    Connect,
    Write,
    Read,
    TryWrite,
    TryRead,
    Shutdown,
}

impl Operation {
    fn kind(self) -> Kind {
        match self {
            Operation::Listen { .. } => Kind::Listen,
            Operation::Accept { .. } => Kind::Accept,
            Operation::Connect { .. } => Kind::Connect,
            Operation::Write { .. } => Kind::Write,
            Operation::Read { .. } => Kind::Read,
            Operation::TryWrite { .. } => Kind::TryWrite,
            Operation::TryRead { .. } => Kind::TryRead,
            Operation::Shutdown { .. } => Kind::Shutdown,
        }
    }

    /// Whether the program does nothing else between what comes before it and its answer.
    fn is_synchronous(self) -> bool {
        match self {
            Operation::Listen { backlog, .. } => backlog.is_some(),
            Operation::TryWrite { .. } | Operation::TryRead { .. } => true,
            _ => false,
        }
    }

    /// Whether the network has to bring something before it can end: with `delay` that may take a while.
    fn is_answered(self) -> bool {
        matches!(self, Operation::Accept { .. } | Operation::Connect { .. } | Operation::Read { .. })
    }

    fn reads(self, end: End) -> bool {
        match self {
            Operation::Read { ends, .. } => ends.contains(&end),
            _ => false,
        }
    }

    fn writes(self, end: End) -> bool {
        match self {
            Operation::Write { end: written, .. } | Operation::Shutdown { end: written } => written == end,
            _ => false,
        }
    }
}

#[derive(Debug, Clone)]
enum Move {
    Start {
        process: usize,
    },
    Run {
        process: usize,
        task: usize,
    },
    Bind {
        process: usize,
        task: usize,
    },
    /// `copies` is `None` if the datagram is dropped at once
    Send {
        process: usize,
        task: usize,
        copies: Option<usize>,
    },
    Choose {
        process: usize,
        task: usize,
        choice: usize,
    },
    Deliver {
        process: usize,
        task: usize,
        channel: (Endpoint, Endpoint),
        packet: usize,
    },
    /// of a packet that is under way
    Arrive {
        link: (Endpoint, Address),
        packet: usize,
    },
    /// a receive takes what has arrived
    Take {
        process: usize,
        task: usize,
        buffer: (Endpoint, Endpoint),
    },
    Fire {
        process: usize,
        task: usize,
        deadline_ms: i64,
        timer: Timer,
    },
    /// time passes, and no timer fires yet
    Pass {
        until_ms: i64,
        /// something has to happen after it
        must: bool,
    },
    Connect {
        process: usize,
        task: usize,
    },
    Tcp {
        process: usize,
        task: usize,
        alternative: Alternative,
        is_failure: bool,
    },
    /// a segment comes to the other end
    ComeOut {
        from: End,
    },
    /// without `delay`: the connection is made or refused, and the task does not know yet
    Establish {
        process: usize,
        task: usize,
        alternative: Alternative,
    },
    /// a connect that waits for room finds some
    Knock {
        connection: usize,
    },
    /// the next segment without a time is due then
    Decide {
        due: Due,
    },
    /// a connect will never be answered
    Hang {
        process: usize,
        task: usize,
    },
}

/// Which of the timers that a task waits for.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Timer {
    Own,
    /// the outer one of two time-outs
    Outer,
    Tick,
}

impl Move {
    fn is_failure(&self) -> bool {
        matches!(self, Move::Tcp { is_failure: true, .. } | Move::Hang { .. })
    }
}

impl<'a> World<'a> {
    fn new(system: &'a System, code: &'a [Vec<Vec<Code>>]) -> Self {
        let processes = system
            .processes
            .iter()
            .map(|process| ProcessState {
                phase: Phase::Unstarted,
                registers: vec![0; process.registers],
                sockets: vec![Slot::Closed; process.sockets],
                open: BTreeMap::new(),
                heard: vec![None; process.sockets],
                listeners: vec![Slot::Closed; process.listeners],
                streams: vec![Slot::Closed; process.streams],
                tasks: process
                    .tasks
                    .iter()
                    .map(|_| TaskState { position: 0, activity: Activity::Unspawned, handle: false, cancelled: false })
                    .collect(),
                log: Vec::new(),
                begun: BTreeMap::new(),
                output: None,
                mutex: VecDeque::new(),
                objects: Objects::new(),
                interval: None,
                stamp_ms: None,
            })
            .collect();
        let state = State {
            now_ms: 0,
            faults_left: system.network.at_most,
            processes,
            channels: BTreeMap::new(),
            datagrams: Datagrams::default(),
            connections: if system.takes_time() { Connections::timed() } else { Connections::default() },
        };
        World { system, code, state, runs_on: false, sighted: Vec::new() }
    }

    /// Shows something to the monitors.
    fn sight(&mut self, what: What, process: usize, value: u8) {
        if self.system.network.watched {
            self.sighted.push(Sighted { what, process, value });
        }
    }

    /// Nothing but failures can happen any more.
    fn rest(&self, findings: &mut Findings) {
        let mut waiting = Vec::new();
        for (state, process) in self.state.processes.iter().zip(&self.system.processes) {
            let accepts = state.tasks.iter().any(TaskState::is_accepting);
            if state.phase != Phase::Ended && !process.daemon {
                waiting.push(accepts);
            }
        }
        findings.deadlock |= waiting.iter().any(|accepts| !accepts);
        findings.suppressed |= waiting.iter().any(|&accepts| accepts);
        if waiting.iter().all(|&accepts| accepts) {
            findings.terminals.insert(self.state.processes.iter().map(|process| process.output.clone()).collect());
        }
    }
}

/// What endless executions come back to: a state without what can make no difference any more.
impl State {
    fn forget(&mut self) {
        let now_ms = std::mem::take(&mut self.now_ms);
        let tasks = self.processes.iter_mut().flat_map(|process| &mut process.tasks);
        tasks.flat_map(TaskState::deadlines_ms).for_each(|deadline_ms| {
            *deadline_ms = deadline_ms.saturating_sub(now_ms);
        });
        for interval in self.processes.iter_mut().filter_map(|process| process.interval.as_mut()) {
            interval.next_ms -= i64::from(now_ms);
        }
        for stamp_ms in self.processes.iter_mut().filter_map(|process| process.stamp_ms.as_mut()) {
            *stamp_ms = (*stamp_ms - i64::from(now_ms)).max(-LATER_MS);
        }
        self.channels.values_mut().for_each(Channel::forget);
        self.channels.retain(|_, channel| !channel.is_empty());
        self.datagrams.set_back(now_ms);
        self.connections.set_back(now_ms);
        self.datagrams.forget();
    }

    /// Whether there are more packets than any but an endless execution has.
    fn has_backlog(&self) -> bool {
        let channels = self.channels.values().map(Channel::backlog);
        channels.chain(self.datagrams.backlogs()).any(|backlog| backlog > BACKLOG_MAX)
    }
}

impl ProcessState {
    /// The task gives the mutex back, or its place in the queue up.
    fn release(&mut self, task: usize) {
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
    /// The stream to be read from, unless somebody reads from it already.
    fn to_read(&self, stream: usize) -> Option<End> {
        let end = self.streams[stream].value()?;
        let mut operations = self.tasks.iter().filter_map(TaskState::operation);
        (!operations.any(|operation| operation.reads(end))).then_some(end)
    }

    /// The stream to be written to, unless somebody writes to it already.
    fn to_write(&self, stream: usize) -> Option<End> {
        let end = self.streams[stream].value()?;
        let mut operations = self.tasks.iter().filter_map(TaskState::operation);
        (!operations.any(|operation| operation.writes(end))).then_some(end)
    }

    /// Counts an operation that begins.
    fn is_among_first(&mut self, kind: Kind, first: Option<usize>) -> bool {
        let Some(first) = first else { return true };
        let begun = self.begun.entry(kind).or_default();
        let is_among = *begun < first;
        *begun += usize::from(is_among);
        is_among
    }

    /// An operation on a listener or stream ended.
    fn finish(&mut self, operation: Operation, into: usize, opened: Option<End>, event: Event) {
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
        self.log.push(event);
    }
}

impl<T: Copy> Slot<T> {
    fn value(&self) -> Option<T> {
        match *self {
            Slot::Open(value) => Some(value),
            Slot::Closed | Slot::Opening => None,
        }
    }

    fn close(&mut self) {
        if self.value().is_some() {
            *self = Slot::Closed;
        }
    }
}

impl TaskState {
    /// The operation on a listener or stream that it waits for.
    fn operation(&self) -> Option<Operation> {
        match self.activity {
            Activity::Waiting(Wait::Tcp { operation, .. }) => Some(operation),
            _ => None,
        }
    }

    fn deadlines_ms(&mut self) -> impl Iterator<Item = &mut u32> {
        let (own, outer) = match &mut self.activity {
            Activity::Waiting(Wait::Sleep { deadline_ms }) => (Some(deadline_ms), None),
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

    fn is_calling(&self) -> bool {
        self.operation().is_some_and(Operation::is_synchronous)
    }

    fn is_accepting(&self) -> bool {
        self.operation().is_some_and(|operation| operation.kind() == Kind::Accept)
    }
}

fn side_of((_, end): End) -> Side {
    if end == 0 { Side::Client } else { Side::Server }
}
