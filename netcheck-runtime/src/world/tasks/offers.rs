//! The steps that the start of a process, polls of tasks, and joins offer.

use super::Prepared;
use crate::id::NodeId;
use crate::operation::Outcome;
use crate::unit::automaton::NodeKind;
use crate::world::enabled::{Asker, Enabled};
use crate::world::step::{Change, Class, Writes};
use crate::world::tables::{Lookup, View};
use netcheck_models::event::Event;
use smallvec::smallvec;

pub(crate) fn offers(
    view: View<'_>,
    state: &[u32],
    asker: Asker,
    prepared: &Prepared,
    enabled: &mut Enabled,
) -> Lookup<()> {
    match prepared {
        Prepared::Run => view.immediate(enabled, asker, view.known.done, Writes::new()),
        Prepared::Start { after } => match after.iter().all(|units| view.has_waited(state, units)) {
            true => view.immediate(enabled, asker, view.known.done, Writes::new()),
            false => Ok(()),
        },
        Prepared::Restart => {
            for (outcome, writes) in view.starts_again(state, asker)? {
                let change = Change { events: view.event(Event::Restarted)?, ..Change::quiet(writes) };
                view.offer(enabled, asker, outcome, Class::AnyTime, change)?;
            }
            Ok(())
        }
        Prepared::Join { child, waits, .. } => {
            let outcome = match view.automata.node(NodeId(child.of(state))).kind {
                NodeKind::Ended { output } => view.outcome(Outcome::Ended { output })?,
                NodeKind::Gone => view.known.cancelled,
                _ if *waits => return Ok(()),
                _ => return view.immediate(enabled, asker, view.known.would_block, Writes::new()),
            };
            view.immediate(enabled, asker, outcome, smallvec![(*child, NodeId::GONE.0)])
        }
        Prepared::IsEnded { child, .. } => {
            let ended = match view.automata.node(NodeId(child.of(state))).kind {
                NodeKind::Ended { .. } | NodeKind::Panicked(_) | NodeKind::Gone => 1,
                NodeKind::Live | NodeKind::Parked { .. } => 0,
            };
            view.answer(enabled, asker, Outcome::Alternative(ended), Writes::new())
        }
    }
}
