//! The steps that timers and clock reads offer.

use super::{Prepared, names};
use crate::operation::Outcome;
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
            let outcome = view.elapsed(state, asker.unit, 0, remaining_ns.saturating_neg())?;
            let fired = view.fired(armed.of(state), timer, repeats)?;
            let change = Change { events: view.known.fired, ..Change::quiet(smallvec![(armed, fired)]) };
            view.offer(enabled, asker, outcome, Class::Immediate, change).map(|_| ())
        }
        Prepared::Clock => {
            let at = view.instant(state, asker.unit, 0);
            view.answer(enabled, asker, Outcome::Time { at }, Writes::new())
        }
        Prepared::Deadline { timer, armed } => {
            let remaining = view.timers.get(armed.of(state)).remaining_ns(timer);
            let at = view.instant(state, asker.unit, remaining);
            view.answer(enabled, asker, Outcome::Time { at }, Writes::new())
        }
    }
}
