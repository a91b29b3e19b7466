//! Judging ends: before the fixpoint of a reduced search where they can be taken through the full semantics, and all of
//! them at the fixpoint, also combined from those of parts.

use super::concretize::concretize;
use super::ends::Combined;
use super::explored::Explored;
use super::plan::Limit;
use crate::property::{self, Properties};
use crate::reduction::footprint::Footprints;
use crate::reduction::successors::{Extent, PathStep, Successors};
use crate::violation::Found;
use crate::world::components::StateVector;
use crate::world::store::StateId;
use crate::world::system::{Interrupt, System};
use std::sync::Arc;

/// Ends of one search that are judged before the fixpoint at the most.
const JUDGED_EARLY_MAX: usize = 256;

impl Explored {
    /// The properties of the end, on the whole orbit of an end.
    pub(super) fn judge_end(
        &mut self,
        system: &mut System,
        properties: &Properties,
        at: StateId,
        end: &[u32],
    ) -> Result<Option<Found>, Interrupt> {
        let Some(symmetry) = self.symmetry.as_mut().filter(|_| !properties.is_empty()) else {
            return Ok(properties.end(system, end));
        };
        for (permutation, image) in symmetry.images(system, end)? {
            if let Some(found) = properties.end(system, &image) {
                self.shown.insert(at, permutation);
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The properties of the end, before the fixpoint, on an end that a reduced search comes to: if it is one of the full
    /// semantics. Of ends with the same outputs, one is enough. Says whether it violates a property.
    pub(super) fn judge_end_early(
        &mut self,
        system: &mut System,
        properties: &Properties,
        at: StateId,
        end: &[u32],
    ) -> Result<bool, Interrupt> {
        if properties.is_empty() || self.symmetry.is_some() || self.judged.len() == JUDGED_EARLY_MAX {
            return Ok(false);
        }
        let outputs = (0..system.processes.len()).map(|process| property::output_id(system, end, process));
        let is_rejected = system.view().rejected_end(end).is_some();
        let outputs = outputs.chain([is_rejected.then_some(0)]).collect();
        if !self.judged.insert(outputs) {
            return Ok(false);
        }
        let path_steps = self.path(system, at)?;
        let filling = &mut self.filling;
        self.concrete = concretize(system, properties, (&path_steps, &[]), filling, (&self.progress, false))?;
        if let Some((_, found)) = &self.concrete {
            self.found = Some((at, found.clone()));
        }
        Ok(self.concrete.is_some())
    }

    /// Evaluates the properties of the end on every end that a reduced search came to, with the footprints of its fixpoint.
    /// Unless it was at its fixpoint, only on those that could be taken through the full semantics.
    pub fn judge_ends(
        &mut self,
        system: &mut System,
        properties: &Properties,
        footprints: Option<&mut Footprints>,
        outcomes_max: usize,
    ) -> Result<(), Interrupt> {
        if self.found.is_some() || properties.is_empty() {
            return Ok(());
        }
        let at_fixpoint = footprints.is_some();
        if let Some(footprints) = footprints.filter(|_| self.ends.are_split()) {
            return self.judge_combinations(system, properties, footprints, outcomes_max);
        }
        for (end, state) in self.ends.take() {
            if at_fixpoint {
                if let Some(found) = self.judge_end(system, properties, end, &state)? {
                    self.violated(system, properties, end, found, true)?;
                    return Ok(());
                }
                continue;
            }
            let images = match &mut self.symmetry {
                Some(symmetry) => symmetry.images(system, &state)?.into_iter().map(|(image, _)| Some(image)).collect(),
                None => vec![None],
            };
            for image in images {
                image.and_then(|image| self.shown.insert(end, image));
                self.concretize(system, properties, end)?;
                if let Some((_, found)) = &self.concrete {
                    self.found = Some((end, found.clone()));
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// At the fixpoint, a violation that could not be taken through the full semantics is believed. It is taken there as far
    /// as its stubborn sets are at rest, whatever others do.
    pub fn believe(&mut self, system: &mut System, properties: &Properties) -> Result<(), Interrupt> {
        if let (Some((at, found)), None) = (self.found.clone(), &self.concrete) {
            let (path_steps, at_rest) = self.path_to_rest(system, at, &found.at_rest)?;
            let filling = &mut self.filling;
            self.concrete = concretize(system, properties, (&path_steps, &at_rest), filling, (&self.progress, true))?;
        }
        Ok(())
    }

    /// Evaluates the properties of the end on every combination of the ends of parts.
    fn judge_combinations(
        &mut self,
        system: &mut System,
        properties: &Properties,
        footprints: &mut Footprints,
        outcomes_max: usize,
    ) -> Result<(), Interrupt> {
        let first = self.store.find(&self.initial).expect("a search begins with the first state");
        let Some(combined) = self.ends.combined(system, first, outcomes_max) else {
            self.limit = Some(Limit::States);
            return Ok(());
        };
        for Combined { state, rows } in combined {
            if properties.end(system, &state).is_none() {
                continue;
            }
            if let Some(path_steps) = self.along(system, footprints, &rows)? {
                let filling = &mut self.filling;
                self.concrete = concretize(system, properties, (&path_steps, &[]), filling, (&self.progress, true))?;
            }
            let last = rows.iter().flatten().last().copied().unwrap_or(first);
            match &self.concrete {
                Some((_, found)) => self.found = Some((last, found.clone())),
                None => self.is_combination_doubtful = true,
            }
            return Ok(());
        }
        Ok(())
    }

    /// The steps along states, if each of them leads to the next one in its row.
    fn along(
        &mut self,
        system: &mut System,
        footprints: &mut Footprints,
        rows: &[Vec<StateId>],
    ) -> Result<Option<Vec<PathStep>>, Interrupt> {
        let mut path_steps = Vec::new();
        for row in rows {
            for pair in row.windows(2) {
                let state = self.state(system, pair[0])?;
                match self.between(system, footprints, (pair[0], state), pair[1])? {
                    Some(path_step) => path_steps.push(path_step),
                    None => return Ok(None),
                }
            }
        }
        Ok(Some(path_steps))
    }

    /// A visited state. Where only fingerprints are kept, it is reached again.
    fn state(&mut self, system: &mut System, id: StateId) -> Result<StateVector, Interrupt> {
        if self.store.is_exact() {
            return Ok(self.store.state(id));
        }
        let path_steps = self.path(system, id)?;
        let Some(PathStep { state, transition, .. }) = path_steps.last() else { return Ok(self.initial.clone()) };
        let mut reached = Vec::new();
        system.apply(state, transition, &mut reached)?;
        Ok(StateVector::from_vec(reached))
    }

    /// The step that leads from a state to another one.
    fn between(
        &mut self,
        system: &mut System,
        footprints: &mut Footprints,
        (from, state): (StateId, StateVector),
        to: StateId,
    ) -> Result<Option<PathStep>, Interrupt> {
        let (mut successors, mut next) = (Successors::default(), Vec::new());
        for extent in [Extent::Reduced { depth: self.store.depth(from) }, Extent::Whole] {
            let choice = successors.of(system, &state, extent, Some(&mut *footprints))?;
            for (index, transition) in successors.chosen().iter().enumerate() {
                system.apply(&state, transition, &mut next)?;
                let reached = self.store.find(&next);
                if reached.or_else(|| self.stand_in(system, transition, &next)) == Some(to) {
                    let scope = choice.scopes.iter().find(|(until, _)| index < *until);
                    let scope = scope.filter(|_| transition.is_scoped() || system.has_delay());
                    let scope = scope.map(|(_, set)| Arc::new(set.clone()));
                    return Ok(Some(PathStep { state, transition: transition.clone(), scope }));
                }
            }
        }
        Ok(None)
    }
}
