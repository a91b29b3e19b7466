//! What timers and clock reads affect and depend on.

use super::Prepared;
use super::operation::Effect;
use crate::id::{TaskId, UnitId};
use crate::unit::automaton::EdgeId;
use crate::world::system::System;
use crate::world::tables::{Lookup, View};
use crate::world::touches::{Resource, Touches, When};

pub(crate) fn operation(touches: &mut Touches, system: &mut System, unit: UnitId, prepared: &Prepared) {
    match prepared {
        &Prepared::Timer { timer, .. } => {
            touches.affects(Resource::Timed(unit));
            uses(touches, system, unit, timer);
            touches.seen_time(system);
            if system.demands.clock {
                touches.affects(Resource::Clock).depends_on(Resource::Clock);
            }
        }
        &Prepared::Deadline { timer, .. } => {
            touches.depends_on(Resource::Clock);
            uses(touches, system, unit, timer);
        }
        Prepared::Clock | Prepared::Compare { .. } | Prepared::Distance { .. } => {
            touches.depends_on(Resource::Clock);
        }
    }
}

/// A mover uses a timer, which another tracked task may have made.
fn uses(touches: &mut Touches, system: &System, unit: UnitId, timer: u32) {
    if system.tracks {
        touches.affects(Resource::TimersOf(unit, TaskId::of_number(timer)));
    }
}

/// Never: an operation of this kind depends on the same resources in every state.
pub(crate) fn is_when(_: View<'_>, _: (&[u32], UnitId), _: &Prepared, _: When) -> Lookup<bool> {
    Ok(false)
}

pub(crate) fn effect(touches: &mut Touches, system: &mut System, (unit, _): (UnitId, EdgeId), effect: &Effect) {
    match effect {
        &(Effect::Arm { timer, .. } | Effect::ArmAt { timer, .. } | Effect::Rearm { timer, .. }) => {
            touches.affects(Resource::Timed(unit));
            uses(touches, system, unit, timer);
        }
        Effect::Await { .. } | Effect::Disarm { .. } => {}
    }
}
