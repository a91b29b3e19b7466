//! Random programs: the same one for the same seed, on every machine.

use super::program::{Block, Branch, CELLS, ORDERED_TASKS, Op, Select, TASKS};
use random::Random;

/// A thing that the tasks of a program have to do with each other: few of them, so that they meet.
#[derive(Clone, Copy)]
enum Topic {
    Channel,
    Answer,
    Announcement,
    Watch,
    Notify,
    Lock,
    Permits,
    Time,
    Memory,
}

pub(crate) fn program(seed: u64, has_tasks: bool) -> Block {
    Writer::new(seed, 14, if has_tasks { TASKS } else { 0 }).program(6)
}

/// A program of tasks that does the same in each run by tokio's runtime of one thread: each `select!` is biased. Timers
/// of different tasks are often due together, those of one task hardly ever: a check explores which of these is first, and
/// tokio polls the task once for both.
pub(crate) fn ordered_program(seed: u64) -> Block {
    let mut writer = Writer { is_ordered: true, ..Writer::new(seed, 60, ORDERED_TASKS) };
    writer.topics.push(TOPICS[writer.random.index(TOPICS.len())]);
    writer.program(9)
}

/// The same, where each `select!` may begin with any branch: a smaller one, since each of them doubles what it does.
pub(crate) fn choosing_program(seed: u64) -> Block {
    let mut writer = Writer { is_ordered: true, begins_anywhere: true, ..Writer::new(seed, 25, ORDERED_TASKS - 2) };
    writer.topics.push(Topic::Time);
    writer.program(6)
}

/// The longest wait of a task is at most five times this.
const DELAY_MS_MAX: u64 = 50_000;
/// So long that all tasks have ended, or wait for ever.
const LONG_MS: u64 = 3_000_000;

const TOPICS: [Topic; 9] = [
    Topic::Channel,
    Topic::Answer,
    Topic::Announcement,
    Topic::Watch,
    Topic::Notify,
    Topic::Lock,
    Topic::Permits,
    Topic::Time,
    Topic::Memory,
];

struct Writer {
    random: Random,
    topics: Vec<Topic>,
    budget: usize,
    delay_ms: u64,
    marks: u8,
    /// how many may yet be spawned
    tasks: usize,
    /// how many might have been at first
    tasks_max: usize,
    /// whether tasks are polled in one order
    is_ordered: bool,
    /// whether a `select!` may all the same begin with any branch
    begins_anywhere: bool,
}

impl Writer {
    fn new(seed: u64, budget: usize, tasks: usize) -> Writer {
        let mut random = Random::new(seed);
        let topics = (0..2).map(|_| TOPICS[random.index(TOPICS.len())]).collect();
        Writer {
            random,
            topics,
            budget,
            delay_ms: 1,
            marks: 0,
            tasks,
            tasks_max: tasks,
            is_ordered: false,
            begins_anywhere: false,
        }
    }

    fn program(mut self, length: usize) -> Block {
        let mut program = Vec::new();
        if self.is_ordered {
            let left = self.random.index(self.tasks);
            while self.tasks > left {
                program.push(self.spawn(0));
            }
        }
        while self.budget > 0 && program.len() < length {
            program.push(self.op(0));
        }
        if self.is_ordered {
            program.push(Op::Sleep(LONG_MS));
        }
        // The cells are seen, too.
        program.extend((0..CELLS).map(Op::Show));
        program
    }

    fn block(&mut self, depth: usize) -> Block {
        let lengths = if self.is_ordered && depth < 2 { [1, 2, 2, 3, 3, 4, 5] } else { [0, 1, 1, 1, 2, 2, 3] };
        let mut block = Block::new();
        for _ in 0..lengths[self.random.index(7)] {
            block.push(self.op(depth));
            if self.is_ordered && self.random.percent(60) {
                block.push(self.mark());
            }
        }
        block
    }

    fn spawn(&mut self, depth: usize) -> Op {
        self.tasks -= 1;
        let slot = self.tasks_max - 1 - self.tasks;
        // If there is one order of tasks, several may wait for the same times.
        let delay_ms = self.delay_ms;
        self.delay_ms = if self.is_ordered { 1 } else { delay_ms };
        let block = self.block(depth);
        self.delay_ms = if self.is_ordered { delay_ms } else { self.delay_ms };
        Op::Spawn(slot, block)
    }

    fn op(&mut self, depth: usize) -> Op {
        self.budget = self.budget.saturating_sub(1);
        if depth < 3 && self.budget > 0 && self.random.percent(45) {
            return self.compound(depth + 1);
        }
        match self.random.index(10) {
            0 | 1 => Op::Add(self.random.index(CELLS)),
            2 => Op::Show(self.random.index(CELLS)),
            3 => self.mark(),
            4 => Op::Yield,
            5 if self.random.percent(30) => Op::Pending,
            6 if self.tasks < self.tasks_max => match self.random.percent(40) {
                true => Op::Abort(self.random.index(self.tasks_max - self.tasks)),
                false => Op::Join(self.random.index(self.tasks_max - self.tasks)),
            },
            _ => self.talk(depth),
        }
    }

    fn talk(&mut self, depth: usize) -> Op {
        let topic = self.topics[self.random.index(self.topics.len())];
        let choice = self.random.index(5);
        match (topic, choice) {
            (Topic::Channel, 0 | 1) => Op::Recv,
            (Topic::Channel, 2) => Op::Send,
            (Topic::Channel, 3) => Op::TrySend,
            (Topic::Channel, _) => match self.random.percent(50) {
                true => Op::TryRecv,
                false => Op::DropSender,
            },
            (Topic::Answer, 0..=2) => Op::OneshotRecv,
            (Topic::Answer, _) => Op::OneshotSend,
            (Topic::Announcement, 0 | 1) => Op::BroadcastRecv,
            (Topic::Announcement, _) => Op::BroadcastSend,
            (Topic::Watch, 0..=2) => Op::WatchChanged,
            (Topic::Watch, _) => Op::WatchSend,
            (Topic::Notify, 0..=2) => Op::Notified,
            (Topic::Notify, 3) => Op::NotifyOne,
            (Topic::Notify, _) => Op::NotifyWaiters,
            (Topic::Lock, _) => Op::Locked(self.block(depth + 1)),
            (Topic::Permits, _) => Op::Permitted(self.block(depth + 1)),
            (Topic::Time, _) if self.delay_ms > DELAY_MS_MAX => Op::Yield,
            (Topic::Time, 0..=2) => Op::Sleep(self.delay()),
            (Topic::Time, _) => Op::Timeout(self.delay(), self.block(depth + 1)),
            (Topic::Memory, _) => Op::Add(self.random.index(CELLS)),
        }
    }

    fn compound(&mut self, depth: usize) -> Op {
        match self.random.index(12) {
            0 | 1 if self.tasks > 0 => self.spawn(depth),
            2 => Op::Both(self.block(depth), self.block(depth)),
            3 => Op::Guarded(self.block(depth)),
            4 => Op::Repeat(2, self.block(depth)),
            5 => Op::Kept { biased: self.is_biased(40), times: 2, kept: self.block(depth), fresh: self.block(depth) },
            _ => Op::Select(self.select(depth)),
        }
    }

    fn select(&mut self, depth: usize) -> Select {
        let branches = 2 + usize::from(self.random.percent(30));
        Select { biased: self.is_biased(30), branches: (0..branches).map(|_| self.branch(depth)).collect() }
    }

    fn branch(&mut self, depth: usize) -> Branch {
        let handler = match self.random.percent(70) {
            true => vec![self.mark()],
            false => self.block(depth),
        };
        Branch {
            guard: self.random.percent(15).then(|| self.random.index(CELLS)),
            pattern: self.random.percent(15).then(|| self.random.index(CELLS)),
            future: self.block(depth),
            handler,
        }
    }

    fn mark(&mut self) -> Op {
        self.marks = (self.marks + 1) % 10;
        Op::Mark(self.marks)
    }

    fn is_biased(&mut self, percent: u64) -> bool {
        self.random.percent(percent) || self.is_ordered && !self.begins_anywhere
    }

    /// Sums of them differ, also if some are repeated.
    fn delay(&mut self) -> u64 {
        self.delay_ms *= if self.is_ordered { 5 } else { 2 };
        self.delay_ms
    }
}
