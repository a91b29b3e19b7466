//! Resources that entering and leaving a fault region affects and depends on.

use super::Prepared;
use super::operation::Effect;
use crate::id::UnitId;
use crate::unit::automaton::EdgeId;
use crate::world::system::System;
use crate::world::tables::{Lookup, View};
use crate::world::touches::{Resource, Touches, When};

pub(crate) fn operation(_touches: &mut Touches, _system: &mut System, _unit: UnitId, prepared: &Prepared) {
    match *prepared {}
}

/// Never: there are no operations on fault regions.
pub(crate) fn is_when(_: View<'_>, _: (&[u32], UnitId), _: &Prepared, _: When) -> Lookup<bool> {
    Ok(false)
}

pub(crate) fn effect(touches: &mut Touches, system: &mut System, (unit, _): (UnitId, EdgeId), effect: &Effect) {
    match effect {
        Effect::Scope { .. } | Effect::Enter { .. } | Effect::Leave { .. } => {
            let process = system.process_of(unit);
            touches.affects(Resource::Scoped(process)).depends_on(Resource::InScope(process));
        }
    }
}
