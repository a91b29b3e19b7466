//! Random programs: the same one for the same seed, on every machine.

use super::program::{Block, FUTURES, How, Leaf, Made, Op, Program, SOCKETS, TASKS, Waking};
use random::Random;

pub(crate) fn program(seed: u64) -> Program {
    let mut writer = Writer { random: Random::new(seed), marks: 0, tasks: TASKS, budget: 9 };
    let futures = (0..FUTURES).map(|_| writer.made()).collect();
    Program { futures, block: writer.block(6) }
}

struct Writer {
    random: Random,
    marks: u8,
    /// how many may yet be spawned
    tasks: usize,
    budget: usize,
}

impl Writer {
    fn made(&mut self) -> Made {
        let how = [How::Plain, How::Shared, How::Queue][self.random.index(3)];
        let leaves = (0..1 + self.random.index(2)).map(|_| self.leaf()).collect();
        let waking = match self.random.index(12) {
            0 | 1 => Waking::Own,
            2 | 3 => Waking::Nothing,
            4 | 5 => Waking::Counts,
            6 | 7 => Waking::ReadsTheClock,
            8 | 9 => Waking::Spawns,
            10 => Waking::DropsSocket(self.random.index(SOCKETS)),
            _ => Waking::Panics,
        };
        Made { leaves, how, waking }
    }

    fn leaf(&mut self) -> Leaf {
        match self.random.percent(60) {
            true => Leaf::Sleep(self.delay()),
            false => Leaf::Receive(self.random.index(SOCKETS)),
        }
    }

    /// All of tokio's timers that are due in one millisecond have fired before a task is polled; a check has an order.
    fn delay(&mut self) -> u64 {
        1 + self.random.index(5_000) as u64
    }

    fn block(&mut self, length: usize) -> Block {
        let mut block = Vec::new();
        for _ in 0..1 + self.random.index(length) {
            if self.budget > 0 {
                self.budget -= 1;
                block.push(self.op());
            }
        }
        block
    }

    fn op(&mut self) -> Op {
        let future = self.random.index(FUTURES);
        let task = self.random.index(TASKS);
        match self.random.index(20) {
            0..4 if self.tasks > 0 => {
                self.tasks -= 1;
                let block = self.block(4);
                Op::Spawn(self.tasks, block)
            }
            0..7 => Op::Await(future),
            7 | 8 => Op::AwaitFor(future, self.delay()),
            9 | 10 => Op::Poll(future),
            11 | 12 => Op::UntilWoken(future),
            13 => Op::Drop(future),
            14 | 15 => Op::Send(self.random.index(SOCKETS)),
            16 => Op::Show,
            17 => Op::Abort(task),
            18 => Op::Join(task),
            _ => match self.random.index(3) {
                0 => Op::Yield,
                1 => Op::Sleep(self.delay()),
                _ => {
                    self.marks += 1;
                    Op::Mark(self.marks)
                }
            },
        }
    }
}
