//! Unfolding: turns an execution through states that stand for their orbits into one that really happens.
//!
//! A search with symmetry steps from a state c to x and goes on from x's image σx. If a permutation ρ takes c to a
//! state r that is really reached, then ρx is r's successor by the same step, renamed, and the permutation ρσ⁻¹
//! takes σx to it.

use super::Symmetry;
use super::permutations::Permutation;
use crate::id::{Mover, UnitId};
use crate::reduction::stubborn::StubbornSet;
use crate::reduction::successors::{PathStep, Successors};
use crate::world::components::{ComponentId, StateVector};
use crate::world::events::EventsId;
use crate::world::renaming::Renaming;
use crate::world::step::{Move, Transition};
use crate::world::system::{Interrupt, System};
use std::sync::Arc;

impl Symmetry {
    /// The steps that `path_steps` stand for, from the first state. They lead to the image by `shown` of the state that
    /// the path steps lead to; without it, to any image. Also says to which.
    pub(crate) fn unfold(
        &mut self,
        system: &mut System,
        path_steps: &[PathStep],
        shown: Option<Permutation>,
    ) -> Result<(Vec<PathStep>, Permutation), Interrupt> {
        let mut next = Vec::new();
        let mut raw = Vec::with_capacity(path_steps.len());
        let mut real = vec![Permutation::IDENTITY];
        for PathStep { state, transition, .. } in path_steps {
            system.apply(state, transition, &mut next)?;
            raw.push(StateVector::from_slice(&next));
            let canonical = self.canonicalize(system, &mut next)?;
            let before = *real.last().expect("it begins with one");
            real.push(self.permutations.compose(before, self.permutations.inverse(canonical)));
        }
        let last = *real.last().expect("it begins with one");
        let turned = shown
            .map_or(Permutation::IDENTITY, |shown| self.permutations.compose(shown, self.permutations.inverse(last)));
        let mut successors = Successors::default();
        let mut unfolded = Vec::with_capacity(path_steps.len());
        for ((path_step, raw), permutation) in path_steps.iter().zip(&raw).zip(real) {
            let permutation = self.permutations.compose(turned, permutation);
            let state = self.image(system, permutation, &path_step.state)?;
            let wanted = self.image(system, permutation, raw)?;
            if let step @ (Move::Part { .. } | Move::Forget) = &path_step.transition.step {
                let transition = self.forgetting(system, (permutation, step), (&state, &wanted));
                unfolded.push(PathStep { state, transition, scope: None });
                continue;
            }
            let scope = path_step.scope.as_deref().map(|scope| Arc::new(self.scope(system, permutation, scope)));
            let possible = successors.within(system, &state, scope.as_deref())?.to_vec();
            let taken = possible
                .into_iter()
                .filter(|transition| system.apply(&state, transition, &mut next).is_ok() && next[..] == wanted[..]);
            let taken = taken.min_by_key(|transition| transition.faults);
            let transition = taken.expect("what is possible in a state is possible in its images");
            unfolded.push(PathStep { state, transition, scope });
        }
        let begins_alike =
            unfolded.iter().zip(path_steps).take(1).all(|(path_step, folded)| path_step.state == folded.state);
        assert!(begins_alike, "before anything has started, processes of one class are in one state");
        Ok((unfolded, self.permutations.compose(turned, last)))
    }

    /// The names of the images of the units with some names.
    pub(crate) fn renamed(&self, system: &System, permutation: Permutation, names: &[String]) -> Vec<String> {
        let (shared, renaming) = (system.shared(), Renaming::new(system.shared(), self.permutations.map(permutation)));
        let units = (0..).map(UnitId).take(system.units.len());
        let named = units.filter(|&unit| names.contains(&shared.unit(unit).name));
        named.map(|unit| shared.unit(renaming.unit(unit)).name).collect()
    }

    /// The image under a permutation of a step by which the search forgets what a part, or nobody, will use.
    fn forgetting(
        &self,
        system: &System,
        (permutation, step): (Permutation, &Move),
        (state, after): (&[u32], &[u32]),
    ) -> Transition {
        let renaming = Renaming::new(system.shared(), self.permutations.map(permutation));
        let step = match step {
            Move::Part { units } => Move::Part { units: units.iter().map(|&unit| renaming.unit(unit)).collect() },
            other => other.clone(),
        };
        let written = (0..state.len() as u32).map(ComponentId).filter(|id| id.of(state) != id.of(after));
        let writes = written.map(|id| (id, id.of(after))).collect();
        Transition { step, writes, faults: 0, events: EventsId::NONE, watched: None }
    }

    /// The image of a stubborn set under a permutation.
    fn scope(&self, system: &System, permutation: Permutation, scope: &StubbornSet) -> StubbornSet {
        let renaming = Renaming::new(system.shared(), self.permutations.map(permutation));
        renamed(&renaming, scope)
    }
}

fn renamed(renaming: &Renaming<'_>, scope: &StubbornSet) -> StubbornSet {
    let mover = |mover: &Mover| Mover { unit: renaming.unit(mover.unit), ..*mover };
    match scope {
        StubbornSet::Moves(movers) => StubbornSet::Moves(movers.iter().map(mover).collect()),
        StubbornSet::Component(movers) => StubbornSet::Component(movers.iter().map(mover).collect()),
        StubbornSet::Finished(units) => {
            StubbornSet::Finished(units.iter().map(|&unit: &UnitId| renaming.unit(unit)).collect())
        }
        StubbornSet::Part { .. } | StubbornSet::Unread(_) => {
            unreachable!("the images of such a set are told by what is forgotten")
        }
        StubbornSet::Nothing => StubbornSet::Nothing,
    }
}
