//! Processes that wait for ever while others go on.
//!
//! By the definition: a process is *helpless* in a state if it has not ended and takes no step in any execution from there,
//! but for failures, which need not happen. Whether the others could have helped it is no question here. It is a *deadlock*
//! beside them if all that go on are strangers to it: processes that name neither it nor anybody who names it, and so on.

use super::Findings;
use super::operation::Move;
use super::state::{Phase, TaskState, World};
use crate::language::everyday::Everyday;
use crate::language::program::{Instruction, System};

/// A set of processes.
pub(super) type Processes = u64;

/// By state: the processes that wait there, without those that wait for a next client.
pub(super) fn waiting(world: &World<'_>) -> Processes {
    let processes = world.state.processes.iter().zip(&world.system.processes).enumerate();
    let waiting = processes.filter(|(_, (state, process))| {
        state.phase != Phase::Ended && !process.daemon && !state.tasks.iter().any(TaskState::is_accepting)
    });
    waiting.fold(0, |all, (process, _)| all | 1 << process)
}

/// The process that takes a step, unless it is a failure or one of the network.
pub(super) fn mover(step: &Move) -> Processes {
    match step {
        _ if step.is_failure() => 0,
        Move::Start { process }
        | Move::Run { process, .. }
        | Move::Bind { process, .. }
        | Move::Send { process, .. }
        | Move::Choose { process, .. }
        | Move::ReadClock { process, .. }
        | Move::Deliver { process, .. }
        | Move::Take { process, .. }
        | Move::Fire { process, .. }
        | Move::Connect { process, .. }
        | Move::Tcp { process, .. }
        | Move::Establish { process, .. }
        | Move::Hang { process, .. } => 1 << process,
        Move::Arrive { .. }
        | Move::Pass { .. }
        | Move::PassAlone { .. }
        | Move::ComeOut { .. }
        | Move::Knock { .. }
        | Move::Decide { .. } => 0,
    }
}

/// Says of all states whether somebody is helpless there. `steps`: those that need not fail, each with its mover.
pub(super) fn judge(
    system: &System,
    waiting: &[Processes],
    steps: &[(usize, usize, Processes)],
    findings: &mut Findings,
) {
    let mut before = vec![Vec::new(); waiting.len()];
    let mut acting = vec![0; waiting.len()];
    for &(from, to, mover) in steps {
        before[to].push(from);
        acting[from] |= mover;
    }
    let mut open: Vec<usize> = (0..waiting.len()).collect();
    while let Some(state) = open.pop() {
        for &from in &before[state] {
            let more = acting[from] | acting[state];
            if more != acting[from] {
                acting[from] = more;
                open.push(from);
            }
        }
    }
    let acquainted = acquainted(system);
    for (&waiting, &acting) in waiting.iter().zip(&acting) {
        let helpless = waiting & !acting;
        findings.helpless |= helpless != 0;
        let among_strangers = |process: &usize| helpless & 1 << process != 0 && acting & acquainted[*process] == 0;
        // After a panic nothing is explored.
        findings.deadlock |=
            findings.panics.is_empty() && (0..system.processes.len()).any(|process| among_strangers(&process));
    }
}

/// By process: itself, and all that it is acquainted with. All are, where somebody sees all of them: a monitor, or whoever
/// reads the clock.
fn acquainted(system: &System) -> Vec<Processes> {
    let all: Processes = (1 << system.processes.len()) - 1;
    let of_process = |tasks: &[Vec<Instruction>]| tasks.iter().map(|task| named(task)).fold(0, |all, more| all | more);
    let named = system.processes.iter().map(|process| of_process(&process.tasks));
    let mut acquainted: Vec<Processes> = named.enumerate().map(|(process, named)| named | 1 << process).collect();
    if system.network.watched || system.takes_time() || uses_clock_or_streams(system) {
        return vec![all; acquainted.len()];
    }
    loop {
        let known = acquainted.clone();
        for one in 0..known.len() {
            for other in (0..known.len()).filter(|&other| known[one] & 1 << other != 0 || known[other] & 1 << one != 0)
            {
                acquainted[one] |= known[other];
            }
        }
        if acquainted == known {
            return acquainted;
        }
    }
}

/// Stands for the clock, and for streams, among the processes that a program names.
const CLOCK: Processes = 1 << 63;

/// Whether some program reads the clock, or uses streams.
pub(super) fn uses_clock_or_streams(system: &System) -> bool {
    system.processes.iter().flat_map(|process| &process.tasks).any(|task| named(task) & CLOCK != 0)
}

/// The processes that a block names.
fn named(block: &[Instruction]) -> Processes {
    let within = |instruction: &Instruction| {
        instruction.blocks().into_iter().map(|block| named(block)).fold(0, |all, more| all | more)
    };
    block.iter().map(|instruction| names(instruction) | within(instruction)).fold(0, |all, more| all | more)
}

/// The process that an instruction names by itself.
pub(super) fn names(instruction: &Instruction) -> Processes {
    match instruction {
        Instruction::Send { to, .. } => 1 << to,
        Instruction::Everyday(Everyday::Connect { to, .. }) => 1 << to,
        // Whoever it has heard of.
        Instruction::Reply { .. } | Instruction::Everyday(Everyday::ConnectBack { .. } | Everyday::SendOn { .. }) => {
            CLOCK - 1
        }
        Instruction::Listen { .. } | Instruction::Connect { .. } => CLOCK,
        Instruction::Everyday(
            Everyday::Stamp | Everyday::IsOver { .. } | Everyday::SleepUntil { .. } | Everyday::SleepUntilLater { .. },
        ) => CLOCK,
        _ => 0,
    }
}
