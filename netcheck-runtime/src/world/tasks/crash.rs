//! Crashes: the OS ends a process, and starts it again.
//!
//! A process may crash wherever it waits, since polls are atomic. The crash is a failure that need not happen: as any other
//! call that fails, it is offered beside the steps of its unit, and stays possible until one of them is taken. All that the
//! process held is released, so it depends on all that the end of the process depends on ([`Touches::end`]); it is explored
//! before and after every step that somebody else can see, and need not be beside those that nobody can.
//!
//! A kill is all here; what a power failure does to the network is in [`power`](super::power).
//!
//! After a crash, another unit stands for the process, which waits for its start. That may come at any time, but comes at
//! last ([`Class::AnyTime`]). If the process stays down, no unit stands for it.
//!
//! [`Touches::end`]: crate::world::touches::Touches::end

use crate::id::{NodeId, OutcomeId, ProcessId, UnitId};
use crate::operation::{Cause, Input, OperationKey, Outcome};
use crate::unit::automaton::EdgeId;
use crate::unit::program::Program;
use crate::world::components::{Component, ComponentId};
use crate::world::enabled::{Asker, Enabled};
use crate::world::step::{Class, Move, Transition, Writes};
use crate::world::storage::images::Left;
use crate::world::system::System;
use crate::world::tables::{Lookup, Missing, Tables, View};
use netcheck_models::event::Event;
use std::rc::Rc;

impl Tables {
    /// Whether processes may crash.
    pub(crate) fn declares_crashes(&self) -> bool {
        !self.declared.crashes.is_empty()
    }

    /// Whether a unit is the process of this number itself, before a crash or after one, and no isolated task.
    pub fn is_root(&self, unit: UnitId, process: usize) -> bool {
        self.processes[process].roots.contains(&unit)
    }

    /// The unit of a process that is no isolated task: after crashes, the one as which it has started again.
    pub fn root_of(&self, state: &[u32], process: ProcessId) -> UnitId {
        let roots = &self.processes[process.0 as usize].roots;
        let is_there = |unit: &&UnitId| self.unit_component(**unit).of(state) != NodeId::ABSENT.0;
        *roots.iter().rev().find(is_there).unwrap_or(&roots[0])
    }
}

impl System {
    /// Adds the units as which processes start again when they have crashed.
    pub(in crate::world) fn add_incarnations(&mut self) {
        for process in (0..self.processes.len() as u32).map(ProcessId) {
            let times = self.declared.crashes_of(process).map_or(0, |crashes| crashes.times);
            (1..=times).for_each(|crashes| _ = self.shared().add_incarnation(process, crashes));
        }
    }

    /// Adds what a process runs when it starts again.
    pub(in crate::world) fn add_programs_after_crashes(&mut self, process: ProcessId, program: &Rc<Program>) {
        let roots = self.processes[process.0 as usize].roots.clone();
        for pair in roots.windows(2) {
            self.learner.add_incarnation(pair[0], pair[1], Rc::clone(program));
        }
    }
}

impl View<'_> {
    /// Adds the crash of the process of which a live unit is the root.
    pub(in crate::world) fn crashes(
        self,
        state: &[u32],
        (unit, node): (UnitId, NodeId),
        enabled: &mut Enabled,
    ) -> Lookup<()> {
        let process = self.process_of(unit);
        let Some(declared) = self.declared.crashes_of(process) else { return Ok(()) };
        let of_unit = &self.units[unit.0 as usize];
        if of_unit.is_task || of_unit.crashes >= declared.times || !self.may_crash_now(state, (unit, node)) {
            return Ok(());
        }
        let component = self.unit_component(unit);
        let (event, all_writes) = match declared.cause {
            Cause::Kill => (Event::Crashed, vec![Writes::new()]),
            Cause::Power => (Event::Silenced, self.falls_silent(state, process)?),
        };
        let (faults, events) = (event.faults(), self.event(event)?);
        for returns in [true, false].into_iter().filter(|returns| *returns || declared.stays_down) {
            let outcome = self.outcome(Outcome::Crashed { cause: declared.cause, returns })?;
            let input = Input { key: OperationKey::CRASH, outcome };
            let edge = self.edge(node, input)?;
            let step = Move::Unit { unit, component, node, input, edge, class: Class::Failure };
            let all = all_writes.iter().cloned();
            let transition = |writes| Transition { step: step.clone(), writes, faults, events, watched: None };
            enabled.moves.extend(all.map(transition));
        }
        Ok(())
    }

    /// The outcomes of the start of a process that has crashed, with their writes: one for each of the trees that its files may
    /// be. What a power failure leaves is chosen here, since a process that is down looks at nothing: states in which it is down
    /// are the same for all of them.
    pub(super) fn starts_again(self, state: &[u32], asker: Asker) -> Lookup<Vec<(OutcomeId, Writes)>> {
        let process = self.process_of(asker.unit);
        let writes = self.comes_back(state, process)?;
        let kept = self.components.find(Component::Storage(process)).filter(|kept| kept.of(state) != 0);
        let Some(component) = kept else { return Ok(vec![(self.known.done, writes)]) };
        let files = component.of(state);
        let left = self.images.left.get(&(process, files)).ok_or(Missing::LeftFiles(process, files))?;
        let start = |&(outcome, files): &Left| {
            let mut writes = writes.clone();
            writes.push((component, files));
            (outcome, writes)
        };
        Ok(left.iter().map(start).collect())
    }

    /// Whether a process may crash in a state or later, as far as its own crashes say.
    pub(crate) fn may_crash_again(self, state: &[u32], process: ProcessId) -> bool {
        let root = self.root_of(state, process);
        let is_live = self.automata.is_live(NodeId(self.unit_component(root).of(state)));
        let crashes = self.units[root.0 as usize].crashes;
        is_live && self.declared.crashes_of(process).is_some_and(|declared| crashes < declared.times)
    }

    fn may_crash_now(self, state: &[u32], (unit, node): (UnitId, NodeId)) -> bool {
        let process = self.process_of(unit);
        let is_polled = |(other, node): (UnitId, NodeId)| {
            self.process_of(other) == process && self.automata.node(node).is_synchronous()
        };
        self.automata.has_begun(node)
            && self.budget(state).allows(1)
            && self.is_in_scope(state, process)
            && !self.live_units(state).any(is_polled)
    }

    /// A process crashes; `incarnation` stands for it from now on.
    pub(super) fn crash_of(
        self,
        unit: UnitId,
        (edge, incarnation): (EdgeId, Option<UnitId>),
        next: &mut Vec<u32>,
    ) -> Lookup<()> {
        let process = self.process_of(unit);
        if let Some(incarnation) = incarnation {
            self.hand_over_horizon(unit, incarnation, next)?;
        }
        let edge = self.automata.edge(edge);
        if let Some(&(incarnation, root)) = edge.roots.first() {
            // Before anything is released: what is under way to its sockets stays so for whoever binds there again.
            self.unit_component(incarnation).set(next, root.0);
            self.begin_to_be_down(process, incarnation, next)?;
        }
        self.release(unit, next)?;
        // Nobody is left to join them.
        self.end_tasks(process, NodeId::ABSENT, next)?;
        if !self.automata.node(edge.source).waited {
            // Processes that start after this one wait for the next unit.
            self.unit_component(unit).set(next, NodeId::ABSENT.0);
        }
        if edge.roots.is_empty() {
            // Nobody will ever hear what is under way.
            self.drop_astray(process, next);
        }
        Ok(())
    }

    /// Whether a process has waited, by the units that have stood for it.
    pub(crate) fn has_waited(self, state: &[u32], units: &[ComponentId]) -> bool {
        let nodes = units.iter().map(|unit| NodeId(unit.of(state)));
        nodes.filter(|&node| node != NodeId::ABSENT).any(|node| self.automata.node(node).waited)
    }
}
