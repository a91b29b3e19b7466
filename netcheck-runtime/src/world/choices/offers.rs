//! A choice offers one step for each alternative.

use super::Prepared;
use crate::operation::{Input, Outcome};
use crate::world::enabled::{Asker, Enabled};
use crate::world::step::{Change, Class, Move, Transition, Writes};
use crate::world::tables::{Lookup, Missing, View};

pub(crate) fn offers(
    view: View<'_>,
    state: &[u32],
    asker: Asker,
    prepared: &Prepared,
    enabled: &mut Enabled,
) -> Lookup<()> {
    let offer = |alternative: usize| view.offer_alternative(state, asker, alternative, enabled);
    match prepared {
        Prepared::Choose { alternatives } => each(0..*alternatives, offer),
        Prepared::Select { candidates } => each(candidates.iter().map(|&candidate| candidate.into()), offer),
    }
}

impl View<'_> {
    /// Offers an alternative. A branch of a `select!` in which nothing is ready is refused, unless that is a timer that is due.
    fn offer_alternative(self, state: &[u32], asker: Asker, alternative: usize, enabled: &mut Enabled) -> Lookup<()> {
        let outcome = self.outcome(Outcome::Alternative(alternative))?;
        let Asker { unit, component, node, key, .. } = asker;
        let input = Input { key, outcome };
        let edge = self.edge(node, input)?;
        if !self.is_refused(edge) || self.automata.edge(edge).begun.calls.is_empty() {
            return self.immediate(enabled, asker, outcome, Writes::new());
        }
        let step = Move::Unit { unit, component, node, input, edge, class: Class::Immediate };
        let Change { writes, faults, events } = Change::quiet(Writes::new());
        let mut steps = [Transition { step, writes, faults, events, watched: None }];
        self.attempt(state, &mut steps)?;
        let [step] = steps;
        match step.step {
            Move::Unit { edge, .. } if self.is_refused(edge) => self.immediate(enabled, asker, outcome, Writes::new()),
            _ => {
                enabled.moves.push(step);
                Ok(())
            }
        }
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
