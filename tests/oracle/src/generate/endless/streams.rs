//! Systems whose endless loops use streams: servers that accept, read and close for ever, clients that connect again and
//! again, and either end of one connection that is read from or written to for ever.

use super::{Loops, TRIES, is_finite};
use crate::generate::{CONSTANTS, PORTS, Random, Words, exchange};
use crate::language::program::{ELAPSED, END, FAILED, Instruction, Network, Process, System, Tcp, Value};
use crate::naive::Limits;

/// A random system with streams in endless loops: one server, one client or two, and sometimes another loop.
pub fn endless_system_with_streams(seed: u64, limits: Limits) -> System {
    let mut random = Random::new(seed ^ 0x57e4);
    let mut all = loop {
        let drawn = Streams::draw(&mut random);
        if !drawn.spins_in_poll() && is_finite(&drawn, limits) {
            break drawn;
        }
    };
    if random.percent(35) {
        for _ in 0..TRIES {
            let mut more = all.clone();
            Loops { random: &mut random, system: &mut more, polls: false }.add();
            if more != all && !more.counts_time() && !more.spins_in_poll() && is_finite(&more, limits) {
                all = more;
                break;
            }
        }
    }
    all
}

struct Streams<'a> {
    random: &'a mut Random,
    /// whether operations have time limits: not where only the first executions of each fail, since a read that is given
    /// up and one that goes on in its place would count as one execution or two
    gives_up: bool,
    /// what is said over a connection in a round: whether the client says it
    dialogue: Vec<bool>,
    /// whether both sides mostly keep a connection for all rounds
    is_kept: bool,
}

/// Registers of each process.
const REGISTERS: usize = 2;

/// A stream of a task, and the register that it writes to.
type Own = (usize, usize);

impl Streams<'_> {
    fn draw(random: &mut Random) -> System {
        let mut network = exchange::network(random, Words::Streams);
        // A buffer without a limit is filled for ever, where nobody reads.
        if random.percent(70) {
            network.tcp.get_or_insert_with(Tcp::default).buffer.get_or_insert(2);
        }
        let Network { tcp, .. } = &network;
        let gives_up = tcp.as_ref().is_none_or(|tcp| tcp.first.is_none());
        let server = random.below(2) as usize;
        let length = *random.weighted(&[(4, 1), (5, 2), (1, 3)]);
        let client_first = random.percent(75);
        let dialogue = (0..length).map(|said| client_first == (said % 2 == 0 || random.percent(20))).collect();
        let is_kept = random.percent(35);
        let mut streams = Streams { random, gives_up, dialogue, is_kept };
        let clients = *streams.random.weighted(&[(4, 1), (1, 2)]);
        let mut processes: Vec<Process> = (0..clients).map(|_| streams.client(server)).collect();
        let serving = streams.server();
        processes.insert(server, serving);
        System { processes, network }
    }

    /// A process that listens, and serves each connection or only the first one.
    fn server(&mut self) -> Process {
        let backlog = *self.random.weighted(&[(5, None), (1, Some(0)), (1, Some(1))]);
        let mut root = vec![Instruction::Listen { listener: 0, port: PORTS[0], backlog, into: 0 }];
        let workers = *self.random.weighted(&[(7, 1), (1, 2)]);
        let tasks = (0..workers).map(|worker| self.serve((worker, worker))).collect();
        self.process(&mut root, tasks, 85)
    }

    fn serve(&mut self, own: Own) -> Vec<Instruction> {
        let (stream, into) = own;
        let limit_ms = self.limit(15);
        let accept = Instruction::Accept { listener: 0, stream, limit_ms, into };
        let mut served = match (self.random.below(3), &self.dialogue[..]) {
            (0 | 1, [true, false]) => self.echo(own),
            (0, [true]) => {
                let read = Instruction::Read { stream, bytes_max: 2, limit_ms: self.limit(20), into };
                vec![Instruction::Until { register: into, equals: END, body: vec![read] }]
            }
            _ => self.talk(own, false),
        };
        if self.random.percent(20) {
            self.look_at(own, &mut served);
        }
        if self.keeps() {
            served.extend(self.pause());
            return vec![accept, Instruction::Forever { body: served }];
        }
        let mut round = vec![accept];
        round.extend(served);
        if self.random.percent(90) {
            round.extend(self.part(own));
        }
        if self.random.percent(20) {
            round.extend(self.pause());
        }
        vec![Instruction::Forever { body: round }]
    }

    /// A process that connects: in each round, only before the first one, or only once and without rounds.
    fn client(&mut self, server: usize) -> Process {
        let own = (0, 0);
        let limit_ms = self.limit(20);
        let connect = Instruction::Connect { stream: 0, to: server, port: PORTS[0], limit_ms, into: 0 };
        let mut said = self.talk(own, true);
        if self.random.percent(30) {
            self.look_at(own, &mut said);
        }
        let task = if self.random.percent(10) {
            [vec![connect], said, self.part(own)].concat()
        } else if self.keeps() {
            said.extend(self.pause());
            vec![connect, Instruction::Forever { body: said }]
        } else {
            let mut round = vec![connect];
            round.extend(said);
            round.extend(self.part(own));
            round.extend(self.pause());
            vec![Instruction::Forever { body: round }]
        };
        self.process(&mut Vec::new(), vec![task], 35)
    }

    /// The root does the first thing to be done, or spawns a task that does and waits for its end.
    fn process(&mut self, root: &mut Vec<Instruction>, tasks: Vec<Vec<Instruction>>, daemon: u64) -> Process {
        let streams = tasks.len();
        let mut others = tasks;
        let first = if self.random.percent(75) { others.remove(0) } else { Vec::new() };
        root.extend((1..=others.len()).map(|task| Instruction::Spawn { task }));
        root.extend(first);
        if root.iter().all(|instruction| !matches!(instruction, Instruction::Forever { .. })) && !others.is_empty() {
            let ms = self.ms();
            root.push(match self.random.below(8) {
                0 => Instruction::Sleep { ms },
                1 | 2 => Instruction::Forever { body: vec![Instruction::Sleep { ms }] },
                _ => Instruction::Join { task: 1 },
            });
        }
        others.insert(0, std::mem::take(root));
        Process {
            daemon: self.random.percent(daemon),
            registers: REGISTERS,
            listeners: 1,
            streams,
            tasks: others,
            without_log: true,
            ..Process::default()
        }
    }

    /// The reads and writes of one side of the dialogue; now and then one of them is left out.
    fn talk(&mut self, own: Own, is_client: bool) -> Vec<Instruction> {
        let mut said = Vec::new();
        for says in self.dialogue.clone() {
            if self.random.percent(92) {
                said.push(if says == is_client { self.write(own) } else { self.read(own) });
            }
        }
        if self.random.percent(10) {
            let (stream, into) = own;
            said.push(Instruction::Shutdown { stream, into });
            let read = self.read(own);
            said.push(read);
        }
        said
    }

    /// Whether a side keeps a connection for all rounds.
    fn keeps(&mut self) -> bool {
        self.is_kept == self.random.percent(88)
    }

    fn echo(&mut self, own: Own) -> Vec<Instruction> {
        let (stream, into) = own;
        let limit_ms = self.limit(10);
        let answer = Instruction::Write { stream, value: Value::Register(into), length: 1, limit_ms, into: 1 - into };
        vec![self.read(own), answer]
    }

    fn read(&mut self, (stream, into): Own) -> Instruction {
        let bytes_max = self.random.within(1, 2);
        match self.random.percent(12) {
            true => Instruction::TryRead { stream, bytes_max, into },
            false => Instruction::Read { stream, bytes_max, limit_ms: self.limit(25), into },
        }
    }

    fn write(&mut self, (stream, into): Own) -> Instruction {
        let (value, length) = (Value::Constant(1 + self.random.below(CONSTANTS) as u8), self.random.within(1, 2));
        match self.random.percent(12) {
            true => Instruction::TryWrite { stream, value, length, into },
            false => Instruction::Write { stream, value, length, limit_ms: self.limit(15), into },
        }
    }

    /// How a task takes its leave of a stream.
    fn part(&mut self, (stream, into): Own) -> Vec<Instruction> {
        let before = match self.random.below(10) {
            0 => Some(Instruction::Shutdown { stream, into }),
            1 => Some(Instruction::ZeroLinger { stream }),
            _ => None,
        };
        before.into_iter().chain([Instruction::DropStream { stream }]).collect()
    }

    /// Between two rounds.
    fn pause(&mut self) -> Vec<Instruction> {
        match self.random.below(10) {
            0..6 => vec![Instruction::Sleep { ms: self.ms() }],
            6..9 => vec![Instruction::Yield],
            _ => Vec::new(),
        }
    }

    /// Something depends on how the last operation ended.
    fn look_at(&mut self, (stream, register): Own, block: &mut Vec<Instruction>) {
        let equals = *self.random.weighted(&[(3, END), (3, FAILED), (2, ELAPSED), (3, 1), (2, 2)]);
        let then = match self.random.below(4) {
            0 => Instruction::End,
            1 => Instruction::DropStream { stream },
            2 => Instruction::Sleep { ms: self.ms() },
            _ => Instruction::AssertNot { register, value: equals },
        };
        block.push(Instruction::If { register, equals, then: vec![then], otherwise: Vec::new() });
    }

    fn limit(&mut self, percent: u64) -> Option<u16> {
        (self.gives_up && self.random.percent(percent)).then(|| self.ms())
    }

    fn ms(&mut self) -> u16 {
        *self.random.weighted(&[(5, 10), (3, 20), (1, 30)])
    }
}
