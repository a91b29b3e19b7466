//! No unit sees the files of another one: changes of files affect nothing else, and depend on nothing else.

use super::Prepared;
use super::operation::Effect;
use crate::id::UnitId;
use crate::unit::automaton::EdgeId;
use crate::world::system::System;
use crate::world::tables::{Lookup, View};
use crate::world::touches::{Touches, When};

pub(crate) fn operation(_touches: &mut Touches, _system: &mut System, _unit: UnitId, prepared: &Prepared) {
    match *prepared {}
}

/// Never: there are no operations on files.
pub(crate) fn is_when(_: View<'_>, _: (&[u32], UnitId), _: &Prepared, _: When) -> Lookup<bool> {
    Ok(false)
}

pub(crate) fn effect(_touches: &mut Touches, _system: &mut System, _of: (UnitId, EdgeId), _effect: &Effect) {}
