//! Choices and claims are a unit's own: they depend on no step of other units.

use super::Prepared;
use super::operation::Effect;
use crate::id::UnitId;
use crate::unit::automaton::EdgeId;
use crate::world::system::System;
use crate::world::tables::{Lookup, View};
use crate::world::touches::{Touches, When};

pub(crate) fn operation(_touches: &mut Touches, _system: &mut System, _unit: UnitId, prepared: &Prepared) {
    match prepared {
        Prepared::Choose { .. } | Prepared::Select { .. } => {}
    }
}

/// Never: an operation of this kind depends on the same resources in every state.
pub(crate) fn is_when(_: View<'_>, _: (&[u32], UnitId), _: &Prepared, _: When) -> Lookup<bool> {
    Ok(false)
}

pub(crate) fn effect(_touches: &mut Touches, _system: &mut System, _at: (UnitId, EdgeId), effect: &Effect) {
    match effect {
        Effect::Claim { .. } => {}
    }
}
