//! A call on files is made, or fails as declared.

use super::Prepared;
use super::operation::Operation;
use crate::operation::{Failure, Outcome};
use crate::world::enabled::{Asker, Enabled};
use crate::world::step::{Change, Class, Writes};
use crate::world::tables::{Lookup, View};
use netcheck_models::event::Event;

pub(crate) fn offers(
    view: View<'_>,
    state: &[u32],
    asker: Asker,
    Prepared(call): &Prepared,
    enabled: &mut Enabled,
) -> Lookup<()> {
    view.answer(enabled, asker, Outcome::Done, Writes::new())?;
    let process = view.process_of(asker.unit);
    if view.declared.files.has(*call) && view.budget(state).allows(1) && view.is_in_scope(state, process) {
        let failure = match call {
            Operation::Read | Operation::Sync => Failure::InputOutput,
            Operation::Write => Failure::NoSpace,
        };
        let change = Change { writes: Writes::new(), faults: 1, events: view.event(Event::FailedAlone)? };
        view.offer(enabled, asker, view.outcome(Outcome::Failed(failure))?, Class::Failure, change)?;
    }
    Ok(())
}
