//! Random systems, each from its seed.

use crate::program::{CANCELLED, ELAPSED, Instruction, Network, Process, REGIONS, REGISTERS, System, Task, Value};
use random::Random;

/// Numbers from 1 to this are sent, returned and given as arguments.
const CONSTANTS: u64 = 3;

/// The port that each process may listen to.
const PORT: u16 = 4_000;

/// Which systems are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// all of the language
    All,
    /// one process, without sockets, that waits for nothing for ever: what tokio can be observed at
    Alone,
}

/// The system of a seed.
pub fn system(seed: u64, words: Words) -> System {
    let mut random = Random::new(seed);
    let network = network(&mut random, words);
    let processes = match words {
        Words::All => *random.weighted(&[(8, 1), (7, 2), (1, 3)]),
        Words::Alone => 1,
    };
    let has_datagrams = words == Words::All && (processes > 1 || random.percent(35));
    let is_quiet = words == Words::Alone || random.percent(45);
    // Which process the others send to, and which of its routines listens.
    let listener = (random.below(processes as u64) as usize, random.below(2) as usize);
    let mut made: Vec<Process> = Vec::new();
    for process in 0..processes {
        if process > 0 && random.percent(12) {
            made.push(made[process - 1].clone());
            continue;
        }
        let routines = match processes {
            1 => *random.weighted(&[(6, 2), (4, 3), (1, 4)]),
            2 => *random.weighted(&[(3, 1), (4, 2)]),
            _ => *random.weighted(&[(3, 1), (1, 2)]),
        };
        let faults = network.copies.len() > 1 || network.window > 1;
        let mut draft = Draft {
            random: &mut random,
            words,
            process,
            processes,
            routines,
            has_datagrams,
            is_quiet,
            faults,
            listener,
            own: 0,
            is_bound: false,
        };
        let routines = (0..routines).map(|routine| draft.routine(routine)).collect();
        let daemon = random.percent(if is_quiet { 60 } else { 35 });
        made.push(Process { daemon, routines });
    }
    number(&mut made);
    System { processes: made, network }
}

fn network(random: &mut Random, words: Words) -> Network {
    if words == Words::Alone {
        return Network::reliable();
    }
    let copies = random.weighted(&[(4, vec![1]), (4, vec![1, 0]), (2, vec![1, 0, 2])]).clone();
    let at_most = *random.weighted(&[(4, None), (1, Some(0)), (3, Some(1)), (2, Some(2))]);
    Network { copies, window: *random.weighted(&[(3, 1), (2, 2)]), at_most }
}

/// Each assertion gets a line of its own.
fn number(processes: &mut [Process]) {
    fn visit(block: &mut [Instruction], line: &mut usize) {
        for instruction in block {
            if let Instruction::AssertNot { line: own, .. } = instruction {
                *line += 1;
                *own = *line;
            }
            instruction.blocks_mut().into_iter().for_each(|block| visit(block, line));
        }
    }
    for process in processes {
        let mut line = 0;
        process.routines.iter_mut().for_each(|routine| visit(routine, &mut line));
    }
}

/// One process that is being made.
struct Draft<'a> {
    random: &'a mut Random,
    words: Words,
    process: usize,
    processes: usize,
    routines: usize,
    has_datagrams: bool,
    /// there are no assertions
    is_quiet: bool,
    faults: bool,
    /// the process and the routine that others send to
    listener: (usize, usize),
    /// the register that is written next
    own: usize,
    /// the routine has a socket
    is_bound: bool,
}

impl Draft<'_> {
    fn routine(&mut self, routine: usize) -> Vec<Instruction> {
        self.own = usize::from(routine > 0);
        let mut block = Vec::new();
        let is_listener = (self.process, routine) == (self.listener.0, self.listener.1.min(self.routines - 1));
        let listens = self.has_datagrams && (is_listener || self.random.percent(15));
        self.is_bound = false;
        if self.has_datagrams && (listens || self.random.percent(if routine == 0 { 55 } else { 35 })) {
            let bind = self.bind(listens);
            block.push(bind);
            if self.random.percent(if routine == 0 { 65 } else { 85 }) {
                let datagrams = if listens { self.answer(80) } else { self.datagrams(listens) };
                block.extend(datagrams);
            }
        }
        let has_children = routine + 1 < self.routines;
        let idioms = match (routine, has_children) {
            (0, true) if self.processes == 1 => *self.random.weighted(&[(4, 1), (1, 2)]),
            (0, true) => 1,
            (_, true) => 1,
            (_, false) => self.random.within(0, 1),
        };
        if !has_children || self.random.percent(30) {
            let simple = self.simple(listens);
            block.extend(simple);
        }
        for _ in 0..idioms {
            let idiom = match has_children {
                true => self.children(routine),
                false => self.simple(listens),
            };
            block.extend(idiom);
        }
        if has_children && self.random.percent(if listens { 60 } else { 15 }) {
            let simple = if listens { self.datagrams(listens) } else { self.simple(listens) };
            block.extend(simple);
        }
        block = self.wrapped(block);
        let is_root = routine == 0;
        match self.random.below(10) {
            0 | 1 if is_root && self.words == Words::All => block.push(Instruction::Pending),
            2 if !is_root && self.words == Words::All => block.push(Instruction::Pending),
            0 | 1 | 3 | 4 if !is_root => block.push(Instruction::Return { value: self.constant() }),
            _ => {}
        }
        block
    }

    /// Puts a part of a block into a region.
    fn wrapped(&mut self, mut block: Vec<Instruction>) -> Vec<Instruction> {
        if block.is_empty() {
            return block;
        }
        let scopes = self.has_datagrams && self.faults && self.random.percent(22);
        if scopes || self.random.percent(3) {
            let part = self.part(&mut block);
            block.insert(part.0, Instruction::Scope { body: part.1 });
        }
        while self.has_datagrams && self.random.percent(16) {
            let (at, body) = self.part(&mut block);
            let region = self.random.below(REGIONS.len() as u64) as usize;
            block.insert(at, Instruction::With { region, body });
        }
        while self.random.percent(22) {
            let (at, body) = self.part(&mut block);
            let (ms, into) = (self.ms(), self.register());
            block.insert(at, Instruction::Timeout { ms, into, body });
            let assert = self.assert(into, ELAPSED);
            block.extend(assert);
        }
        block
    }

    /// Takes a part of a block out.
    fn part(&mut self, block: &mut Vec<Instruction>) -> (usize, Vec<Instruction>) {
        let from = self.random.below(block.len() as u64) as usize;
        let to = self.random.within(from + 1, block.len());
        (from, block.drain(from..to).collect())
    }

    /// Instructions that have nothing to do with other tasks of the process.
    fn simple(&mut self, listens: bool) -> Vec<Instruction> {
        if self.has_datagrams && self.random.percent(40) {
            return self.datagrams(listens);
        }
        match self.random.below(12) {
            0..=5 => vec![self.sleep()],
            6 => {
                let (ms, times) = (self.ms(), self.random.within(1, 2));
                let body = if self.random.percent(50) { vec![self.sleep()] } else { Vec::new() };
                vec![Instruction::Every { ms, times, body }]
            }
            7 => vec![Instruction::Yield],
            8 => {
                let (inner, outer, into, other) = (self.ms(), self.ms(), self.register(), self.register());
                let inner = Instruction::Timeout { ms: inner, into, body: vec![self.sleep()] };
                let mut block = vec![Instruction::Timeout { ms: outer, into: other, body: vec![inner] }];
                block.extend(self.assert(into, ELAPSED));
                block
            }
            9 => {
                let (into, value) = (self.register(), self.random.below(2) as u8);
                let mut block = vec![Instruction::Choose { among: 2, into }];
                if self.random.percent(50) {
                    let then = vec![self.sleep()];
                    let otherwise = if self.random.percent(50) { vec![self.sleep()] } else { Vec::new() };
                    block.push(Instruction::If { register: into, equals: value, then, otherwise });
                } else {
                    block.extend(self.assert(into, value));
                }
                block
            }
            10 => {
                let register = self.register();
                let value = match self.random.percent(50) {
                    true => self.constant(),
                    false => Value::Register(self.random.below(REGISTERS as u64) as usize),
                };
                vec![match self.random.percent(50) {
                    true => Instruction::Add { register, value },
                    false => Instruction::Set { register, value },
                }]
            }
            _ => {
                let into = self.random.below(REGISTERS as u64) as usize;
                let value = 1 + self.random.below(CONSTANTS) as u8;
                let mut block = vec![self.sleep()];
                block.extend(self.assert(into, value));
                block
            }
        }
    }

    fn datagrams(&mut self, listens: bool) -> Vec<Instruction> {
        let to = match self.random.percent(85) {
            true => self.listener.0,
            false => self.random.below(self.processes as u64) as usize,
        };
        let port = if self.random.percent(92) { PORT } else { PORT + 1 };
        let mut block = Vec::new();
        if !self.is_bound {
            block.push(self.bind(listens));
        }
        match self.random.below(10) {
            0..=6 if listens => return self.answer(70),
            7 => block.push(Instruction::Connect { socket: 0, to, port }),
            8 => {
                block.push(Instruction::Close { socket: 0 });
                if self.random.percent(70) {
                    block.push(Instruction::Bind { socket: 0, port: listens.then_some(PORT) });
                }
            }
            _ => {
                // By then the other one is bound, mostly.
                if self.random.percent(65) {
                    block.push(Instruction::Sleep { ms: 5 });
                }
                for _ in 0..*self.random.weighted(&[(2, 1), (1, 2)]) {
                    block.push(Instruction::Send { socket: 0, to, port, value: self.constant() });
                }
                if self.random.percent(45) {
                    block.extend(self.receive(85));
                }
            }
        }
        block
    }

    fn bind(&mut self, listens: bool) -> Instruction {
        self.is_bound = true;
        let port = match listens {
            true => Some(PORT),
            false if self.random.percent(60) => None,
            false => Some(PORT + 1),
        };
        Instruction::Bind { socket: 0, port }
    }

    /// Instructions of a task that listens.
    fn answer(&mut self, limited: u64) -> Vec<Instruction> {
        let mut block = self.receive(limited);
        if self.random.percent(50) {
            block.push(Instruction::Reply { socket: 0, value: self.constant() });
        }
        block
    }

    /// Mostly not longer than some time.
    fn receive(&mut self, limited: u64) -> Vec<Instruction> {
        let into = self.register();
        let receive = Instruction::Recv { socket: 0, into };
        let value = if self.random.percent(40) { ELAPSED } else { 1 + self.random.below(CONSTANTS) as u8 };
        let mut block = match self.random.percent(limited) {
            true => vec![Instruction::Timeout { ms: self.ms(), into, body: vec![receive] }],
            false => vec![receive],
        };
        block.extend(self.assert(into, value));
        block
    }

    /// Instructions for tasks that a task spawns.
    fn children(&mut self, routine: usize) -> Vec<Instruction> {
        let mut block = Vec::new();
        // Few tasks of tasks have several of their own: there would be too many orders.
        let idiom =
            if routine > 0 && self.random.percent(60) { 5 + self.random.below(3) } else { self.random.below(12) };
        if (8..=10).contains(&idiom) {
            return self.set(routine);
        }
        let first = self.task(routine);
        block.push(Instruction::Spawn { task: first, handle: 0 });
        if idiom < 5 {
            let second = if self.random.percent(40) { first } else { self.task(routine) };
            block.push(Instruction::Spawn { task: second, handle: 1 });
            self.sometimes(30, &mut block);
        }
        match idiom {
            0..=2 => {
                let (which, into) = (self.register(), self.register());
                let limit_ms = self.random.percent(25).then(|| self.ms());
                block.push(Instruction::Select { handles: [0, 1], limit_ms, which, into });
                let won = self.random.below(2) as u8;
                block.extend(self.assert(which, won));
                if self.random.percent(70) {
                    let (which, into) = (self.register(), self.register());
                    let again = Instruction::Select { handles: [0, 1], limit_ms: None, which, into };
                    block.push(if self.random.percent(60) { again } else { self.await_task(1) });
                }
            }
            3 => {
                let handle = self.random.below(2) as usize;
                block.push(self.await_task(handle));
                if self.random.percent(60) {
                    block.push(Instruction::Abort { handle: 1 - handle });
                }
                if self.random.percent(40) {
                    block.extend(self.is_finished(1 - handle));
                }
                block.push(self.await_task(1 - handle));
            }
            4 | 5 => {
                self.sometimes(60, &mut block);
                block.push(Instruction::Abort { handle: 0 });
                if self.random.percent(30) {
                    block.extend(self.is_finished(0));
                }
                if self.random.percent(65) {
                    let into = self.register();
                    block.push(Instruction::Await { handle: 0, into, keeps: false });
                    block.extend(self.assert(into, CANCELLED));
                }
            }
            6 => {
                block.push(self.sleep());
                block.extend(self.is_finished(0));
                if self.random.percent(50) {
                    block.push(self.await_task(0));
                }
            }
            7 => {
                let into = self.register();
                let keeps = self.random.percent(60);
                let awaited = Instruction::Await { handle: 0, into, keeps };
                let mut limited = Instruction::Timeout { ms: self.ms(), into, body: vec![awaited] };
                if self.random.percent(25) {
                    let into = self.register();
                    limited = Instruction::Timeout { ms: self.ms(), into, body: vec![limited] };
                }
                block.push(limited);
                block.extend(self.assert(into, ELAPSED));
                if self.random.percent(50) {
                    block.push(if self.random.percent(50) {
                        Instruction::Abort { handle: 0 }
                    } else {
                        self.await_task(0)
                    });
                }
            }
            _ => {
                if self.random.percent(60) {
                    block.push(Instruction::Detach { handle: 0 });
                }
                self.sometimes(60, &mut block);
            }
        }
        block
    }

    /// A `JoinSet`.
    fn set(&mut self, routine: usize) -> Vec<Instruction> {
        let mut block = Vec::new();
        let task = self.task(routine);
        let count = *self.random.weighted(&[(1, 1), (8, 2), (1, 3)]);
        for index in 0..count {
            let task = if index > 0 && self.random.percent(60) { task } else { self.task(routine) };
            block.push(Instruction::SetSpawn { task });
        }
        self.sometimes(35, &mut block);
        let last = self.random.below(6);
        for _ in 0..self.random.within(usize::from(last > 2), count) {
            let into = self.register();
            let next = Instruction::JoinNext { into };
            block.push(match self.random.percent(25) {
                true => Instruction::Timeout { ms: self.ms(), into, body: vec![next] },
                false => next,
            });
            let value = 1 + self.random.below(CONSTANTS) as u8;
            block.extend(self.assert(into, value));
        }
        match last {
            0 => {
                block.push(Instruction::AbortAll);
                block.push(Instruction::JoinNext { into: self.register() });
            }
            1 | 2 => {
                block.push(Instruction::DropSet);
                self.sometimes(50, &mut block);
            }
            _ => {}
        }
        block
    }

    /// A routine that comes after this one, so that there is no end of tasks.
    fn task(&mut self, routine: usize) -> Task {
        let routine = self.random.within(routine + 1, self.routines - 1);
        // Datagrams of ordinary tasks are for the systems of `tests/oracle`, and take long.
        let isolated = self.random.percent(if self.has_datagrams { 92 } else { 75 });
        Task { routine, isolated, argument: self.constant() }
    }

    fn await_task(&mut self, handle: usize) -> Instruction {
        Instruction::Await { handle, into: self.register(), keeps: self.random.percent(50) }
    }

    fn is_finished(&mut self, handle: usize) -> Vec<Instruction> {
        let into = self.register();
        let value = self.random.below(2) as u8;
        let mut block = vec![Instruction::IsFinished { handle, into }];
        block.extend(self.assert(into, value));
        block
    }

    fn sometimes(&mut self, percent: u64, block: &mut Vec<Instruction>) {
        if self.random.percent(percent) {
            block.push(self.sleep());
        }
    }

    fn sleep(&mut self) -> Instruction {
        let ms = self.ms();
        if self.random.percent(12) { Instruction::SleepUntil { ms } } else { Instruction::Sleep { ms } }
    }

    fn assert(&mut self, register: usize, value: u8) -> Option<Instruction> {
        let asserts = !self.is_quiet && self.random.percent(35);
        asserts.then_some(Instruction::AssertNot { register, value, line: 0 })
    }

    /// The registers in turn, so that an output shows as much as it can.
    fn register(&mut self) -> usize {
        let register = self.own % REGISTERS;
        self.own += 1;
        register
    }

    fn constant(&mut self) -> Value {
        Value::Constant(1 + self.random.below(CONSTANTS) as u8)
    }

    fn ms(&mut self) -> u16 {
        *self.random.weighted(&[(3, 5), (5, 10), (2, 15), (3, 20)])
    }
}
