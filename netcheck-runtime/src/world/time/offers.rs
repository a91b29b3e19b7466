//! The steps that timers and clock reads offer.

use super::Prepared;
use crate::operation::Outcome;
use crate::world::enabled::{Asker, Enabled, Waiting};
use crate::world::step::{Change, Class, Writes};
use crate::world::tables::{Lookup, View};
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
        Prepared::Clock | Prepared::Deadline { .. } if view.has_delay() => {
            let timer = if let Prepared::Deadline { timer, .. } = *prepared { Some(timer) } else { None };
            let at_ns = view.instant_ns(state, asker, timer)?;
            view.answer(enabled, asker, Outcome::Time { at_ns }, Writes::new())
        }
        Prepared::Timer { timer, armed, repeats } => {
            let Some(countdown) = view.timers.get(armed.of(state)).get(timer) else { return Ok(()) };
            let remaining_ns = countdown.remaining_ns;
            if remaining_ns > 0 {
                let mover = view.automata.mover(asker.node, asker.key);
                enabled.timers.push(Waiting { mover, asker, timer, armed, remaining_ns, repeats });
                return Ok(());
            }
            let outcome = view.elapsed(state, remaining_ns)?;
            let fired = view.fired(armed.of(state), timer, repeats)?;
            let change = Change { events: view.known.fired, ..Change::quiet(smallvec![(armed, fired)]) };
            view.offer(enabled, asker, outcome, Class::Immediate, change).map(|_| ())
        }
        Prepared::Clock => {
            let at_ns = view.now_ns(state);
            view.answer(enabled, asker, Outcome::Time { at_ns }, Writes::new())
        }
        Prepared::Deadline { timer, armed } => {
            let remaining = view.timers.get(armed.of(state)).remaining_ns(timer);
            let at_ns = view.now_ns(state).saturating_add_signed(remaining);
            view.answer(enabled, asker, Outcome::Time { at_ns }, Writes::new())
        }
    }
}
