//! The steps that are explored from a state: all that it offers, or those of a scope.

use crate::id::Mover;
use crate::reduction::footprint::Footprints;
use crate::reduction::stubborn::{self, Scope};
use crate::state::enabled::{Enabled, Step, Transition};
use crate::state::place::StateVector;
use crate::state::system::{Interrupt, System};
use std::rc::Rc;

/// One step of a path.
pub(crate) struct Leg {
    pub(crate) state: StateVector,
    pub(crate) transition: Transition,
    pub(crate) scope: Option<Rc<Scope>>,
}

/// What is explored from a state.
pub(crate) struct Chosen<'a> {
    pub(crate) steps: &'a [Transition],
    /// What they were chosen for.
    pub(crate) scope: Option<Rc<Scope>>,
    /// Moves that are left out.
    pub(crate) pruned: u64,
}

/// The steps that are explored from a state; keeps its buffers from state to state.
#[derive(Default)]
pub(crate) struct Successors {
    enabled: Enabled,
    chosen: Vec<Transition>,
}

impl Successors {
    /// The steps to explore.
    pub(crate) fn of(
        &mut self,
        system: &mut System,
        state: &[u32],
        reduction: Option<&mut Footprints>,
    ) -> Result<Chosen<'_>, Interrupt> {
        system.enabled(state, &mut self.enabled)?;
        let scope = reduction.map(|footprints| stubborn::choose(system, footprints, state, &self.enabled));
        let offered = self.enabled.moves.len();
        self.choose(system, state, scope.as_ref())?;
        let moves = self.chosen.iter().filter(|step| !step.is_scoped()).count();
        let pruned = offered.saturating_sub(moves) as u64;
        Ok(Chosen { steps: &self.chosen, scope: scope.map(Rc::new), pruned })
    }

    /// The steps that are possible within a scope; without one, all of them. Steps that need
    /// no quiet are always among them.
    pub(crate) fn within(
        &mut self,
        system: &mut System,
        state: &[u32],
        scope: Option<&Scope>,
    ) -> Result<&[Transition], Interrupt> {
        system.enabled(state, &mut self.enabled)?;
        self.choose(system, state, scope)?;
        Ok(&self.chosen)
    }

    fn choose(&mut self, system: &mut System, state: &[u32], scope: Option<&Scope>) -> Result<(), Interrupt> {
        let Successors { enabled, chosen } = self;
        match scope {
            None => system.within(state, enabled, |_| true, |_| true, chosen),
            Some(Scope::Moves(movers)) => system.within(state, enabled, |of| movers.contains(&of), |_| false, chosen),
            Some(Scope::Component(movers)) => {
                let within = |of| movers.contains(&of);
                system.within(state, enabled, within, within, chosen)
            }
            Some(Scope::Finished(units)) => {
                // They are parked, or one of their calls fails.
                let within = |of: Mover| units.contains(&of.unit);
                system.within(state, enabled, within, within, chosen)?;
                let step = Step::Park(units.clone());
                chosen.push(Transition { step, writes: Default::default(), faults: 0 });
                Ok(())
            }
            Some(Scope::Nothing | Scope::Endless) => {
                chosen.clear();
                Ok(())
            }
            Some(Scope::Both(scopes)) => {
                let mut both = Vec::new();
                for scope in &**scopes {
                    system.enabled(state, &mut self.enabled)?;
                    self.choose(system, state, Some(scope))?;
                    both.append(&mut self.chosen);
                }
                self.chosen = both;
                Ok(())
            }
        }
    }
}
