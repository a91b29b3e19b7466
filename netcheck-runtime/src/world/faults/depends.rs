//! Resources that entering and leaving a fault region affects and depends on.

use super::operation::Effect;
use crate::id::UnitId;
use crate::unit::automaton::EdgeId;
use crate::world::system::System;
use crate::world::touches::{Resource, Touches};

pub(crate) fn effect(touches: &mut Touches, system: &mut System, (unit, _): (UnitId, EdgeId), effect: &Effect) {
    match effect {
        Effect::Scope { .. } | Effect::Enter { .. } | Effect::Leave { .. } => {
            let process = system.process_of(unit);
            touches.affects(Resource::Scoped(process)).depends_on(Resource::InScope(process));
        }
    }
}
