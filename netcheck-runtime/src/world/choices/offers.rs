//! A choice offers one step for each alternative.

use super::Prepared;
use crate::operation::Outcome;
use crate::world::enabled::{Asker, Enabled};
use crate::world::step::Writes;
use crate::world::tables::{Lookup, Missing, View};

pub(crate) fn offers(
    view: View<'_>,
    _state: &[u32],
    asker: Asker,
    prepared: &Prepared,
    enabled: &mut Enabled,
) -> Lookup<()> {
    let offer = |alternative: usize| view.answer(enabled, asker, Outcome::Alternative(alternative), Writes::new());
    match prepared {
        Prepared::Choose { alternatives } => each(0..*alternatives, offer),
        Prepared::Select { candidates } => each(candidates.iter().map(|&candidate| candidate.into()), offer),
    }
}

/// Entries that are told at once, at the most: between two of them nobody looks at the clock.
const TOLD_AT_ONCE: usize = 64;

/// Offers each alternative. Entries that are missing are told all at once: the question is asked again after each that is
/// told by itself, for all alternatives.
fn each(alternatives: impl Iterator<Item = usize>, mut offer: impl FnMut(usize) -> Lookup<()>) -> Lookup<()> {
    let missing: Vec<Missing> =
        alternatives.filter_map(|alternative| offer(alternative).err().map(|one| *one)).take(TOLD_AT_ONCE).collect();
    if missing.is_empty() { Ok(()) } else { Err(Missing::Each(missing).into()) }
}
