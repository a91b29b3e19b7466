//! Which timers are due when a poll comes to them: see [`world::readiness`](crate::world::readiness).

use super::Prepared;
use super::names::timer_event;
use crate::id::UnitId;
use crate::world::components::ComponentId;
use crate::world::readiness::Readiness;
use crate::world::step::{Move, Transition};
use crate::world::tables::View;
use netcheck_models::time::Moment;

/// Whether a timer that a step has set is due after the step.
pub(in crate::world) fn after(view: View<'_>, state: &[u32], unit: UnitId, prepared: &Prepared) -> Readiness {
    view.readiness_of_timer(unit, prepared, |component| component.of(state))
}

/// Whether a timer that a step has not set is due when the step comes to it.
pub(in crate::world) fn before(view: View<'_>, state: &[u32], step: &Transition, prepared: &Prepared) -> Readiness {
    let Move::Unit { unit, .. } = step.step else { return Readiness::Waits };
    view.readiness_of_timer(unit, prepared, |component| {
        let written = step.writes.iter().rev().find(|(of, _)| *of == component);
        written.map_or_else(|| component.of(state), |(_, value)| *value)
    })
}

impl View<'_> {
    /// Whether a timer is due: if its deadline is over, and perhaps at that very instant, since tokio counts milliseconds,
    /// and rounds up. In dense time, one whose deadline may be over is tried, which decides it; and one that may be due now
    /// or to come is to come, as by tokio's rounding.
    fn readiness_of_timer(self, unit: UnitId, prepared: &Prepared, value: impl Fn(ComponentId) -> u32) -> Readiness {
        let &Prepared::Timer { timer, armed, .. } = prepared else { return Readiness::Waits };
        let Some(zone) = self.tables.zone else {
            return match self.timers.get(value(armed)).get(timer).map(|countdown| countdown.remaining_ns) {
                None | Some(1..) => Readiness::Waits,
                Some(0) => Readiness::MayBe,
                Some(..0) => Readiness::Ready,
            };
        };
        let (zone, event) = (self.tables.zones.get(value(zone)), timer_event(unit, timer));
        if !zone.is_scheduled(event) {
            return Readiness::Waits;
        }
        let away = zone.distance(Moment::NOW, Moment::of(event));
        match (away.least_ns, away.most_ns) {
            (None | Some(..0), _) => Readiness::Ready,
            (Some(0), Some(0)) => Readiness::MayBe,
            _ => Readiness::Waits,
        }
    }
}
