//! The state that a step leads to: what the model writes, then the effects of the edge.

use crate::id::{NodeId, ProcessId, UnitId};
use crate::operation::{Effect, OperationKey};
use crate::unit::automaton::{EdgeId, NodeKind};
use crate::world::components::{Component, ComponentId, HANDLE_GONE, trim};
use crate::world::step::{Move, Transition};
use crate::world::tables::{Lookup, Missing, View};
use crate::world::time;

impl View<'_> {
    /// Writes the successor of `state` by `transition` to `next`.
    pub(crate) fn apply(self, state: &[u32], transition: &Transition, next: &mut Vec<u32>) -> Lookup<()> {
        next.clear();
        next.extend_from_slice(state);
        for &(component, value) in &transition.writes {
            component.set(next, value);
        }
        if transition.faults > 0 && self.is_limited() {
            let component = self.component(Component::Faults)?;
            let used = component.of(next);
            component.set(next, used + transition.faults);
        }
        match &transition.step {
            Move::Unit { unit, component, edge, .. } => self.take(*unit, *component, *edge, next)?,
            Move::LoseInFlight
            | Move::Pass { .. }
            | Move::Hang { .. }
            | Move::Dial { .. }
            | Move::Arrive { .. }
            | Move::Reach { .. }
            | Move::Delay { .. }
            | Move::Settle { .. }
            | Move::Cut { .. }
            | Move::Heal { .. }
            | Move::Part { .. }
            | Move::Forget => {}
            Move::Park(units) => {
                for &unit in units {
                    let component = self.unit_component(unit);
                    let accepts = self.is_in_accept(NodeId(component.of(state)));
                    component.set(next, if accepts { NodeId::PARKED_IN_ACCEPT.0 } else { NodeId::PARKED.0 });
                }
                for &unit in units {
                    self.forget_datagrams(unit, next);
                }
                if self.has_delay() {
                    for process in units.iter().map(|&unit| self.process_of(unit)) {
                        if self.live_units(next).all(|(unit, _)| self.process_of(unit) != process) {
                            self.drop_astray(process, next);
                            self.clear(Component::Storage(process), next);
                        }
                    }
                }
            }
        }
        for &(component, status) in transition.watched.iter().flatten() {
            component.set(next, status);
        }
        self.send_segments(next)?;
        self.keep_zone(next)?;
        trim(next);
        Ok(())
    }

    /// The process of a unit that has panicked ends: the OS closes all that the process held.
    pub(crate) fn crash(self, unit: UnitId, state: &[u32], next: &mut Vec<u32>) -> Lookup<()> {
        next.clear();
        next.extend_from_slice(state);
        let panicked = self.unit_component(unit).of(next);
        let root = self.root_of(next, self.process_of(unit));
        let component = self.unit_component(root);
        component.set(next, panicked);
        self.end(root, component, next)?;
        self.send_segments(next)?;
        self.keep_zone(next)?;
        trim(next);
        Ok(())
    }

    fn take(self, unit: UnitId, component: ComponentId, edge: EdgeId, next: &mut Vec<u32>) -> Lookup<()> {
        let target = self.automata.edge(edge).target;
        component.set(next, target.0);
        let effects = &self.automata.edge(edge).effects;
        let timers_only = |effect: &Effect| {
            use time::Effect::{Arm, Await, Disarm, Latest, Marks};
            matches!(effect, Effect::Time(Arm { .. } | Await { .. } | Disarm { .. } | Latest { .. } | Marks { .. }))
        };
        if !effects.is_empty() && effects.iter().all(timers_only) {
            // The common case, worked out once for each edge and set of timers.
            let timers = self.zone.map_or_else(|| self.component(Component::Timers(unit)), Ok)?;
            let before = timers.of(next);
            let Some(&after) = self.rearmed.get(&(edge, before)) else {
                self.effects(unit, edge, next)?;
                return Err(Missing::Rearmed { edge, before, after: timers.of(next) }.into());
            };
            timers.set(next, after);
        } else {
            self.effects(unit, edge, next)?;
        }
        let edge = self.automata.edge(edge);
        match self.automata.node(target).kind {
            // The effect has released everything.
            NodeKind::Gone if edge.input.key == OperationKey::CRASH => Ok(()),
            NodeKind::Ended { .. } | NodeKind::Gone => self.end(unit, component, next),
            _ => Ok(()),
        }
    }

    fn effects(self, unit: UnitId, edge: EdgeId, next: &mut Vec<u32>) -> Lookup<()> {
        let effects = &self.automata.edge(edge).effects;
        effects.iter().try_for_each(|effect| self.effect(unit, edge, effect, next))
    }

    /// A unit ends: it releases its sockets and timers. The end of a process also ends all its isolated tasks.
    fn end(self, unit: UnitId, component: ComponentId, next: &mut Vec<u32>) -> Lookup<()> {
        self.release(unit, next)?;
        if self.units[unit.0 as usize].is_task {
            if self.clear(Component::Handle(unit), next) & HANDLE_GONE != 0 {
                component.set(next, NodeId::GONE.0);
            }
            return Ok(());
        }
        let process = self.process_of(unit);
        self.drop_astray(process, next);
        self.end_tasks(process, NodeId::GONE, next)
    }

    /// All isolated tasks of a process end; `left` stands for them from now on.
    pub(super) fn end_tasks(self, process: ProcessId, left: NodeId, next: &mut Vec<u32>) -> Lookup<()> {
        for task in (0..self.units.len() as u32).map(UnitId) {
            let component = self.unit_component(task);
            let is_own = self.units[task.0 as usize].is_task && self.process_of(task) == process;
            if is_own && component.of(next) != NodeId::ABSENT.0 {
                self.release(task, next)?;
                self.clear(Component::Handle(task), next);
                component.set(next, left.0);
            }
        }
        Ok(())
    }

    /// Sets a component that may never have been used to 0; returns the value that it had.
    pub(super) fn clear(self, component: Component, next: &mut Vec<u32>) -> u32 {
        let Some(component) = self.components.find(component) else { return 0 };
        let value = component.of(next);
        component.set(next, 0);
        value
    }

    /// Releases everything that a unit holds.
    pub(super) fn release(self, unit: UnitId, next: &mut Vec<u32>) -> Lookup<()> {
        self.clear(Component::Scope(unit), next);
        self.release_streams(unit, next)?;
        self.release_mailboxes(unit, next)?;
        self.release_datagrams(unit, next)
    }
}
