//! The steps that are explored from a state: all that it offers, or those of a stubborn set.

use super::apart;
use crate::id::Mover;
use crate::reduction::footprint::{Footprints, Row};
use crate::reduction::stubborn::{self, StubbornSet};
use crate::world::components::StateVector;
use crate::world::enabled::Enabled;
use crate::world::events::EventsId;
use crate::world::step::{Move, Transition};
use crate::world::system::{Interrupt, System};
use crate::world::tables::{Lookup, View};
use std::sync::Arc;

/// One step of a path.
pub struct PathStep {
    pub state: StateVector,
    pub transition: Transition,
    pub scope: Option<Arc<StubbornSet>>,
}

/// The choice of the steps of a state.
pub(crate) struct Choice {
    /// The stubborn set of the steps.
    pub(crate) scope: Option<StubbornSet>,
    /// The footprints that it relies on.
    pub(crate) rows: Vec<Row>,
    /// Moves that are left out, of the processes that were looked at.
    pub(crate) pruned: u64,
}

/// The steps that are explored from a state; keeps its buffers from state to state.
#[derive(Default)]
pub struct Successors {
    enabled: Enabled,
    chosen: Vec<Transition>,
}

impl Successors {
    /// The steps to explore.
    pub(crate) fn of(
        &mut self,
        system: &mut System,
        state: &[u32],
        mut reduction: Option<&mut Footprints>,
    ) -> Result<&[Transition], Interrupt> {
        loop {
            if let Some(footprints) = &mut reduction {
                footprints.update(system);
            }
            match self.look(system.view(), state, reduction.as_deref()) {
                Err(missing) => system.find_out(*missing)?,
                Ok(choice) => {
                    if let Some(footprints) = reduction {
                        choice.rows.into_iter().for_each(|row| footprints.consult(row));
                    }
                    return Ok(&self.chosen);
                }
            }
        }
    }

    /// Chooses the steps to explore, by what is known already.
    pub(crate) fn look(&mut self, view: View<'_>, state: &[u32], reduction: Option<&Footprints>) -> Lookup<Choice> {
        let choice = match reduction {
            Some(footprints) if view.has_delay() => {
                let buffers = (&mut self.enabled, &mut self.chosen);
                let (scope, rows) = apart::choose(view, footprints, state, buffers)?;
                return Ok(Choice { scope, rows, pruned: 0 });
            }
            Some(footprints) => Some(stubborn::choose(view, footprints, state, &mut self.enabled)?),
            None => {
                view.enabled(state, &mut self.enabled)?;
                None
            }
        };
        let (scope, rows) = choice.unzip();
        let offered = self.enabled.moves.len();
        self.choose(view, state, scope.as_ref())?;
        let moves = self.chosen.iter().filter(|step| !step.is_scoped()).count();
        let pruned = offered.saturating_sub(moves) as u64;
        Ok(Choice { scope, rows: rows.unwrap_or_default(), pruned })
    }

    /// The steps that were chosen last.
    pub(crate) fn chosen(&self) -> &[Transition] {
        &self.chosen
    }

    /// Gives away the steps that were chosen last.
    pub(crate) fn move_to(&mut self, steps: &mut Vec<Transition>) {
        steps.append(&mut self.chosen);
    }

    /// The steps that are possible within a stubborn set; without one, all of them. Steps that need no quiet are always
    /// among them.
    pub fn within(
        &mut self,
        system: &mut System,
        state: &[u32],
        scope: Option<&StubbornSet>,
    ) -> Result<&[Transition], Interrupt> {
        system.ask(|view| {
            view.enabled(state, &mut self.enabled)?;
            self.choose(view, state, scope)
        })?;
        Ok(&self.chosen)
    }

    fn choose(&mut self, view: View<'_>, state: &[u32], scope: Option<&StubbornSet>) -> Lookup<()> {
        let Successors { enabled, chosen } = self;
        match scope {
            None => view.within(state, enabled, &|_| true, &|_| true, chosen),
            Some(StubbornSet::Moves(movers)) => {
                view.within(state, enabled, &|of| movers.contains(&of), &|_| false, chosen)
            }
            Some(StubbornSet::Component(movers)) => {
                let within = |of| movers.contains(&of);
                view.within(state, enabled, &within, &within, chosen)
            }
            Some(StubbornSet::Finished(units)) => {
                // They are parked, or one of their calls fails.
                let within = |of: Mover| units.contains(&of.unit);
                view.within(state, enabled, &within, &within, chosen)?;
                let (step, writes) = (Move::Park(units.clone()), Default::default());
                chosen.push(Transition { step, writes, faults: 0, events: EventsId::NONE, watched: None });
                Ok(())
            }
            Some(StubbornSet::Nothing | StubbornSet::Endless) => {
                chosen.clear();
                Ok(())
            }
            Some(StubbornSet::Both(scopes)) => {
                let mut both = Vec::new();
                for scope in &**scopes {
                    view.enabled(state, &mut self.enabled)?;
                    self.choose(view, state, Some(scope))?;
                    both.append(&mut self.chosen);
                }
                self.chosen = both;
                Ok(())
            }
        }
    }
}
