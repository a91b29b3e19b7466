//! Effects of this kind: arming and disarming the timers of a unit.

use super::operation::Effect;
use crate::id::UnitId;
use crate::unit::automaton::EdgeId;
use crate::world::components::Component;
use crate::world::tables::{Lookup, View};

pub(crate) fn effect(view: View<'_>, (unit, _): (UnitId, EdgeId), effect: &Effect, next: &mut Vec<u32>) -> Lookup<()> {
    if view.has_delay() {
        return view.rearm(unit, effect, next);
    }
    let component = view.component(Component::Timers(unit))?;
    let mut timers = view.timers.get(component.of(next)).clone();
    match *effect {
        Effect::Arm { timer, after_ns, repeats } => timers.arm(timer, after_ns, repeats),
        Effect::ArmAt { timer, at, repeats } => {
            let at_ns = at.number().expect("in quiet time an instant is a number");
            timers.arm_at(timer, at_ns, view.now_ns(next), repeats);
        }
        Effect::Rearm { timer, period_ns, missed } => timers.rearm(timer, period_ns, missed),
        Effect::Await { timer } => timers.begin_wait(timer),
        Effect::Disarm { timer } => timers.disarm(timer),
    }
    component.set(next, view.timers(timers)?);
    Ok(())
}
