//! Files in random systems: calls between what the tasks of a process do otherwise.

use super::{CONSTANTS, Size, Words};
use crate::language::files::{File, FileCall, FileWord};
use crate::language::program::{Instruction, Process, System, Value};
use random::Random;

/// Calls of a process: each that is not synced may survive a power failure or not.
const CALLS_MAX: usize = 4;

/// A system in which the first process uses files, and sometimes the second one.
pub fn system_with_files(seed: u64, words: Words) -> System {
    let mut system = super::system(seed, Size::Small, words);
    let mut random = Random::new(seed ^ 0xf11e5);
    let others = usize::from(random.percent(20));
    for process in system.processes.iter_mut().take(1 + others) {
        add_files(&mut random, process);
    }
    system
}

fn add_files(random: &mut Random, process: &mut Process) {
    process.registers = process.registers.max(1);
    if random.percent(60) {
        process.files.push((File(0).name(), vec![9; random.within(0, 2)]));
    }
    let at_once = random.percent(35);
    let mut left = random.within(1, CALLS_MAX);
    while left > 0 {
        let tasks: Vec<usize> =
            (0..process.tasks.len()).filter(|task| *task == 0 || !process.isolated.contains(task)).collect();
        let task = random.one_of(&tasks);
        let calls = some_calls(random, process.registers, task);
        left = left.saturating_sub(calls.len());
        let mut at = random.index(process.tasks[task].len() + 1);
        for word in calls {
            process.tasks[task].insert(at, Instruction::File(FileCall { word, at_once }));
            at += 1;
            if let FileWord::Write { value: Value::Register(register), .. } = word
                && random.percent(50)
            {
                // What is written behind is nowhere else any more.
                let forgotten = Instruction::Set { register, value: Value::Constant(0) };
                process.tasks[task].insert(at, forgotten);
                at += 1;
            }
            if random.percent(20) {
                at += random.index(process.tasks[task].len() - at + 1);
            }
        }
    }
    if random.percent(70) {
        let word = FileWord::Get { file: File(0), into: random.index(process.registers) };
        process.tasks[0].insert(0, Instruction::File(FileCall { word, at_once }));
    }
}

/// Calls that belong together.
fn some_calls(random: &mut Random, registers: usize, handle: usize) -> Vec<FileWord> {
    let file = File(random.index(2));
    let other = File(1 - file.0);
    let into = random.index(registers);
    let length = random.within(1, 2);
    let value = match random.percent(30) {
        true => Value::Register(random.index(registers)),
        false => Value::Constant(1 + random.below(CONSTANTS) as u8),
    };
    match random.below(10) {
        0 => vec![FileWord::Put { file, value, length }],
        1 => vec![FileWord::Get { file, into }],
        2 => vec![FileWord::Rename { file, to: other, into }],
        3 => vec![FileWord::Remove { file, into }],
        4 => vec![FileWord::SyncNames],
        5 => vec![FileWord::Put { file: other, value, length }, FileWord::Rename { file: other, to: file, into }],
        6 => vec![
            FileWord::Open { handle, file, appends: random.percent(50) },
            match random.percent(50) {
                true => FileWord::Remove { file, into },
                false => FileWord::Rename { file: other, to: file, into },
            },
            FileWord::Write { handle, value, length },
        ],
        _ => {
            let mut calls = vec![
                FileWord::Open { handle, file, appends: random.percent(60) },
                FileWord::Write { handle, value, length },
            ];
            if random.percent(30) {
                calls.push(FileWord::Write { handle, value, length: 1 });
            }
            if random.percent(40) {
                calls.push(FileWord::Flush { handle });
            }
            if random.percent(50) {
                calls.push(FileWord::Sync { handle });
            }
            calls
        }
    }
}
