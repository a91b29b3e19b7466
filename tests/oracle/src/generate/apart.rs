//! Systems of several groups of processes that share little or nothing.

use super::{PORTS, Random, Size, Words, system};
use crate::language::everyday::Everyday;
use crate::language::program::{Instruction, Network, Process, System, Value, change};
use crate::naive::{self, Limits};

/// Executions of a group alone at the most.
const EXECUTIONS_MAX: u64 = 40;

/// Two or three random systems side by side. Of most, no process has to do with one of another; in some, a message goes
/// from one to the other, or a process hears from all, or a process has to do with nobody. `declare` says how much time
/// packets take.
pub fn system_of_groups(seed: u64, words: Words, declare: fn(u64, &mut Network)) -> System {
    let mut random = Random::new(seed ^ 0xa9a7);
    let count = *random.weighted(&[(4, 2), (1, 3)]);
    let mut all = small_system(&mut random, words, |network| declare(seed, network));
    let network = all.network.clone();
    let mut firsts = vec![0];
    for _ in 1..count {
        let next = small_system(&mut random, words, |own| *own = network.clone());
        let by = all.processes.len();
        firsts.push(by);
        all.processes.extend(next.processes.into_iter().map(|process| moved(process, by)));
    }
    match random.below(10) {
        0 => {
            let to = firsts[1] + random.below(2) as usize;
            tell(&mut random, &mut all.processes[0], to);
        }
        1 => {
            let listener = all.processes.len();
            for &first in &firsts {
                tell(&mut random, &mut all.processes[first], listener);
            }
            all.processes.push(listening());
        }
        2 | 3 => all.processes.push(alone(&mut random, words == Words::Loops)),
        _ => {}
    }
    all
}

/// A system with few executions.
fn small_system(random: &mut Random, words: Words, adapt: impl Fn(&mut Network)) -> System {
    loop {
        let mut small = system(random.number(), Size::Small, words);
        adapt(&mut small.network);
        if small.processes.len() == 2 && naive::explore(&small, Limits::of(EXECUTIONS_MAX)).is_some() {
            return small;
        }
    }
}

/// The process of a group whose processes have numbers from `by` on.
fn moved(mut process: Process, by: usize) -> Process {
    for block in &mut process.tasks {
        change(block, &mut |instruction| {
            if let Instruction::Send { to, .. }
            | Instruction::Connect { to, .. }
            | Instruction::Everyday(Everyday::Connect { to, .. }) = instruction
            {
                *to += by;
            }
        });
    }
    process
}

/// A process sends something to one of another group.
fn tell(random: &mut Random, process: &mut Process, to: usize) {
    let at = random.below(process.tasks[0].len() as u64 + 1) as usize;
    let send = Instruction::Send { socket: 0, to, port: PORTS[0], value: Value::Constant(1) };
    process.sockets = process.sockets.max(1);
    process.tasks[0].insert(at, send);
}

/// A daemon that hears from all groups.
fn listening() -> Process {
    let recv = Instruction::Recv { socket: 0, into: 0 };
    let task = vec![Instruction::Bind { socket: 0, port: PORTS[0] }, recv.clone(), recv];
    Process { daemon: true, registers: 1, sockets: 1, tasks: vec![task], ..Process::default() }
}

/// A process that has to do with nobody: it sleeps, or goes round for ever.
fn alone(random: &mut Random, has_loops: bool) -> Process {
    let sleep = Instruction::Sleep { ms: 10 * random.within(1, 2) as u16 };
    let task = match has_loops && random.percent(60) {
        true => vec![Instruction::Forever { body: vec![sleep] }],
        false => vec![sleep.clone(), sleep],
    };
    Process { daemon: true, tasks: vec![task], ..Process::default() }
}
