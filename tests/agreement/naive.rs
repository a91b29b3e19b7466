//! The naive explorer: every execution of a system, one after the other, each from the start.
//!
//! It is an interpreter with a network and a scheduler of its own. It shares no code with the engine and knows
//! nothing of automata, reductions or late choice: how often a packet arrives is chosen when it is sent, and a
//! delivery is allowed if Definition 3 of papers/udp-net-iocache.txt, read literally, can still be met.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::program::{ELAPSED, Instruction, System, Value, name, panic_message};

/// What all executions of a system show together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Findings {
    /// process and message
    pub panics: BTreeSet<(String, String)>,
    pub deadlock: bool,
    /// of each process, what it ended with
    pub outputs: Vec<BTreeSet<String>>,
    /// of each execution that came to rest, what its processes ended with
    pub terminals: BTreeSet<Vec<Option<String>>>,
    /// some `RecvTimeout` was elapsed in some execution
    pub timeout_elapsed: bool,
}

/// How much to explore, and how.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub executions_max: u64,
    /// Break an execution off where it meets a state that an earlier one left in every way.
    /// For systems with too many executions; the findings are the same.
    pub remember: bool,
}

/// The findings and the number of executions, unless there are too many.
pub fn explore(system: &System, limits: Limits) -> Option<(Findings, u64)> {
    let code: Vec<Vec<Vec<Code>>> =
        system.processes.iter().map(|process| process.tasks.iter().map(|task| compile(task)).collect()).collect();
    let mut findings = Findings { outputs: vec![BTreeSet::new(); system.processes.len()], ..Findings::default() };
    let mut executions = 0;
    let mut visited = BTreeSet::new();
    // the choice sequence: (chosen, alternatives)
    let mut choices: Vec<(usize, usize)> = Vec::new();
    loop {
        if executions == limits.executions_max {
            return None;
        }
        executions += 1;
        execute(system, &code, &mut choices, limits.remember.then_some(&mut visited), &mut findings);
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
    mut visited: Option<&mut BTreeSet<State>>,
    findings: &mut Findings,
) {
    let given = choices.len();
    let mut made = 0;
    let mut world = World::new(system, code);
    loop {
        let moves = world.moves();
        if moves.is_empty() {
            findings.terminals.insert(world.state.processes.iter().map(|process| process.output.clone()).collect());
            findings.deadlock |= world.is_deadlock();
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
        if made >= given
            && let Some(visited) = visited.as_deref_mut()
            && !visited.insert(world.state.clone())
        {
            return;
        }
    }
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

struct World<'a> {
    system: &'a System,
    code: &'a [Vec<Vec<Code>>],
    state: State,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    now_ms: u32,
    faults_left: Option<usize>,
    processes: Vec<ProcessState>,
    channels: BTreeMap<(Endpoint, Endpoint), Channel>,
}

/// A process and the number of its socket.
type Endpoint = (usize, usize);

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct ProcessState {
    phase: Phase,
    registers: Vec<u8>,
    sockets: Vec<SocketState>,
    tasks: Vec<TaskState>,
    output: Option<String>,
    /// the task that holds the mutex, and those that wait for it, first come, first served
    mutex: VecDeque<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Unstarted,
    Running,
    Ended,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SocketState {
    Unbound,
    Binding,
    Bound { port: u16 },
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
    Bind { socket: usize, port: u16 },
    Send { socket: usize, to: usize, port: u16, value: u8 },
    Recv { sockets: [usize; 2], into: usize, deadline_ms: Option<u32> },
    Sleep { deadline_ms: u32 },
    Choose { among: usize, into: usize },
    Join { task: usize, deadline: Option<(u32, usize)> },
    Lock,
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
        deadline_ms: u32,
    },
}

impl<'a> World<'a> {
    fn new(system: &'a System, code: &'a [Vec<Vec<Code>>]) -> Self {
        let processes = system
            .processes
            .iter()
            .map(|process| ProcessState {
                phase: Phase::Unstarted,
                registers: vec![0; process.registers],
                sockets: vec![SocketState::Unbound; process.sockets],
                tasks: process
                    .tasks
                    .iter()
                    .map(|_| TaskState { position: 0, activity: Activity::Unspawned, handle: false, cancelled: false })
                    .collect(),
                output: None,
                mutex: VecDeque::new(),
            })
            .collect();
        let state = State { now_ms: 0, faults_left: system.network.at_most, processes, channels: BTreeMap::new() };
        World { system, code, state }
    }

    /// Everything that may happen next.
    fn moves(&self) -> Vec<Move> {
        let mut others = Vec::new();
        let mut deliveries = Vec::new();
        let mut timers = Vec::new();
        for (process, state) in self.state.processes.iter().enumerate() {
            if state.phase == Phase::Unstarted {
                others.push(Move::Start { process });
            }
            for (task, state) in state.tasks.iter().enumerate() {
                let wait = match state.activity {
                    Activity::Unspawned | Activity::Ended => continue,
                    Activity::Waiting(wait) if !state.cancelled => wait,
                    Activity::Waiting(_) | Activity::Runnable => {
                        others.push(Move::Run { process, task });
                        continue;
                    }
                };
                match wait {
                    Wait::Bind { .. } => others.push(Move::Bind { process, task }),
                    Wait::Send { to, port, .. } => match self.bound(to, port) {
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
                    Wait::Recv { sockets, deadline_ms, .. } => {
                        for (endpoints, channel) in &self.state.channels {
                            if endpoints.1.0 == process && sockets.contains(&endpoints.1.1) {
                                deliveries.extend(
                                    (0..channel.packets.len())
                                        .filter(|&packet| self.may_deliver(channel, packet))
                                        .map(|packet| Move::Deliver { process, task, channel: *endpoints, packet }),
                                );
                            }
                        }
                        if let Some(deadline_ms) = deadline_ms {
                            timers.push(Move::Fire { process, task, deadline_ms });
                        }
                    }
                    Wait::Sleep { deadline_ms } => timers.push(Move::Fire { process, task, deadline_ms }),
                    Wait::Join { deadline, .. } => {
                        if let Some((deadline_ms, _)) = deadline {
                            timers.push(Move::Fire { process, task, deadline_ms });
                        }
                    }
                    Wait::Lock => {}
                }
            }
        }
        let deadline = |timer: &Move| match timer {
            Move::Fire { deadline_ms, .. } => *deadline_ms,
            _ => unreachable!("only timers"),
        };
        let (expired, mut running): (Vec<Move>, Vec<Move>) =
            timers.into_iter().partition(|timer| deadline(timer) <= self.state.now_ms);
        others.extend(expired);
        let time_may_pass = others.is_empty() && (self.system.network.delay || deliveries.is_empty());
        if time_may_pass {
            let earliest = running.iter().map(deadline).min();
            running.retain(|timer| Some(deadline(timer)) == earliest);
            others.extend(running);
        }
        others.extend(deliveries);
        others
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

    fn bound(&self, process: usize, port: u16) -> Option<Endpoint> {
        let state = &self.state.processes[process];
        let socket = state.sockets.iter().position(|socket| *socket == SocketState::Bound { port })?;
        (state.phase == Phase::Running).then_some((process, socket))
    }

    fn is_deadlock(&self) -> bool {
        let mut processes = self.state.processes.iter().zip(&self.system.processes);
        processes.any(|(state, process)| state.phase != Phase::Ended && !process.daemon)
    }

    /// Does one move; an error is a panic of the program.
    fn make(&mut self, chosen: &Move, findings: &mut Findings) -> Result<(), (String, String)> {
        match *chosen {
            Move::Start { process } => {
                self.state.processes[process].phase = Phase::Running;
                self.run(process, 0, findings)
            }
            Move::Run { process, task } => self.run(process, task, findings),
            Move::Bind { process, task } => {
                let Wait::Bind { socket, port } = self.wait(process, task) else { unreachable!() };
                self.state.processes[process].sockets[socket] = SocketState::Bound { port };
                self.run(process, task, findings)
            }
            Move::Send { process, task, copies } => {
                let Wait::Send { socket, to, port, value } = self.wait(process, task) else { unreachable!() };
                if let Some(copies) = copies {
                    let receiver = self.bound(to, port).expect("looked up in the same state");
                    if let Some(left) = &mut self.state.faults_left {
                        *left -= faults_of_copies(copies);
                    }
                    let channel = self.state.channels.entry(((process, socket), receiver)).or_default();
                    channel.packets.push(Packet { value, copies, overtaken: false });
                }
                self.run(process, task, findings)
            }
            Move::Choose { process, task, choice } => {
                let Wait::Choose { into, .. } = self.wait(process, task) else { unreachable!() };
                self.state.processes[process].registers[into] = choice as u8;
                self.run(process, task, findings)
            }
            Move::Deliver { process, task, channel, packet } => {
                let Wait::Recv { into, .. } = self.wait(process, task) else { unreachable!() };
                let channel = self.state.channels.get_mut(&channel).expect("it holds the packet");
                let overtaken = channel.newly_overtaken_by(packet);
                if let Some(left) = &mut self.state.faults_left {
                    *left -= overtaken.len();
                }
                for overtaken in overtaken {
                    channel.packets[overtaken].overtaken = true;
                }
                channel.delivered.push(packet);
                self.state.processes[process].registers[into] = channel.packets[packet].value;
                self.run(process, task, findings)
            }
            Move::Fire { process, task, deadline_ms } => {
                self.state.now_ms = self.state.now_ms.max(deadline_ms);
                if let Wait::Recv { into, .. } | Wait::Join { deadline: Some((_, into)), .. } = self.wait(process, task)
                {
                    findings.timeout_elapsed = true;
                    self.state.processes[process].registers[into] = ELAPSED;
                }
                self.run(process, task, findings)
            }
        }
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
        let state = &mut self.state.processes[process];
        let is_cancelled = state.tasks[task].cancelled;
        let activity = loop {
            if is_cancelled {
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
            let is_bound = |socket: usize| matches!(state.sockets[socket], SocketState::Bound { .. });
            let value_of = |value: Value| match value {
                Value::Constant(constant) => constant,
                Value::Register(register) => state.registers[register],
            };
            match *instruction {
                Instruction::Bind { socket, port } => {
                    if state.sockets[socket] == SocketState::Unbound {
                        state.sockets[socket] = SocketState::Binding;
                        break Activity::Waiting(Wait::Bind { socket, port });
                    }
                }
                Instruction::Send { socket, to, port, value } => {
                    if is_bound(socket) {
                        break Activity::Waiting(Wait::Send { socket, to, port, value: value_of(value) });
                    }
                }
                Instruction::Recv { socket, into } => {
                    if is_bound(socket) {
                        break Activity::Waiting(Wait::Recv { sockets: [socket; 2], into, deadline_ms: None });
                    }
                }
                Instruction::Select { sockets: [first, second], into } => {
                    let sockets = match (is_bound(first), is_bound(second)) {
                        (true, true) => [first, second],
                        (true, false) => [first; 2],
                        (false, true) => [second; 2],
                        (false, false) => continue,
                    };
                    break Activity::Waiting(Wait::Recv { sockets, into, deadline_ms: None });
                }
                Instruction::RecvTimeout { socket, ms, into } => {
                    if is_bound(socket) {
                        let deadline_ms = Some(now_ms + u32::from(ms));
                        break Activity::Waiting(Wait::Recv { sockets: [socket; 2], into, deadline_ms });
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
                Instruction::Yield => break Activity::Runnable,
                Instruction::AssertNot { register, value } => {
                    if state.registers[register] == value {
                        return Err((name(process), panic_message(register, value)));
                    }
                }
                Instruction::End => break Activity::Ended,
                Instruction::If { .. } | Instruction::Repeat { .. } | Instruction::Locked { .. } => {
                    unreachable!("compiled away")
                }
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
        let output = format!("{:?}", state.registers);
        findings.outputs[process].insert(output.clone());
        state.output = Some(output);
        state.phase = Phase::Ended;
        for task in &mut state.tasks {
            task.activity = Activity::Ended;
        }
        self.state.channels.retain(|(_, receiver), _| receiver.0 != process);
    }
}

impl ProcessState {
    /// The task gives the mutex back, or its place in the queue up.
    fn release(&mut self, task: usize) {
        let holder = self.mutex.front().copied();
        self.mutex.retain(|&queued| queued != task);
        if let Some(&next) = self.mutex.front()
            && holder != Some(next)
        {
            self.tasks[next].activity = Activity::Runnable;
        }
    }
}

/// A lost packet is one fault, and so is each extra copy.
fn faults_of_copies(copies: usize) -> usize {
    copies.abs_diff(1)
}

impl Channel {
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
