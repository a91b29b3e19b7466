//! What timers and clock reads affect and depend on.

use super::Prepared;
use super::operation::Effect;
use crate::id::UnitId;
use crate::unit::automaton::EdgeId;
use crate::world::system::System;
use crate::world::tables::{Lookup, View};
use crate::world::touches::{Resource, Touches};

pub(crate) fn operation(touches: &mut Touches, system: &mut System, unit: UnitId, prepared: &Prepared) {
    match prepared {
        Prepared::Timer { .. } => {
            touches.affects(Resource::Timed(unit));
            touches.seen_time(system);
            // With delays, time passes for every unit while packets are in flight: a timer can be due, but not yet
            // taken, because the timer of another unit has fired.
            if system.demands.clock || system.has_delay() {
                touches.affects(Resource::Clock).depends_on(Resource::Clock);
            }
        }
        Prepared::Clock | Prepared::Deadline { .. } | Prepared::Compare { .. } | Prepared::Distance { .. } => {
            touches.depends_on(Resource::Clock);
        }
    }
}

/// Never: an operation of this kind depends on the same resources in every state.
pub(crate) fn is_contended(_view: View<'_>, _state: &[u32], _unit: UnitId, _prepared: &Prepared) -> Lookup<bool> {
    Ok(false)
}

pub(crate) fn effect(touches: &mut Touches, _system: &mut System, (unit, _): (UnitId, EdgeId), effect: &Effect) {
    match effect {
        Effect::Arm { .. } | Effect::ArmAt { .. } | Effect::Rearm { .. } => {
            touches.affects(Resource::Timed(unit));
        }
        Effect::Await { .. } | Effect::Disarm { .. } => {}
    }
}
