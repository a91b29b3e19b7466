//! Systems with listeners and streams: who connects to whom, and what they say to each other.

use super::{CONSTANTS, Draft, PORTS, Random, Size, Words, Writer};
use crate::language::program::{Delays, ELAPSED, END, FAILED, Failure, Instruction, Network, Process, Side, Tcp};

pub(super) fn network(random: &mut Random, words: Words) -> Network {
    let mixed = words == Words::Mixed;
    let network = if mixed { super::network(random) } else { Network::reliable() };
    let failures = failures(random);
    let tcp = Tcp {
        transient: !failures.is_empty() && random.aside().percent(15),
        failures,
        split: random.percent(20),
        delay: (mixed && random.percent(25)).then_some(Delays::Interval(0, None)),
        buffer: *random.weighted(&[(10, None), (1, Some(1)), (3, Some(2)), (2, Some(3)), (1, Some(4))]),
        retries_ms: None,
        processes: if random.percent(15) { vec![random.below(2) as usize] } else { Vec::new() },
        side: *random.weighted(&[(16, None), (2, Some(Side::Client)), (2, Some(Side::Server))]),
        first: *random.weighted(&[(16, None), (3, Some(1)), (1, Some(2))]),
    };
    let is_declared = tcp != Tcp::default();
    let at_most = match tcp.failures.is_empty() {
        true => network.at_most,
        false => *random.weighted(&[(3, None), (10, Some(1)), (5, Some(2))]),
    };
    Network { tcp: is_declared.then_some(tcp), at_most, ..network }
}

fn failures(random: &mut Random) -> Vec<Failure> {
    let all = [Failure::Open, Failure::Close, Failure::Read, Failure::Write, Failure::Reset, Failure::Hang];
    let share = *random.weighted(&[(7, 0), (8, 20), (4, 40), (1, 100)]);
    all.into_iter().filter(|_| random.percent(share)).collect()
}

/// The bytes that are to be said over one connection.
struct Conversation {
    client: usize,
    server: usize,
    /// the places of the stream
    streams: [usize; 2],
}

impl Writer<'_> {
    /// Writes who connects to whom and what they say, and some more that takes a step.
    pub(super) fn exchange(&mut self, size: Size, gives_up: bool) {
        let processes = self.drafts.len();
        if self.words != Words::Mixed {
            self.drafts.iter_mut().for_each(|draft| draft.sockets = 0);
        }
        let server = self.random.below(processes as u64) as usize;
        self.listen(server, 0);
        if self.words == Words::EverydayStreams && self.random.percent(65) {
            self.listen(server, 1);
        }
        let connections = match size {
            Size::Small => *self.random.weighted(&[(8, 1), (3, 2)]),
            Size::Large => *self.random.weighted(&[(4, 1), (5, 2), (1, 3)]),
        };
        let conversations: Vec<Conversation> = (0..connections).map(|_| self.connect(server, gives_up)).collect();
        let utterances = match size {
            Size::Small => self.random.within(1, 4),
            Size::Large => self.random.within(3, 7),
        };
        for _ in 0..utterances {
            let about = self.random.below(connections as u64) as usize;
            match self.words == Words::EverydayStreams && self.random.percent(25) {
                true => self.half_close(&conversations[about], gives_up),
                false => self.utter(&conversations[about], gives_up),
            }
        }
        for conversation in &conversations {
            for end in [0, 1] {
                self.part(conversation, end, gives_up);
            }
        }
        if self.random.percent(15) {
            self.stop_listening(server);
        }
        if self.words == Words::Mixed {
            self.converse(Size::Small);
        } else if self.random.percent(50) {
            let index = self.random.below(processes as u64) as usize;
            let extra = match self.random.below(3) {
                0 => Instruction::Sleep { ms: self.ms() },
                1 => Instruction::Yield,
                _ => Instruction::Choose { among: 2, into: self.register(index) },
            };
            self.insert(index, 0, extra);
        }
    }

    fn listen(&mut self, server: usize, listener: usize) {
        let backlog = *self.random.weighted(&[(12, None), (3, Some(0)), (2, Some(1))]);
        let into = self.register(server);
        let draft = &mut self.drafts[server];
        draft.listeners = draft.listeners.max(listener + 1);
        draft.script.push(Instruction::Listen { listener, port: PORTS[listener], backlog, into });
    }

    fn connect(&mut self, server: usize, gives_up: bool) -> Conversation {
        let processes = self.drafts.len() as u64;
        let distance = if self.random.percent(4) { 0 } else { 1 + self.random.below(processes - 1) };
        let client = (server + distance as usize) % processes as usize;
        let listeners = self.drafts[server].listeners;
        let at = if listeners == 2 { self.random.below(2) as usize } else { usize::from(self.random.percent(3)) };
        let port = PORTS[at];
        let streams = [self.stream(client), self.stream(server)];
        let (limit_ms, into) = (self.limit(25), self.register(client));
        let connect = Instruction::Connect { stream: streams[0], to: server, port, limit_ms, into };
        self.drafts[client].script.push(connect);
        if self.random.percent(90) {
            let (limit_ms, into) = (self.limit(20), self.register(server));
            let accept = match listeners {
                2 if gives_up && self.random.percent(65) => {
                    let listeners = if self.random.percent(50) { [0, 1] } else { [1, 0] };
                    Instruction::SelectAccept { listeners, stream: streams[1], into }
                }
                2 => Instruction::Accept { listener: at, stream: streams[1], limit_ms, into },
                _ => Instruction::Accept { listener: 0, stream: streams[1], limit_ms, into },
            };
            self.drafts[server].script.push(accept);
        }
        Conversation { client, server, streams }
    }

    /// A place for a stream; a third one has to share.
    fn stream(&mut self, index: usize) -> usize {
        let Draft { streams, script, .. } = &mut self.drafts[index];
        if *streams < 2 {
            *streams += 1;
            return *streams - 1;
        }
        script.push(Instruction::DropStream { stream: 0 });
        0
    }

    /// Something is written, and mostly read.
    fn utter(&mut self, conversation: &Conversation, gives_up: bool) {
        let mut ends = [(conversation.client, conversation.streams[0]), (conversation.server, conversation.streams[1])];
        if self.random.percent(45) {
            ends.reverse();
        }
        let [(from, written), (to, read)] = ends;
        let write = self.write(from, written, gives_up);
        self.drafts[from].script.push(write);
        for _ in 0..*self.random.weighted(&[(3, 0), (14, 1), (3, 2)]) {
            let read = self.read(to, read, gives_up);
            self.drafts[to].script.push(read);
        }
    }

    /// One end says that it has said all, and reads on; the other one may answer.
    fn half_close(&mut self, conversation: &Conversation, gives_up: bool) {
        let mut ends = [(conversation.client, conversation.streams[0]), (conversation.server, conversation.streams[1])];
        if self.random.percent(35) {
            ends.reverse();
        }
        let [(from, ended), (to, other)] = ends;
        let shutdown = Instruction::Shutdown { stream: ended, into: self.register(from) };
        self.drafts[from].script.push(shutdown);
        let reads_end = self.read(to, other, gives_up);
        self.drafts[to].script.push(reads_end);
        let answer = self.write(to, other, gives_up);
        self.drafts[to].script.push(answer);
        let reads_on = self.read(from, ended, gives_up);
        self.drafts[from].script.push(reads_on);
    }

    fn write(&mut self, index: usize, stream: usize, gives_up: bool) -> Instruction {
        let (value, length, into) = (self.value(index), self.random.within(1, 3), self.register(index));
        if self.random.percent(8) {
            return Instruction::TryWrite { stream, value, length, into };
        }
        let limit_ms = self.limit(if gives_up { 12 } else { 0 });
        Instruction::Write { stream, value, length, limit_ms, into }
    }

    fn read(&mut self, index: usize, stream: usize, gives_up: bool) -> Instruction {
        let (bytes_max, into) = (self.random.within(1, 4), self.register(index));
        if self.random.percent(6) {
            return Instruction::TryRead { stream, bytes_max, into };
        }
        if gives_up && self.drafts[index].streams == 2 && self.random.percent(40) {
            return Instruction::SelectRead { streams: [stream, 1 - stream], bytes_max, into };
        }
        let limit_ms = self.limit(if gives_up { 30 } else { 0 });
        Instruction::Read { stream, bytes_max, limit_ms, into }
    }

    /// How a process takes its leave of a stream.
    fn part(&mut self, conversation: &Conversation, end: usize, gives_up: bool) {
        let index = [conversation.client, conversation.server][end];
        let stream = conversation.streams[end];
        if self.random.percent(25) {
            let shutdown = Instruction::Shutdown { stream, into: self.register(index) };
            self.insert(index, 50, shutdown);
        }
        if self.random.percent(5) {
            self.insert(index, 50, Instruction::ZeroLinger { stream });
        }
        if self.random.percent(35) {
            self.insert(index, 60, Instruction::DropStream { stream });
        }
        if self.random.percent(30) {
            let read = self.read(index, stream, gives_up);
            self.drafts[index].script.push(read);
        }
    }

    fn stop_listening(&mut self, server: usize) {
        self.insert(server, 30, Instruction::DropListener { listener: 0 });
        if self.random.percent(30) {
            self.listen(server, 0);
        }
    }

    /// Inserts it at the end, or `percent` of the time anywhere after the first instruction.
    fn insert(&mut self, index: usize, percent: u64, instruction: Instruction) {
        let length = self.drafts[index].script.len();
        let at = match length > 0 && self.random.percent(percent) {
            true => self.random.within(1, length),
            false => length,
        };
        self.drafts[index].script.insert(at, instruction);
    }

    fn limit(&mut self, percent: u64) -> Option<u16> {
        self.random.percent(percent).then(|| self.ms())
    }

    /// The register that an operation on a listener or stream writes, and something that it may hold then.
    pub(super) fn code_of(&mut self, instruction: &Instruction) -> Option<(usize, u8)> {
        let odd = if self.random.percent(60) { FAILED } else { ELAPSED };
        match *instruction {
            Instruction::Accept { into, .. }
            | Instruction::SelectAccept { into, .. }
            | Instruction::Connect { into, .. } => Some((into, odd)),
            Instruction::Write { length, into, .. } | Instruction::TryWrite { length, into, .. } => {
                Some((into, if self.random.percent(50) { odd } else { length as u8 }))
            }
            Instruction::Read { into, .. }
            | Instruction::SelectRead { into, .. }
            | Instruction::TryRead { into, .. } => {
                let byte = 1 + self.random.below(CONSTANTS) as u8;
                Some((into, *self.random.weighted(&[(3, odd), (3, END), (4, byte)])))
            }
            _ => None,
        }
    }

    /// The root opens the streams; who uses them may be other tasks.
    pub(super) fn process_with_streams(&mut self, index: usize, script: Vec<Instruction>, used: &[bool]) -> Process {
        let mut tasks = vec![Vec::new(); self.tasks()];
        let opens = |instruction: &Instruction| {
            matches!(
                instruction,
                Instruction::Listen { .. }
                    | Instruction::Accept { .. }
                    | Instruction::SelectAccept { .. }
                    | Instruction::Connect { .. }
            )
        };
        let opened = script.iter().rposition(opens).map_or(0, |last| last + 1);
        let together = tasks.len() == 1 || self.random.percent(10);
        for (position, instruction) in script.into_iter().enumerate() {
            let before = position < opened && !together;
            let task = if before { 0 } else { self.random.below(tasks.len() as u64) as usize };
            tasks[task].push(instruction);
        }
        let earliest = if together { 0 } else { opened };
        self.share_besides(index, &mut tasks, earliest);
        tasks.dedup_by(|task, _| task.is_empty());
        let body = tasks[0].split_off(earliest);
        for task in &mut tasks[1..] {
            *task = self.decorate(index, std::mem::take(task));
        }
        tasks[0].extend(self.decorate(index, body));
        self.spawn(index, &mut tasks, earliest);
        self.bind(index, &mut tasks, used);
        self.finished(index, tasks)
    }
}
