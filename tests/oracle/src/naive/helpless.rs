//! Processes that wait for ever while others go on.
//!
//! By the definition: a process is *helpless* in a state if it has not ended and takes no step in any execution from there,
//! but for failures, which need not happen, and arrivals of copies that may never arrive. Whether the others could have helped it
//! is no question here. It is a *deadlock* beside them if it takes none though all copies arrive, and nobody who goes on names it, or
//! names somebody who does, and so on. That it would name one of these itself, if it went on, is no matter.

use super::Findings;
use super::operation::{Move, Wait};
use super::state::{Activity, ProcessState, TaskState, World};
use crate::language::everyday::Everyday;
use crate::language::program::{Instruction, System};

/// A set of units: processes, by number, and behind them the isolated tasks of all.
pub(super) type Units = u64;

/// A bit beside those of the units: some unit may act later than the horizon, and it is not known how.
pub(super) const UNKNOWN: Units = 1 << 63;

/// The unit that a task belongs to: itself, if it is isolated, or its process.
pub(super) fn unit(system: &System, process: usize, task: usize) -> Units {
    match system.processes[process].isolated.iter().position(|&isolated| isolated == task) {
        None => 1 << process,
        Some(nth) => 1 << (first_isolated(system, process) + nth),
    }
}

/// The unit that has the socket at a port: the isolated task that binds it, or the process.
pub(super) fn owner(system: &System, process: usize, port: Option<u16>) -> Units {
    let binds = |instruction: &Instruction| matches!(instruction, Instruction::Bind { port: bound, .. } if Some(*bound) == port);
    let of = &system.processes[process];
    let isolated = of.isolated.iter().find(|&&task| of.tasks[task].iter().any(binds));
    isolated.map_or(1 << process, |&task| unit(system, process, task))
}

/// The number of the first isolated task of a process.
fn first_isolated(system: &System, process: usize) -> usize {
    let before = system.processes[..process].iter().map(|process| process.isolated.len());
    system.processes.len() + before.sum::<usize>()
}

/// All units, each with its process and its first task.
pub(super) fn units(system: &System) -> impl Iterator<Item = (usize, usize)> + '_ {
    let isolated = system.processes.iter().enumerate();
    let isolated = isolated.flat_map(|(process, of)| of.isolated.iter().map(move |&task| (process, task)));
    (0..system.processes.len()).map(|process| (process, 0)).chain(isolated)
}

/// A process and its isolated tasks.
fn whole(system: &System, process: usize) -> Units {
    let isolated = system.processes[process].isolated.iter();
    isolated.map(|&task| unit(system, process, task)).fold(1 << process, |all, one| all | one)
}

/// By state: the processes that wait there, without those that wait for a next client; with `delay`, without those that
/// wait for a time, too, which comes for processes that are never joined.
pub(super) fn waiting(world: &World<'_>) -> Units {
    let processes = world.state.processes.iter().zip(&world.system.processes).enumerate();
    let is_due = |state: &ProcessState| {
        let waits = |task: &TaskState| {
            matches!(task.activity, Activity::Waiting(Wait::Tick { .. }))
                || task.clone().deadlines_ms().next().is_some()
        };
        world.system.network.takes_time() && state.tasks.iter().any(waits)
    };
    let waiting = processes.filter(|(_, (state, process))| {
        let accepts = state.tasks.iter().any(TaskState::is_accepting);
        !state.phase.is_over() && !process.daemon && !accepts && !is_due(state)
    });
    waiting.fold(0, |all, (process, _)| all | 1 << process)
}

/// The unit that takes a step, unless it is a failure or one of the network.
pub(super) fn mover(system: &System, step: &Move) -> Units {
    match *step {
        _ if step.is_failure() => 0,
        Move::Beyond { units } => units,
        Move::Start { process } | Move::Restart { process, .. } | Move::Call { process, .. } => {
            unit(system, process, 0)
        }
        Move::Run { process, task }
        | Move::Bind { process, task }
        | Move::Send { process, task, .. }
        | Move::Choose { process, task, .. }
        | Move::ReadClock { process, task }
        | Move::Deliver { process, task, .. }
        | Move::Take { process, task, .. }
        | Move::FindNothing { process, task }
        | Move::Fire { process, task, .. }
        | Move::Connect { process, task }
        | Move::Tcp { process, task, .. }
        | Move::Establish { process, task, .. }
        | Move::Hang { process, task } => unit(system, process, task),
        Move::Arrive { .. }
        | Move::Crash { .. }
        | Move::Cut { .. }
        | Move::Heal { .. }
        | Move::Pass { .. }
        | Move::PassAlone { .. }
        | Move::ComeOut { .. }
        | Move::Knock { .. }
        | Move::Decide { .. } => 0,
    }
}

/// By state: those that act in some execution from there. `steps`: those that need not fail, each with its mover.
fn acting(states: usize, steps: &[(usize, usize, Units)]) -> Vec<Units> {
    let mut before = vec![Vec::new(); states];
    let mut acting = vec![0; states];
    for &(from, to, mover) in steps {
        before[to].push(from);
        acting[from] |= mover;
    }
    let mut open: Vec<usize> = (0..states).collect();
    while let Some(state) = open.pop() {
        for &from in &before[state] {
            let more = acting[from] | acting[state];
            if more != acting[from] {
                acting[from] = more;
                open.push(from);
            }
        }
    }
    acting
}

/// Whether somebody is helpless in some state. `steps`: those that need to happen, each with its mover.
pub(super) fn some_are(waiting: &[Units], steps: &[(usize, usize, Units)]) -> bool {
    waiting.iter().zip(acting(waiting.len(), steps)).any(|(waiting, acting)| waiting & !acting != 0)
}

/// Says whether somebody waits for ever whom nobody helps in some state. `steps`: those that need not fail, each with its mover.
pub(super) fn judge(system: &System, waiting: &[Units], steps: &[(usize, usize, Units)], findings: &mut Findings) {
    // After a panic nothing is explored.
    if !findings.panics.is_empty() {
        return;
    }
    let acting = acting(waiting.len(), steps);
    let named = named_by_each(system);
    for (&waiting, &acting) in waiting.iter().zip(&acting) {
        let stuck = waiting & !acting;
        let helped = helped(acting, &named);
        let is_left = |process: usize| stuck & 1 << process != 0 && helped & (1 << process | UNKNOWN) == 0;
        findings.deadlock |= (0..system.processes.len()).any(is_left);
    }
}

/// Units that act, with those that they name, and so on: all others are at rest for ever by the texts of the programs.
fn helped(mut helped: Units, named: &[Units]) -> Units {
    loop {
        let acting = (0..named.len()).filter(|unit| helped & 1 << unit != 0);
        let more = acting.fold(helped, |all, unit| all | named[unit]);
        if more == helped {
            return helped;
        }
        helped = more;
    }
}

/// By unit: the units that it names, and those of its own process. All are, where somebody sees all of them: a monitor, or whoever
/// reads the clock.
fn named_by_each(system: &System) -> Vec<Units> {
    let count = units(system).count();
    if system.network.watched || uses_clock_or_streams(system) {
        return vec![(1 << count) - 1; count];
    }
    let mut all = vec![0; count];
    for (process, definition) in system.processes.iter().enumerate() {
        for (task, block) in definition.tasks.iter().enumerate() {
            let unit = unit(system, process, task).trailing_zeros() as usize;
            all[unit] |= whole(system, process) | named(system, process, block);
        }
    }
    all
}

/// Whether some program reads the clock, or uses streams.
pub(super) fn uses_clock_or_streams(system: &System) -> bool {
    let is_one = |instruction: &Instruction| {
        instruction.reads_clock() || matches!(instruction, Instruction::Listen { .. } | Instruction::Connect { .. })
    };
    system.processes.iter().flat_map(|process| &process.tasks).any(|task| any(task, &is_one))
}

fn any(block: &[Instruction], holds: &impl Fn(&Instruction) -> bool) -> bool {
    block
        .iter()
        .any(|instruction| holds(instruction) || instruction.blocks().into_iter().any(|block| any(block, holds)))
}

/// The units that a block of a process names.
fn named(system: &System, process: usize, block: &[Instruction]) -> Units {
    let of_each = block.iter().map(|instruction| {
        let within = instruction.blocks().into_iter().map(|block| named(system, process, block));
        within.fold(names(system, process, instruction), |all, more| all | more)
    });
    of_each.fold(0, |all, more| all | more)
}

/// The units that an instruction of a process names by itself.
pub(super) fn names(system: &System, process: usize, instruction: &Instruction) -> Units {
    match *instruction {
        Instruction::Send { to, .. } | Instruction::Everyday(Everyday::Connect { to, .. }) => whole(system, to),
        // Whoever it has heard of.
        Instruction::Reply { .. } | Instruction::Everyday(Everyday::ConnectBack { .. } | Everyday::SendOn { .. }) => {
            (1 << units(system).count()) - 1
        }
        Instruction::Spawn { task }
        | Instruction::Join { task }
        | Instruction::JoinTimeout { task, .. }
        | Instruction::Abort { task } => unit(system, process, task),
        _ => 0,
    }
}

/// The units that the end of a process names: its isolated tasks end, too.
pub(super) fn names_at_end(system: &System, process: usize) -> Units {
    whole(system, process)
}
