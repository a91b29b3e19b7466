//! Systems with processes that run the same program, or almost the same.

use super::{Random, Size, Words, smaller_blocks, system};
use crate::language::everyday::Everyday;
use crate::language::program::{Instruction, Process, System, Value, change};

/// A random system with a copy or two of one of its processes. Most of these are answered without a look at who
/// asks; some are not quite what they are copies of.
pub fn like_system(seed: u64, has_loops: bool) -> System {
    let mut random = Random::new(seed ^ 0x11ce);
    let words = match has_loops {
        true => *random.weighted(&[(2, Words::Single), (5, Words::Loops)]),
        false => *random.weighted(&[(8, Words::Plain), (4, Words::All), (8, Words::Streams), (3, Words::Mixed)]),
    };
    with_copies(&mut random, system(seed, Size::Small, words))
}

/// The same of everyday programs, half of them with streams.
pub(super) fn like_everyday_system(seed: u64) -> System {
    let mut random = Random::new(seed ^ 0x11ce);
    let words = if random.percent(50) { Words::Everyday } else { Words::EverydayStreams };
    with_copies(&mut random, system(seed, Size::Small, words))
}

fn with_copies(random: &mut Random, System { mut processes, mut network }: System) -> System {
    network.anonymous = random.percent(90);
    if network.delay && random.percent(80) {
        // In dense time no processes are taken to be alike.
        network.delay = false;
    }
    let model = random.below(processes.len() as u64) as usize;
    let copies = *random.weighted(&[(6, 1), (3, 2)]);
    if random.percent(85) {
        let others = processes.iter_mut().enumerate().filter(|(index, _)| *index != model);
        let blocks = others.flat_map(|(_, process)| &mut process.tasks);
        blocks.for_each(|block| change(block, &mut |instruction| reply_to(model, instruction)));
    }
    if random.percent(50) {
        let others = processes.iter_mut().enumerate().filter(|(index, _)| *index != model);
        others.for_each(|(_, process)| serve_each(process, copies + 1));
    }
    for _ in 0..copies {
        let index = processes.len();
        let mut copy = processes[model].clone();
        let block = copy.tasks.iter_mut();
        block.for_each(|block| change(block, &mut |instruction| turn_to_itself(model, index, instruction)));
        if random.percent(15) {
            make_different(random, &mut copy);
        }
        processes.push(copy);
    }
    if let Some(tcp) = network.tcp.as_mut().filter(|tcp| tcp.processes.contains(&model))
        && random.percent(70)
    {
        tcp.processes.extend(processes.len() - copies..processes.len());
    }
    System { processes, network }
}

fn reply_to(model: usize, instruction: &mut Instruction) {
    if let Instruction::Send { socket, to, value, .. } = *instruction
        && to == model
    {
        *instruction = Instruction::Reply { socket, value };
    }
}

/// The copy sends to itself where the model does.
fn turn_to_itself(model: usize, copy: usize, instruction: &mut Instruction) {
    if let Instruction::Send { to, .. }
    | Instruction::Connect { to, .. }
    | Instruction::Everyday(Everyday::Connect { to, .. }) = instruction
        && *to == model
    {
        *to = copy;
    }
}

/// A server goes through what it does once for each client.
fn serve_each(process: &mut Process, clients: usize) {
    let root = std::mem::take(&mut process.tasks[0]);
    let is_once = |instruction: &Instruction| {
        matches!(instruction, Instruction::Bind { .. } | Instruction::Listen { .. } | Instruction::Spawn { .. })
    };
    let (mut once, mut body): (Vec<_>, Vec<_>) = root.into_iter().partition(is_once);
    body.extend((0..process.streams).map(|stream| Instruction::DropStream { stream }));
    once.push(Instruction::Repeat { times: clients, body });
    process.tasks[0] = once;
}

/// Leaves something out, or says something else.
fn make_different(random: &mut Random, process: &mut Process) {
    let task = random.below(process.tasks.len() as u64) as usize;
    let block = &mut process.tasks[task];
    let smaller = smaller_blocks(block);
    if !smaller.is_empty() && random.percent(60) {
        *block = smaller[random.below(smaller.len() as u64) as usize].clone();
        return;
    }
    let changed = random.below(8);
    let mut number = 0;
    change(block, &mut |instruction| {
        let value = match instruction {
            Instruction::Send { value, .. } | Instruction::Write { value, .. } | Instruction::Add { value, .. } => {
                value
            }
            _ => return,
        };
        if number == changed % 3 {
            *value = Value::Constant(7);
        }
        number += 1;
    });
}
