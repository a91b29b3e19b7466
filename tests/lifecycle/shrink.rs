//! The smallest system that still shows something.

use crate::program::{Instruction, Network, System};

/// The smallest system that can be reached by leaving things out while it still fails.
pub fn shrink(system: &System, mut fails: impl FnMut(&System) -> bool) -> System {
    let mut smallest = system.clone();
    while let Some(smaller) = smaller(&smallest).into_iter().find(&mut fails) {
        smallest = smaller;
    }
    smallest
}

/// Each system that is one step smaller.
fn smaller(system: &System) -> Vec<System> {
    let mut candidates = Vec::new();
    for process in 0..system.processes.len() {
        if !knows(system, process) {
            let mut candidate = system.clone();
            candidate.processes.remove(process);
            candidate.processes.iter_mut().flat_map(|process| &mut process.routines).for_each(|routine| {
                routine.iter_mut().for_each(|instruction| renumber(instruction, process));
            });
            candidates.push(candidate);
        }
        if system.processes[process].daemon {
            let mut candidate = system.clone();
            candidate.processes[process].daemon = false;
            candidates.push(candidate);
        }
        for (routine, block) in system.processes[process].routines.iter().enumerate() {
            for smaller in smaller_blocks(block) {
                let mut candidate = system.clone();
                candidate.processes[process].routines[routine] = smaller;
                candidates.push(candidate);
            }
        }
        if let Some((_, others)) = system.processes[process].routines.split_last()
            && !others.is_empty()
            && !others.iter().flatten().any(|instruction| instruction.any(&|one| spawns(one) == Some(others.len())))
        {
            let mut candidate = system.clone();
            candidate.processes[process].routines.pop();
            candidates.push(candidate);
        }
    }
    let mut network = |change: &dyn Fn(&mut Network)| {
        let mut candidate = system.clone();
        change(&mut candidate.network);
        if candidate != *system {
            candidates.push(candidate);
        }
    };
    network(&|network| network.at_most = None);
    network(&|network| network.window = 1);
    network(&|network| network.copies = vec![1]);
    network(&|network| network.copies.retain(|&copies| copies < 2));
    candidates
}

fn spawns(instruction: &Instruction) -> Option<usize> {
    match instruction {
        Instruction::Spawn { task, .. } | Instruction::SetSpawn { task } => Some(task.routine),
        _ => None,
    }
}

/// Whether another process sends to this one, or it is the only one.
fn knows(system: &System, process: usize) -> bool {
    let names = |instruction: &Instruction| matches!(instruction, Instruction::Send { to, .. } | Instruction::Connect { to, .. } if *to == process);
    let others = system.processes.iter().enumerate().filter(|(index, _)| *index != process);
    let mut others = others.flat_map(|(_, other)| other.routines.iter().flatten());
    system.processes.len() == 1 || others.any(|instruction| instruction.any(&names))
}

/// Without the process of this number.
fn renumber(instruction: &mut Instruction, without: usize) {
    if let Instruction::Send { to, .. } | Instruction::Connect { to, .. } = instruction
        && *to > without
    {
        *to -= 1;
    }
    instruction.blocks_mut().into_iter().flatten().for_each(|inner| renumber(inner, without));
}

fn smaller_blocks(block: &[Instruction]) -> Vec<Vec<Instruction>> {
    let mut candidates = Vec::new();
    for (at, instruction) in block.iter().enumerate() {
        let mut replace = |replacement: &[Instruction]| {
            candidates.push([&block[..at], replacement, &block[at + 1..]].concat());
        };
        replace(&[]);
        for (index, inner) in instruction.blocks().into_iter().enumerate() {
            replace(inner);
            for smaller in smaller_blocks(inner) {
                let mut changed = instruction.clone();
                *changed.blocks_mut()[index] = smaller;
                replace(&[changed]);
            }
        }
        match *instruction {
            Instruction::SleepUntil { ms } => replace(&[Instruction::Sleep { ms }]),
            Instruction::Every { ms, times: 2, ref body } => {
                replace(&[Instruction::Every { ms, times: 1, body: body.clone() }]);
            }
            Instruction::Select { handles, limit_ms: Some(_), which, into } => {
                replace(&[Instruction::Select { handles, limit_ms: None, which, into }]);
            }
            Instruction::Spawn { task, handle } if task.isolated => {
                let task = crate::program::Task { isolated: false, ..task };
                replace(&[Instruction::Spawn { task, handle }]);
            }
            Instruction::SetSpawn { task } if task.isolated => {
                replace(&[Instruction::SetSpawn { task: crate::program::Task { isolated: false, ..task } }]);
            }
            _ => {}
        }
    }
    candidates
}
