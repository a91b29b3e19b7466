//! Systems of processes that go round in loops, most of them for ever.
//!
//! Registers only take a few values, so that the executions come back to where they were.

use super::{Instruction, Network, Process, Random, Value, Writer, any};
use crate::language::files::Failing;
use crate::language::program::ELAPSED;

pub(super) fn network(random: &mut Random) -> Network {
    let copies = random.weighted::<&[usize]>(&[(10, &[1]), (8, &[1, 0]), (2, &[1, 2]), (1, &[1, 0, 2])]);
    Network {
        copies: copies.to_vec(),
        window: *random.weighted(&[(8, 1), (2, 2)]),
        delay: random.percent(10),
        delays: None,
        slow: None,
        at_most: *random.weighted(&[(6, None), (2, Some(1)), (1, Some(2))]),
        duration_ms: None,
        tcp: None,
        crash: None,
        partition: None,
        failing_files: Failing::default(),
        anonymous: false,
        watched: false,
    }
}

impl Writer<'_> {
    pub(super) fn process_with_loops(&mut self, index: usize, script: Vec<Instruction>) -> Process {
        let mut script = self.with_inner_loops(index, script);
        script = self.decorate(index, script);
        let mut tasks = vec![self.with_outer_loop(index, script)];
        for socket in 0..self.drafts[index].sockets {
            tasks[0].insert(0, Instruction::Bind { socket, port: super::PORTS[socket] });
        }
        let is_endless = tasks[0].iter().any(|instruction| matches!(instruction, Instruction::Forever { .. }));
        let mut process = self.finished(index, tasks);
        process.daemon |= is_endless && self.random.percent(60);
        process
    }

    /// Some instructions in loops of their own.
    fn with_inner_loops(&mut self, index: usize, script: Vec<Instruction>) -> Vec<Instruction> {
        let mut looped = Vec::new();
        let mut rest = script.into_iter().peekable();
        while let Some(instruction) = rest.next() {
            let mut body = vec![instruction];
            if self.random.percent(70) {
                looped.append(&mut body);
                continue;
            }
            if self.random.percent(40) {
                body.extend(rest.next());
            }
            looped.push(match written(&body[0]) {
                Some((register, values)) if self.random.percent(60) => {
                    let equals = *self.random.weighted(&values.map(|value| (1, value)));
                    Instruction::Until { register, equals, body: self.decorate(index, body) }
                }
                _ => Instruction::Repeat { times: self.random.within(2, 3), body: self.decorate(index, body) },
            });
        }
        looped
    }

    /// The whole script or the end of it in a loop, mostly.
    fn with_outer_loop(&mut self, index: usize, mut script: Vec<Instruction>) -> Vec<Instruction> {
        let kind = *self.random.weighted(&[(5, "all"), (3, "end"), (1, "idle"), (1, "repeat"), (3, "none")]);
        if kind == "idle" {
            script.push(Instruction::Forever { body: self.idle(index) });
            return script;
        }
        if script.is_empty() || kind == "none" {
            return script;
        }
        let at = if kind == "end" { self.random.below(script.len() as u64) as usize } else { 0 };
        let mut body = script.split_off(at);
        if kind == "repeat" {
            return vec![Instruction::Repeat { times: self.random.within(2, 3), body }];
        }
        self.toggle(index, &mut body);
        if !any(&body, &is_receive) && self.random.percent(85) {
            // Whoever sends for ever waits for something, or there are ever more packets.
            let socket = self.random.below(self.drafts[index].sockets as u64) as usize;
            let received = self.receive(index, socket);
            body.insert(self.random.below(body.len() as u64 + 1) as usize, received);
        }
        script.push(Instruction::Forever { body });
        script
    }

    /// Instructions that have nothing to do with other processes.
    fn idle(&mut self, index: usize) -> Vec<Instruction> {
        let into = self.register(index);
        let mut idle = vec![match self.random.below(4) {
            0 => Instruction::Yield,
            1 => Instruction::Choose { among: 2, into },
            _ => Instruction::Sleep { ms: self.ms() },
        }];
        self.toggle(index, &mut idle);
        self.decorate(index, idle)
    }

    /// A register that tells one round from the next, sometimes.
    fn toggle(&mut self, index: usize, body: &mut Vec<Instruction>) {
        if !self.random.percent(30) {
            return;
        }
        let register = self.register(index);
        let set = |value| vec![Instruction::Set { register, value: Value::Constant(value) }];
        let toggle = Instruction::If { register, equals: 1, then: set(2), otherwise: set(1) };
        body.insert(self.random.below(body.len() as u64 + 1) as usize, toggle);
    }
}

/// The register that an instruction writes, and values that it may get.
fn written(instruction: &Instruction) -> Option<(usize, [u8; 2])> {
    match *instruction {
        Instruction::Recv { into, .. } | Instruction::Select { into, .. } => Some((into, [1, 2])),
        Instruction::RecvTimeout { into, .. } => Some((into, [1, ELAPSED])),
        Instruction::Choose { into, .. } => Some((into, [0, 1])),
        _ => None,
    }
}

fn is_receive(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::Recv { .. } | Instruction::RecvTimeout { .. } | Instruction::Select { .. })
}
