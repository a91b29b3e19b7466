//! Resources that timers and clock reads affect and depend on.

use super::Prepared;
use super::operation::Effect;
use crate::id::{TaskId, UnitId};
use crate::unit::automaton::EdgeId;
use crate::world::system::System;
use crate::world::tables::{Lookup, View};
use crate::world::touches::{Resource, Touches, When};

pub(crate) fn operation(touches: &mut Touches, system: &mut System, unit: UnitId, prepared: &Prepared) {
    match prepared {
        &(Prepared::Timer { timer, .. } | Prepared::Try { timer, .. }) => {
            touches.affects(Resource::Timed(unit));
            uses(touches, system, unit, timer);
            has_horizon(touches, system, unit);
            touches.seen_time(system);
            if system.demands.clock {
                touches.affects(Resource::Clock).depends_on(Resource::Clock);
            }
        }
        &Prepared::Deadline { timer, .. } => {
            touches.depends_on(Resource::Clock).affects(Resource::Reading);
            uses(touches, system, unit, timer);
        }
        Prepared::Clock | Prepared::Compare { .. } | Prepared::Distance { .. } => {
            touches.depends_on(Resource::Clock).affects(Resource::Reading);
        }
    }
}

/// A mover uses a timer, which another tracked task may have made.
fn uses(touches: &mut Touches, system: &System, unit: UnitId, timer: u32) {
    if system.modes.tracks {
        touches.affects(Resource::TimersOf(unit, TaskId::of_number(timer)));
    }
}

/// The timers of all tracked tasks of a unit fire before one horizon.
fn has_horizon(touches: &mut Touches, system: &System, unit: UnitId) {
    if system.modes.tracks && system.declared.duration_ns.is_some() {
        touches.affects(Resource::Timed(unit)).depends_on(Resource::Timed(unit));
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
            if matches!(effect, Effect::ArmAt { .. }) {
                touches.affects(Resource::Reading);
            }
            uses(touches, system, unit, timer);
            has_horizon(touches, system, unit);
        }
        Effect::Await { .. } | Effect::Disarm { .. } | Effect::Latest { .. } => {}
        Effect::Marks { .. } | Effect::Reach { .. } | Effect::Number => {}
    }
}
