//! Processes that spin, and where only a reduced search comes to that.
//!
//! In a reduced search each component has a clock of its own: a process comes to an endless loop without an await
//! there, after time-outs, say, although every execution of the whole system panics before. The engine ends with the
//! diagnostic that a poll does not return, and is right.

use crate::naive::{self, Findings, Limits};
use crate::program::{Instruction, System, name};

/// States of a system in which nobody panics, among which one is looked for where a process spins.
const LIMITS: Limits = Limits::of(20_000);

/// Whether the engine's diagnostic is right that a poll does not return: the search is reduced, some execution
/// panics, and the process that is named spins in the system in which the assertions of the others hold.
pub fn is_right(diagnostic: &str, system: &System, findings: &Findings, reduction: bool) -> bool {
    let named =
        |process: &usize| diagnostic.contains(&format!("a poll of process {:?} has not returned", name(*process)));
    let Some(process) = (0..system.processes.len()).find(named) else { return false };
    if !reduction || findings.panics.is_empty() {
        return false;
    }
    let mut calm = system.clone();
    for (index, other) in calm.processes.iter_mut().enumerate() {
        if index != process {
            other.tasks.iter_mut().for_each(|task| *task = without_assertions(task));
        }
    }
    naive::spins(&calm, process, LIMITS)
}

fn without_assertions(block: &[Instruction]) -> Vec<Instruction> {
    let kept = block.iter().filter(|instruction| !matches!(instruction, Instruction::AssertNot { .. }));
    let mut kept: Vec<Instruction> = kept.cloned().collect();
    for block in kept.iter_mut().flat_map(Instruction::blocks_mut) {
        *block = without_assertions(block);
    }
    kept
}
