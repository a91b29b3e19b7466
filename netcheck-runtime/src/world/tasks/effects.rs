//! Effects of this kind: spawning and aborting isolated tasks, and dropping their handles.

use super::operation::Effect;
use crate::id::{NodeId, UnitId};
use crate::unit::automaton::{EdgeId, NodeKind};
use crate::world::components::{ABORTED, Binding, Component, HANDLE_GONE};
use crate::world::tables::{Lookup, View};

pub(crate) fn effect(
    view: View<'_>,
    (unit, edge): (UnitId, EdgeId),
    effect: &Effect,
    next: &mut Vec<u32>,
) -> Lookup<()> {
    match *effect {
        Effect::Spawn { child, ref handles, ref streams } => {
            for &stream in streams {
                view.hand_over(unit, child, stream, next)?;
            }
            let roots = &view.automata.edge(edge).roots;
            let root = roots.iter().find(|(unit, _)| *unit == child).expect("a spawned task has a program").1;
            view.unit_component(child).set(next, root.0);
            view.hand_over_horizon(unit, child, next)?;
            for &socket in handles {
                let lacks = |binding: &Binding| binding.socket == socket && !binding.holders.contains(&child);
                view.change_bindings(next, lacks, |_, binding| {
                    binding.holders.push(child);
                    binding.holders.sort();
                })?;
            }
        }
        Effect::Abort { child } => {
            if view.automata.node(NodeId(view.unit_component(child).of(next))).kind == NodeKind::Live {
                view.tell_of_handle(child, ABORTED, next)?;
            }
        }
        Effect::Crash { next: incarnation } => view.crash_of(unit, (edge, incarnation), next)?,
        Effect::Detach { child } => {
            let component = view.unit_component(child);
            match view.automata.node(NodeId(component.of(next))).kind {
                NodeKind::Live => view.tell_of_handle(child, HANDLE_GONE, next)?,
                // A parked task never ends, and keeps what it holds.
                NodeKind::Parked { .. } => {}
                NodeKind::Ended { .. } | NodeKind::Panicked(_) | NodeKind::Gone => {
                    component.set(next, NodeId::GONE.0);
                }
            }
        }
    }
    Ok(())
}

impl View<'_> {
    fn tell_of_handle(self, unit: UnitId, what: u32, next: &mut Vec<u32>) -> Lookup<()> {
        let component = self.component(Component::Handle(unit))?;
        component.set(next, component.of(next) | what);
        Ok(())
    }
}
