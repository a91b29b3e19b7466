//! Effects of this kind: arming and disarming the timers of a unit.

use super::operation::Effect;
use crate::id::UnitId;
use crate::unit::automaton::EdgeId;
use crate::world::components::Component;
use crate::world::declared::Demands;
use crate::world::tables::{Lookup, Missing, View};
use netcheck_models::time::Age;

pub(crate) fn effect(
    view: View<'_>,
    (unit, edge): (UnitId, EdgeId),
    effect: &Effect,
    next: &mut Vec<u32>,
) -> Lookup<()> {
    if view.has_delay() {
        return view.rearm((unit, edge), effect, next);
    }
    let component = view.component(Component::Timers(unit))?;
    let mut timers = view.timers.get(component.of(next)).clone();
    match *effect {
        Effect::Arm { timer, after_ns, repeats } => timers.arm(timer, after_ns, repeats),
        Effect::ArmAt { timer, at, repeats } => {
            let (at_ns, now_ns) = match at.since_latest() {
                Some(ns) => (ns, timers.age().map_or(0, |age| age.ns)),
                None => (at.ns(), i64::try_from(view.now_ns(next)).unwrap_or(i64::MAX)),
            };
            // How late an interval is depends on how long ago it began.
            let is_late = repeats && at_ns < now_ns;
            if is_late && timers.age().is_some_and(Age::is_out_of_reach) {
                return Err(view.out_of_reach(now_ns));
            }
            timers.arm_at(timer, at_ns, now_ns, repeats);
        }
        Effect::Rearm { timer, period_ns, missed } => timers.rearm(timer, period_ns, missed),
        Effect::Await { timer } => timers.begin_wait(timer),
        Effect::Disarm { timer } => timers.disarm(timer),
        Effect::Latest { ns, has_std, is_in_reach } => {
            let reach_ns = if has_std { i64::MAX } else { view.modes.reach_ns };
            timers.hold(ns, reach_ns, is_in_reach).map_err(|reach_ns| view.out_of_reach(reach_ns))?;
        }
        Effect::Marks { .. } | Effect::Reach { .. } | Effect::Number => {}
    }
    component.set(next, view.timers(timers)?);
    Ok(())
}

impl View<'_> {
    /// It has to be told how far apart instants are that lie farther from each other.
    pub(super) fn out_of_reach(&self, reach_ns: i64) -> Box<Missing> {
        let reach_ns = reach_ns.max(self.demands.reach_ns.saturating_add(1));
        Box::new(Missing::Demands(Demands { reach_ns, ..self.demands }))
    }
}
