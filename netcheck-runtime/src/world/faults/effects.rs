//! Effects of this kind: the fault regions that a unit is in.

use super::operation::Effect;
use crate::id::UnitId;
use crate::unit::automaton::EdgeId;
use crate::world::components::Component;
use crate::world::tables::{Lookup, Missing, View};

pub(crate) fn effect(view: View<'_>, (unit, _): (UnitId, EdgeId), effect: &Effect, next: &mut Vec<u32>) -> Lookup<()> {
    let component = view.component(Component::Scope(unit))?;
    let regions = view.regions.get(component.of(next)).after(effect);
    let number = view.regions.find(&regions).ok_or_else(|| Box::new(Missing::Regions(regions)))?;
    component.set(next, number);
    Ok(())
}
