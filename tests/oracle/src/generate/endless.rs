//! Systems of all kinds in which something goes on for ever: tasks, isolated tasks and daemons that tick, sleep, wait with
//! time-outs, yield, look whether there is a message, send to themselves or to others, or count rounds.
//!
//! None of them is too large: what makes a system too large for the naive explorer is left out. Nor does any come to no end
//! since time goes on for ever in it: by history, the engine has the time since the start in its states where a program reads
//! the clock, and of an interval that nobody waits for, how late it is. The naive explorer has neither. So beside these there
//! is no loop in which time may pass; but in the systems of `instants`, which are compared by memory.

mod instants;
mod streams;
mod unread;

pub use instants::endless_system_that_reads_clocks;
pub use streams::endless_system_with_streams;
pub use unread::{sends, system_that_sends_to_nobody, with_a_socket};

use super::polls::poll_sockets;
use super::{CONSTANTS, PORTS, Random, Size, Words, any, system};
use crate::language::everyday::{Everyday, Share};
use crate::language::program::{ELAPSED, FAILED, Instruction, Network, Process, System, Value, change};
use crate::naive::{self, Clocks, Limits};
use std::collections::BTreeSet;

/// The port of the first isolated task of a process; the others have those that follow.
const ISOLATED_PORT: u16 = 4002;

/// Executions of what is beside the loops.
const BESIDE_MAX: u64 = 40;

/// A random system with loops; `declare` says how much time packets take.
pub fn endless_system(seed: u64, limits: Limits, declare: fn(u64, &mut Network)) -> System {
    let mut random = Random::new(seed ^ 0xe9d1);
    let all = beside(&mut random, seed, declare);
    with_loops(&mut random, all, false, limits)
}

/// The same with loops most of which ask a socket in each round whether there is something.
pub fn endless_system_that_polls(seed: u64, limits: Limits, declare: fn(u64, &mut Network)) -> System {
    let mut random = Random::new(seed ^ 0x9011);
    let mut all = beside(&mut random, seed, declare);
    if random.percent(40) {
        let mut polling = all.clone();
        poll_sockets(seed, &mut polling);
        if !polling.spins_in_poll() && is_finite(&polling, limits) {
            all = polling;
        }
    }
    with_loops(&mut random, all, true, limits)
}

/// A random system with loops that comes neither to a panic nor to a deadlock, and in which all time passes alike for all. In
/// half of those for which one is found, a process that is no daemon need not end.
pub fn system_that_may_end(seed: u64, limits: Limits) -> System {
    let mut random = Random::new(seed ^ 0x11fe);
    let mut last = None;
    for _ in 0..CLEAN_TRIES {
        let mut system = endless_system(random.number(), limits, |_, network| {
            (network.delay, network.tcp) = (false, network.tcp.take().filter(|tcp| tcp.delay.is_none()));
        });
        if random.percent(50) {
            system.processes.iter_mut().for_each(|process| process.daemon = false);
        }
        let Some((findings, _)) = naive::explore(&system, limits) else { continue };
        let is_clean = findings.panics.is_empty() && !findings.deadlock && !findings.helpless && !system.may_spin();
        if !is_clean || !findings.endless {
            continue;
        }
        if naive::never_ends(&system, limits) == Some(seed.is_multiple_of(2)) {
            return system;
        }
        last = Some(system);
    }
    last.unwrap_or_else(|| endless_system(seed, limits, |_, network| network.delay = false))
}

/// Systems that are made before one is taken that says less.
const CLEAN_TRIES: usize = 40;

fn with_loops(random: &mut Random, mut all: System, polls: bool, limits: Limits) -> System {
    let loops = *random.weighted(&[(5, 1), (4, 2), (1, 3)]);
    for _ in 0..loops {
        // A loop that makes the system too large is left out in favour of another one.
        for _ in 0..TRIES {
            let mut more = all.clone();
            Loops { random, system: &mut more, polls }.add();
            let never_ends = more.counts_time() || polls && more.spins_in_poll();
            if !never_ends && is_finite(&more, limits) {
                all = more;
                break;
            }
        }
    }
    all
}

const TRIES: usize = 6;

/// Whether all executions can be gone through, also if time passes for more units than the naive explorer lets it pass for.
fn is_finite(system: &System, limits: Limits) -> bool {
    let Some((findings, _)) = naive::explore(system, limits) else { return false };
    let is_violated = findings.deadlock || !findings.panics.is_empty();
    let is_known = system.network.takes_time() || !system.may_spin() || is_violated;
    is_known || naive::explore(system, each(limits)).is_some()
}

/// Limits of an exploration in which time passes for each unit by itself.
pub fn each(limits: Limits) -> Limits {
    Limits { clocks: Clocks::OfEach, executions_max: 2 * limits.executions_max, ..limits }
}

/// The same system with loops that end.
pub fn bounded(system: &System, times: usize) -> System {
    let mut bounded = system.clone();
    for block in bounded.processes.iter_mut().flat_map(|process| &mut process.tasks) {
        change(block, &mut |instruction| match instruction {
            Instruction::Forever { body } => {
                *instruction = Instruction::Repeat { times, body: std::mem::take(body) };
            }
            Instruction::Until { register, equals, body } => {
                let (register, equals, otherwise) = (*register, *equals, std::mem::take(body));
                let body = vec![Instruction::If { register, equals, then: Vec::new(), otherwise }];
                *instruction = Instruction::Repeat { times, body };
            }
            _ => {}
        });
    }
    bounded
}

/// The system beside the loops: a random one of few executions.
fn beside(random: &mut Random, seed: u64, declare: fn(u64, &mut Network)) -> System {
    loop {
        let words = *random.weighted(&[
            (3, Words::Plain),
            (5, Words::All),
            (4, Words::Single),
            (6, Words::Loops),
            (6, Words::Everyday),
            (2, Words::Streams),
            (2, Words::Mixed),
            (2, Words::EverydayStreams),
            (2, Words::EverydayLike),
        ]);
        let mut small = system(random.number(), Size::Small, words);
        declare(seed, &mut small.network);
        // The engine loses a datagram where it would be received, so that ever more may be under way.
        if small.network.copies == [0] || small.counts_time() {
            continue;
        }
        if naive::explore(&small, Limits::of(BESIDE_MAX)).is_some() {
            return small;
        }
    }
}

/// Where a loop is.
#[derive(Clone, Copy)]
enum Place {
    /// the end of what some task does already
    Tail,
    Task,
    Isolated,
    Daemon,
}

struct Loops<'a> {
    random: &'a mut Random,
    system: &'a mut System,
    /// whether most loops receive without waiting
    polls: bool,
}

/// Objects that the instructions of a loop may use.
struct Own {
    process: usize,
    registers: Vec<usize>,
    sockets: Vec<(usize, u16)>,
    /// whether it may use what tasks share
    shares: bool,
}

impl Loops<'_> {
    fn add(&mut self) {
        let process = self.random.below(self.system.processes.len() as u64) as usize;
        match *self.random.weighted(&[(3, Place::Tail), (4, Place::Task), (5, Place::Isolated), (3, Place::Daemon)]) {
            Place::Tail => self.wrap(process),
            Place::Task => {
                let own = self.shared(process);
                let task = self.task(&own);
                self.spawn(process, task);
            }
            Place::Isolated => {
                // A socket of an isolated task would be taken for the one before it.
                if self.system.processes[process].drops_sockets() {
                    return;
                }
                let own = self.isolated(process);
                let mut task: Vec<Instruction> =
                    own.sockets.iter().map(|&(socket, port)| Instruction::Bind { socket, port }).collect();
                task.extend(self.task(&own));
                let number = self.system.processes[process].tasks.len();
                self.system.processes[process].isolated.push(number);
                self.spawn(process, task);
            }
            Place::Daemon => {
                let process = self.system.processes.len();
                self.system.processes.push(Process {
                    daemon: self.random.percent(80),
                    registers: 1,
                    sockets: 2,
                    ..Process::default()
                });
                let own = self.shared(process);
                let mut task: Vec<Instruction> =
                    own.sockets.iter().map(|&(socket, port)| Instruction::Bind { socket, port }).collect();
                task.extend(self.task(&own));
                self.system.processes[process].tasks.push(task);
            }
        }
    }

    /// The end of a task goes on for ever.
    fn wrap(&mut self, process: usize) {
        let tasks = &mut self.system.processes[process].tasks;
        let task = self.random.below(tasks.len() as u64) as usize;
        let task = &mut tasks[task];
        if !task.is_empty() {
            let at = self.random.below(task.len() as u64) as usize;
            let mut body = task.split_off(at);
            if body.iter().all(|instruction| matches!(instruction, Instruction::Reply { .. })) {
                // As long as nobody was heard, it would go round within one poll.
                body.push(Instruction::Yield);
            }
            task.push(Instruction::Forever { body });
        }
    }

    /// Objects that a new task of a process may use together with the others.
    fn shared(&mut self, process: usize) -> Own {
        let definition = &mut self.system.processes[process];
        if definition.registers == 0 || self.random.percent(40) {
            definition.registers += 1;
        }
        let isolated = isolated_sockets(definition);
        let own = (0..definition.sockets.min(PORTS.len())).filter(|socket| !isolated.contains(socket));
        let sockets = own.map(|socket| (socket, PORTS[socket])).collect();
        let isolated = definition.isolated_registers();
        let registers = (0..definition.registers).filter(|register| !isolated.contains(register)).collect();
        Own { process, registers, sockets, shares: true }
    }

    /// A memory of its own for a new task.
    fn isolated(&mut self, process: usize) -> Own {
        let definition = &mut self.system.processes[process];
        let registers = definition.registers;
        definition.registers += 2;
        let sockets = *self.random.weighted(&[(1, 0), (4, 1), (1, 2)]);
        let first = definition.sockets;
        definition.sockets += sockets;
        let port = ISOLATED_PORT + 2 * definition.isolated.len() as u16;
        let sockets = (0..sockets).map(|socket| (first + socket, port + socket as u16)).collect();
        Own { process, registers: vec![registers, registers + 1], sockets, shares: false }
    }

    fn spawn(&mut self, process: usize, block: Vec<Instruction>) {
        let task = self.system.processes[process].tasks.len();
        self.system.processes[process].tasks.push(block);
        let root = &mut self.system.processes[process].tasks[0];
        let at = match self.random.percent(60) {
            true => 0,
            false => self.random.below(root.len() as u64 + 1) as usize,
        };
        root.insert(at, Instruction::Spawn { task });
        let later = at + 1 + self.random.below((root.len() - at) as u64) as usize;
        match self.random.below(20) {
            0..3 => root.insert(later, Instruction::Abort { task }),
            3..5 => root.insert(later, Instruction::Join { task }),
            5..7 => {
                let into = self.random.below(2);
                if into < self.system.processes[process].registers as u64
                    && !self.system.processes[process].isolated_registers().contains(&(into as usize))
                {
                    let join = Instruction::JoinTimeout { task, ms: self.ms(), into: into as usize };
                    self.system.processes[process].tasks[0].insert(later, join);
                }
            }
            _ => {}
        }
        // Tasks that a root has spawned end with it.
        let ms = self.ms();
        let stays = match self.random.below(10) {
            0..4 => Instruction::Join { task },
            4..7 => Instruction::Forever { body: vec![Instruction::Sleep { ms }] },
            _ => return,
        };
        self.system.processes[process].tasks[0].push(stays);
    }

    /// A new task: mostly a loop, perhaps with something before it.
    fn task(&mut self, own: &Own) -> Vec<Instruction> {
        let mut task = Vec::new();
        for _ in 0..*self.random.weighted(&[(5, 0), (3, 1), (1, 2)]) {
            let step = self.step(own);
            task.extend(step);
        }
        if own.shares || self.random.percent(75) {
            let body = self.body(own, &mut task);
            task.push(Instruction::Forever { body });
        } else {
            // Beside the loops of others: it comes to a panic, or says something.
            for _ in 0..self.random.within(1, 2) {
                let step = self.step(own);
                task.extend(step);
            }
            if self.random.percent(40) {
                let register = self.register(own);
                task.push(Instruction::AssertNot { register, value: 0 });
            }
        }
        task
    }

    /// The body of a loop; what comes before it goes to `before`.
    fn body(&mut self, own: &Own, before: &mut Vec<Instruction>) -> Vec<Instruction> {
        let (ms, into) = (self.ms(), self.register(own));
        let socket =
            (!own.sockets.is_empty()).then(|| own.sockets[self.random.below(own.sockets.len() as u64) as usize]);
        let polled = socket.filter(|_| self.polls && self.random.percent(85));
        if let Some((socket, _)) = polled {
            return self.poll(own, socket);
        }
        let mut body = match (self.random.below(14), socket) {
            (0 | 1, _) => vec![Instruction::Sleep { ms }],
            (2, _) if own.shares => {
                before.push(Instruction::Everyday(Everyday::Every { ms }));
                let limit_ms = self.random.percent(40).then(|| self.ms());
                vec![Instruction::Everyday(Everyday::Tick { limit_ms, into, stamp: None })]
            }
            (3 | 4, Some((socket, _))) => vec![Instruction::RecvTimeout { socket, ms, into }],
            (5, _) => vec![Instruction::Yield],
            (6, _) if own.shares => {
                let looks = Instruction::Everyday(Everyday::Share(Share::TryRecv { into }));
                let then = if self.random.percent(50) { Instruction::Yield } else { Instruction::Sleep { ms } };
                vec![
                    looks,
                    Instruction::If { register: into, equals: FAILED, then: vec![then.clone()], otherwise: vec![then] },
                ]
            }
            (7, Some((socket, port))) => {
                let value = self.value();
                let sent = Instruction::Send { socket, to: own.process, port, value };
                let received = match self.random.below(3) {
                    0 => Instruction::Recv { socket, into },
                    1 if own.sockets.len() == 2 => {
                        Instruction::Select { sockets: [own.sockets[0].0, own.sockets[1].0], into }
                    }
                    _ => Instruction::RecvTimeout { socket, ms, into },
                };
                vec![sent, received]
            }
            (8 | 9, _) => self.heartbeat(own, ms),
            (10, Some((socket, _))) => {
                let to = self.random.below(self.system.processes.len() as u64) as usize;
                let port = PORTS[self.random.below(2) as usize];
                vec![Instruction::Sleep { ms }, Instruction::Send { socket, to, port, value: self.value() }]
            }
            (11, _) => vec![Instruction::Choose { among: 2, into }],
            (12, _) if own.shares => {
                let held = if self.random.percent(50) { Instruction::Yield } else { Instruction::Sleep { ms } };
                vec![Instruction::Locked { body: vec![held] }, Instruction::Yield]
            }
            (13, _) if own.shares => {
                let share = match self.random.below(4) {
                    0 => Share::NotifyOne,
                    1 => Share::TrySend { value: self.value(), into },
                    2 => Share::Publish { value: self.value() },
                    _ => Share::Notified { limit_ms: Some(ms), into },
                };
                let then = if self.random.percent(30) { Instruction::Yield } else { Instruction::Sleep { ms } };
                vec![Instruction::Everyday(Everyday::Share(share)), then]
            }
            _ => vec![Instruction::Sleep { ms }],
        };
        if self.random.percent(30) {
            self.toggle(own, &mut body);
        }
        if self.random.percent(20) {
            let step = self.step(own);
            body.extend(step);
        }
        if self.random.percent(25) {
            let register = self.register(own);
            let equals = *self.random.weighted(&[(2, 0), (3, 1), (3, 2), (2, ELAPSED)]);
            let then = match self.random.below(3) {
                0 => vec![Instruction::End],
                1 => vec![Instruction::AssertNot { register, value: equals }],
                _ => self.step(own),
            };
            body.push(Instruction::If { register, equals, then, otherwise: Vec::new() });
        }
        body
    }

    /// A loop that asks in each round whether there is something.
    fn poll(&mut self, own: &Own, socket: usize) -> Vec<Instruction> {
        let into = self.register(own);
        let tries = Instruction::TryReceive { socket, into };
        let pause = match self.random.percent(40) {
            true => Instruction::Yield,
            false => Instruction::Sleep { ms: self.ms() },
        };
        let nothing = |then, otherwise| Instruction::If { register: into, equals: FAILED, then, otherwise };
        let mut body = match self.random.below(5) {
            0 => vec![tries, pause],
            1 => vec![pause, tries.clone(), tries],
            // As long as there is something, others only run.
            2 => vec![tries, nothing(vec![pause], vec![Instruction::Yield])],
            3 => vec![tries, nothing(vec![pause], self.answer(own, socket))],
            _ => {
                let ms = self.ms();
                vec![tries, nothing(vec![Instruction::RecvTimeout { socket, ms, into }], Vec::new()), pause]
            }
        };
        if self.random.percent(30) {
            let equals = 1 + self.random.below(CONSTANTS) as u8;
            let then = match self.random.below(3) {
                0 => Instruction::End,
                1 => Instruction::AssertNot { register: into, value: equals },
                _ => Instruction::Sleep { ms: self.ms() },
            };
            body.push(Instruction::If { register: into, equals, then: vec![then], otherwise: Vec::new() });
        }
        body
    }

    /// Something is said to some process, and then others run.
    fn answer(&mut self, own: &Own, socket: usize) -> Vec<Instruction> {
        let to = self.random.below(self.system.processes.len() as u64) as usize;
        let (port, value) = (PORTS[self.random.below(2) as usize], self.value());
        let to = if self.random.percent(70) { to } else { own.process };
        vec![Instruction::Send { socket, to, port, value }, Instruction::Yield]
    }

    /// Counts rounds, and begins again, or ends, after some of them.
    fn heartbeat(&mut self, own: &Own, ms: u16) -> Vec<Instruction> {
        let register = self.register(own);
        let rounds = *self.random.weighted(&[(4, 1), (4, 3), (1, 50)]);
        let after = match self.random.percent(70) {
            true => Instruction::Set { register, value: Value::Constant(0) },
            false => Instruction::End,
        };
        vec![
            Instruction::Sleep { ms },
            Instruction::Add { register, value: Value::Constant(1) },
            Instruction::If { register, equals: rounds, then: vec![after], otherwise: Vec::new() },
        ]
    }

    /// A register tells one round from the next.
    fn toggle(&mut self, own: &Own, body: &mut Vec<Instruction>) {
        let register = self.register(own);
        let set = |value| vec![Instruction::Set { register, value: Value::Constant(value) }];
        let toggle = Instruction::If { register, equals: 1, then: set(2), otherwise: set(1) };
        body.insert(self.random.below(body.len() as u64 + 1) as usize, toggle);
    }

    /// Something that a task does once.
    fn step(&mut self, own: &Own) -> Vec<Instruction> {
        let (ms, into) = (self.ms(), self.register(own));
        let socket =
            (!own.sockets.is_empty()).then(|| own.sockets[self.random.below(own.sockets.len() as u64) as usize]);
        let step = match (self.random.below(8), socket) {
            (0 | 1, Some((socket, _))) => {
                let to = self.random.below(self.system.processes.len() as u64) as usize;
                let ports = [PORTS[0], PORTS[0], PORTS[1], ISOLATED_PORT];
                let port = ports[self.random.below(4) as usize];
                Instruction::Send { socket, to, port, value: self.value() }
            }
            (2, Some((socket, _))) => Instruction::Recv { socket, into },
            (3, Some((socket, _))) if self.polls => Instruction::TryReceive { socket, into },
            (3, Some((socket, _))) => Instruction::RecvTimeout { socket, ms, into },
            (4, _) => Instruction::Yield,
            (5, _) => Instruction::Choose { among: 2, into },
            _ => Instruction::Sleep { ms },
        };
        vec![step]
    }

    fn register(&mut self, own: &Own) -> usize {
        own.registers[self.random.below(own.registers.len() as u64) as usize]
    }

    fn value(&mut self) -> Value {
        Value::Constant(1 + self.random.below(CONSTANTS) as u8)
    }

    fn ms(&mut self) -> u16 {
        *self.random.weighted(&[(5, 10), (3, 20), (1, 30)])
    }
}

/// The sockets that isolated tasks bind.
fn isolated_sockets(process: &Process) -> BTreeSet<usize> {
    let tasks = process.isolated.iter().flat_map(|&task| &process.tasks[task]);
    let bound = tasks.filter_map(|instruction| match instruction {
        Instruction::Bind { socket, .. } => Some(*socket),
        _ => None,
    });
    bound.collect()
}

impl System {
    /// Whether states tell how much time has passed, and it may pass for ever: some program reads the clock, or has an
    /// interval for which no loop of its process waits, and time may pass in a loop. Or a loop reads the clock: if it waits
    /// for nothing else, it is one poll that never ends.
    fn counts_time(&self) -> bool {
        let waits = |instruction: &Instruction| match instruction {
            Instruction::Sleep { .. }
            | Instruction::RecvTimeout { .. }
            | Instruction::JoinTimeout { .. }
            | Instruction::Everyday(
                Everyday::Tick { .. }
                | Everyday::RecvNested { .. }
                | Everyday::SleepUntil { .. }
                | Everyday::SleepUntilLater { .. },
            ) => true,
            Instruction::Everyday(everyday) => everyday.clone().limit_mut().is_some_and(|limit| limit.is_some()),
            Instruction::Accept { limit_ms, .. }
            | Instruction::Connect { limit_ms, .. }
            | Instruction::Write { limit_ms, .. }
            | Instruction::Read { limit_ms, .. } => limit_ms.is_some(),
            _ => false,
        };
        let keeps = |process: &Process| somewhere(process, &Instruction::reads_clock) || process.leaves_interval();
        let reads_again = |process: &Process| in_loop(process, &Instruction::reads_clock);
        self.processes.iter().any(reads_again)
            || self.processes.iter().any(keeps) && self.processes.iter().any(|process| in_loop(process, &waits))
    }

    /// Whether some program reads the clock.
    pub fn reads_clock(&self) -> bool {
        self.processes.iter().any(|process| somewhere(process, &Instruction::reads_clock))
    }

    /// Whether some program keeps the instant of a tick.
    pub fn keeps_ticks(&self) -> bool {
        let keeps = |instruction: &Instruction| {
            matches!(instruction, Instruction::Everyday(Everyday::Tick { stamp: Some(_), .. }))
        };
        self.processes.iter().any(|process| somewhere(process, &keeps))
    }

    /// Whether some loop may go round without letting time pass.
    pub fn may_spin(&self) -> bool {
        let takes_time = |instruction: &Instruction| {
            matches!(
                instruction,
                Instruction::Sleep { .. } | Instruction::Everyday(Everyday::Tick { limit_ms: None, .. })
            )
        };
        let spins = |instruction: &Instruction| match instruction {
            Instruction::Forever { body } | Instruction::Until { body, .. } => !body.iter().any(takes_time),
            _ => false,
        };
        self.processes.iter().flat_map(|process| &process.tasks).any(|task| any(task, &spins))
    }
}

impl Process {
    /// Whether it has an interval for which no loop of its own waits.
    fn leaves_interval(&self) -> bool {
        let begins = |instruction: &Instruction| matches!(instruction, Instruction::Everyday(Everyday::Every { .. }));
        let ticks = |instruction: &Instruction| matches!(instruction, Instruction::Everyday(Everyday::Tick { .. }));
        somewhere(self, &begins) && !in_loop(self, &ticks)
    }
}

/// Whether some instruction is in an endless loop of a process.
fn in_loop(process: &Process, holds: &dyn Fn(&Instruction) -> bool) -> bool {
    let is_loop = |instruction: &Instruction| match instruction {
        Instruction::Forever { body } | Instruction::Until { body, .. } => any(body, &|of| holds(of)),
        _ => false,
    };
    process.tasks.iter().any(|task| any(task, &is_loop))
}

/// Whether some instruction is anywhere in a process.
fn somewhere(process: &Process, holds: &dyn Fn(&Instruction) -> bool) -> bool {
    process.tasks.iter().any(|task| any(task, &|of| holds(of)))
}
