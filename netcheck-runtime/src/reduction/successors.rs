//! The steps that are explored from a state: all that it offers, or those of a stubborn set.

use super::parts::{self, Part};
use crate::id::Mover;
use crate::reduction::footprint::{Footprints, Row};
use crate::reduction::stubborn::{self, Chosen, Sets, StubbornSet};
use crate::world::components::StateVector;
use crate::world::enabled::Enabled;
use crate::world::events::EventsId;
use crate::world::step::{Move, Transition, Writes};
use crate::world::system::{Interrupt, System};
use crate::world::tables::{Lookup, View};
use smallvec::SmallVec;
use std::sync::Arc;

/// One step of a path.
pub struct PathStep {
    pub state: StateVector,
    pub transition: Transition,
    pub scope: Option<Arc<StubbornSet>>,
}

/// The choice of the steps of a state.
pub(crate) struct Choice {
    /// The stubborn sets of the steps, in their order, each with the number of the steps up to its last one.
    pub(crate) scopes: SmallVec<[(usize, StubbornSet); 1]>,
    /// The footprints that it relies on.
    pub(crate) rows: Vec<Row>,
    /// Moves that are left out, of the processes that were looked at.
    pub(crate) pruned: u64,
    /// Whether steps are put off.
    pub(crate) puts_off: bool,
    /// The processes that wait for ever while others go on, with the units that could have helped them.
    pub(crate) helpless: SmallVec<[Part; 1]>,
}

/// How much of a state is explored.
#[derive(Clone, Copy)]
pub(crate) enum Extent {
    /// A stubborn set at this depth of the search, or the parts of the state.
    Reduced { depth: usize },
    /// All steps of its movers.
    Whole,
}

/// The steps that are explored from a state; keeps its buffers from state to state.
#[derive(Default)]
pub struct Successors {
    enabled: Enabled,
    chosen: Vec<Transition>,
}

impl Successors {
    /// Chooses the steps to explore; learns what is not known for it.
    pub(crate) fn of(
        &mut self,
        system: &mut System,
        state: &[u32],
        extent: Extent,
        mut reduction: Option<&mut Footprints>,
    ) -> Result<Choice, Interrupt> {
        loop {
            if let Some(footprints) = &mut reduction {
                footprints.update(system);
            }
            match self.look(system.view(), state, extent, reduction.as_deref()) {
                Err(missing) => system.find_out(*missing)?,
                Ok(choice) => {
                    if let Some(footprints) = reduction {
                        choice.rows.iter().for_each(|&row| footprints.consult(row));
                    }
                    return Ok(choice);
                }
            }
        }
    }

    /// Chooses the steps to explore, by what is known already.
    pub(crate) fn look(
        &mut self,
        view: View<'_>,
        state: &[u32],
        extent: Extent,
        reduction: Option<&Footprints>,
    ) -> Lookup<Choice> {
        let Some(footprints) = reduction else {
            view.enabled(state, &mut self.enabled)?;
            self.choose(view, state, None)?;
            let (scopes, helpless) = (SmallVec::new(), SmallVec::new());
            return Ok(Choice { scopes, rows: Vec::new(), pruned: 0, puts_off: false, helpless });
        };
        let Chosen { sets, rows, puts_off, helpless } = match extent {
            Extent::Reduced { depth } => stubborn::choose(view, footprints, (state, depth), &mut self.enabled)?,
            Extent::Whole => stubborn::whole(view, footprints, state, &mut self.enabled)?,
        };
        let offered = self.enabled.moves.len();
        let mut scopes = SmallVec::new();
        match sets {
            Sets::All => self.choose(view, state, None)?,
            Sets::Each(sets) => {
                let mut all = Vec::new();
                for set in sets {
                    if !all.is_empty() || !scopes.is_empty() {
                        view.enabled(state, &mut self.enabled)?;
                    }
                    self.choose(view, state, Some(&set))?;
                    all.append(&mut self.chosen);
                    scopes.push((all.len(), set));
                }
                self.chosen = all;
            }
            Sets::Parts(parts) => {
                parts::steps(view, footprints, state, &parts, &mut self.chosen)?;
                let set = |step: &Transition| match &step.step {
                    Move::Part { units } => StubbornSet::Part { units: units.clone(), forgets: step.writes.clone() },
                    _ => unreachable!("a part is chosen by a step of its own"),
                };
                scopes.extend((1..).zip(self.chosen.iter().map(set)));
                return Ok(Choice { scopes, rows, pruned: 0, puts_off, helpless });
            }
        }
        let moves = self.chosen.iter().filter(|step| !step.is_scoped()).count();
        let pruned = if puts_off { offered.saturating_sub(moves) as u64 } else { 0 };
        Ok(Choice { scopes, rows, pruned, puts_off, helpless })
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

    /// All steps that are possible, and those of which it is not known yet whether the program refuses them
    /// ([`View::postponing`]).
    pub(crate) fn postponing(&mut self, system: &mut System, state: &[u32]) -> Result<&[Transition], Interrupt> {
        system.ask(|view| {
            view.postponing().enabled(state, &mut self.enabled)?;
            self.choose(view.postponing(), state, None)
        })?;
        Ok(&self.chosen)
    }

    fn choose(&mut self, view: View<'_>, state: &[u32], scope: Option<&StubbornSet>) -> Lookup<()> {
        let Successors { enabled, chosen } = self;
        let of_search =
            |step: Move, writes: Writes| Transition { step, writes, faults: 0, events: EventsId::NONE, watched: None };
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
                chosen.push(of_search(Move::Park(units.clone()), Writes::default()));
                Ok(())
            }
            Some(StubbornSet::Part { units, forgets }) => {
                chosen.clear();
                chosen.push(of_search(Move::Part { units: units.clone() }, forgets.clone()));
                Ok(())
            }
            Some(StubbornSet::Unread(forgets)) => {
                chosen.clear();
                chosen.push(of_search(Move::Forget, forgets.clone()));
                Ok(())
            }
            Some(StubbornSet::Nothing) => {
                chosen.clear();
                Ok(())
            }
        }
    }
}
