//! Systems of programs that use what most programs use: connected, ephemeral and rebound sockets, intervals, nested
//! time-outs, and what the tasks of one process share.

use super::{Instruction, PORTS, Process, Size, Words, Writer};
use crate::language::everyday::{Everyday, Share};
use crate::language::program::{ELAPSED, Value};

/// Percent of the ticks that are waited for in a time-out.
const TICKS_WITH_LIMITS: u64 = 25;

/// Two ends of something that tasks share: who gives and who takes.
#[derive(Clone, Copy)]
enum Topic {
    Notify,
    Channel,
    Oneshot,
    Watch,
}

impl Writer<'_> {
    /// Writes who sends what to whom over which kind of socket, and some more that takes a step.
    pub(super) fn converse_usually(&mut self, size: Size) {
        let processes = self.drafts.len();
        let messages = match (size, processes) {
            (Size::Small, 2) if self.words == Words::EverydayDelay => self.random.within(2, 3),
            (Size::Small, 2) => self.random.within(1, 3),
            (Size::Small, _) => self.random.within(1, 2),
            (Size::Large, _) => self.random.within(2, 5),
        };
        let (mut from, mut to) = (0, 0);
        for message in 0..messages {
            match self.random.below(10) {
                0..3 if message > 0 => {}
                3..6 if message > 0 => (from, to) = (to, from),
                _ => {
                    from = self.random.below(processes as u64) as usize;
                    let distance = 1 + self.random.below(processes as u64 - 1) as usize;
                    to = if self.random.percent(5) { from } else { (from + distance) % processes };
                }
            }
            self.say(from, to);
        }
        let extras = match size {
            Size::Small if self.words == Words::EverydayDelay => self.random.within(1, 2),
            Size::Small => self.random.within(0, 1),
            Size::Large => self.random.within(0, 3),
        };
        for _ in 0..extras {
            let index = self.random.below(processes as u64) as usize;
            self.interrupt(index);
        }
    }

    /// A message and perhaps an answer.
    fn say(&mut self, from: usize, to: usize) {
        let receiving = self.random.below(self.drafts[to].sockets as u64) as usize;
        let port = if self.random.percent(4) { PORTS[1] } else { PORTS[receiving] };
        let socket = self.random.below(self.drafts[from].sockets as u64) as usize;
        let value = self.value(from);
        // With `delay` it is left out that what is under way to a socket when it connects may be refused.
        if self.random.percent(35) && !self.delay {
            let sends = [Everyday::Connect { socket, to, port }, Everyday::SendOn { socket, value }];
            self.drafts[from].script.extend(sends.map(Instruction::Everyday));
        } else if self.random.percent(15) {
            self.drafts[from].script.push(Instruction::Everyday(Everyday::SendOn { socket, value }));
        } else {
            self.drafts[from].script.push(Instruction::Send { socket, to, port, value });
        }
        if self.random.percent(85) {
            let received = self.receive_usually(to, receiving);
            self.drafts[to].script.push(received);
        }
        if self.random.percent(45) {
            let value = self.value(to);
            if self.random.percent(40) && !self.delay {
                let answer =
                    [Everyday::ConnectBack { socket: receiving }, Everyday::SendOn { socket: receiving, value }];
                self.drafts[to].script.extend(answer.map(Instruction::Everyday));
            } else {
                self.drafts[to].script.push(Instruction::Reply { socket: receiving, value });
            }
            if self.random.percent(80) {
                let received = self.receive_usually(from, socket);
                self.drafts[from].script.push(received);
            }
        }
    }

    fn receive_usually(&mut self, index: usize, socket: usize) -> Instruction {
        let into = self.register(index);
        match self.random.below(10) {
            0..3 => {
                let limit_ms = self.random.percent(60).then(|| self.ms());
                Instruction::Everyday(Everyday::RecvOn { socket, limit_ms, into })
            }
            3..5 => {
                let (outer_ms, inner_ms) = (self.ms(), self.ms());
                Instruction::Everyday(Everyday::RecvNested { socket, outer_ms, inner_ms, into })
            }
            _ => self.receive(index, socket),
        }
    }

    /// Something between the messages.
    fn interrupt(&mut self, index: usize) {
        let into = self.register(index);
        let socket = self.random.below(self.drafts[index].sockets as u64) as usize;
        let rebinds = if self.words == Words::EverydayDelay { 6 } else { 3 };
        let extra = match self.random.below(10) {
            kind if kind < rebinds => {
                let bind = if self.random.percent(30) {
                    Instruction::Everyday(Everyday::BindAny { socket })
                } else {
                    let other = if self.random.percent(80) { socket } else { 1 - socket };
                    Instruction::Bind { socket, port: PORTS[other] }
                };
                vec![Instruction::Everyday(Everyday::DropSocket { socket }), bind]
            }
            3 => vec![Instruction::Everyday(Everyday::DropSocket { socket })],
            4..6 => self.ticks(index),
            6 => self.clock(index),
            7 => vec![Instruction::Choose { among: 2, into }],
            8 => vec![Instruction::Sleep { ms: self.ms() }],
            _ => vec![self.receive_usually(index, socket)],
        };
        let at = self.random.below(self.drafts[index].script.len() as u64 + 1) as usize;
        self.drafts[index].script.splice(at..at, extra);
    }

    /// A deadline, or the clock is read and looked at later.
    fn clock(&mut self, index: usize) -> Vec<Instruction> {
        if self.random.percent(40) {
            return vec![Instruction::Everyday(Everyday::SleepUntil { ms: self.ms() })];
        }
        let mut looks = vec![Instruction::Everyday(Everyday::Stamp { which: 0 })];
        for _ in 0..self.random.within(1, 2) {
            let between = match self.random.below(3) {
                0 => Instruction::Sleep { ms: self.ms() },
                _ => self.receive_usually(index, 0),
            };
            looks.push(between);
            let (ms, into) = (self.ms(), self.register(index));
            looks.push(Instruction::Everyday(match self.random.percent(70) {
                true => Everyday::IsOver { which: 0, ms, into },
                false => Everyday::SleepUntilLater { which: 0, ms },
            }));
        }
        looks
    }

    /// An interval and some of its ticks, perhaps with something between them that makes one late.
    fn ticks(&mut self, index: usize) -> Vec<Instruction> {
        let mut ticks = vec![Instruction::Everyday(Everyday::Every { ms: self.ms() })];
        for _ in 0..self.random.within(1, 3) {
            if self.random.percent(25) {
                ticks.push(Instruction::Sleep { ms: self.ms() });
            }
            let limit_ms = self.random.percent(TICKS_WITH_LIMITS).then(|| self.ms());
            let into = self.register(index);
            ticks.push(Instruction::Everyday(Everyday::Tick { limit_ms, into, stamp: None }));
        }
        ticks
    }

    pub(super) fn process_usually(&mut self, index: usize, script: Vec<Instruction>) -> Process {
        let mut tasks = vec![Vec::new(); self.tasks()];
        let mut task = 0;
        for instruction in script {
            // what belongs together mostly stays together
            if self.random.percent(45) {
                task = self.random.below(tasks.len() as u64) as usize;
            }
            tasks[task].push(instruction);
        }
        if tasks.len() > 1 {
            for _ in 0..*self.random.weighted(&[(1, 0), (5, 1), (3, 2)]) {
                self.share(index, &mut tasks);
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
        self.bind_usually(index, &mut tasks);
        self.finished(index, tasks)
    }

    fn bind_usually(&mut self, index: usize, tasks: &mut [Vec<Instruction>]) {
        for (socket, port) in (0..self.drafts[index].sockets).zip(PORTS) {
            let bind = match self.random.percent(20) {
                true => Instruction::Everyday(Everyday::BindAny { socket }),
                false => Instruction::Bind { socket, port },
            };
            self.bind_somewhere(&mut tasks[0], bind);
        }
    }

    /// Some of it between what is done with streams.
    pub(super) fn share_besides(&mut self, index: usize, tasks: &mut [Vec<Instruction>], earliest: usize) {
        if self.words != Words::EverydayStreams {
            return;
        }
        if self.random.percent(20) {
            let ticks = self.ticks(index);
            let task = self.random.below(tasks.len() as u64) as usize;
            let least = if task == 0 { earliest } else { 0 };
            let at = self.place(&tasks[task], least);
            tasks[task].splice(at..at, ticks);
        }
        if tasks.len() > 1 && self.random.percent(70) {
            let opens: Vec<Instruction> = tasks[0].drain(..earliest).collect();
            self.share(index, tasks);
            tasks[0].splice(0..0, opens);
        }
    }

    /// Two tasks have something to do with each other.
    fn share(&mut self, index: usize, tasks: &mut [Vec<Instruction>]) {
        let gives = self.random.below(tasks.len() as u64) as usize;
        let distance = 1 + self.random.below(tasks.len() as u64 - 1) as usize;
        let takes = if self.random.percent(5) { gives } else { (gives + distance) % tasks.len() };
        let topic =
            *self.random.weighted(&[(3, Topic::Notify), (4, Topic::Channel), (2, Topic::Oneshot), (3, Topic::Watch)]);
        for _ in 0..*self.random.weighted(&[(4, 1), (3, 2)]) {
            let given = self.give(index, topic);
            self.put(&mut tasks[gives], given);
        }
        for _ in 0..*self.random.weighted(&[(5, 1), (2, 2)]) {
            let taken = self.take(index, topic);
            self.put(&mut tasks[takes], taken);
        }
    }

    fn put(&mut self, task: &mut Vec<Instruction>, share: Share) {
        let at = self.random.below(task.len() as u64 + 1) as usize;
        task.insert(at, Instruction::Everyday(Everyday::Share(share)));
    }

    fn give(&mut self, index: usize, topic: Topic) -> Share {
        let (value, into): (Value, usize) = (self.value(index), self.register(index));
        match (topic, self.random.below(10)) {
            (Topic::Notify, 0..8) => Share::NotifyOne,
            (Topic::Notify, _) => Share::NotifyWaiters,
            (Topic::Channel, 0..6) => Share::Send { value, limit_ms: self.patience(15), into },
            (Topic::Channel, 6..9) => Share::TrySend { value, into },
            (Topic::Channel, _) => Share::DropSender,
            (Topic::Oneshot, 0..8) => Share::Answer { value },
            (Topic::Oneshot, _) => Share::DropAnswer,
            (Topic::Watch, _) => Share::Publish { value },
        }
    }

    fn take(&mut self, index: usize, topic: Topic) -> Share {
        let (limit_ms, into) = (self.patience(40), self.register(index));
        match (topic, self.random.below(10)) {
            (Topic::Notify, _) => Share::Notified { limit_ms, into },
            (Topic::Channel, 0..8) => Share::Recv { limit_ms, into },
            (Topic::Channel, _) => Share::TryRecv { into },
            (Topic::Oneshot, _) => Share::Ask { limit_ms, into },
            (Topic::Watch, 0..7) => Share::Changed { limit_ms, into },
            (Topic::Watch, _) => Share::Borrow { into },
        }
    }

    fn patience(&mut self, percent: u64) -> Option<u16> {
        self.random.percent(percent).then(|| self.ms())
    }

    /// The register that a word writes, and something that it may hold then.
    pub(super) fn code_of_everyday(&mut self, word: Everyday) -> Option<(usize, u8)> {
        let value = *self.random.weighted(&[(4, ELAPSED), (1, 0), (2, 1), (2, 2)]);
        word.written().map(|register| (register, value))
    }
}
