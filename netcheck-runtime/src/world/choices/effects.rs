//! Effects of this kind: a claim changes no component.

use super::operation::Effect;
use crate::id::UnitId;
use crate::unit::automaton::EdgeId;
use crate::world::tables::{Lookup, View};

pub(crate) fn effect(_view: View<'_>, _at: (UnitId, EdgeId), effect: &Effect, _next: &mut Vec<u32>) -> Lookup<()> {
    match effect {
        Effect::Claim { .. } => Ok(()),
    }
}
