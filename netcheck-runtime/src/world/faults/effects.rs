//! Effects of this kind: the number of fault regions that a unit is in.

use super::operation::Effect;
use crate::id::UnitId;
use crate::unit::automaton::EdgeId;
use crate::world::components::Component;
use crate::world::tables::{Lookup, View};

pub(crate) fn effect(
    view: View<'_>,
    (unit, _): (UnitId, EdgeId),
    &Effect::Scope { entered }: &Effect,
    next: &mut Vec<u32>,
) -> Lookup<()> {
    let component = view.component(Component::Scope(unit))?;
    let depth = component.of(next);
    component.set(next, if entered { depth + 1 } else { depth.saturating_sub(1) });
    Ok(())
}
