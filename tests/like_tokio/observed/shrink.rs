//! Smaller programs, as long as one differs.

use super::program::{Block, Op};

/// The smallest program that is found by leaving things out.
pub(crate) fn shrink(mut program: Block, differs: impl Fn(&Block) -> bool) -> Block {
    while let Some(smaller) = simpler(&program).into_iter().find(&differs) {
        program = smaller;
    }
    program
}

/// The block with one thing less, in each way.
fn simpler(block: &Block) -> Vec<Block> {
    let mut all = Vec::new();
    for index in 0..block.len() {
        let with = |ops: Vec<Op>| {
            let mut changed = block.clone();
            changed.splice(index..=index, ops);
            changed
        };
        all.push(with(Vec::new()));
        let mut opened = block[index].clone();
        all.extend(opened.blocks_mut().into_iter().map(|inner| with(std::mem::take(inner))));
        all.extend(fewer_branches(&block[index]).into_iter().map(|op| with(vec![op])));
        let blocks = block[index].clone().blocks_mut().len();
        for place in 0..blocks {
            let mut op = block[index].clone();
            let inner = std::mem::take(op.blocks_mut()[place]);
            for smaller in simpler(&inner) {
                *op.blocks_mut()[place] = smaller;
                all.push(with(vec![op.clone()]));
            }
        }
    }
    all
}

fn fewer_branches(op: &Op) -> Vec<Op> {
    let Op::Select(select) = op else { return Vec::new() };
    let mut all = Vec::new();
    for index in 0..select.branches.len() {
        let mut plain = select.clone();
        plain.branches[index].guard = None;
        plain.branches[index].pattern = None;
        if plain != *select {
            all.push(Op::Select(plain));
        }
        if select.branches.len() > 2 {
            let mut fewer = select.clone();
            fewer.branches.remove(index);
            all.push(Op::Select(fewer));
        }
    }
    all
}
