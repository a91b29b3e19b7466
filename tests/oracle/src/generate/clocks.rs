//! Processes that read the clock between what they do anyway.

use super::Random;
use crate::language::everyday::Everyday;
use crate::language::program::{Instruction, Process, System};

/// Lets most processes of a system read the clock, and look later at how much time is over or sleep until so much later.
pub fn read_clocks(seed: u64, system: &mut System) {
    let mut random = Random::new(seed ^ 0xc10c);
    for process in &mut system.processes {
        if random.percent(70) {
            read_clock(&mut random, process);
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
}
