//! Time that passes for some units alone.
//!
//! A unit that goes round without letting time pass stops no timers of those that it can never reach any more. Whom it
//! reaches is read off the programs as they are written: units are joined if one of them has still to execute an
//! instruction that names the other. (Where somebody sees them all, a monitor or whoever reads the clock, and where there
//! are streams or delays, time passes for all of them together.)

use super::Clocks;
use super::helpless::{self, Units};
use super::operation::Move;
use super::state::{Activity, Code, Phase, World};
use crate::language::program::Instruction;
use std::collections::BTreeSet;

impl World<'_> {
    /// The steps by which time passes for units that are joined with none of those that keep it from passing.
    pub(super) fn pass_alone(&self, others: &[Move], deliveries: &[Move], running: &[Move]) -> Vec<Move> {
        let network = &self.system.network;
        let is_seen = self.clocks == Clocks::OfJoined && helpless::uses_clock_or_streams(self.system);
        let gives_up = network.tcp.as_ref().is_some_and(|tcp| tcp.retries_ms.is_some());
        if network.takes_time() || network.watched || running.is_empty() || is_seen || gives_up {
            return Vec::new();
        }
        let mover = |step: &Move| helpless::mover(self.system, step);
        let busy = others.iter().chain(deliveries).map(mover).fold(0, |all, mover| all | mover);
        let groups = match self.clocks {
            Clocks::OfJoined => self.joined(),
            Clocks::OfEach => (0..helpless::units(self.system).count()).map(|unit| 1 << unit).collect(),
        };
        let quiet = groups.into_iter().filter(|group| group & busy == 0);
        quiet
            .filter_map(|group| {
                let own = running.iter().filter(|timer| mover(timer) & group != 0);
                let deadlines = own.filter_map(|timer| match timer {
                    Move::Fire { deadline_ms, .. } => Some(*deadline_ms),
                    _ => None,
                });
                let ms = deadlines.min()? - i64::from(self.state.now_ms);
                Some(Move::PassAlone { units: group, ms: ms as u32 })
            })
            .collect()
    }

    /// Time passes for some units, for each up to its horizon: all that they wait for is nearer.
    pub(super) fn let_pass(&mut self, units: Units, ms: u32) {
        let mut going_on = units;
        for unit in 0..self.state.horizons_ms.len() {
            let left_ms = self.state.horizons_ms[unit].saturating_sub(self.state.now_ms);
            if units & 1 << unit == 0 {
                continue;
            }
            self.state.horizons_ms[unit] -= ms.min(left_ms);
            if left_ms < ms {
                going_on &= !(1 << unit);
                self.bring_nearer(1 << unit, i64::from(left_ms));
            }
        }
        self.bring_nearer(going_on, i64::from(ms));
    }

    /// Time passes, but not for units that have come to their horizon by themselves.
    pub(super) fn stop_at_horizon(&mut self, until_ms: u32) {
        for unit in 0..self.state.horizons_ms.len() {
            let horizon_ms = self.state.horizons_ms[unit];
            if horizon_ms < until_ms {
                let passed_ms = until_ms - horizon_ms.max(self.state.now_ms);
                self.bring_nearer(1 << unit, -i64::from(passed_ms));
                self.state.horizons_ms[unit] = until_ms;
            }
        }
    }

    /// All that some units wait for is nearer by so much, and what they have noted is farther away.
    fn bring_nearer(&mut self, units: Units, ms: i64) {
        for (index, process) in self.state.processes.iter_mut().enumerate() {
            for (number, task) in process.tasks.iter_mut().enumerate() {
                if units & helpless::unit(self.system, index, number) != 0 {
                    let nearer = |deadline_ms: u32| u32::try_from(i64::from(deadline_ms) - ms).expect("it is to come");
                    task.deadlines_ms().for_each(|deadline_ms| *deadline_ms = nearer(*deadline_ms));
                }
            }
            if units & 1 << index != 0 {
                process.interval.iter_mut().for_each(|interval| interval.next_ms -= ms);
                process.stamps_ms.iter_mut().flatten().for_each(|stamp_ms| *stamp_ms -= ms);
            }
        }
    }

    /// The sets of joined units.
    fn joined(&self) -> Vec<Units> {
        let mut groups: Vec<Units> = helpless::units(self.system)
            .enumerate()
            .map(|(unit, (process, task))| 1 << unit | self.still_names(process, task))
            .collect();
        for _ in 0..groups.len() {
            for one in 0..groups.len() {
                for other in 0..groups.len() {
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

    /// The units that some task of a unit has still to name.
    fn still_names(&self, process: usize, first: usize) -> Units {
        let state = &self.state.processes[process];
        let own = helpless::unit(self.system, process, first);
        let mut open: Vec<(usize, usize)> = match state.phase {
            Phase::Unstarted | Phase::Crashed if first == 0 => vec![(0, 0)],
            Phase::Unstarted | Phase::Crashed | Phase::Ended | Phase::Down => return 0,
            Phase::Running => {
                let live = state.tasks.iter().enumerate().filter(|(number, task)| {
                    let is_live = !matches!(task.activity, Activity::Unspawned | Activity::Ended);
                    is_live && helpless::unit(self.system, process, *number) == own
                });
                // also what a task is waiting for
                let live = live.map(|(number, task)| (number, task.position.saturating_sub(1)));
                // and what it does after a crash
                let again = (first == 0 && self.system.network.crash.is_some()).then_some((0, 0));
                live.chain(again).collect()
            }
        };
        let mut met = BTreeSet::new();
        let mut named = 0;
        while let Some((task, position)) = open.pop() {
            if !met.insert((task, position)) {
                continue;
            }
            match self.code[process][task].get(position) {
                None | Some(Code::Do(Instruction::End)) => {
                    if task == 0 {
                        named |= helpless::names_at_end(self.system, process);
                    }
                    continue;
                }
                Some(Code::Jump { target }) => {
                    open.push((task, *target));
                    continue;
                }
                Some(Code::JumpUnless { target, .. }) => open.push((task, *target)),
                Some(Code::Do(instruction)) => {
                    named |= helpless::names(self.system, process, instruction);
                    if let Instruction::Spawn { task: spawned } = instruction
                        && helpless::unit(self.system, process, *spawned) == own
                    {
                        open.push((*spawned, 0));
                    }
                }
                Some(Code::Lock | Code::Unlock) => {}
            }
            open.push((task, position + 1));
        }
        named
    }
}
