//! The naive explorer: every execution of a system, one after the other, each from the start.
//!
//! It is an interpreter with a network and a scheduler of its own. It shares no code with the engine and knows
//! nothing of automata, reductions or late choice: how often a packet arrives is chosen when it is sent, and a
//! delivery is allowed if Definition 3 of papers/udp-net-iocache.txt, read literally, can still be met.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::ErrorKind;

#[path = "naive_everyday.rs"]
mod everyday;

use crate::connections::{Alternative, Connections, End, Port, Transfer};
use crate::everyday::{Everyday, OUTER_ELAPSED};
use crate::objects::Objects;
use crate::program::{self, ELAPSED, Event, Failure, Instruction, Output, Side, System, Value, name, panic_message};

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
}

/// How much to explore, and how.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub executions_max: u64,
    /// Break an execution off where it meets a state that an earlier one left in every way.
    /// For systems with too many executions, or endless ones; the findings are the same.
    pub remember: bool,
    pub sockets: Sockets,
}

/// What becomes of a socket that is dropped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sockets {
    /// The next one that the process binds takes its number, the smallest that is free: what the old one sent comes
    /// before what the new one sends, and a bind to any port gives each number a port of its own.
    #[default]
    AreNumbers,
    /// Each has channels of its own, and a bind to any port gives one that nobody had before.
    AreThemselves,
}

impl Limits {
    pub const fn of(executions_max: u64) -> Self {
        Limits { executions_max, remember: true, sockets: Sockets::AreNumbers }
    }
}

/// More packets under way from one socket to another are the beginning of ever more.
const BACKLOG_MAX: usize = 8;

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

/// Whether a process comes to where it goes on for ever without a wait, within so many states.
pub fn spins(system: &System, process: usize, limits: Limits) -> bool {
    let code: Vec<Vec<Vec<Code>>> =
        system.processes.iter().map(|process| process.tasks.iter().map(|task| compile(task)).collect()).collect();
    let mut findings = Findings { outputs: vec![BTreeSet::new(); system.processes.len()], ..Findings::default() };
    let mut open = vec![World::new(system, &code, limits.sockets)];
    let mut seen = BTreeSet::new();
    while let Some(world) = open.pop() {
        for chosen in &world.moves() {
            let mut next = world.clone();
            let goes_on = next.make(chosen, &mut findings).is_ok();
            if next.runs_on == Some(process) {
                return true;
            }
            next.state.forget();
            if goes_on && (seen.len() as u64) < limits.executions_max && seen.insert(next.state.clone()) {
                open.push(next);
            }
        }
    }
    false
}

/// One execution: follows the choices given, then takes the first alternative each time and records it.
fn execute<'a>(
    system: &'a System,
    code: &'a [Vec<Vec<Code>>],
    choices: &mut Vec<(usize, usize)>,
    findings: &mut Findings,
) {
    let mut made = 0;
    let mut world = World::new(system, code, Sockets::default());
    loop {
        let moves = world.moves();
        if moves.iter().all(Move::is_failure) {
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
    let first = World::new(system, code, limits.sockets);
    let mut numbers = BTreeMap::from([(first.state.clone(), 0)]);
    let mut open = vec![(0, first)];
    let mut steps = Vec::new();
    let mut executions = 0;
    while let Some((number, world)) = open.pop() {
        let moves = world.moves();
        if moves.iter().all(Move::is_failure) {
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
            if next.runs_on.is_some() || next.state.channels.values().any(|channel| channel.backlog() > BACKLOG_MAX) {
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
        if executions > limits.executions_max {
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

fn compile(task: &[Instruction]) -> Vec<Code> {
    fn append(code: &mut Vec<Code>, block: &[Instruction]) {
        for instruction in block {
            match instruction {
                Instruction::If { register, equals, then, otherwise } => {
                    let branch = code.len();
                    code.push(Code::Jump { target: 0 });
                    append(code, then);
                    let exit = code.len();
                    code.push(Code::Jump { target: 0 });
                    let target = code.len();
                    code[branch] = Code::JumpUnless { register: *register, equals: *equals, target };
                    append(code, otherwise);
                    let target = code.len();
                    code[exit] = Code::Jump { target };
                }
                Instruction::Repeat { times, body } => {
                    for _ in 0..*times {
                        append(code, body);
                    }
                }
                Instruction::Until { register, equals, body } => {
                    let head = code.len();
                    code.push(Code::JumpUnless { register: *register, equals: *equals, target: head + 2 });
                    code.push(Code::Jump { target: 0 });
                    append(code, body);
                    code.push(Code::Jump { target: head });
                    code[head + 1] = Code::Jump { target: code.len() };
                }
                Instruction::Forever { body } => {
                    let head = code.len();
                    append(code, body);
                    code.push(Code::Jump { target: head });
                }
                Instruction::Locked { body } => {
                    code.push(Code::Lock);
                    append(code, body);
                    code.push(Code::Unlock);
                }
                simple => code.push(Code::Do(simple.clone())),
            }
        }
    }
    let mut code = Vec::new();
    append(&mut code, task);
    code
}

#[derive(Clone)]
struct World<'a> {
    system: &'a System,
    code: &'a [Vec<Vec<Code>>],
    state: State,
    /// the process of which a task went on for too long without a wait
    runs_on: Option<usize>,
    sockets: Sockets,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    now_ms: u32,
    faults_left: Option<usize>,
    processes: Vec<ProcessState>,
    channels: BTreeMap<(Endpoint, Endpoint), Channel>,
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
    /// sockets that were ever bound to any port, where each has a port of its own
    ephemeral: u16,
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

/// Everything that was ever sent from one socket to another, and everything that came out so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Channel {
    /// in the order of dispatch
    packets: Vec<Packet>,
    /// indices into `packets`, in the order of delivery
    delivered: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Packet {
    value: u8,
    from_port: u16,
    /// how often it arrives, chosen when it was sent
    copies: usize,
    overtaken: bool,
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
    /// `copies` is `None` if nothing is bound at the destination
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
    Fire {
        process: usize,
        task: usize,
        deadline_ms: i64,
        timer: Timer,
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
    fn new(system: &'a System, code: &'a [Vec<Vec<Code>>], sockets: Sockets) -> Self {
        let processes = system
            .processes
            .iter()
            .map(|process| ProcessState {
                phase: Phase::Unstarted,
                registers: vec![0; process.registers],
                sockets: vec![Slot::Closed; process.sockets],
                open: BTreeMap::new(),
                ephemeral: 0,
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
            })
            .collect();
        let state = State {
            now_ms: 0,
            faults_left: system.network.at_most,
            processes,
            channels: BTreeMap::new(),
            connections: Connections::default(),
        };
        World { system, code, state, runs_on: None, sockets }
    }

    /// Everything that may happen next.
    fn moves(&self) -> Vec<Move> {
        let mut others = Vec::new();
        let mut deliveries = Vec::new();
        let mut timers = Vec::new();
        let mut failures = Vec::new();
        for (process, state) in self.state.processes.iter().enumerate() {
            if state.phase == Phase::Unstarted {
                others.push(Move::Start { process });
            }
            let calling = state.tasks.iter().position(TaskState::is_calling);
            let (objects, interval) = (&state.objects, state.interval);
            for (task, state) in state.tasks.iter().enumerate() {
                let fire =
                    |deadline_ms| Move::Fire { process, task, deadline_ms: i64::from(deadline_ms), timer: Timer::Own };
                if calling.is_some_and(|calling| calling != task) {
                    continue;
                }
                let wait = match state.activity {
                    Activity::Unspawned | Activity::Ended => continue,
                    Activity::Waiting(wait) if !state.cancelled || calling.is_some() => wait,
                    Activity::Waiting(_) | Activity::Runnable => {
                        others.push(Move::Run { process, task });
                        continue;
                    }
                };
                match wait {
                    Wait::Bind { .. } => others.push(Move::Bind { process, task }),
                    Wait::ConnectDatagrams { .. } => others.push(Move::Connect { process, task }),
                    Wait::Send { socket, to, .. } => match self.bound((process, socket.port), to) {
                        Some(_) => others.extend(self.copies().into_iter().map(|copies| Move::Send {
                            process,
                            task,
                            copies: Some(copies),
                        })),
                        None => others.push(Move::Send { process, task, copies: None }),
                    },
                    Wait::Choose { among, .. } => {
                        others.extend((0..among).map(|choice| Move::Choose { process, task, choice }));
                    }
                    Wait::Recv { sockets, deadline_ms, outer_ms, .. } => {
                        for (endpoints, channel) in &self.state.channels {
                            if endpoints.1.0 == process && sockets.iter().any(|socket| socket.number == endpoints.1.1) {
                                deliveries.extend(
                                    (0..channel.packets.len())
                                        .filter(|&packet| self.may_deliver(channel, packet))
                                        .map(|packet| Move::Deliver { process, task, channel: *endpoints, packet }),
                                );
                            }
                        }
                        timers.extend(deadline_ms.map(fire));
                        timers.extend(outer_ms.map(|deadline_ms| Move::Fire {
                            process,
                            task,
                            deadline_ms: i64::from(deadline_ms),
                            timer: Timer::Outer,
                        }));
                    }
                    Wait::Object { .. } if objects.is_ready(task) => others.push(Move::Run { process, task }),
                    Wait::Object { deadline_ms, .. } => timers.extend(deadline_ms.map(fire)),
                    Wait::Tick { deadline_ms, .. } => {
                        let deadline = interval.expect("it ticks").next_ms;
                        timers.push(Move::Fire { process, task, deadline_ms: deadline, timer: Timer::Tick });
                        timers.extend(deadline_ms.map(fire));
                    }
                    Wait::Sleep { deadline_ms } => timers.push(fire(deadline_ms)),
                    Wait::Join { deadline, .. } => timers.extend(deadline.map(|(deadline_ms, _)| fire(deadline_ms))),
                    Wait::Lock => {}
                    Wait::Tcp { operation, deadline_ms, may_fail, .. } => {
                        let step = |is_failure| move |alternative| Move::Tcp { process, task, alternative, is_failure };
                        let answers = if operation.is_answered() { &mut deliveries } else { &mut others };
                        answers.extend(self.alternatives(process, operation).into_iter().map(step(false)));
                        if may_fail && self.state.faults_left != Some(0) {
                            failures.extend(self.failures(process, operation).into_iter().map(step(true)));
                            failures.extend(self.may_hang(operation).then_some(Move::Hang { process, task }));
                        }
                        timers.extend(deadline_ms.map(fire));
                    }
                }
            }
        }
        let deadline = |timer: &Move| match timer {
            Move::Fire { deadline_ms, .. } => *deadline_ms,
            _ => unreachable!("only timers"),
        };
        let (expired, mut running): (Vec<Move>, Vec<Move>) =
            timers.into_iter().partition(|timer| deadline(timer) <= i64::from(self.state.now_ms));
        others.extend(expired);
        let time_may_pass = others.is_empty() && (self.system.network.delay || deliveries.is_empty());
        if time_may_pass {
            let earliest = running.iter().map(deadline).min();
            running.retain(|timer| Some(deadline(timer)) == earliest);
            others.extend(running);
        }
        others.extend(deliveries);
        others.extend(failures);
        others
    }

    /// How an operation on a listener or stream can end; none: it waits.
    fn alternatives(&self, process: usize, operation: Operation) -> Vec<Alternative> {
        let connections = &self.state.connections;
        let transfer = self.transfer();
        match operation {
            Operation::Listen { port, backlog, .. } => {
                vec![connections.listen((process, port), backlog.unwrap_or(1024))]
            }
            Operation::Accept { ports: [port, _], listeners: None, .. } => {
                connections.accept((process, port)).into_iter().collect()
            }
            Operation::Accept { ports, listeners: Some(listeners), .. } => {
                let each = ports.into_iter().zip(listeners).collect::<BTreeSet<(u16, usize)>>();
                let accepts = |(port, listener)| {
                    let mut accepted = connections.accept((process, port))?;
                    if let Event::Accepted { from } = accepted.event {
                        accepted.event = Event::AcceptedBy { listener, from };
                    }
                    Some(accepted)
                };
                each.into_iter().filter_map(accepts).collect()
            }
            Operation::Connect { hangs: true, .. } => Vec::new(),
            Operation::Connect { to, .. } => connections.connect(process, to).into_iter().collect(),
            Operation::Write { end, value, length } => {
                connections.write(end, &program::payload(value, length), transfer)
            }
            Operation::Read { ends, bytes_max } => {
                let ends: BTreeSet<End> = ends.into_iter().collect();
                ends.into_iter().flat_map(|end| connections.read(end, bytes_max, transfer)).collect()
            }
            Operation::TryWrite { end, value, length } => {
                let written = connections.write(end, &program::payload(value, length), transfer);
                if written.is_empty() { vec![connections.failing(ErrorKind::WouldBlock)] } else { written }
            }
            Operation::TryRead { end, bytes_max } => {
                let read = connections.read(end, bytes_max, transfer);
                if read.is_empty() { vec![connections.failing(ErrorKind::WouldBlock)] } else { read }
            }
            Operation::Shutdown { end } => vec![connections.shut_down(end)],
        }
    }

    fn transfer(&self) -> Transfer {
        let tcp = self.system.network.tcp.as_ref();
        Transfer::declared(tcp.is_some_and(|tcp| tcp.split), tcp.and_then(|tcp| tcp.buffer))
    }

    /// How an operation can end in a declared failure.
    fn failures(&self, process: usize, operation: Operation) -> Vec<Alternative> {
        let connections = &self.state.connections;
        let open = |side| self.is_declared(Failure::Open, side);
        let at = |failure, end: End| self.is_declared(failure, side_of(end));
        match operation {
            Operation::Listen { .. } | Operation::Connect { hangs: true, .. } => Vec::new(),
            Operation::Connect { .. } => {
                open(Side::Client).then(|| connections.failing(ErrorKind::TimedOut)).into_iter().collect()
            }
            Operation::Accept { ports, .. } if open(Side::Server) => {
                let ports = BTreeSet::from(ports);
                ports.into_iter().filter_map(|port| connections.accept_fails((process, port))).collect()
            }
            Operation::Accept { .. } => Vec::new(),
            Operation::Shutdown { end } => {
                at(Failure::Close, end).then(|| connections.shutdown_fails(end)).flatten().into_iter().collect()
            }
            Operation::Write { end, .. } | Operation::TryWrite { end, .. } => {
                let write = at(Failure::Write, end).then(|| connections.write_fails(end)).flatten();
                let reset = at(Failure::Reset, end).then(|| connections.resets(end)).flatten();
                write.into_iter().chain(reset).collect()
            }
            Operation::Read { ends, .. } => {
                let ends: BTreeSet<End> = ends.into_iter().collect();
                ends.into_iter().flat_map(|end| self.read_failures(end)).collect()
            }
            Operation::TryRead { end, .. } => self.read_failures(end),
        }
    }

    fn read_failures(&self, end: End) -> Vec<Alternative> {
        let connections = &self.state.connections;
        let read = self.is_declared(Failure::Read, side_of(end)).then(|| connections.read_fails(end)).flatten();
        let reset = self.is_declared(Failure::Reset, side_of(end)).then(|| connections.resets(end)).flatten();
        read.into_iter().chain(reset).collect()
    }

    fn may_hang(&self, operation: Operation) -> bool {
        matches!(operation, Operation::Connect { hangs: false, .. }) && self.is_declared(Failure::Hang, Side::Client)
    }

    fn is_declared(&self, failure: Failure, side: Side) -> bool {
        let declared = self.system.network.tcp.as_ref();
        declared.is_some_and(|tcp| tcp.failures.contains(&failure) && tcp.side.is_none_or(|only| only == side))
    }

    /// The multiplication choices that the faults left allow.
    fn copies(&self) -> BTreeSet<usize> {
        let mut copies: BTreeSet<usize> = self.system.network.copies.iter().copied().collect();
        if let Some(left) = self.state.faults_left {
            copies.insert(1);
            copies.retain(|&copies| faults_of_copies(copies) <= left);
        }
        copies
    }

    fn may_deliver(&self, channel: &Channel, packet: usize) -> bool {
        channel.remaining(packet) > 0
            && self.state.faults_left.is_none_or(|left| channel.newly_overtaken_by(packet).len() <= left)
            && channel.meets_definition_3(packet, self.system.network.window)
    }

    /// The socket at this address, unless it only hears somebody else.
    fn bound(&self, from: Address, (process, port): Address) -> Option<Endpoint> {
        let state = &self.state.processes[process];
        let (&number, open) = state.open.iter().find(|(_, open)| open.port == port)?;
        (state.phase == Phase::Running && open.peer.is_none_or(|peer| peer == from)).then_some((process, number))
    }

    /// A socket at a port, unless another one of the process is there.
    fn bind(&mut self, process: usize, number: usize, port: u16) -> Option<Socket> {
        let state = &mut self.state.processes[process];
        let port = match port {
            0 if self.sockets == Sockets::AreNumbers => ANY_PORT + number as u16,
            0 => {
                state.ephemeral += 1;
                ANY_PORT + state.ephemeral
            }
            port => port,
        };
        if state.open.values().any(|open| open.port == port) {
            return None;
        }
        state.open.insert(number, OpenSocket { port, peer: None });
        Some(Socket { number, port })
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

    /// Does one move; an error is a panic of the program.
    fn make(&mut self, chosen: &Move, findings: &mut Findings) -> Result<(), (String, String)> {
        self.step(chosen, findings)?;
        self.close();
        Ok(())
    }

    fn step(&mut self, chosen: &Move, findings: &mut Findings) -> Result<(), (String, String)> {
        match *chosen {
            Move::Start { process } => {
                self.state.processes[process].phase = Phase::Running;
                self.run(process, 0, findings)
            }
            Move::Run { process, task } => self.run(process, task, findings),
            Move::Bind { process, task } => {
                let Wait::Bind { socket, port, number } = self.wait(process, task) else { unreachable!() };
                let bound = self.bind(process, number, port);
                self.state.processes[process].sockets[socket] = bound.map_or(Slot::Closed, Slot::Open);
                self.run(process, task, findings)
            }
            Move::Connect { process, task } => {
                let Wait::ConnectDatagrams { socket, peer } = self.wait(process, task) else { unreachable!() };
                let open = OpenSocket { port: socket.port, peer: Some(peer) };
                self.state.processes[process].open.insert(socket.number, open);
                self.run(process, task, findings)
            }
            Move::Send { process, task, copies } => {
                let Wait::Send { socket, to, value } = self.wait(process, task) else { unreachable!() };
                if let Some(copies) = copies {
                    let receiver = self.bound((process, socket.port), to).expect("looked up in the same state");
                    if let Some(left) = &mut self.state.faults_left {
                        *left -= faults_of_copies(copies);
                    }
                    let channel = self.state.channels.entry(((process, socket.number), receiver)).or_default();
                    channel.packets.push(Packet { value, from_port: socket.port, copies, overtaken: false });
                }
                self.run(process, task, findings)
            }
            Move::Choose { process, task, choice } => {
                let Wait::Choose { into, .. } = self.wait(process, task) else { unreachable!() };
                self.state.processes[process].registers[into] = choice as u8;
                self.run(process, task, findings)
            }
            Move::Deliver { process, task, channel, packet } => {
                let Wait::Recv { into, sockets, slots, .. } = self.wait(process, task) else { unreachable!() };
                let ((sender, _), (_, number)) = channel;
                let slot = slots[sockets.iter().position(|socket| socket.number == number).expect("it waits for it")];
                let channel = self.state.channels.get_mut(&channel).expect("it holds the packet");
                let overtaken = channel.newly_overtaken_by(packet);
                if let Some(left) = &mut self.state.faults_left {
                    *left -= overtaken.len();
                }
                for overtaken in overtaken {
                    channel.packets[overtaken].overtaken = true;
                }
                channel.delivered.push(packet);
                let Packet { value, from_port, .. } = channel.packets[packet];
                self.state.processes[process].registers[into] = value;
                let replies = |code: &Code| match code {
                    Code::Do(Instruction::Reply { .. }) => true,
                    Code::Do(Instruction::Everyday(word)) => matches!(word, Everyday::ConnectBack { .. }),
                    _ => false,
                };
                if slot != NOWHERE && self.code[process].iter().flatten().any(replies) {
                    self.state.processes[process].heard[slot] = Some((sender, from_port));
                }
                self.run(process, task, findings)
            }
            Move::Fire { process, task, deadline_ms, timer } => {
                self.state.now_ms = self.state.now_ms.max(deadline_ms.max(0) as u32);
                let wait = self.wait(process, task);
                if let Wait::Recv { into, .. }
                | Wait::Join { deadline: Some((_, into)), .. }
                | Wait::Tick { into, .. }
                | Wait::Object { into, .. } = wait
                {
                    let state = &mut self.state.processes[process];
                    findings.timeout_elapsed |= timer != Timer::Tick;
                    state.registers[into] = match timer {
                        Timer::Own => ELAPSED,
                        Timer::Outer => OUTER_ELAPSED,
                        Timer::Tick => 0,
                    };
                    if let (Timer::Tick, Some(interval)) = (timer, &mut state.interval) {
                        interval.next_ms += i64::from(interval.period_ms);
                    }
                    if let Wait::Object { .. } = wait {
                        state.objects.withdraw(task);
                        // what it waited for is not there any more
                        state.tasks[task].activity = Activity::Runnable;
                    }
                }
                if let Wait::Tcp { operation, into, .. } = wait {
                    findings.timeout_elapsed = true;
                    // Its first packet was sent long ago: the listener gets a connection that is closed at once.
                    if let Operation::Connect { to, hangs: false, .. } = operation
                        && let Some(connected) = self.state.connections.connect(process, to)
                    {
                        self.state.connections = connected.after;
                    }
                    self.state.processes[process].finish(operation, into, None, Event::Elapsed);
                }
                self.run(process, task, findings)
            }
            Move::Tcp { process, task, ref alternative, is_failure } => {
                let Wait::Tcp { operation, into, .. } = self.wait(process, task) else { unreachable!() };
                let Alternative { mut event, after, opened } = alternative.clone();
                if let (Event::Accepted { from } | Event::AcceptedBy { from, .. }, true) =
                    (&mut event, self.system.network.anonymous)
                {
                    *from = 0;
                }
                findings.failed |= is_failure;
                findings.read |= matches!(event, Event::Read(_));
                self.use_fault(is_failure);
                self.state.connections = after;
                self.state.processes[process].finish(operation, into, opened, event);
                self.run(process, task, findings)
            }
            Move::Hang { process, task } => {
                self.use_fault(true);
                let task = &mut self.state.processes[process].tasks[task];
                if let Activity::Waiting(Wait::Tcp { operation: Operation::Connect { hangs, .. }, .. }) =
                    &mut task.activity
                {
                    *hangs = true;
                }
                Ok(())
            }
        }
    }

    fn use_fault(&mut self, is_fault: bool) {
        if let Some(left) = &mut self.state.faults_left {
            *left -= usize::from(is_fault);
        }
    }

    /// Drops the listeners and streams that nobody has any more.
    fn close(&mut self) {
        let mut listeners = BTreeSet::new();
        let mut ends = BTreeSet::new();
        for (process, state) in self.state.processes.iter().enumerate() {
            if state.phase != Phase::Running {
                continue;
            }
            listeners.extend(state.listeners.iter().filter_map(Slot::value).map(|port| (process, port)));
            ends.extend(state.streams.iter().filter_map(Slot::value));
            for operation in state.tasks.iter().filter_map(TaskState::operation) {
                match operation {
                    Operation::Accept { ports, .. } => listeners.extend(ports.map(|port| (process, port))),
                    Operation::Read { ends: read, .. } => ends.extend(read),
                    Operation::Write { end, .. }
                    | Operation::TryWrite { end, .. }
                    | Operation::TryRead { end, .. }
                    | Operation::Shutdown { end } => {
                        ends.insert(end);
                    }
                    Operation::Listen { .. } | Operation::Connect { .. } => {}
                }
            }
        }
        self.state.connections.retain(&listeners, &ends);
        self.close_sockets();
    }

    /// Drops the sockets that nobody has any more, with what is under way to them.
    fn close_sockets(&mut self) {
        for state in &mut self.state.processes {
            let held = state.held_sockets();
            state.open.retain(|number, _| state.phase == Phase::Running && held.contains(number));
        }
        let State { processes, channels, .. } = &mut self.state;
        channels.retain(|(_, (process, number)), _| processes[*process].open.contains_key(number));
    }

    fn wait(&self, process: usize, task: usize) -> Wait {
        match self.state.processes[process].tasks[task].activity {
            Activity::Waiting(wait) => wait,
            other => unreachable!("the task is {other:?}"),
        }
    }

    /// Runs one task until it waits or ends.
    fn run(&mut self, process: usize, task: usize, findings: &mut Findings) -> Result<(), (String, String)> {
        let now_ms = self.state.now_ms;
        let code = &self.code[process][task];
        let tcp = self.system.network.tcp.as_ref();
        let first = tcp.and_then(|tcp| tcp.first);
        let is_named = tcp.is_some_and(|tcp| tcp.processes.is_empty() || tcp.processes.contains(&process));
        // what is under way from a socket that is gone
        let in_use: BTreeSet<usize> = match self.sockets {
            Sockets::AreNumbers => BTreeSet::new(),
            Sockets::AreThemselves => {
                let senders = self.state.channels.keys().map(|&(sender, _)| sender);
                senders.filter(|sender| sender.0 == process).map(|sender| sender.1).collect()
            }
        };
        let state = &mut self.state.processes[process];
        // an abort waits for the next await
        let is_cancelled = state.tasks[task].cancelled && !state.tasks[task].is_calling();
        if let Activity::Waiting(Wait::Object { into, .. }) = state.tasks[task].activity
            && !is_cancelled
        {
            state.registers[into] = state.objects.finish(task);
        }
        state.tasks[task].activity = Activity::Runnable;
        let mut run = 0;
        let activity = loop {
            run += 1;
            if run > RUN_MAX {
                self.runs_on = Some(process);
            }
            if is_cancelled || self.runs_on.is_some() {
                break Activity::Ended;
            }
            let position = state.tasks[task].position;
            state.tasks[task].position += 1;
            let instruction = match code.get(position) {
                None => break Activity::Ended,
                Some(Code::Jump { target }) => {
                    state.tasks[task].position = *target;
                    continue;
                }
                Some(Code::JumpUnless { register, equals, target }) => {
                    if state.registers[*register] != *equals {
                        state.tasks[task].position = *target;
                    }
                    continue;
                }
                Some(Code::Lock) => {
                    state.mutex.push_back(task);
                    if state.mutex.len() > 1 {
                        break Activity::Waiting(Wait::Lock);
                    }
                    continue;
                }
                Some(Code::Unlock) => {
                    state.release(task);
                    continue;
                }
                Some(Code::Do(instruction)) => instruction,
            };
            let value_of = |value: Value| match value {
                Value::Constant(constant) => constant,
                Value::Register(register) => state.registers[register],
            };
            let receive = |[one, other]: [(Socket, usize); 2], into, deadline_ms| {
                let (sockets, slots) = ([one.0, other.0], [one.1, other.1]);
                Activity::Waiting(Wait::Recv { sockets, slots, into, deadline_ms, outer_ms: None })
            };
            let begin = |state: &mut ProcessState, operation: Operation, limit_ms: Option<u16>, into| {
                let deadline_ms = limit_ms.map(|ms| now_ms + u32::from(ms));
                let may_fail = is_named && state.is_among_first(operation.kind(), first);
                Activity::Waiting(Wait::Tcp { operation, into, deadline_ms, may_fail })
            };
            match *instruction {
                Instruction::Bind { socket, port } => {
                    if let Some(wait) = state.begin_to_bind(socket, port, &in_use) {
                        break Activity::Waiting(wait);
                    }
                }
                Instruction::Send { socket, to, port, value } => {
                    if let Some(socket) = state.sockets[socket].value() {
                        break Activity::Waiting(Wait::Send { socket, to: (to, port), value: value_of(value) });
                    }
                }
                Instruction::Reply { socket, value } => {
                    if let (Some(to), Some(socket)) = (state.heard[socket], state.sockets[socket].value()) {
                        break Activity::Waiting(Wait::Send { socket, to, value: value_of(value) });
                    }
                }
                Instruction::Recv { socket, into } => {
                    if let Some(bound) = state.sockets[socket].value() {
                        break receive([(bound, socket); 2], into, None);
                    }
                }
                Instruction::Select { sockets: [first, second], into } => {
                    let sockets = match (state.sockets[first].value(), state.sockets[second].value()) {
                        (Some(one), Some(other)) => [(one, first), (other, second)],
                        (Some(one), None) => [(one, first); 2],
                        (None, Some(other)) => [(other, second); 2],
                        (None, None) => continue,
                    };
                    break receive(sockets, into, None);
                }
                Instruction::RecvTimeout { socket, ms, into } => {
                    if let Some(bound) = state.sockets[socket].value() {
                        break receive([(bound, socket); 2], into, Some(now_ms + u32::from(ms)));
                    }
                }
                Instruction::Everyday(word) => {
                    if let Some(wait) = state.everyday(task, now_ms, word, &in_use) {
                        break Activity::Waiting(wait);
                    }
                }
                Instruction::Sleep { ms } => {
                    break Activity::Waiting(Wait::Sleep { deadline_ms: now_ms + u32::from(ms) });
                }
                Instruction::Choose { among, into } => break Activity::Waiting(Wait::Choose { among, into }),
                Instruction::Set { register, value } => state.registers[register] = value_of(value),
                Instruction::Add { register, value } => {
                    state.registers[register] = state.registers[register].wrapping_add(value_of(value));
                }
                Instruction::Spawn { task } => {
                    let spawned = &mut state.tasks[task];
                    if spawned.activity == Activity::Unspawned {
                        spawned.activity = Activity::Runnable;
                        spawned.handle = true;
                    }
                }
                Instruction::Join { task: joined } => {
                    if std::mem::take(&mut state.tasks[joined].handle)
                        && state.tasks[joined].activity != Activity::Ended
                    {
                        break Activity::Waiting(Wait::Join { task: joined, deadline: None });
                    }
                }
                Instruction::JoinTimeout { task: joined, ms, into } => {
                    if std::mem::take(&mut state.tasks[joined].handle)
                        && state.tasks[joined].activity != Activity::Ended
                    {
                        let deadline = Some((now_ms + u32::from(ms), into));
                        break Activity::Waiting(Wait::Join { task: joined, deadline });
                    }
                }
                Instruction::Abort { task: aborted } => {
                    let aborted = &mut state.tasks[aborted];
                    aborted.cancelled |= aborted.handle;
                }
                Instruction::Listen { listener, port, backlog, into } => {
                    if state.listeners[listener] == Slot::Closed {
                        state.listeners[listener] = Slot::Opening;
                        break begin(state, Operation::Listen { listener, port, backlog }, None, into);
                    }
                }
                Instruction::Accept { listener, stream, limit_ms, into } => {
                    if let (Slot::Open(port), Slot::Closed) = (state.listeners[listener], state.streams[stream]) {
                        state.streams[stream] = Slot::Opening;
                        let operation = Operation::Accept { ports: [port; 2], listeners: None, stream };
                        break begin(state, operation, limit_ms, into);
                    }
                }
                Instruction::SelectAccept { listeners: [first, second], stream, into } => {
                    let ports = match (state.listeners[first].value(), state.listeners[second].value()) {
                        (Some(one), Some(other)) => [(one, first), (other, second)],
                        (Some(one), None) => [(one, first); 2],
                        (None, Some(other)) => [(other, second); 2],
                        (None, None) => continue,
                    };
                    if state.streams[stream] == Slot::Closed {
                        state.streams[stream] = Slot::Opening;
                        let listeners = Some(ports.map(|(_, listener)| listener));
                        let operation = Operation::Accept { ports: ports.map(|(port, _)| port), listeners, stream };
                        break begin(state, operation, None, into);
                    }
                }
                Instruction::Connect { stream, to, port, limit_ms, into } => {
                    if state.streams[stream] == Slot::Closed {
                        state.streams[stream] = Slot::Opening;
                        let operation = Operation::Connect { to: (to, port), stream, hangs: false };
                        break begin(state, operation, limit_ms, into);
                    }
                }
                Instruction::Write { stream, value, length, limit_ms, into } => {
                    if let Some(end) = state.to_write(stream) {
                        let operation = Operation::Write { end, value: value_of(value), length };
                        break begin(state, operation, limit_ms, into);
                    }
                }
                Instruction::TryWrite { stream, value, length, into } => {
                    if let Some(end) = state.to_write(stream) {
                        let operation = Operation::TryWrite { end, value: value_of(value), length };
                        break begin(state, operation, None, into);
                    }
                }
                Instruction::Shutdown { stream, into } => {
                    if let Some(end) = state.to_write(stream) {
                        break begin(state, Operation::Shutdown { end }, None, into);
                    }
                }
                Instruction::Read { stream, bytes_max, limit_ms, into } => {
                    if let Some(end) = state.to_read(stream) {
                        break begin(state, Operation::Read { ends: [end; 2], bytes_max }, limit_ms, into);
                    }
                }
                Instruction::SelectRead { streams: [first, second], bytes_max, into } => {
                    let ends = match (state.to_read(first), state.to_read(second)) {
                        (Some(first), Some(second)) => [first, second],
                        (Some(only), None) | (None, Some(only)) => [only; 2],
                        (None, None) => continue,
                    };
                    break begin(state, Operation::Read { ends, bytes_max }, None, into);
                }
                Instruction::TryRead { stream, bytes_max, into } => {
                    if let Some(end) = state.to_read(stream) {
                        break begin(state, Operation::TryRead { end, bytes_max }, None, into);
                    }
                }
                Instruction::ZeroLinger { stream } => {
                    if let Slot::Open(end) = state.streams[stream] {
                        self.state.connections.set_zero_linger(end);
                    }
                }
                Instruction::DropStream { stream } => state.streams[stream].close(),
                Instruction::DropListener { listener } => state.listeners[listener].close(),
                Instruction::Yield => break Activity::Runnable,
                Instruction::AssertNot { register, value } => {
                    if state.registers[register] == value {
                        return Err((name(process), panic_message(register, value)));
                    }
                }
                Instruction::End => break Activity::Ended,
                Instruction::If { .. }
                | Instruction::Repeat { .. }
                | Instruction::Until { .. }
                | Instruction::Forever { .. }
                | Instruction::Locked { .. } => unreachable!("compiled away"),
            }
        };
        state.tasks[task].activity = activity;
        if activity == Activity::Ended {
            if task == 0 {
                self.end(process, findings);
            } else {
                state.release(task);
                for waiting in &mut state.tasks {
                    if matches!(waiting.activity, Activity::Waiting(Wait::Join { task: joined, .. }) if joined == task)
                    {
                        waiting.activity = Activity::Runnable;
                    }
                }
            }
        }
        Ok(())
    }

    /// The root ended: its tasks are dropped, its sockets closed.
    fn end(&mut self, process: usize, findings: &mut Findings) {
        let state = &mut self.state.processes[process];
        let output = format!("{:?}", Output { registers: state.registers.clone(), log: state.log.clone() });
        findings.outputs[process].insert(output.clone());
        state.output = Some(output);
        state.phase = Phase::Ended;
        for task in &mut state.tasks {
            task.activity = Activity::Ended;
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
        self.channels.values_mut().for_each(Channel::forget);
        self.channels.retain(|_, channel| !channel.packets.is_empty());
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

/// A lost packet is one fault, and so is each extra copy.
fn faults_of_copies(copies: usize) -> usize {
    copies.abs_diff(1)
}

impl Channel {
    /// How many packets are still to arrive.
    fn backlog(&self) -> usize {
        (0..self.packets.len()).filter(|&packet| self.remaining(packet) > 0).count()
    }

    /// Forgets the deliveries up to the first one after which an earlier packet is still to come, and the packets
    /// of which nothing is left then.
    fn forget(&mut self) {
        let first = (0..self.packets.len()).find(|&packet| self.remaining(packet) > 0);
        let settled = self.delivered.iter().take_while(|&&packet| first.is_none_or(|first| packet <= first)).count();
        for packet in self.delivered.drain(..settled) {
            self.packets[packet].copies -= 1;
            // it has come: nothing overtakes it any more
            self.packets[packet].overtaken = true;
        }
        let is_left: Vec<bool> = self.packets.iter().map(|packet| packet.copies > 0).collect();
        for packet in &mut self.delivered {
            *packet = is_left[..*packet].iter().filter(|&&is_left| is_left).count();
        }
        self.packets.retain(|packet| packet.copies > 0);
    }

    fn arrived(&self, packet: usize) -> usize {
        self.delivered.iter().filter(|&&delivered| delivered == packet).count()
    }

    fn remaining(&self, packet: usize) -> usize {
        self.packets[packet].copies - self.arrived(packet)
    }

    /// The earlier packets that are still to come for the first time, and that nothing has overtaken yet.
    fn newly_overtaken_by(&self, packet: usize) -> Vec<usize> {
        (0..packet)
            .filter(|&earlier| {
                !self.packets[earlier].overtaken && self.packets[earlier].copies > 0 && self.arrived(earlier) == 0
            })
            .collect()
    }

    /// Whether a delivery that begins with what is delivered, then `packet`, can be in D(p),c.
    /// Delivering what then remains in the order of dispatch makes nothing late that has to be.
    fn meets_definition_3(&self, packet: usize, window: usize) -> bool {
        let mut delivery = self.delivered.clone();
        delivery.push(packet);
        for rest in 0..self.packets.len() {
            let remaining = self.remaining(rest) - usize::from(rest == packet);
            delivery.extend(std::iter::repeat_n(rest, remaining));
        }
        (0..delivery.len()).all(|i| {
            let late: BTreeSet<usize> = delivery[i + 1..].iter().copied().filter(|&q| q < delivery[i]).collect();
            late.len() < window
        })
    }
}
