//! The states of a system with all steps between them.

use super::Bounds;
use super::recurring::Recurring;
use crate::graph::strong_components;
use crate::property::Properties;
use crate::reduction::footprint::Footprints;
use crate::reduction::stubborn::StubbornSet;
use crate::reduction::successors::{Extent, PathStep, Successors};
use crate::search::plan::Limit;
use crate::search::progress::Seen;
use crate::world::components::StateVector;
use crate::world::step::Transition;
use crate::world::store::{Keep, StateId, Store};
use crate::world::system::{Interrupt, System};
use ahash::AHashMap;
use std::sync::Arc;

/// So many states are expanded between looks at the memory that is used, and at a wish to end.
const LOOKS_UP_EVERY: usize = 1024;

/// Half of the states that the first round goes on for when something has grown that it relied on.
const PATIENCE_STATES: u64 = 2_048;

/// A step with the movers among which it is possible.
pub(super) type ScopedStep = (Transition, Option<StubbornSet>);

/// Works out the steps of states.
pub(super) struct Expander {
    /// The footprints, which say which units never meet and which share a clock; `None`: all do.
    footprints: Option<Footprints>,
    successors: Successors,
    /// States that a round goes on for when something has grown that it relied on; each further round, twice as many.
    patience: u64,
    /// Whether time passes for movers that only strangers hold up.
    holds_nobody_up: bool,
}

/// The steps of a state.
pub(super) struct Steps {
    pub(super) all: Vec<ScopedStep>,
    /// Whether timers are put off that only strangers hold up.
    pub(super) puts_off: bool,
}

impl Expander {
    pub(super) fn new(footprints: Option<Footprints>) -> Expander {
        let successors = Successors::default();
        Expander { footprints, successors, patience: PATIENCE_STATES, holds_nobody_up: false }
    }

    /// From now on, time passes for movers that only strangers hold up.
    pub(super) fn hold_nobody_up(&mut self) {
        self.holds_nobody_up = true;
    }

    pub(super) fn begin_round(&mut self, system: &mut System) {
        if let Some(footprints) = &mut self.footprints {
            footprints.begin_round(system);
            self.patience = self.patience.saturating_mul(2);
        }
    }

    /// Whether a round is given up that has gone on for long after something had grown that it relied on: it may go on for ever.
    fn gives_up(&mut self, system: &mut System, store: &Store, expanded: usize) -> Result<bool, Interrupt> {
        match &mut self.footprints {
            Some(footprints) => footprints.gives_up(system, store, expanded as u64, self.patience),
            None => Ok(false),
        }
    }

    /// Whether the steps of some states were others with what is known now.
    pub(super) fn has_grown(&mut self, system: &mut System, space: &Space) -> Result<bool, Interrupt> {
        match &mut self.footprints {
            Some(footprints) => footprints.end_round(system, &space.store),
            None => Ok(false),
        }
    }

    /// All steps of a state, or those to its parts.
    pub(super) fn steps(&mut self, system: &mut System, state: &[u32]) -> Result<Steps, Interrupt> {
        let extent = Extent::Reduced { depth: 0 };
        let mut choice = self.successors.of(system, state, extent, self.footprints.as_mut())?;
        if choice.puts_off && self.holds_nobody_up {
            choice = self.successors.of(system, state, Extent::Whole, self.footprints.as_mut())?;
        }
        if choice.scopes.is_empty() && system.view().is_part(state) {
            // A part does not know what the drivers of other units are told.
            let movers = system.live_units(state).flat_map(|(_, node)| system.learner.automata.movers(node));
            let part = StubbornSet::Component(movers.collect());
            let steps = self.successors.within(system, state, Some(&part))?;
            let all = steps.iter().map(|step| (step.clone(), Some(part.clone()))).collect();
            return Ok(Steps { all, puts_off: choice.puts_off });
        }
        let mut scopes = choice.scopes.into_iter().peekable();
        let mut all = Vec::new();
        for (index, step) in self.successors.chosen().iter().enumerate() {
            while scopes.next_if(|(until, _)| *until <= index).is_some() {}
            all.push((step.clone(), scopes.peek().map(|(_, scope)| scope.clone())));
        }
        Ok(Steps { all, puts_off: choice.puts_off })
    }
}

/// All states that can be reached, in the order in which they were met, and the steps between them that are no failures.
pub(super) struct Space {
    pub(super) store: Store,
    ids: Vec<StateId>,
    numbers: AHashMap<StateId, u32>,
    /// By state: the targets of its steps, but for failures.
    targets: Vec<Box<[u32]>>,
}

impl Space {
    /// Explores breadth-first all states from which a way may lead into a loop; the limit that was hit, with the number of
    /// states, if one was. A round that is given up has not come to all of these, and is repeated.
    pub(super) fn explore(
        system: &mut System,
        initial: &StateVector,
        properties: &Properties,
        (expander, recurring): (&mut Expander, &Recurring),
        bounds: Bounds<'_>,
    ) -> Result<Result<Space, (Limit, usize)>, Interrupt> {
        let store = Store::new(Keep::Exact);
        let mut space = Space { store, ids: Vec::new(), numbers: AHashMap::new(), targets: Vec::new() };
        space.add(initial, None);
        let (mut next, mut edges) = (Vec::new(), 0);
        while space.targets.len() < space.ids.len() {
            let expanded = space.targets.len();
            if expanded.is_multiple_of(LOOKS_UP_EVERY)
                && let Some(limit) = space.look_up(system, edges, bounds)
            {
                return Ok(Err((limit, space.len())));
            }
            if expander.gives_up(system, &space.store, expanded)? {
                break;
            }
            let id = space.ids[expanded];
            let state = space.store.state(id);
            if !recurring.leads_on(system, &state) {
                space.targets.push(Box::default());
                continue;
            }
            let mut targets = Vec::new();
            for (step, _) in expander.steps(system, &state)?.all {
                if properties.step(system, &step).is_some() {
                    continue;
                }
                system.apply(&state, &step, &mut next)?;
                let target = space.add(&next, Some(id));
                if !step.is_failure() {
                    targets.push(target);
                }
            }
            targets.sort_unstable();
            targets.dedup();
            edges += targets.len();
            space.targets.push(targets.into_boxed_slice());
            if space.len() > bounds.limits.states_max {
                return Ok(Err((Limit::States, space.len())));
            }
        }
        Ok(Ok(space))
    }

    fn add(&mut self, state: &[u32], parent: Option<StateId>) -> u32 {
        let (id, is_new) = self.store.insert(state, parent);
        if is_new {
            self.numbers.insert(id, self.ids.len() as u32);
            self.ids.push(id);
        }
        self.numbers[&id]
    }

    fn look_up(&self, system: &System, edges: usize, bounds: Bounds<'_>) -> Option<Limit> {
        let of_states = self.ids.len() * 2 * size_of::<(StateId, u32, Box<[u32]>)>();
        let memory_bytes = self.store.memory_bytes() + of_states + edges * size_of::<u32>();
        let is_over = bounds.progress.note(Seen {
            states: self.len() as u64,
            frontier: (self.ids.len() - self.targets.len()) as u64,
            depth: self.ids.last().map_or(0, |&last| self.store.depth(last) as u64),
            local_states: system.learner.automata.nodes.len() as u64,
            memory_bytes: memory_bytes as u64,
            fault_points: 0,
        });
        match is_over {
            true => Some(Limit::Interrupt),
            false => (memory_bytes > bounds.limits.memory_bytes_max).then_some(Limit::Memory),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(super) fn state(&self, number: u32) -> StateVector {
        self.store.state(self.ids[number as usize])
    }

    pub(super) fn depth(&self, number: u32) -> usize {
        self.store.depth(self.ids[number as usize])
    }

    /// The number of a state that was met.
    pub(super) fn find(&mut self, state: &[u32]) -> Option<u32> {
        self.store.find(state).map(|id| self.numbers[&id])
    }

    /// The states that lie on cycles, in order.
    pub(super) fn on_cycles(&self) -> Vec<u32> {
        let components = strong_components(self.len(), |state| &self.targets[state]);
        let lies_on_one = |&state: &u32| {
            let is_own = |target: &u32| components[*target as usize] == components[state as usize];
            self.targets[state as usize].iter().any(is_own)
        };
        (0..self.len() as u32).filter(lies_on_one).collect()
    }

    /// The steps of a shortest way to a state.
    pub(super) fn way_to(
        &mut self,
        system: &mut System,
        expander: &mut Expander,
        to: u32,
    ) -> Result<Vec<PathStep>, Interrupt> {
        let way = self.store.path(self.ids[to as usize]);
        let mut next = Vec::new();
        let mut path = Vec::new();
        for pair in way.windows(2) {
            let state = self.store.state(pair[0]);
            let mut taken: Option<ScopedStep> = None;
            for (step, scope) in expander.steps(system, &state)?.all {
                system.apply(&state, &step, &mut next)?;
                let is_better = taken.as_ref().is_none_or(|(best, _)| step.faults < best.faults);
                if is_better && self.store.find(&next) == Some(pair[1]) {
                    taken = Some((step, scope));
                }
            }
            let (transition, scope) = taken.expect("a state was reached by one of its parent's steps");
            path.push(PathStep { state, transition, scope: scope.map(Arc::new) });
        }
        Ok(path)
    }

    /// The step with a number from a state.
    pub(super) fn step(
        &self,
        system: &mut System,
        expander: &mut Expander,
        from: u32,
        index: u32,
    ) -> Result<PathStep, Interrupt> {
        let state = self.state(from);
        let (transition, scope) = expander.steps(system, &state)?.all.swap_remove(index as usize);
        Ok(PathStep { state, transition, scope: scope.map(Arc::new) })
    }
}
