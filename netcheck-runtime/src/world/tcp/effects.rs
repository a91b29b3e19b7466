//! Effects of this kind: closing and dropping streams and listeners.

use super::operation::Effect;
use crate::id::UnitId;
use crate::unit::automaton::EdgeId;
use crate::world::tables::{Lookup, View};

pub(crate) fn effect(view: View<'_>, (unit, _): (UnitId, EdgeId), effect: &Effect, next: &mut Vec<u32>) -> Lookup<()> {
    match *effect {
        Effect::CloseStream { stream } => view.close_stream(unit, stream, next),
        Effect::Linger { stream, resets } => view.set_linger(unit, stream, resets, next),
        Effect::EndStream { stream } => view.end_stream(unit, stream, next),
        Effect::Pair { sockets } => view.pair(unit, sockets, next),
        Effect::CloseListener { socket, local } => {
            view.close_listener(view.process_of(unit), socket, local.port(), next)
        }
        Effect::GiveUp { socket, local, peer } => view.give_up(unit, (socket, local, peer), next),
    }
}
