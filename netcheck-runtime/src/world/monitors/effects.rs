//! The effects of this kind, emitted values and calls on objects, change no component itself: monitors step with all that a step shows
//! ([`watch`](super::watch)).

use super::operation::Effect;
use crate::id::UnitId;
use crate::unit::automaton::EdgeId;
use crate::world::tables::{Lookup, View};

pub(crate) fn effect(_: View<'_>, _: (UnitId, EdgeId), effect: &Effect, _: &mut Vec<u32>) -> Lookup<()> {
    match effect {
        Effect::Emit(_) | Effect::Invoke(_) | Effect::Conclude(_) => Ok(()),
    }
}
