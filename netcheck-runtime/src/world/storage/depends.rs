//! No unit sees the files of another one: changes of files affect nothing else, and depend on nothing else. A call that fails
//! is a fault.

use super::Prepared;
use super::operation::Effect;
use crate::id::UnitId;
use crate::unit::automaton::EdgeId;
use crate::world::system::System;
use crate::world::tables::{Lookup, View};
use crate::world::touches::{Touches, When};

pub(crate) fn operation(touches: &mut Touches, system: &mut System, unit: UnitId, Prepared(call): &Prepared) {
    if system.declared.files.has(*call) {
        touches.failure(system, unit);
    }
}

/// Never: an operation of this kind depends on the same resources in every state.
pub(crate) fn is_when(_: View<'_>, _: (&[u32], UnitId), _: &Prepared, _: When) -> Lookup<bool> {
    Ok(false)
}

pub(crate) fn effect(_touches: &mut Touches, _system: &mut System, _of: (UnitId, EdgeId), _effect: &Effect) {}
