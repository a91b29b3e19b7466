//! Systems whose endless loops read the clock: they look how long ago an instant is, take another one for it, wait for what
//! comes later than it, and forget it.

use super::{TRIES, beside, is_finite, with_loops};
use crate::generate::polls::awaits;
use crate::generate::{Random, clocks};
use crate::language::everyday::Everyday;
use crate::language::program::{Instruction, Network, Process, System, change};
use crate::naive::Limits;

/// A random system with endless loops, some of which read the clock.
pub fn endless_system_that_reads_clocks(seed: u64, limits: Limits, declare: fn(u64, &mut Network)) -> System {
    let mut random = Random::new(seed ^ 0x1257);
    loop {
        let all = beside(&mut random, seed, declare);
        let all = with_loops(&mut random, all, false, limits);
        for _ in 0..TRIES {
            let mut more = all.clone();
            let has_isolated = more.processes.iter().any(|process| !process.isolated.is_empty());
            if random.percent(30) && !has_isolated {
                clocks::read_clocks(random.number(), &mut more);
            }
            for process in &mut more.processes {
                read_in_loops(&mut random, process);
                clocks::keep_ticks(&mut random, process);
            }
            let leaves_interval = more.processes.iter().any(Process::leaves_interval);
            // The naive explorer has one clock in dense time: a loop that takes no time would stop it for all.
            let stops_time = more.network.takes_time() && more.may_spin();
            let is_known = !leaves_interval && !more.reads_in_one_poll() && !stops_time;
            if more != all && is_known && is_finite(&more, limits) {
                return more;
            }
        }
    }
}

/// Lets the loops of a process read the clock, but for those of isolated tasks, which have no instant.
fn read_in_loops(random: &mut Random, process: &mut Process) {
    let into = process.registers;
    let isolated = process.isolated.clone();
    let (mut reads, mut ticks) = (false, false);
    for (number, task) in process.tasks.iter_mut().enumerate() {
        if isolated.contains(&number) {
            continue;
        }
        change(task, &mut |instruction| {
            let Instruction::Forever { body } = instruction else { return };
            if awaits(body) && random.percent(80) {
                let at = random.below(body.len() as u64 + 1) as usize;
                let is_tick = random.percent(20);
                ticks |= is_tick;
                let reading = if is_tick { tick(random, into) } else { reading(random, into) };
                body.splice(at..at, reading);
                reads = true;
            }
        });
    }
    if reads {
        process.registers += 1;
        if ticks {
            let ms = *random.weighted(&[(4, 10), (4, 20), (2, 30)]);
            process.tasks[0].insert(0, Instruction::Everyday(Everyday::Every { ms }));
        }
        if random.percent(80) {
            let root = &mut process.tasks[0];
            let at = random.below(root.len() as u64 + 1) as usize;
            root.insert(at, Instruction::Everyday(Everyday::Stamp { which: 0 }));
        }
    }
}

/// A tick in a round of a loop, of which the instant is kept.
fn tick(random: &mut Random, into: usize) -> Vec<Instruction> {
    let which = usize::from(random.percent(30));
    let limit_ms = random.percent(20).then_some(10);
    let look = Everyday::IsOver { which, ms: 10 * random.below(3) as u16, into };
    let looks = random.percent(70).then_some(look);
    let tick = Everyday::Tick { limit_ms, into, stamp: Some(which) };
    std::iter::once(tick).chain(looks).map(Instruction::Everyday).collect()
}

/// Readings of the clock in a round of a loop.
fn reading(random: &mut Random, into: usize) -> Vec<Instruction> {
    let ms = *random.weighted(&[(4, 10), (4, 20), (3, 30), (2, 50), (1, 0)]);
    let (which, other) = if random.percent(75) { (0, 1) } else { (1, 0) };
    let stamp = || Instruction::Everyday(Everyday::Stamp { which });
    let later = || Instruction::Everyday(Everyday::SleepUntilLater { which, ms });
    let fails = || Instruction::AssertNot { register: into, value: 1 };
    let otherwise = Vec::new();
    let then = match random.below(10) {
        0..5 => vec![stamp()],
        5 => vec![fails()],
        6 => vec![Instruction::End],
        7 => vec![stamp(), later()],
        8 => vec![Instruction::Sleep { ms: 10 }, stamp()],
        _ => Vec::new(),
    };
    let look = match random.percent(80) {
        true => Instruction::Everyday(Everyday::IsOver { which, ms, into }),
        false => Instruction::Everyday(Everyday::IsLater { ms, into }),
    };
    match random.below(7) {
        2 => vec![Instruction::Everyday(Everyday::Stamp { which: other }), look],
        0 => vec![stamp()],
        1 => vec![later(), stamp()],
        _ => vec![look, Instruction::If { register: into, equals: 1, then, otherwise }],
    }
}
