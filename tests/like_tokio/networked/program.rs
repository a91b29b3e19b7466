//! Processes of a few tasks that use sockets, as data: the same ones for the same seed, on every machine.

use super::super::observed::generate::Random;

/// The datagram sockets of each process.
pub(crate) const SOCKETS: usize = 2;

/// The places for streams in each process.
pub(crate) const STREAMS: usize = 2;

/// What each task of a process does, one after the other.
pub(crate) type Process = Vec<Vec<Op>>;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Op {
    /// is seen in the trace
    Mark(u8),
    Yield,
    NotifyOne,
    Notified,
    /// a datagram of one byte, to a socket of a process
    Send {
        from: usize,
        to: (usize, usize),
        value: u8,
    },
    Receive(usize),
    /// a connection to the listener of a process
    Connect {
        stream: usize,
        process: usize,
    },
    Accept(usize),
    Write {
        stream: usize,
        value: u8,
    },
    /// one byte
    Read(usize),
    Close(usize),
}

/// So many processes, of which each has so few things to do that they meet.
pub(crate) fn program(seed: u64, processes: usize) -> Vec<Process> {
    let mut random = Random { state: seed ^ 0xf1f0 };
    let kind = random.below(3);
    let mut writer = Writer { random, processes, has_datagrams: kind != 1, has_streams: kind != 0, value: 10 };
    let budget = if processes == 1 { 9 } else { 4 };
    (0..processes).map(|_| writer.process(budget)).collect()
}

struct Writer {
    random: Random,
    processes: usize,
    has_datagrams: bool,
    has_streams: bool,
    value: u8,
}

impl Writer {
    fn process(&mut self, mut budget: usize) -> Process {
        let tasks = if self.processes == 1 { 2 + self.random.below(3) } else { 1 + self.random.below(2) };
        let mut process = Process::new();
        for task in 0..tasks {
            let length = if task + 1 == tasks { budget.min(4) } else { self.random.below(4.min(budget) + 1) };
            budget -= length;
            let begins = self.has_streams && length > 0 && self.random.percent(60);
            let first = begins.then(|| self.begin_stream());
            let rest = length - usize::from(begins);
            process.push(first.into_iter().chain((0..rest).map(|_| self.op())).collect());
        }
        process
    }

    fn begin_stream(&mut self) -> Op {
        let stream = self.random.below(STREAMS);
        match self.random.percent(50) {
            true => Op::Accept(stream),
            false => Op::Connect { stream, process: self.random.below(self.processes) },
        }
    }

    fn op(&mut self) -> Op {
        match self.random.below(10) {
            0 => Op::Yield,
            1 => {
                self.value += 1;
                Op::Mark(self.value)
            }
            2 => Op::NotifyOne,
            3 => Op::Notified,
            4..=6 if self.has_datagrams => self.datagram(),
            _ if self.has_streams => self.stream(),
            _ => self.datagram(),
        }
    }

    fn datagram(&mut self) -> Op {
        let socket = self.random.below(SOCKETS);
        if self.random.percent(45) {
            return Op::Receive(socket);
        }
        self.value += 1;
        let to = (self.random.below(self.processes), self.random.below(SOCKETS));
        Op::Send { from: socket, to, value: self.value }
    }

    fn stream(&mut self) -> Op {
        let stream = self.random.below(STREAMS);
        match self.random.below(8) {
            0 => self.begin_stream(),
            1 => Op::Close(stream),
            2..=4 => Op::Read(stream),
            _ => {
                self.value += 1;
                Op::Write { stream, value: self.value }
            }
        }
    }
}
