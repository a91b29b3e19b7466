//! Random programs: the same one for the same seed, on every machine.

use super::program::{Block, From, Missed, Op, SLOTS};
use random::Random;

/// An interval that is late by 5 ms has missed no tick.
const SHORT_MS: [u64; 12] = [0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 20, 33];

/// Time-outs, selections and joins within each other.
const DEPTH: usize = 2;

const LONG_MS: [u64; 3] = [1_000, 3_600_000, 2_592_000_000];

pub(crate) fn program(seed: u64) -> Block {
    let mut writer = Writer { random: Random::new(seed), has_long: false, is_joined: false };
    writer.has_long = writer.random.percent(15);
    writer.is_joined = writer.random.percent(60);
    let length = 4 + writer.random.index(8);
    writer.block(length, DEPTH)
}

struct Writer {
    random: Random,
    has_long: bool,
    /// Whether it waits for several things at a time. With time paused, a timer of tokio's that is set for no time fires in
    /// the poll that sets it, which it does not otherwise, so there is none then.
    is_joined: bool,
}

impl Writer {
    fn ms(&mut self) -> u64 {
        if self.has_long && self.random.percent(15) {
            return LONG_MS[self.random.index(LONG_MS.len())];
        }
        SHORT_MS[self.random.index(SHORT_MS.len())].max(u64::from(self.is_joined))
    }

    fn period_ms(&mut self) -> u64 {
        self.ms().max(1)
    }

    fn slot(&mut self) -> usize {
        self.random.index(SLOTS)
    }

    fn from(&mut self) -> From {
        let ms = if self.random.percent(15) { 0 } else { self.ms() as i64 };
        let sign = if ms < 1_000 && self.random.percent(25) { -1 } else { 1 };
        From { slot: self.slot(), plus_ms: sign * ms }
    }

    fn missed(&mut self) -> Missed {
        [Missed::Burst, Missed::Delay, Missed::Skip][self.random.index(3)]
    }

    fn block(&mut self, length: usize, depth: usize) -> Block {
        (0..length).flat_map(|_| self.ops(depth)).collect()
    }

    fn inner(&mut self, depth: usize) -> Block {
        let length = 1 + self.random.index(3);
        self.block(length, depth - 1)
    }

    fn ops(&mut self, depth: usize) -> Block {
        let all = if self.is_joined { 34 } else { 28 };
        let op = match self.random.index(if depth > 0 { all } else { 24 }) {
            0..3 => Op::Sleep(self.ms()),
            3 => Op::SleepUntil(self.from()),
            4..7 => Op::Read(self.slot()),
            7 => Op::Derive(self.slot(), self.from()),
            8 => Op::Forget(self.slot()),
            9 | 10 => Op::Elapsed(self.from()),
            11 | 12 => Op::Between(self.from(), self.slot()),
            13 => return self.interval(),
            14 => self.every(),
            15..18 => self.tick(),
            18 => match self.random.index(4) {
                0 => Op::Reset,
                1 if !self.is_joined => Op::ResetImmediately,
                1 => Op::PollTimer,
                2 => Op::ResetAfter(self.ms()),
                _ => Op::ResetAt(self.from()),
            },
            19 => Op::Timer(self.ms()),
            20 => Op::TimerUntil(self.from()),
            21 => Op::ResetTimer(self.from()),
            22 => Op::AwaitTimer,
            // Of a timer that is overdue, a check says that its deadline is now.
            23 => return vec![Op::Timer(self.ms()), Op::Deadline(self.slot())],
            24 | 25 => Op::Timeout(self.ms(), self.inner(depth)),
            26 | 27 if !self.is_joined => Op::Timeout(self.ms(), self.inner(depth)),
            26 | 27 => Op::TimeoutAt(self.from(), self.inner(depth)),
            28..32 => Op::Select(self.inner(depth), self.inner(depth)),
            32 => Op::Join(self.inner(depth), self.inner(depth)),
            _ => Op::PollTimer,
        };
        vec![op]
    }

    /// An interval with some ticks, and waits between them.
    fn interval(&mut self) -> Block {
        let mut all = match self.random.percent(70) {
            true => vec![self.every()],
            false => vec![Op::EveryAt(self.from(), self.period_ms(), self.missed())],
        };
        for _ in 0..2 + self.random.index(3) {
            if self.random.percent(40) {
                all.push(Op::Sleep(self.ms()));
            }
            all.push(self.tick());
            if self.random.percent(30) {
                all.push(Op::Elapsed(self.from()));
            }
        }
        all
    }

    fn every(&mut self) -> Op {
        let (period_ms, missed) = (self.period_ms(), self.missed());
        if self.is_joined { Op::EveryAfter(period_ms, missed) } else { Op::Every(period_ms, missed) }
    }

    fn tick(&mut self) -> Op {
        let within_ms = self.random.percent(15).then(|| self.ms());
        let kept = self.random.percent(50).then(|| self.slot());
        Op::Tick { within_ms, kept }
    }
}
