//! Random small systems: the same one for the same seed, on every machine.
//!
//! Messages mostly go to ports that somebody binds, and races are frequent. `shrink` makes a failing one readable.

pub mod apart;
pub mod clocks;
pub mod endless;
mod exchange;
pub mod files;
mod like;
mod loops;
pub mod polls;
pub mod redial;
mod usual;

pub use like::like_system;

use crate::language::everyday::Everyday;
use crate::language::files::Failing;
use crate::language::program::{Crash, ELAPSED, Instruction, Network, Process, System, Tcp, Value};
use random::Random;

/// How long the programs are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Size {
    /// every execution can be enumerated, mostly
    Small,
    /// more processes and longer ones
    Large,
}

/// Which instructions there are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Words {
    Plain,
    /// one task in each process, and `Select`
    Single,
    /// and loops, most of them endless
    Loops,
    /// `Select`, `JoinTimeout`, `Abort` and `Locked` too
    All,
    /// the same with more tasks in a process
    Tracked,
    /// listeners and streams instead of sockets
    Streams,
    /// both
    Mixed,
    /// sockets of all kinds, intervals, and what tasks share: see `everyday.rs`
    Everyday,
    /// the same, always with `delay`
    EverydayDelay,
    /// the same, with streams
    EverydayStreams,
    /// either, with processes that are alike
    EverydayLike,
}

impl Words {
    fn is_all(self) -> bool {
        matches!(self, Words::All | Words::Tracked)
    }

    fn has_select(self) -> bool {
        matches!(
            self,
            Words::All
                | Words::Tracked
                | Words::Single
                | Words::Loops
                | Words::Everyday
                | Words::EverydayDelay
                | Words::EverydayStreams
        )
    }

    fn is_everyday(self) -> bool {
        matches!(self, Words::Everyday | Words::EverydayDelay)
    }

    fn has_streams(self) -> bool {
        matches!(self, Words::Streams | Words::Mixed | Words::EverydayStreams)
    }
}

pub fn system(seed: u64, size: Size, words: Words) -> System {
    if words == Words::EverydayLike {
        return like::like_everyday_system(seed);
    }
    let mut random = Random::new(seed);
    let processes = match size {
        _ if words.has_streams() => *random.weighted(&[(12, 2), (6, 3)]),
        Size::Small => *random.weighted(&[(14, 2), (5, 3), (1, 4)]),
        Size::Large => *random.weighted(&[(6, 2), (9, 3), (5, 4)]),
    };
    // without assertions and deadlocks outputs are compared in spite of everything
    let quiet = random.percent(if words == Words::EverydayDelay { 60 } else { 35 });
    let network = match words {
        Words::Plain | Words::All | Words::Tracked | Words::Single | Words::Everyday => network(&mut random),
        Words::EverydayDelay => Network { delay: true, ..network(&mut random) },
        Words::Loops => loops::network(&mut random),
        Words::Streams | Words::Mixed | Words::EverydayStreams => exchange::network(&mut random, words),
        Words::EverydayLike => unreachable!("made of another one"),
    };
    // a read that was given up and one that goes on in its place would count as one execution or two
    let first = network.tcp.as_ref().is_some_and(|tcp| tcp.first.is_some());
    let mut writer = Writer::new(&mut random, processes, quiet, words);
    writer.delay = network.delay;
    match words {
        Words::Plain | Words::All | Words::Tracked | Words::Single | Words::Loops => writer.converse(size),
        Words::Streams | Words::Mixed | Words::EverydayStreams => writer.exchange(size, !first),
        Words::Everyday | Words::EverydayDelay => writer.converse_usually(size),
        Words::EverydayLike => unreachable!("made of another one"),
    }
    System { processes: (0..processes).map(|index| writer.process(index)).collect(), network }
}

fn network(random: &mut Random) -> Network {
    let copies = random
        .weighted::<&[usize]>(&[
            (26, &[1]),
            (20, &[1, 0]),
            (12, &[1, 2]),
            (12, &[1, 0, 2]),
            (6, &[0, 1]),
            (5, &[2]),
            (5, &[0, 2]),
            (4, &[2, 1, 0]),
            (2, &[0]),
        ])
        .to_vec();
    Network {
        copies,
        window: *random.weighted(&[(11, 1), (8, 2), (1, 3)]),
        delay: random.percent(30),
        delays: None,
        slow: None,
        at_most: *random.weighted(&[(12, None), (5, Some(1)), (3, Some(2))]),
        duration_ms: None,
        tcp: None,
        crash: None,
        partition: None,
        failing_files: Failing::default(),
        anonymous: false,
        watched: false,
    }
}

const PORTS: [u16; 2] = [4000, 4001];
/// Values that are sent, compared and asserted: few, so that they meet.
const CONSTANTS: u64 = 4;

struct Writer<'a> {
    random: &'a mut Random,
    quiet: bool,
    words: Words,
    delay: bool,
    drafts: Vec<Draft>,
}

/// A process while it is written: what it does, in one sequence, not yet split into tasks.
#[derive(Default)]
struct Draft {
    sockets: usize,
    listeners: usize,
    streams: usize,
    registers: usize,
    script: Vec<Instruction>,
}

impl<'a> Writer<'a> {
    fn new(random: &'a mut Random, processes: usize, quiet: bool, words: Words) -> Self {
        let drafts = (0..processes)
            .map(|_| Draft {
                sockets: *random.weighted(&[(6, 1), (if words.has_select() { 3 } else { 1 }, 2)]),
                registers: random.within(1, 3),
                ..Draft::default()
            })
            .collect();
        Writer { random, quiet, words, delay: false, drafts }
    }

    /// Writes who sends what to whom, and who waits for it, and some more that takes a step.
    fn converse(&mut self, size: Size) {
        let processes = self.drafts.len();
        let (messages, extras) = match (size, processes) {
            (Size::Small, 2) => (self.random.within(1, 4), self.random.within(0, 2)),
            (Size::Small, 3) => (self.random.within(1, 2), self.random.within(0, 1)),
            (Size::Small, _) => (1, self.random.within(0, 1)),
            (Size::Large, 2) => (self.random.within(2, 6), self.random.within(0, 4)),
            (Size::Large, _) => (self.random.within(2, 5), self.random.within(0, 3)),
        };
        let (mut from, mut to) = (0, 0);
        for message in 0..messages {
            match self.random.below(10) {
                // the next message of the same conversation
                0..3 if message > 0 => {}
                3..6 if message > 0 => (from, to) = (to, from),
                _ => {
                    from = self.random.below(processes as u64) as usize;
                    let distance = 1 + self.random.below(processes as u64 - 1) as usize;
                    to = if self.random.percent(5) { from } else { (from + distance) % processes };
                }
            }
            let receiving = self.random.below(self.drafts[to].sockets as u64) as usize;
            let port = if self.random.percent(4) { PORTS[1] } else { PORTS[receiving] };
            let socket = self.random.below(self.drafts[from].sockets as u64) as usize;
            let value = self.value(from);
            self.drafts[from].script.push(Instruction::Send { socket, to, port, value });
            if self.random.percent(85) {
                let received = self.receive(to, receiving);
                self.drafts[to].script.push(received);
            }
        }
        for _ in 0..extras {
            let index = self.random.below(processes as u64) as usize;
            let into = self.register(index);
            let extra = match *self.random.weighted(&[(4, 0), (3, 1), (2, 2), (3, 3)]) {
                0 => {
                    let socket = self.random.below(self.drafts[index].sockets as u64) as usize;
                    self.receive(index, socket)
                }
                1 => Instruction::Sleep { ms: self.ms() },
                2 => Instruction::Yield,
                _ => Instruction::Choose { among: self.random.within(2, 3), into },
            };
            let at = self.random.below(self.drafts[index].script.len() as u64 + 1) as usize;
            self.drafts[index].script.insert(at, extra);
        }
    }

    fn receive(&mut self, index: usize, socket: usize) -> Instruction {
        let into = self.register(index);
        if self.random.percent(60) {
            Instruction::RecvTimeout { socket, ms: self.ms(), into }
        } else if self.words.has_select() && self.drafts[index].sockets == 2 && self.random.percent(70) {
            Instruction::Select { sockets: [socket, 1 - socket], into }
        } else {
            Instruction::Recv { socket, into }
        }
    }

    /// Splits what a process does into tasks, and adds what takes no step.
    fn process(&mut self, index: usize) -> Process {
        let script = std::mem::take(&mut self.drafts[index].script);
        let used = |socket: usize| {
            script.iter().any(|instruction| match instruction {
                Instruction::Select { .. } => true,
                Instruction::Send { socket: used, .. }
                | Instruction::Recv { socket: used, .. }
                | Instruction::RecvTimeout { socket: used, .. } => *used == socket,
                _ => false,
            })
        };
        let used: Vec<bool> = (0..self.drafts[index].sockets).map(used).collect();
        if self.words.is_everyday() {
            return self.process_usually(index, script);
        }
        if self.words.has_streams() {
            return self.process_with_streams(index, script, &used);
        }
        if self.words == Words::Loops {
            return self.process_with_loops(index, script);
        }
        let mut tasks = vec![Vec::new(); self.tasks()];
        for instruction in script {
            let task = self.random.below(tasks.len() as u64) as usize;
            if self.words.is_all() && self.random.percent(30) {
                tasks[task].push(Instruction::Locked { body: vec![instruction] });
            } else if self.random.percent(4) {
                tasks[task].push(Instruction::Repeat { times: 2, body: vec![instruction] });
            } else {
                tasks[task].push(instruction);
            }
        }
        let mut position = 0;
        tasks.retain(|task| {
            position += 1;
            position == 1 || !task.is_empty()
        });
        for task in &mut tasks {
            *task = self.decorate(index, std::mem::take(task));
        }
        self.spawn(index, &mut tasks, 0);
        self.bind(index, &mut tasks, &used);
        self.finished(index, tasks)
    }

    /// Who spawns a task, and perhaps joins it: mostly the root, not before `earliest`.
    fn spawn(&mut self, index: usize, tasks: &mut [Vec<Instruction>], earliest: usize) {
        for task in 1..tasks.len() {
            let parent = if task > 1 && self.random.percent(30) { task - 1 } else { 0 };
            let at = self.place(&tasks[parent], if parent == 0 { earliest } else { 0 });
            tasks[parent].insert(at, Instruction::Spawn { task });
            if self.random.percent(60) {
                let at = at + 1 + self.random.below((tasks[parent].len() - at) as u64) as usize;
                let join = self.join(index, task);
                tasks[parent].insert(at, join);
            } else if self.random.percent(10) {
                let joiner = self.random.below(tasks.len() as u64) as usize;
                let join = self.join(index, task);
                tasks[joiner].push(join);
            }
            if self.words.is_all() && self.random.percent(30) {
                let aborter =
                    if self.random.percent(80) { parent } else { self.random.below(tasks.len() as u64) as usize };
                let at = self.random.below(tasks[aborter].len() as u64 + 1) as usize;
                tasks[aborter].insert(at, Instruction::Abort { task });
            }
        }
    }

    /// A place in a block, not before `earliest`.
    fn place(&mut self, block: &[Instruction], earliest: usize) -> usize {
        earliest + self.random.below((block.len() - earliest) as u64 + 1) as usize
    }

    fn bind(&mut self, index: usize, tasks: &mut [Vec<Instruction>], used: &[bool]) {
        for socket in 0..self.drafts[index].sockets {
            if !used[socket] && self.random.percent(80) {
                continue;
            }
            let task = if tasks.len() > 1 && self.random.percent(7) { 1 } else { 0 };
            self.bind_somewhere(&mut tasks[task], Instruction::Bind { socket, port: PORTS[socket] });
        }
    }

    /// Mostly first of all; with `delay` often later, when what is under way to it is there already.
    fn bind_somewhere(&mut self, task: &mut Vec<Instruction>, bind: Instruction) {
        let first = if self.delay { 65 } else { 92 };
        let at = if self.random.percent(first) { 0 } else { self.random.below(task.len() as u64 + 1) as usize };
        task.insert(at, bind);
        if self.delay && self.random.percent(25) {
            task.insert(at, Instruction::Sleep { ms: self.ms() });
        }
    }

    fn finished(&mut self, index: usize, tasks: Vec<Vec<Instruction>>) -> Process {
        let draft = &self.drafts[index];
        let daemon = self.quiet || self.random.percent(25);
        Process {
            daemon,
            registers: draft.registers,
            sockets: draft.sockets,
            listeners: draft.listeners,
            streams: draft.streams,
            tasks,
            ..Process::default()
        }
    }

    fn tasks(&mut self) -> usize {
        match self.words {
            Words::Single | Words::Loops => 1,
            Words::Plain => *self.random.weighted(&[(11, 1), (6, 2), (2, 3)]),
            Words::All | Words::Everyday | Words::EverydayDelay => *self.random.weighted(&[(4, 1), (6, 2), (2, 3)]),
            Words::Tracked => *self.random.weighted(&[(1, 1), (6, 2), (5, 3)]),
            Words::EverydayLike => unreachable!("made of another one"),
            Words::Streams | Words::Mixed | Words::EverydayStreams => *self.random.weighted(&[(11, 1), (5, 2), (1, 3)]),
        }
    }

    fn join(&mut self, index: usize, task: usize) -> Instruction {
        if self.words.is_all() && self.random.percent(40) {
            Instruction::JoinTimeout { task, ms: self.ms(), into: self.register(index) }
        } else {
            Instruction::Join { task }
        }
    }

    /// Adds arithmetic, assertions, and conditions on what was received or chosen.
    fn decorate(&mut self, index: usize, block: Vec<Instruction>) -> Vec<Instruction> {
        let mut decorated = Vec::new();
        let mut rest = block.into_iter();
        while let Some(instruction) = rest.next() {
            let written = match instruction {
                Instruction::Recv { into, .. } | Instruction::Select { into, .. } => Some((into, self.constant())),
                Instruction::RecvTimeout { into, .. } if self.random.percent(50) => Some((into, ELAPSED)),
                Instruction::RecvTimeout { into, .. } => Some((into, self.constant())),
                Instruction::Choose { among, into } => Some((into, self.random.below(among as u64) as u8)),
                Instruction::Everyday(word) => self.code_of_everyday(word),
                ref other => self.code_of(other),
            };
            decorated.push(instruction);
            if self.random.percent(25) {
                let register = self.register(index);
                let value = self.value(index);
                decorated.push(if self.words == Words::Loops || self.random.percent(30) {
                    Instruction::Set { register, value }
                } else {
                    Instruction::Add { register, value }
                });
            }
            let Some((register, value)) = written else { continue };
            if !self.quiet && self.random.percent(if self.words == Words::Loops { 40 } else { 25 }) {
                let register = if self.random.percent(70) { register } else { self.register(index) };
                decorated.push(Instruction::AssertNot { register, value });
            }
            if self.random.percent(30) {
                let after = self.decorate(index, rest.collect());
                let other = match self.random.below(4) {
                    0 => vec![Instruction::End],
                    1 if self.words == Words::Loops => vec![Instruction::Set { register, value: Value::Constant(10) }],
                    1 => vec![Instruction::Add { register, value: Value::Constant(10) }],
                    2 => after.iter().take(1).cloned().collect(),
                    _ => Vec::new(),
                };
                let (then, otherwise) = if self.random.percent(50) { (after, other) } else { (other, after) };
                decorated.push(Instruction::If { register, equals: value, then, otherwise });
                return decorated;
            }
        }
        decorated
    }

    fn register(&mut self, index: usize) -> usize {
        self.random.below(self.drafts[index].registers as u64) as usize
    }

    fn value(&mut self, index: usize) -> Value {
        if self.random.percent(75) {
            Value::Constant(1 + self.random.below(CONSTANTS) as u8)
        } else {
            Value::Register(self.register(index))
        }
    }

    fn constant(&mut self) -> u8 {
        match self.random.below(8) {
            0 => 0,
            _ => 1 + self.random.below(CONSTANTS) as u8,
        }
    }

    fn ms(&mut self) -> u16 {
        *self.random.weighted(&[(5, 10), (3, 20), (1, 30)])
    }
}

/// Whether this holds of an instruction, also in other ones.
fn any(block: &[Instruction], holds: &impl Fn(&Instruction) -> bool) -> bool {
    block
        .iter()
        .any(|instruction| holds(instruction) || instruction.blocks().into_iter().any(|block| any(block, holds)))
}

/// The smallest system that can be reached by leaving things out while it still fails.
pub fn shrink(system: &System, mut fails: impl FnMut(&System) -> bool) -> System {
    let mut smallest = system.clone();
    while let Some(smaller) = smaller(&smallest).into_iter().find(&mut fails) {
        smallest = smaller;
    }
    smallest
}

/// Each system that is one step smaller.
fn smaller(system: &System) -> Vec<System> {
    let mut candidates = Vec::new();
    for (process, original) in system.processes.iter().enumerate() {
        for task in 0..original.tasks.len() {
            for block in smaller_blocks(&original.tasks[task]) {
                let mut candidate = system.clone();
                candidate.processes[process].tasks[task] = block;
                candidates.push(candidate);
            }
        }
    }
    let mut network = |change: &dyn Fn(&mut Network)| {
        let mut candidate = system.clone();
        change(&mut candidate.network);
        if candidate != *system {
            candidates.push(candidate);
        }
    };
    let mut tcp = |change: &dyn Fn(&mut Tcp)| network(&|network| network.tcp.iter_mut().for_each(change));
    for failure in 0..system.network.tcp.as_ref().map_or(0, |tcp| tcp.failures.len()) {
        tcp(&|tcp| {
            tcp.failures.remove(failure);
        });
    }
    tcp(&|tcp| tcp.split = false);
    tcp(&|tcp| tcp.delay = None);
    tcp(&|tcp| tcp.buffer = None);
    tcp(&|tcp| tcp.retries_ms = None);
    tcp(&|tcp| tcp.processes.clear());
    tcp(&|tcp| tcp.side = None);
    tcp(&|tcp| tcp.first = None);
    network(&|network| network.tcp = None);
    network(&|network| network.crash = None);
    network(&|network| network.partition = None);
    network(&|network| network.partition.iter_mut().for_each(|partition| partition.times = 1));
    network(&|network| network.partition.iter_mut().for_each(|partition| partition.one_way = false));
    network(&|network| network.partition.iter_mut().for_each(|partition| partition.for_ever = false));
    let mut crash = |change: &dyn Fn(&mut Crash)| network(&|network| network.crash.iter_mut().for_each(change));
    crash(&|crash| crash.times = 1);
    crash(&|crash| crash.stays_down = false);
    crash(&|crash| crash.down = None);
    crash(&|crash| crash.power = false);
    network(&|network| network.slow = None);
    network(&|network| {
        network.delay = false;
        network.delays = None;
        network.slow = None;
    });
    network(&|network| network.at_most = None);
    network(&|network| network.duration_ms = None);
    network(&|network| network.window = 1);
    network(&|network| network.copies = vec![1]);
    network(&|network| {
        if network.copies.len() > 1 {
            network.copies.pop();
        }
    });
    // processes at the end that nobody knows
    if let Some((last, others)) = system.processes.split_last()
        && !others.is_empty()
        && last.tasks.iter().all(Vec::is_empty)
    {
        fn knows(block: &[Instruction], process: usize) -> bool {
            block.iter().any(|instruction| {
                matches!(
                    instruction,
                    Instruction::Send { to, .. }
                    | Instruction::Connect { to, .. }
                    | Instruction::Everyday(Everyday::Connect { to, .. }) if *to == process
                ) || instruction.blocks().into_iter().any(|block| knows(block, process))
            })
        }
        if !others.iter().flat_map(|process| &process.tasks).any(|task| knows(task, others.len())) {
            candidates.push(System { processes: others.to_vec(), network: system.network.clone() });
        }
    }
    candidates
}

fn smaller_blocks(block: &[Instruction]) -> Vec<Vec<Instruction>> {
    let mut candidates = Vec::new();
    for (at, instruction) in block.iter().enumerate() {
        let mut replace = |replacement: &[Instruction]| {
            candidates.push([&block[..at], replacement, &block[at + 1..]].concat());
        };
        replace(&[]);
        for inner in instruction.blocks() {
            replace(inner);
        }
        match instruction {
            Instruction::If { register, equals, then, otherwise } => {
                let rebuilt = |then: Vec<Instruction>, otherwise: Vec<Instruction>| {
                    [Instruction::If { register: *register, equals: *equals, then, otherwise }]
                };
                for smaller in smaller_blocks(then) {
                    replace(&rebuilt(smaller, otherwise.clone()));
                }
                for smaller in smaller_blocks(otherwise) {
                    replace(&rebuilt(then.clone(), smaller));
                }
            }
            Instruction::Repeat { times, body } => {
                for smaller in smaller_blocks(body) {
                    replace(&[Instruction::Repeat { times: *times, body: smaller }]);
                }
            }
            Instruction::Until { register, equals, body } => {
                for smaller in smaller_blocks(body) {
                    replace(&[Instruction::Until { register: *register, equals: *equals, body: smaller }]);
                }
            }
            Instruction::Forever { body } => {
                for smaller in smaller_blocks(body) {
                    replace(&[Instruction::Forever { body: smaller }]);
                }
            }
            Instruction::Locked { body } => {
                for smaller in smaller_blocks(body) {
                    replace(&[Instruction::Locked { body: smaller }]);
                }
            }
            Instruction::Select { sockets, into } => {
                for socket in sockets {
                    replace(&[Instruction::Recv { socket: *socket, into: *into }]);
                }
            }
            Instruction::Everyday(word) => {
                if let Some(simpler) = word.simpler() {
                    replace(&[Instruction::Everyday(simpler)]);
                }
                if let Everyday::RecvOn { socket, limit_ms: None, into } = *word {
                    replace(&[Instruction::Recv { socket, into }]);
                }
            }
            Instruction::JoinTimeout { task, .. } => replace(&[Instruction::Join { task: *task }]),
            Instruction::RecvTimeout { socket, into, .. } => {
                replace(&[Instruction::Recv { socket: *socket, into: *into }]);
            }
            Instruction::Listen { backlog: Some(_), .. }
            | Instruction::Accept { limit_ms: Some(_), .. }
            | Instruction::Connect { limit_ms: Some(_), .. }
            | Instruction::Write { limit_ms: Some(_), .. }
            | Instruction::Read { limit_ms: Some(_), .. } => {
                let mut simpler = instruction.clone();
                if let Instruction::Listen { backlog: limit, .. } = &mut simpler {
                    *limit = None;
                }
                if let Instruction::Accept { limit_ms, .. }
                | Instruction::Connect { limit_ms, .. }
                | Instruction::Write { limit_ms, .. }
                | Instruction::Read { limit_ms, .. } = &mut simpler
                {
                    *limit_ms = None;
                }
                replace(&[simpler]);
            }
            Instruction::SelectAccept { listeners, stream, into } => {
                for &listener in listeners {
                    replace(&[Instruction::Accept { listener, stream: *stream, limit_ms: None, into: *into }]);
                }
            }
            Instruction::SelectRead { streams, bytes_max, into } => {
                for &stream in streams {
                    replace(&[Instruction::Read { stream, bytes_max: *bytes_max, limit_ms: None, into: *into }]);
                }
            }
            _ => {}
        }
    }
    candidates
}
