//! Processes that ask a socket whether there is something, and do not wait for it.

use super::{Random, any};
use crate::language::everyday::Everyday;
use crate::language::program::{FAILED, Instruction, System, Value};

/// Lets two thirds of the receives of a system be receives that do not wait: once, a number of times with something
/// between, or until there is something.
pub fn poll_sockets(seed: u64, system: &mut System) {
    let mut random = Random::new(seed ^ 0x9011);
    for process in &mut system.processes {
        for block in &mut process.tasks {
            *block = polling(&mut random, std::mem::take(block), 65);
        }
    }
    if !system.polls() {
        let tasks = system.processes.iter_mut().flat_map(|process| &mut process.tasks);
        tasks.for_each(|block| *block = polling(&mut random, std::mem::take(block), 100));
    }
}

/// The block with so many of a hundred of its receives replaced.
fn polling(random: &mut Random, block: Vec<Instruction>, percent: u64) -> Vec<Instruction> {
    let mut polling = Vec::new();
    for mut instruction in block {
        match &mut instruction {
            Instruction::If { then, otherwise, .. } => {
                *then = self::polling(random, std::mem::take(then), percent);
                *otherwise = self::polling(random, std::mem::take(otherwise), percent);
            }
            Instruction::Repeat { body, .. }
            | Instruction::Until { body, .. }
            | Instruction::Forever { body }
            | Instruction::Locked { body } => *body = self::polling(random, std::mem::take(body), percent),
            &mut (Instruction::Recv { socket, into }
            | Instruction::RecvTimeout { socket, into, .. }
            | Instruction::Everyday(
                Everyday::RecvOn { socket, into, .. } | Everyday::RecvNested { socket, into, .. },
            )) if random.percent(percent) => {
                polling.extend(poll(random, socket, into, &instruction));
                continue;
            }
            _ => {}
        }
        polling.push(instruction);
    }
    polling
}

fn poll(random: &mut Random, socket: usize, into: usize, instead_of: &Instruction) -> Vec<Instruction> {
    let tries = Instruction::TryReceive { socket, into };
    match random.below(10) {
        0..3 => vec![tries],
        3..5 => vec![pause(random), tries],
        // It waits only if nothing is there yet.
        5..7 => {
            let waits = vec![instead_of.clone()];
            vec![tries, Instruction::If { register: into, equals: FAILED, then: waits, otherwise: Vec::new() }]
        }
        7 => vec![Instruction::Repeat { times: 2, body: vec![tries, pause(random)] }],
        // It asks up to three times, and pauses after each time that nothing was there.
        8 => {
            let again =
                Instruction::If { register: into, equals: FAILED, then: vec![pause(random)], otherwise: vec![] };
            vec![Instruction::Repeat { times: 2, body: vec![tries.clone(), again] }, tries]
        }
        // It asks twice in one poll.
        _ => vec![tries.clone(), Instruction::Add { register: into, value: Value::Constant(10) }, tries],
    }
}

fn pause(random: &mut Random) -> Instruction {
    match random.below(5) {
        0..2 => Instruction::Yield,
        2..4 => Instruction::Sleep { ms: 10 },
        _ => Instruction::Sleep { ms: 20 },
    }
}

impl System {
    /// Whether some program receives without waiting.
    pub fn polls(&self) -> bool {
        let tries = |instruction: &Instruction| matches!(instruction, Instruction::TryReceive { .. });
        self.processes.iter().flat_map(|process| &process.tasks).any(|task| any(task, &tries))
    }

    /// Whether some loop may go round without an await, since it only reads the clock: a poll that never ends.
    pub(super) fn reads_in_one_poll(&self) -> bool {
        self.spins(&Instruction::reads_clock)
    }

    /// Whether some loop may go round without an await, since it only calls what does not wait: a poll that never ends.
    pub(super) fn spins_in_poll(&self) -> bool {
        let tries = |instruction: &Instruction| {
            matches!(
                instruction,
                Instruction::TryReceive { .. } | Instruction::TryRead { .. } | Instruction::TryWrite { .. }
            )
        };
        self.spins(&tries)
    }

    fn spins(&self, calls: &dyn Fn(&Instruction) -> bool) -> bool {
        let spins = |instruction: &Instruction| match instruction {
            Instruction::Forever { body } | Instruction::Until { body, .. } => {
                any(body, &|of| calls(of)) && !awaits(body)
            }
            _ => false,
        };
        self.processes.iter().flat_map(|process| &process.tasks).any(|task| any(task, &spins))
    }
}

/// Whether a task that goes through a block has awaited something that always lets others run.
pub(super) fn awaits(block: &[Instruction]) -> bool {
    block.iter().any(|instruction| match instruction {
        Instruction::Sleep { .. } | Instruction::Yield => true,
        Instruction::If { then, otherwise, .. } => awaits(then) && awaits(otherwise),
        Instruction::Repeat { body, .. } | Instruction::Locked { body } => awaits(body),
        _ => false,
    })
}
