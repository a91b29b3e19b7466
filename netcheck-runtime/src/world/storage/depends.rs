//! No unit sees the files of another one: changes of files affect nothing else, and depend on nothing else.

use super::operation::Effect;
use crate::id::UnitId;
use crate::unit::automaton::EdgeId;
use crate::world::system::System;
use crate::world::touches::Touches;

pub(crate) fn effect(_touches: &mut Touches, _system: &mut System, _of: (UnitId, EdgeId), _effect: &Effect) {}
