//! The results of a search: the visited states, and the findings there.

use super::concretize::concretize;
use super::ends::Ends;
use super::filling::Filling;
use super::frontier::Frontier;
use super::plan::{Limit, Limits, Plan};
use super::progress::{Phase, Progress, Seen};
use crate::id::UnitId;
use crate::property::Properties;
use crate::reduction::bisimulation::Quotient;
use crate::reduction::footprint::Footprints;
use crate::reduction::stubborn::StubbornSet;
use crate::reduction::subsumption::Subsumption;
use crate::reduction::successors::{PathStep, Successors};
use crate::reduction::symmetry::{Permutation, Symmetry};
use crate::rest::deadlock_of_part;
use crate::unit::automaton::{EdgeId, NodeKind};
use crate::violation::Found;
use crate::world::components::StateVector;
use crate::world::step::{Message, Move, Transition};
use crate::world::store::{StateId, Store};
use crate::world::system::{Interrupt, System};
use ahash::{AHashMap, AHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The results of a search: the visited states, and the findings there.
pub struct Explored {
    pub(super) initial: StateVector,
    pub store: Store,
    pub transitions: u64,
    /// States that the rounds before have visited.
    pub states_before: usize,
    /// Moves that were possible and not explored.
    pub pruned: u64,
    /// States that were not explored because a visited one covers them, or is of the same class.
    pub subsumed: u64,
    pub(crate) subsumption: Option<Subsumption>,
    /// If states that no receiver can tell apart are merged.
    pub(crate) quotient: Option<Quotient>,
    /// If each state stands for its orbit.
    pub(crate) symmetry: Option<Symmetry>,
    /// By end: the image that violates a property, where that was asked.
    pub(super) shown: AHashMap<StateId, Permutation>,
    pub depth: usize,
    pub terminals: u64,
    pub suppressed_deadlocks: u64,
    pub limit: Option<Limit>,
    /// The first violation, and the state that shows it. A reduced search believes one at
    /// once only if it could be taken through the full semantics; else it goes on, and the
    /// caller may believe it if no footprint has grown by the end.
    pub found: Option<(StateId, Found)>,
    /// The violation as an execution of the full semantics.
    pub concrete: Option<(Vec<PathStep>, Found)>,
    /// The edges that were taken.
    pub taken: Taken,
    /// The outputs with which units have ended.
    pub outputs: BTreeSet<(UnitId, u32)>,
    /// The ends that a reduced search came to, to be judged at the fixpoint.
    pub(super) ends: Ends,
    /// States that were split into parts.
    pub split: u64,
    /// Whether a combination of ends violates a property, and could not be taken through the full semantics.
    pub is_combination_doubtful: bool,
    /// The stubborn set with which a state was first reached by a step that depends on it: a timer, a loss, or parking.
    pub(super) scopes: AHashMap<StateId, Arc<StubbornSet>>,
    /// The outputs of ends that were taken through the full semantics as soon as they were met.
    pub(super) judged: AHashSet<Vec<Option<u32>>>,
    /// How many executions were taken through the full semantics.
    pub(super) concretized: usize,
    /// How many steps of other units they may still need.
    pub(super) filling: Filling,
    /// The messages on the best way that was met to each state, if they are limited.
    messages: AHashMap<StateId, u32>,
    has_limited_messages: bool,
    pub(super) progress: Arc<Progress>,
    /// Violations whose turn has not come, by the states that show them.
    pub(super) awaiting: AHashMap<StateId, Found>,
    /// States that are expanded once more, as a whole.
    pub(super) reopened: AHashSet<StateId>,
}

/// Edges that were taken in a search.
#[derive(Default)]
pub struct Taken(Vec<bool>);

impl Taken {
    /// Says whether the edge had not been taken before.
    fn add(&mut self, edge: EdgeId) -> bool {
        let index = edge.0 as usize;
        if self.0.len() <= index {
            self.0.resize(index + 1, false);
        }
        !std::mem::replace(&mut self.0[index], true)
    }

    pub fn has(&self, edge: EdgeId) -> bool {
        self.0.get(edge.0 as usize).copied().unwrap_or(false)
    }

    pub fn iter(&self) -> impl Iterator<Item = EdgeId> + '_ {
        (0u32..).zip(&self.0).filter(|&(_, &taken)| taken).map(|(index, _)| EdgeId(index))
    }
}

impl FromIterator<EdgeId> for Taken {
    fn from_iter<I: IntoIterator<Item = EdgeId>>(edges: I) -> Taken {
        let mut taken = Taken::default();
        edges.into_iter().for_each(|edge| _ = taken.add(edge));
        taken
    }
}

/// Executions of one search that are taken through the full semantics at the most.
const CONCRETIZED_MAX: usize = 64;

impl Explored {
    /// Whether the automata of the processes have all edges that any execution takes: no process and no local state has stood
    /// for another.
    pub fn knows_all(&self) -> bool {
        self.quotient.is_none() && self.symmetry.is_none()
    }

    /// Nothing yet. `combines`: the ends of parts are combined for a property.
    pub(super) fn new(system: &System, initial: &StateVector, plan: Plan<'_>, combines: bool) -> Explored {
        let subsumption = || Subsumption::new(system, plan.compares_channels, combines);
        Explored {
            initial: initial.clone(),
            store: Store::new(plan.keep),
            transitions: 0,
            states_before: 0,
            pruned: 0,
            subsumed: 0,
            subsumption: plan.subsumes.then(subsumption),
            quotient: None,
            symmetry: plan.symmetry.map(|classes| Symmetry::new(system, classes, initial)),
            shown: AHashMap::new(),
            depth: 0,
            terminals: 0,
            suppressed_deadlocks: 0,
            limit: None,
            found: None,
            concrete: None,
            taken: Taken::default(),
            outputs: BTreeSet::new(),
            ends: Ends::new(combines),
            split: 0,
            is_combination_doubtful: false,
            judged: AHashSet::new(),
            scopes: AHashMap::new(),
            concretized: 0,
            filling: Filling::new(plan.limits.states_max),
            messages: AHashMap::new(),
            has_limited_messages: plan.limits.messages_max.is_some(),
            progress: Arc::clone(plan.progress),
            awaiting: AHashMap::new(),
            reopened: AHashSet::new(),
        }
    }

    /// Reports how far the search is; returns a limit that was hit.
    pub(super) fn look_up(
        &self,
        system: &System,
        frontier: &Frontier,
        limits: Limits,
        progress: &Progress,
    ) -> Option<Limit> {
        let symmetry_bytes = self.symmetry.as_ref().map_or(0, Symmetry::memory_bytes);
        let merged_bytes = self.quotient.as_ref().map_or(0, Quotient::memory_bytes);
        let kept_bytes = self.store.memory_bytes() + self.ends.memory_bytes() + merged_bytes;
        let (_, copies_bytes) = system.learner.copied();
        let memory_bytes = kept_bytes + frontier.memory_bytes() + symmetry_bytes + system.link_bytes + copies_bytes;
        let is_over = progress.note(Seen {
            states: self.store.len() as u64,
            frontier: frontier.len() as u64,
            depth: self.depth as u64,
            local_states: system.learner.automata.nodes.len() as u64,
            memory_bytes: memory_bytes as u64,
            fault_points: 0,
        });
        match is_over {
            true => Some(Limit::Interrupt),
            false => (memory_bytes > limits.memory_bytes_max).then_some(Limit::Memory),
        }
    }

    /// Whether a step from a state is left out because it would write or read a message too many.
    pub(super) fn has_enough_messages(&mut self, from: StateId, message: Option<Message>, limits: Limits) -> bool {
        let Some(max) = limits.messages_max else { return false };
        let is_one_too_many = message.is_some() && self.messages_on_the_way_to(from) as usize >= max;
        if is_one_too_many {
            self.limit = Some(Limit::Messages);
        }
        is_one_too_many
    }

    /// Notes the messages on a way to a state, if they are limited: of several ways, the fewest.
    pub(super) fn count_messages(&mut self, from: StateId, to: StateId, message: Option<Message>) {
        if self.has_limited_messages {
            let messages = self.messages_on_the_way_to(from) + u32::from(message.is_some());
            self.messages.entry(to).and_modify(|known| *known = messages.min(*known)).or_insert(messages);
        }
    }

    fn messages_on_the_way_to(&self, state: StateId) -> u32 {
        self.messages.get(&state).copied().unwrap_or(0)
    }

    /// Notes that a state is reached on a better way.
    pub(super) fn lead(&mut self, to: StateId, from: StateId, scope: Option<&Arc<StubbornSet>>) {
        self.store.lead(to, from);
        self.depth = self.depth.max(self.store.depth(to));
        match scope {
            Some(scope) => self.scopes.insert(to, Arc::clone(scope)),
            None => self.scopes.remove(&to),
        };
    }

    /// Judges the violations that still wait for their turn: a search that ends at a limit forgets none that it has
    /// met.
    pub(super) fn judge_in_turn(
        &mut self,
        system: &mut System,
        properties: &Properties,
        frontier: &mut Frontier,
        reduced: bool,
    ) -> Result<(), Interrupt> {
        while !self.awaiting.is_empty()
            && let Some(id) = frontier.pop()
        {
            if let Some(found) = self.awaiting.remove(&id)
                && self.violated(system, properties, id, found, reduced)?
            {
                break;
            }
        }
        Ok(())
    }

    /// Whether a state whose turn has come need not be expanded, since a later one covers it.
    pub(super) fn skips(&mut self, id: StateId) -> bool {
        let skips = self.subsumption.as_mut().is_some_and(|states| states.skips(id));
        self.subsumed += u64::from(skips);
        skips
    }

    /// The visited state that stands for a state which was not visited and which `transition` leads to.
    pub(super) fn stand_in(&mut self, system: &System, transition: &Transition, state: &[u32]) -> Option<StateId> {
        let merged = self.quotient.as_mut().and_then(|quotient| quotient.find(system, state));
        merged.or_else(|| self.subsumption.as_mut()?.cover(system, transition, state))
    }

    /// Keeps a violation; says whether it can be believed at once.
    pub(super) fn violated(
        &mut self,
        system: &mut System,
        properties: &Properties,
        at: StateId,
        found: Found,
        reduced: bool,
    ) -> Result<bool, Interrupt> {
        if reduced {
            self.concretize(system, properties, at)?;
        } else if self.symmetry.is_some() {
            self.concrete = Some(self.named(system, properties, at, &found)?);
        }
        let believed = !reduced || self.concrete.is_some();
        if self.found.is_none() || believed {
            self.found = Some((at, found));
        }
        Ok(believed)
    }

    /// Takes the way to a state through the full semantics, if that was not tried too often.
    pub(super) fn concretize(
        &mut self,
        system: &mut System,
        properties: &Properties,
        at: StateId,
    ) -> Result<(), Interrupt> {
        if self.concretized < CONCRETIZED_MAX {
            self.concretized += 1;
            let path_steps = self.path(system, at)?;
            let phase = self.progress.begin(Phase::Concretizing);
            let filling = &mut self.filling;
            let concrete = concretize(system, properties, (&path_steps, &[]), filling, (&self.progress, false));
            if self.progress.is_over() {
                self.limit = Some(Limit::Interrupt);
            } else {
                self.progress.begin(phase);
            }
            self.concrete = concrete?;
        }
        Ok(())
    }

    /// Where states stand for their orbits, makes the violation name the processes that it is about.
    pub fn name_processes(&mut self, system: &mut System, properties: &Properties) -> Result<(), Interrupt> {
        if let (Some(_), None, Some((at, found))) = (&self.symmetry, &self.concrete, self.found.clone()) {
            self.concrete = Some(self.named(system, properties, at, &found)?);
        }
        Ok(())
    }

    /// The way to a state that shows a violation, and the violation as it is there.
    fn named(
        &mut self,
        system: &mut System,
        properties: &Properties,
        at: StateId,
        found: &Found,
    ) -> Result<(Vec<PathStep>, Found), Interrupt> {
        let (path_steps, at_rest) = self.path_to_rest(system, at, &found.at_rest)?;
        let Some(PathStep { state, transition, .. }) = path_steps.last() else {
            return Ok((path_steps, found.clone()));
        };
        let mut next = Vec::new();
        system.apply(state, transition, &mut next)?;
        let again = match at_rest.is_empty() {
            true => properties.step(system, transition).or_else(|| properties.violated_at_end(system, &next)),
            false => deadlock_of_part(system, properties, &next, &at_rest)?,
        };
        Ok((path_steps, again.unwrap_or_else(|| found.clone())))
    }

    /// A way to a state in which units with some names wait for ever, and the names of those that do at its end: with
    /// symmetry, others may stand for them.
    pub(super) fn path_to_rest(
        &mut self,
        system: &mut System,
        to: StateId,
        names: &[String],
    ) -> Result<(Vec<PathStep>, Vec<String>), Interrupt> {
        let (path_steps, permutation) = self.path_and_image(system, to)?;
        let names = match (&self.symmetry, permutation) {
            (Some(symmetry), Some(permutation)) => symmetry.renamed(system, permutation, names),
            _ => names.to_vec(),
        };
        Ok((path_steps, names))
    }

    /// The rounds are over: what was taken has been taken for all that is known to be alike.
    pub fn close_classes(&mut self, system: &System, footprints: &Footprints) {
        if let (Some(quotient), Some(classes)) = (&mut self.quotient, footprints.alike()) {
            quotient.end(system, classes, self.taken.iter());
        }
    }

    /// Adds to each process the edges and outputs of those that are like it.
    pub fn spread(&mut self, system: &System) {
        let Some(symmetry) = &self.symmetry else { return };
        let shared = system.shared();
        let outputs = self.outputs.iter().flat_map(|&(unit, output)| {
            let of = shared.unit(unit);
            let is_task = of.parent.is_some();
            let image = move |process| if is_task { unit } else { shared.incarnation(process, of.crashes) };
            symmetry.like(of.process).map(move |process| (image(process), output))
        });
        self.outputs = outputs.collect();
        let edges: Vec<EdgeId> = self.taken.iter().flat_map(|edge| symmetry.images_of_edge(edge)).collect();
        edges.into_iter().for_each(|edge| _ = self.taken.add(edge));
    }

    /// Whether the search can't go on, whatever was learned.
    pub fn is_cut_off(&self) -> bool {
        matches!(self.limit, Some(Limit::Memory | Limit::Interrupt))
    }

    /// Whether everything was seen: it ended neither at a limit nor at a violation that is believed.
    pub fn is_complete(&self) -> bool {
        self.limit.is_none() && self.concrete.is_none()
    }

    /// Whether the violation holds whatever footprints will grow to.
    pub fn is_believed(&self) -> bool {
        self.concrete.is_some()
    }

    /// Without a violation that relied on footprints that have grown since.
    pub fn unless_doubtful(mut self, grew: bool) -> Explored {
        if grew && self.concrete.is_none() {
            self.found = None;
        }
        self
    }

    /// Notes the edge that a step takes, and the output with which its unit ends there.
    pub(super) fn note(&mut self, system: &System, transition: &Transition) {
        let Move::Unit { unit, edge, .. } = transition.step else { return };
        if !self.taken.add(edge) {
            return;
        }
        let target = system.learner.automata.edge(edge).target;
        if let NodeKind::Ended { output } = system.learner.automata.node(target).kind {
            self.outputs.insert((unit, output));
        }
    }

    /// The steps from the start to a state, each with the state that it leaves.
    pub fn path(&mut self, system: &mut System, to: StateId) -> Result<Vec<PathStep>, Interrupt> {
        Ok(self.path_and_image(system, to)?.0)
    }

    /// The same, and with symmetry, of which image of the state it is the way.
    fn path_and_image(
        &mut self,
        system: &mut System,
        to: StateId,
    ) -> Result<(Vec<PathStep>, Option<Permutation>), Interrupt> {
        let states = self.store.path(to);
        let mut successors = Successors::default();
        let mut state = self.initial.clone();
        let mut next = Vec::new();
        let mut path_steps = Vec::new();
        for &id in &states[1..] {
            let scope = self.scopes.get(&id).cloned();
            let possible = successors.within(system, &state, scope.as_deref())?.to_vec();
            let mut taken: Option<(Transition, StateVector)> = None;
            for transition in possible {
                system.apply(&state, &transition, &mut next)?;
                if let Some(symmetry) = &mut self.symmetry {
                    symmetry.canonicalize(system, &mut next)?;
                }
                let is_better = taken.as_ref().is_none_or(|(best, _)| transition.faults < best.faults);
                if is_better && self.store.find(&next) == Some(id) {
                    taken = Some((transition, StateVector::from_slice(&next)));
                }
            }
            let (transition, successor) = taken.expect("a state was reached by one of its parent's steps");
            path_steps.push(PathStep { state, transition, scope });
            state = successor;
        }
        match &mut self.symmetry {
            Some(symmetry) => {
                let (unfolded, image) = symmetry.unfold(system, &path_steps, self.shown.get(&to).copied())?;
                Ok((unfolded, Some(image)))
            }
            None => Ok((path_steps, None)),
        }
    }
}
