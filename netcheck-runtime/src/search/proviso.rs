//! Rule 3, the proviso: no step is put off for ever.
//!
//! A reduced search puts steps off: a step outside of the stubborn set of a state is still possible
//! after each step of the set. So that none is put off for ever, one of the chosen steps has to lead on: to a state that will
//! be expanded later, or by a step that lies on no cycle of states ([`repeats`](crate::reduction::repeats)). Where none
//! does, since all of them lead back to states that were expanded before (the state itself among them), the whole of the
//! state is expanded (after D. Bošnački, S. Leue, A. Lluch-Lafuente, "Partial-order reduction for general state exploring
//! algorithms", 2006: the proviso C3 by the closed set).
//!
//! *Every step that is put off is taken.* Follow from the state a chosen step that leads on, and so forth, until a state is
//! expanded as a whole or takes the step itself: there the step is taken. This ends. There are finitely many states, so
//! that a way which does not end stays within one strongly connected component of the graph from some point on. There
//! every step lies on a cycle, so each step that leads on leads to a state that is expanded later, and no state can be
//! expanded later than the last one. A covered state is stood for by the one that covers it, and a state by its orbit's; in
//! both, the step that is put off is possible as well. A state with several parts is followed by the part of the step.
//! No way leads back from a part to what it was part of, unless what the part has left can be begun anew; such a step
//! leads on only to a state that is expanded later. With a bound of faults, a failure that is put off is no longer possible
//! where others have used the bound up: so a step that is a fault does not lead on. A state in which datagrams are forgotten puts
//! nothing off: what that means for a way through it is told with them ([`unread`](crate::reduction::unread)).
//!
//! Which states are visited depends on the order of exploration, but not on the number of threads, since it is decided
//! in a state's turn.

use super::expand::{Expansion, Step};
use super::explored::Explored;
use crate::property::Properties;
use crate::reduction::footprint::Footprints;
use crate::world::step::{Move, Transition};
use crate::world::store::{Encoded, StateId, decode};
use crate::world::system::{Interrupt, System};

impl Explored {
    /// Whether one of the chosen steps leads to a state that will be expanded later, or is never taken again: then the
    /// steps that are put off are dealt with from there on. The search does not go on from what violates a property.
    pub(super) fn leads_on(
        &mut self,
        system: &mut System,
        (properties, from): (&Properties, StateId),
        expansion: &Expansion<'_>,
        footprints: &mut Footprints,
    ) -> Result<bool, Interrupt> {
        if self.reopened.contains(&from) {
            return Ok(false);
        }
        for Step { transition, encoded, visited, .. } in expansion.successors() {
            let takes_budget = transition.faults > 0 && system.is_limited();
            if takes_budget || properties.step(system, transition).is_some() {
                continue;
            }
            match self.stands_for(system, transition, (encoded, visited))? {
                Some(known) if self.store.is_closed(known) => {
                    if !footprints.repeats.may_repeat(system, transition) {
                        footprints.repeats.rely_on(system, transition);
                        return Ok(true);
                    }
                }
                _ => return Ok(true),
            }
        }
        Ok(false)
    }

    /// Whether a step to a visited state has it expanded once more: if it forgets datagrams, and the state was expanded before
    /// ([`unread`](crate::reduction::unread)), or where states stand for others.
    pub(super) fn is_expanded_again(&mut self, system: &System, step: &Transition, to: StateId) -> bool {
        let is_reopened = step.step == Move::Forget && self.store.is_closed(to) && self.reopened.insert(to);
        is_reopened || self.subsumption.as_mut().is_some_and(|states| states.needs(system, step, to))
    }

    /// The visited state that stands for the target of a step, if there is one.
    fn stands_for(
        &mut self,
        system: &mut System,
        step: &Transition,
        (encoded, visited): (Encoded<'_>, Option<StateId>),
    ) -> Result<Option<StateId>, Interrupt> {
        let known = visited.or_else(|| self.store.find_encoded(encoded));
        let has_others = self.subsumption.is_some() || self.quotient.is_some();
        if self.symmetry.is_none() && (known.is_some() || !has_others) {
            return Ok(known);
        }
        let mut next = Vec::new();
        decode(encoded.bytes, &mut next);
        if let Some(symmetry) = &mut self.symmetry {
            symmetry.canonicalize(system, &mut next)?;
        }
        let known = self.store.find(&next);
        Ok(known.or_else(|| self.stand_in(system, step, &next)))
    }
}
