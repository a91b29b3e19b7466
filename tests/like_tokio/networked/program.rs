//! Processes of a few tasks that use sockets, as data: the same ones for the same seed, on every machine.

use random::Random;

/// The datagram sockets of each process.
pub(crate) const SOCKETS: usize = 2;

/// The places for streams in each process.
pub(crate) const STREAMS: usize = 2;

/// The operations of each task of a process, one after the other.
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
    /// all other tasks go on as far as they can, and the driver is asked
    Pause,
    /// a receive or read of what may be there already
    Drain {
        from: Source,
        how: How,
    },
}

/// Something that is taken from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Source {
    Socket(usize),
    Stream(usize),
}

/// A way to take what is there, and not to wait for long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum How {
    /// `try_recv` or `try_read`
    Try,
    /// again and again until nothing is there, at most three times
    TryAll,
    /// the same in each of three rounds; between them, others run, or the process has nothing to run
    TryInRounds { sleeps: bool },
    /// with a time-out of nothing
    AtMostZero,
    /// with a deadline that is over
    UntilPast,
    /// polled once
    NowOrNever,
    /// before a notification, in a `select!`
    Biased,
    /// beside another receive or read that was begun before, in a `select!` without an order
    BesideSocket(usize),
}

/// One process that drains its sockets: what is there is taken in ways that do not wait for it.
///
/// `ends_at_zero`: also with a time-out of nothing. tokio counts milliseconds, and rounds up: such a time-out is over with
/// the next one, but with `tasks = fifo` it is over at once, as with tokio's time paused.
pub(crate) fn drained(seed: u64, ends_at_zero: bool) -> Vec<Process> {
    let mut random = Random::new(seed ^ 0xd1a1);
    let kind = random.index(3);
    let (has_datagrams, has_streams) = (kind != 1, kind != 0);
    let mut writer = Writer { random, processes: 1, has_datagrams, has_streams, value: 10, drains: true };
    let mut process = writer.process(9);
    for op in process.iter_mut().flatten().filter(|_| !ends_at_zero) {
        if let Op::Drain { how: how @ (How::AtMostZero | How::UntilPast), .. } = op {
            *how = How::NowOrNever;
        }
    }
    vec![process]
}

/// The same process with loops: most of what is there is asked for in rounds.
pub(crate) fn polled(seed: u64, ends_at_zero: bool) -> Vec<Process> {
    let mut random = Random::new(seed ^ 0x9011);
    let mut processes = drained(seed, ends_at_zero);
    for op in processes.iter_mut().flatten().flatten() {
        if let Op::Drain { how, .. } = op
            && random.percent(75)
        {
            *how = How::TryInRounds { sleeps: random.percent(40) };
        }
    }
    processes
}

/// So many processes, of which each has so few things to do that they meet.
pub(crate) fn program(seed: u64, processes: usize) -> Vec<Process> {
    let mut random = Random::new(seed ^ 0xf1f0);
    let kind = random.index(3);
    let mut writer =
        Writer { random, processes, has_datagrams: kind != 1, has_streams: kind != 0, value: 10, drains: false };
    let budget = if processes == 1 { 9 } else { 4 };
    (0..processes).map(|_| writer.process(budget)).collect()
}

struct Writer {
    random: Random,
    processes: usize,
    has_datagrams: bool,
    has_streams: bool,
    value: u8,
    drains: bool,
}

impl Writer {
    fn process(&mut self, mut budget: usize) -> Process {
        let tasks = if self.processes == 1 { 2 + self.random.index(3) } else { 1 + self.random.index(2) };
        let mut process = Process::new();
        for task in 0..tasks {
            let length = if task + 1 == tasks { budget.min(4) } else { self.random.index(4.min(budget) + 1) };
            budget -= length;
            let begins = self.has_streams && length > 0 && self.random.percent(60);
            let first = begins.then(|| self.begin_stream());
            let rest = length - usize::from(begins);
            process.push(first.into_iter().chain((0..rest).map(|_| self.op())).collect());
        }
        process
    }

    fn begin_stream(&mut self) -> Op {
        let stream = self.random.index(STREAMS);
        match self.random.percent(50) {
            true => Op::Accept(stream),
            false => Op::Connect { stream, process: self.random.index(self.processes) },
        }
    }

    fn drain(&mut self) -> Op {
        let is_stream = self.has_streams && (!self.has_datagrams || self.random.percent(50));
        let from = match is_stream {
            true => Source::Stream(self.random.index(STREAMS)),
            false => Source::Socket(self.random.index(SOCKETS)),
        };
        let how = match self.random.index(8) {
            0 => How::Try,
            1 => How::TryAll,
            2 => How::AtMostZero,
            3 => How::UntilPast,
            4 => How::NowOrNever,
            5 if self.has_datagrams => How::BesideSocket(self.random.index(SOCKETS)),
            _ => How::Biased,
        };
        Op::Drain { from, how }
    }

    fn op(&mut self) -> Op {
        if self.drains && self.random.percent(45) {
            return if self.random.percent(25) { Op::Pause } else { self.drain() };
        }
        match self.random.index(10) {
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
        let socket = self.random.index(SOCKETS);
        if self.random.percent(45) {
            return Op::Receive(socket);
        }
        self.value += 1;
        let to = (self.random.index(self.processes), self.random.index(SOCKETS));
        Op::Send { from: socket, to, value: self.value }
    }

    fn stream(&mut self) -> Op {
        let stream = self.random.index(STREAMS);
        match self.random.index(8) {
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
