//! A choice offers one step for each alternative.

use super::Prepared;
use crate::operation::Outcome;
use crate::world::enabled::{Asker, Enabled};
use crate::world::step::Writes;
use crate::world::tables::{Lookup, View};

pub(crate) fn offers(
    view: View<'_>,
    _state: &[u32],
    asker: Asker,
    prepared: &Prepared,
    enabled: &mut Enabled,
) -> Lookup<()> {
    let mut offer = |alternative: usize| view.answer(enabled, asker, Outcome::Alternative(alternative), Writes::new());
    match prepared {
        Prepared::Choose { alternatives } => (0..*alternatives).try_for_each(offer),
        Prepared::Select { candidates } => candidates.iter().try_for_each(|&candidate| offer(candidate.into())),
    }
}
