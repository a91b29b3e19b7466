//! What spawning, aborting and dropping handles does to isolated tasks.

use super::operation::Effect;
use crate::id::{NodeId, UnitId};
use crate::unit::automaton::{EdgeId, NodeKind};
use crate::world::place::{ABORTED, Binding, HANDLE_GONE, Place};
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
            view.unit_place(child).set(next, root.0);
            for &socket in handles {
                let lacks = |binding: &Binding| binding.socket == socket && !binding.holders.contains(&child);
                view.change_bindings(next, lacks, |_, binding| {
                    binding.holders.push(child);
                    binding.holders.sort();
                })?;
            }
        }
        Effect::Abort { child } => {
            if view.automata.node(NodeId(view.unit_place(child).of(next))).kind == NodeKind::Live {
                view.tell_of_handle(child, ABORTED, next)?;
            }
        }
        Effect::Detach { child } => {
            let place = view.unit_place(child);
            match view.automata.node(NodeId(place.of(next))).kind {
                NodeKind::Live => view.tell_of_handle(child, HANDLE_GONE, next)?,
                // It never ends, and goes on to hold what it holds.
                NodeKind::Parked { .. } => {}
                NodeKind::Ended { .. } | NodeKind::Panicked(_) | NodeKind::Gone => {
                    place.set(next, NodeId::GONE.0);
                }
            }
        }
    }
    Ok(())
}

impl View<'_> {
    fn tell_of_handle(self, unit: UnitId, what: u32, next: &mut Vec<u32>) -> Lookup<()> {
        let place = self.place(Place::Handle(unit))?;
        place.set(next, place.of(next) | what);
        Ok(())
    }
}
