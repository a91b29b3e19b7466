//! How many fault regions of a unit are being run.

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
