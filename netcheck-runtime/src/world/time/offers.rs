//! The steps that timers and clock reads offer.

use super::{Prepared, names};
use crate::operation::Outcome;
use crate::world::components::ComponentId;
use crate::world::enabled::{Asker, Enabled, Waiting};
use crate::world::step::{Change, Class, Writes};
use crate::world::tables::{Lookup, View};
use netcheck_models::time::Moment;
use smallvec::smallvec;

pub(crate) fn offers(
    view: View<'_>,
    state: &[u32],
    asker: Asker,
    prepared: &Prepared,
    enabled: &mut Enabled,
) -> Lookup<()> {
    match *prepared {
        Prepared::Timer { timer, armed, repeats } if view.has_delay() => {
            view.offer_timer(state, asker, (timer, armed, repeats), enabled)
        }
        Prepared::Try { timer, repeats, .. } if view.has_delay() => {
            view.offer_try(state, asker, timer, repeats, enabled)
        }
        Prepared::Clock if view.has_delay() => view.offer_instant(state, asker, Moment::NOW, enabled),
        Prepared::Deadline { timer, .. } if view.has_delay() => {
            let deadline = Moment::of(names::timer_event(asker.unit, timer));
            view.offer_instant(state, asker, deadline, enabled)
        }
        Prepared::Compare { one, other } => view.offer_comparison(state, asker, [one, other], enabled),
        Prepared::Distance { from, to } => view.offer_distance(state, asker, [from, to], enabled),
        Prepared::Timer { timer, armed, repeats } => {
            let Some(countdown) = view.timers.get(armed.of(state)).get(timer) else { return Ok(()) };
            let remaining_ns = countdown.remaining_ns;
            if remaining_ns > 0 {
                let mover = view.automata.mover(asker.node, asker.key);
                enabled.timers.push(Waiting { mover, asker, timer, armed, remaining_ns, repeats });
                return Ok(());
            }
            view.offer_due(state, asker, (timer, armed, repeats), remaining_ns, enabled)
        }
        Prepared::Try { timer, armed, repeats } => {
            let remaining_ns = view.timers.get(armed.of(state)).get(timer).map(|countdown| countdown.remaining_ns);
            if let Some(remaining_ns) = remaining_ns.filter(|&ns| ns <= 0) {
                view.offer_due(state, asker, (timer, armed, repeats), remaining_ns, enabled)?;
            }
            match remaining_ns {
                Some(..0) => Ok(()),
                _ => view.answer(enabled, asker, Outcome::WouldBlock, Writes::new()),
            }
        }
        Prepared::Clock => {
            let at = view.instant(state, asker.unit, 0);
            view.answer(enabled, asker, Outcome::Time { at }, Writes::new())
        }
        Prepared::Deadline { timer, armed } => {
            let countdown = view.timers.get(armed.of(state)).get(timer);
            // By how long the deadline of a timer that does not repeat is over is not known: it is told to be now.
            let remaining_ns = countdown.map_or(0, |countdown| match countdown.repeats {
                true => countdown.remaining_ns,
                false => countdown.remaining_ns.max(0),
            });
            let at = view.instant(state, asker.unit, remaining_ns);
            view.answer(enabled, asker, Outcome::Time { at }, Writes::new())
        }
    }
}

impl View<'_> {
    /// Offers that a timer fires which is due.
    fn offer_due(
        self,
        state: &[u32],
        asker: Asker,
        (timer, armed, repeats): (u32, ComponentId, bool),
        remaining_ns: i64,
        enabled: &mut Enabled,
    ) -> Lookup<()> {
        // Only a tick is told by its own instant.
        let late_ns = if repeats { remaining_ns.saturating_neg() } else { 0 };
        let outcome = self.elapsed(state, asker.unit, 0, late_ns)?;
        let fired = self.fired(armed.of(state), timer, repeats)?;
        let change = Change { events: self.known.fired, ..Change::quiet(smallvec![(armed, fired)]) };
        self.offer(enabled, asker, outcome, Class::Immediate, change).map(|_| ())
    }
}
