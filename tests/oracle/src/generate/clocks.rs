//! Processes that read the clock between what they do anyway.

use super::Random;
use crate::language::everyday::Everyday;
use crate::language::program::{Instruction, Process, System, change};

/// Lets most processes of a system read the clock, and look later at how much time is over or sleep until so much later.
pub fn read_clocks(seed: u64, system: &mut System) {
    let mut random = Random::new(seed ^ 0xc10c);
    for process in &mut system.processes {
        match random.below(10) {
            0..5 => read_clock(&mut random, process),
            5 | 6 => tick(&mut random, process),
            _ => {}
        }
    }
}

fn read_clock(random: &mut Random, process: &mut Process) {
    let task = match random.percent(70) {
        true => 0,
        false => random.below(process.tasks.len() as u64) as usize,
    };
    let mut at = random.below(process.tasks[task].len() as u64 + 1) as usize;
    process.tasks[task].insert(at, Instruction::Everyday(Everyday::Stamp { which: 0 }));
    for _ in 0..random.within(1, 4) {
        // Another task may look before the clock was read.
        let task = if random.percent(85) { task } else { random.below(process.tasks.len() as u64) as usize };
        let block = &mut process.tasks[task];
        let from = (at + 1).min(block.len());
        at = random.within(from, block.len());
        let ms = *random.weighted(&[(5, 10), (4, 20), (2, 30), (1, 40)]);
        let which = usize::from(random.percent(20));
        let mut register = || {
            process.registers += 1;
            process.registers - 1
        };
        let look = match random.below(8) {
            0..4 => Everyday::IsOver { which, ms, into: register() },
            4 => Everyday::SleepUntilLater { which, ms },
            5 => Everyday::IsLater { ms: ms - 10, into: register() },
            _ => Everyday::Stamp { which: 1 },
        };
        block.insert(at, Instruction::Everyday(look));
    }
    keep_ticks(random, process);
}

/// Lets a process tell the time by its ticks alone: it holds no instant before them.
fn tick(random: &mut Random, process: &mut Process) {
    let kept = kept_ticks(random, process);
    let own = &mut process.tasks[0];
    let at = random.below(own.len() as u64 + 1) as usize;
    own.splice(at..at, kept);
}

/// An interval, something that may make a tick late, and ticks, the later ones of which are kept.
fn kept_ticks(random: &mut Random, process: &mut Process) -> Vec<Instruction> {
    let mut ms = || *random.weighted(&[(5, 10), (4, 20), (2, 30)]);
    let mut kept = vec![Instruction::Everyday(Everyday::Every { ms: ms() })];
    let (wait, limit_ms) = (ms(), ms());
    if random.percent(25) {
        kept.push(Instruction::Sleep { ms: wait });
    }
    let into = process.registers;
    process.registers += 1;
    for number in 0..3 {
        let which = usize::from(random.percent(30));
        let limit_ms = random.percent(20).then_some(limit_ms);
        // The first one is at once, and a process that has kept an instant is told others by it.
        let stamp = (number == 2 || random.percent(30)).then_some(which);
        kept.push(Instruction::Everyday(Everyday::Tick { limit_ms, into, stamp }));
        if stamp.is_some() {
            let look = Everyday::IsOver { which, ms: *random.weighted(&[(3, 0), (1, 10)]), into };
            kept.push(Instruction::Everyday(look));
            // Of daemons, nothing else shows what they have seen.
            if random.percent(60) {
                kept.push(Instruction::AssertNot { register: into, value: random.below(2) as u8 });
            }
        }
    }
    kept
}

/// Keeps the instants of some ticks in place of readings, and looks at them at once or later.
pub(super) fn keep_ticks(random: &mut Random, process: &mut Process) {
    let isolated = process.isolated.clone();
    let looked_into = process.registers;
    let mut looks = false;
    for (_, task) in process.tasks.iter_mut().enumerate().filter(|(number, _)| !isolated.contains(number)) {
        change(task, &mut |instruction| {
            let Instruction::Everyday(Everyday::Tick { stamp, .. }) = instruction else { return };
            if stamp.is_some() || !random.percent(60) {
                return;
            }
            let which = usize::from(random.percent(30));
            *stamp = Some(which);
            if random.percent(70) {
                looks = true;
                let look = Everyday::IsOver { which, ms: 10 * random.below(2) as u16, into: looked_into };
                let body = vec![instruction.clone(), Instruction::Everyday(look)];
                *instruction = Instruction::Repeat { times: 1, body };
            }
        });
    }
    process.registers += usize::from(looks);
}
