//! Effects of this kind: what is durable is no part of a state in which nothing can be lost.

use super::operation::Effect;
use crate::id::UnitId;
use crate::unit::automaton::EdgeId;
use crate::world::tables::{Lookup, View};

pub(crate) fn effect(_view: View<'_>, _of: (UnitId, EdgeId), _effect: &Effect, _next: &mut Vec<u32>) -> Lookup<()> {
    Ok(())
}
