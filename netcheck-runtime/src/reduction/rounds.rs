//! The rounds of a reduced search, which rely on footprints, cycles and classes as far as they are known.

use super::bisimulation::Bisimulation;
use super::footprint::Footprints;
use crate::world::store::Store;
use crate::world::system::{Interrupt, System};
use std::sync::Arc;

impl Footprints {
    /// A round of the search begins.
    pub fn begin_round(&mut self, system: &mut System) {
        self.update(system);
        self.grown_at = None;
        self.repeats.begin(system, self.alike());
    }

    /// The states that this round takes for others, if there are any.
    pub(crate) fn alike(&self) -> Option<Arc<Bisimulation>> {
        self.merging.as_ref()?.used.clone()
    }

    /// Whether a round is given up after so many expanded states: since another one merges more, or since it has gone on for
    /// `patience` states after something that it relied on had grown.
    pub(crate) fn gives_up(
        &mut self,
        system: &mut System,
        store: &Store,
        expanded: u64,
        patience: u64,
    ) -> Result<bool, Interrupt> {
        let is_impatient = self.grew && expanded > patience.saturating_add(*self.grown_at.get_or_insert(expanded));
        Ok(is_impatient || self.merges_more(system, store)?)
    }

    /// Looks for larger classes of states. If there are, the round is over.
    fn merges_more(&mut self, system: &mut System, store: &Store) -> Result<bool, Interrupt> {
        let Some(merging) = self.merging.as_mut().filter(|merging| merging.is_due(store.len())) else {
            return Ok(false);
        };
        let merges_more = merging.finds_more(system, store)?;
        self.grew |= merges_more;
        Ok(merges_more)
    }

    /// A round is over. Learns what its merging of states relies on, and says whether the round is to be repeated: since a
    /// footprint has grown that a choice had relied on, or a step may be taken again that was taken not to be, or classes
    /// of states are others.
    pub fn end_round(&mut self, system: &mut System, store: &Store) -> Result<bool, Interrupt> {
        if let Some(merging) = &mut self.merging {
            self.grew |= merging.end_round(system, store)?;
        }
        self.update(system);
        Ok(std::mem::take(&mut self.grew) || self.repeats.is_refuted(system))
    }
}
