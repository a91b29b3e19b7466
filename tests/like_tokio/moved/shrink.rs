//! Smaller programs, as long as one differs.

use super::program::{Block, Op, Program, Waking};

/// The smallest program that is found by leaving things out.
pub(crate) fn shrink(mut program: Program, differs: impl Fn(&Program) -> bool) -> Program {
    while let Some(smaller) = simpler(&program).into_iter().find(&differs) {
        program = smaller;
    }
    program
}

fn simpler(program: &Program) -> Vec<Program> {
    let blocks = shorter(&program.block).into_iter().map(|block| Program { block, ..program.clone() });
    let mut all: Vec<Program> = blocks.collect();
    for (index, made) in program.futures.iter().enumerate() {
        let mut add = |change: &dyn Fn(&mut super::program::Made)| {
            let mut changed = program.clone();
            change(&mut changed.futures[index]);
            all.push(changed);
        };
        if made.leaves.len() > 1 {
            add(&|made| _ = made.leaves.pop());
            add(&|made| _ = made.leaves.remove(0));
        }
        if !matches!(made.waking, Waking::Own | Waking::Nothing) {
            add(&|made| made.waking = Waking::Nothing);
        }
    }
    all
}

/// The block with one thing less, in each way.
fn shorter(block: &Block) -> Vec<Block> {
    let mut all = Vec::new();
    for index in 0..block.len() {
        let with = |ops: Vec<Op>| {
            let mut changed = block.clone();
            changed.splice(index..=index, ops);
            changed
        };
        all.push(with(Vec::new()));
        if let Op::Spawn(task, inner) = &block[index] {
            all.push(with(inner.clone()));
            all.extend(shorter(inner).into_iter().map(|inner| with(vec![Op::Spawn(*task, inner)])));
        }
    }
    all
}
