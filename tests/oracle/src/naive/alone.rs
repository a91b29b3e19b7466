//! Time that passes for some processes alone.
//!
//! A process that goes round without letting time pass stops no timers of those that it can never reach any more. Whom it
//! reaches is read off the programs as they are written: processes are joined if one of them has still to execute an
//! instruction that names the other. (Where somebody sees them all, a monitor or whoever reads the clock, and where there
//! are streams or delays, time passes for all of them together.)

use super::helpless::{self, Processes};
use super::operation::Move;
use super::state::{Activity, Code, Phase, World};
use crate::language::program::Instruction;

impl World<'_> {
    /// The steps by which time passes for processes that are joined with none of those that keep it from passing.
    pub(super) fn pass_alone(&self, others: &[Move], deliveries: &[Move], running: &[Move]) -> Vec<Move> {
        let network = &self.system.network;
        if network.delay || network.watched || running.is_empty() || helpless::uses_clock_or_streams(self.system) {
            return Vec::new();
        }
        let busy = others.iter().chain(deliveries).map(helpless::mover).fold(0, |all, mover| all | mover);
        let quiet = self.joined().into_iter().filter(|group| group & busy == 0);
        quiet
            .filter_map(|group| {
                let own = running.iter().filter(|timer| helpless::mover(timer) & group != 0);
                let deadlines = own.filter_map(|timer| match timer {
                    Move::Fire { deadline_ms, .. } => Some(*deadline_ms),
                    _ => None,
                });
                let ms = deadlines.min()? - i64::from(self.state.now_ms);
                Some(Move::PassAlone { processes: group, ms: ms as u32 })
            })
            .collect()
    }

    /// Time passes for some processes: all that they wait for is nearer.
    pub(super) fn let_pass(&mut self, processes: Processes, ms: u32) {
        for (index, process) in self.state.processes.iter_mut().enumerate() {
            if processes & 1 << index != 0 {
                process
                    .tasks
                    .iter_mut()
                    .flat_map(|task| task.deadlines_ms())
                    .for_each(|deadline_ms| *deadline_ms -= ms);
                process.interval.iter_mut().for_each(|interval| interval.next_ms -= i64::from(ms));
            }
        }
    }

    /// The sets of joined processes.
    fn joined(&self) -> Vec<Processes> {
        let count = self.system.processes.len();
        let mut groups: Vec<Processes> = (0..count).map(|process| 1 << process | self.still_names(process)).collect();
        for _ in 0..count {
            for one in 0..count {
                for other in 0..count {
                    if groups[one] & groups[other] != 0 {
                        groups[one] |= groups[other];
                    }
                }
            }
        }
        groups.sort_unstable();
        groups.dedup();
        groups
    }

    /// The processes that some task of a process has still to name.
    fn still_names(&self, process: usize) -> Processes {
        let state = &self.state.processes[process];
        let mut open: Vec<(usize, usize)> = match state.phase {
            Phase::Unstarted => vec![(0, 0)],
            Phase::Ended => return 0,
            Phase::Running => {
                let live = state
                    .tasks
                    .iter()
                    .enumerate()
                    .filter(|(_, task)| !matches!(task.activity, Activity::Unspawned | Activity::Ended));
                // also what a task is waiting for
                live.map(|(number, task)| (number, task.position.saturating_sub(1))).collect()
            }
        };
        let mut met = std::collections::BTreeSet::new();
        let mut named = 0;
        while let Some((task, position)) = open.pop() {
            if !met.insert((task, position)) {
                continue;
            }
            match self.code[process][task].get(position) {
                None => continue,
                Some(Code::Jump { target }) => {
                    open.push((task, *target));
                    continue;
                }
                Some(Code::JumpUnless { target, .. }) => open.push((task, *target)),
                Some(Code::Do(Instruction::Spawn { task: spawned })) => open.push((*spawned, 0)),
                Some(Code::Do(instruction)) => named |= helpless::names(instruction),
                Some(Code::Lock | Code::Unlock) => {}
            }
            open.push((task, position + 1));
        }
        named
    }
}
