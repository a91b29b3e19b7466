//! The loop.

use crate::id::{ProcessId, UnitId};
use crate::property::{Properties, Terminal};
use crate::reduction::footprint::Footprints;
use crate::reduction::proviso::Visited;
use crate::reduction::stubborn::Scope;
use crate::reduction::subsumption::Subsumption;
use crate::reduction::successors::{Leg, Successors};
use crate::reduction::symmetry::{Classes, Permutation, Symmetry};
use crate::search::concretize::concretize;
use crate::search::expand::Expander;
use crate::search::frontier::{Frontier, Search, Successor};
use crate::search::progress::{Progress, Seen};
use crate::search::score::Score;
use crate::state::enabled::{Step, Transition};
use crate::state::place::StateVector;
use crate::state::store::{Encoded, Keep, StateId, Store, words};
use crate::state::system::{Interrupt, System};
use crate::unit::automaton::{EdgeId, NodeKind};
use crate::violation::Found;
use ahash::AHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Bounds of a search; reaching one is a verdict of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) states_max: usize,
    pub(crate) depth_max: usize,
    pub(crate) memory_bytes_max: usize,
}

/// Which bound was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    States,
    Depth,
    Memory,
    /// Somebody wants it to end.
    Interrupt,
}

/// What a search saw.
pub(crate) struct Explored {
    initial: StateVector,
    pub(crate) store: Store,
    pub(crate) transitions: u64,
    /// Moves that were possible and not explored.
    pub(crate) pruned: u64,
    /// States that were not explored because a visited one covers them.
    pub(crate) subsumed: u64,
    pub(crate) subsumption: Option<Subsumption>,
    /// If a state stands for all that like processes make of it.
    pub(crate) symmetry: Option<Symmetry>,
    /// Which image of an end violates something, where that was asked.
    shown: AHashMap<StateId, Permutation>,
    pub(crate) depth: usize,
    pub(crate) terminals: u64,
    pub(crate) suppressed_deadlocks: u64,
    pub(crate) limit: Option<Limit>,
    /// The first violation, and the state that shows it. A reduced search believes one at
    /// once only if it could be taken through the full semantics; else it goes on, and the
    /// caller may believe it if no footprint has grown by the end.
    pub(crate) found: Option<(StateId, Found)>,
    /// The violation as an execution of the full semantics.
    pub(crate) concrete: Option<(Vec<Leg>, Found)>,
    /// The edges that were taken.
    pub(crate) taken: Taken,
    /// What the roots of the processes ended with.
    pub(crate) outputs: BTreeSet<(UnitId, u32)>,
    /// The ends that a reduced search came to, to be judged at the fixpoint.
    ends: Vec<(StateId, StateVector)>,
    /// Under which scope a state was first reached by a step that depends on it: by a timer,
    /// by loss, or by parking.
    scopes: AHashMap<StateId, Arc<Scope>>,
    /// How many executions were taken through the full semantics.
    concretized: usize,
    /// Violations whose turn has not come, by the states that show them.
    awaiting: AHashMap<StateId, Found>,
}

/// How to search.
#[derive(Clone, Copy)]
pub(crate) struct Plan<'a> {
    pub(crate) search: Search,
    /// The highest first, whatever `search` says.
    pub(crate) score: Option<&'a Score>,
    pub(crate) keep: Keep,
    /// Whether states that a visited one covers are left out.
    pub(crate) subsumes: bool,
    /// Which processes are taken to be alike.
    pub(crate) symmetry: Option<&'a Classes>,
    /// A round of the reduced search that relied on what is known to be wrong by now is still good for learning,
    /// but what it believes may go on for ever, as time-outs do where answers are not known yet: after so many
    /// states more it is given up.
    pub(crate) patience: u64,
    pub(crate) limits: Limits,
    /// How many threads expand states.
    pub(crate) threads: usize,
    pub(crate) progress: &'a Progress,
}

/// Who follows a search of the full space, in which no violation is an end of the search.
pub(crate) trait Observer {
    /// A step leads from `state` to `next`, in which the observer may keep what it knows of the way.
    fn step(&mut self, system: &mut System, state: &[u32], transition: &Transition, next: &mut Vec<u32>);

    /// Nothing can happen any more, or nothing but failures.
    fn end(&mut self, system: &System, state: &[u32], terminal: &Terminal);
}

/// Explores everything from `initial`, until a violation or a limit.
pub(crate) fn explore(
    system: &mut System,
    initial: &StateVector,
    plan: Plan<'_>,
    reduction: Option<&mut Footprints>,
    properties: &Properties,
) -> Result<Explored, Interrupt> {
    follow(system, initial, plan, reduction, properties, None)
}

/// Explores the full space from `initial` until a limit, and shows an observer all of it.
pub(crate) fn observe(
    system: &mut System,
    initial: &StateVector,
    plan: Plan<'_>,
    properties: &Properties,
    observer: &mut dyn Observer,
) -> Result<Explored, Interrupt> {
    follow(system, initial, plan, None, properties, Some(observer))
}

fn follow(
    system: &mut System,
    initial: &StateVector,
    plan: Plan<'_>,
    reduction: Option<&mut Footprints>,
    properties: &Properties,
    observer: Option<&mut dyn Observer>,
) -> Result<Explored, Interrupt> {
    let mut seen = Explored::new(system, initial, plan);
    let (first, _) = seen.store.insert(initial, None);
    let frontier = match plan.score {
        Some(_) => Frontier::best(first),
        None => Frontier::new(plan.search, first),
    };
    let is_reduced = reduction.is_some();
    let Plan { subsumes, symmetry, score, .. } = plan;
    let reads_next = subsumes || symmetry.is_some() || score.is_some() || observer.is_some();
    let (met, next) = (Vec::new(), Vec::new());
    let mut search =
        Exploration { system, plan, properties, observer, is_reduced, seen, frontier, met, reads_next, next };
    search.run(reduction)?;
    Ok(search.seen)
}

/// A search that is under way.
struct Exploration<'a, 'o> {
    system: &'a mut System,
    plan: Plan<'a>,
    properties: &'a Properties,
    observer: Option<&'a mut (dyn Observer + 'o)>,
    is_reduced: bool,
    seen: Explored,
    frontier: Frontier,
    /// The successors of the state that is expanded, for the frontier.
    met: Vec<Successor>,
    /// Only some of those who look at a step see where it leads, too.
    reads_next: bool,
    next: Vec<u32>,
}

/// The state that is expanded, and what its steps were chosen for.
#[derive(Clone, Copy)]
struct Source<'a> {
    id: StateId,
    state: &'a [u32],
    scope: Option<&'a Arc<Scope>>,
}

/// Whether there is a reason not to go on.
type IsOver = bool;

impl Exploration<'_, '_> {
    /// The loop.
    fn run(&mut self, mut reduction: Option<&mut Footprints>) -> Result<(), Interrupt> {
        let mut expander = Expander::new(self.plan.threads);
        let mut state = StateVector::new();
        let mut expanded = 0u64;
        let mut grown_at = None;
        while let Some(id) = self.frontier.pop() {
            if let Some(found) = self.seen.awaiting.remove(&id) {
                if self.violated(id, found)? {
                    return Ok(());
                }
                continue;
            }
            expanded += 1;
            if expanded.is_multiple_of(LOOKS_UP_EVERY) && self.looks_up()? {
                return Ok(());
            }
            if reduction.as_ref().is_some_and(|footprints| footprints.has_grown()) {
                let since = *grown_at.get_or_insert(expanded);
                if expanded > since + self.plan.patience {
                    return Ok(());
                }
            }
            self.seen.store.look_at(id, &mut state);
            let place = (&self.seen.store, &self.frontier);
            let expansion = expander.expand(self.system, reduction.as_deref_mut(), place, (id, &state))?;
            self.seen.store.close(id);
            self.seen.pruned += expansion.pruned;
            let source = Source { id, state: &state, scope: expansion.scope };
            let is_endless = source.scope.is_some_and(|scope| scope.is_endless());
            if expansion.steps.iter().all(Transition::is_failure) && !is_endless && self.is_violated_at(source)? {
                return Ok(());
            }
            if expansion.steps.is_empty() {
                continue;
            }
            if self.seen.store.depth(id) >= self.plan.limits.depth_max {
                self.seen.limit = Some(Limit::Depth);
                continue;
            }
            self.met.clear();
            for (step, encoded, visited) in expansion.successors() {
                if self.take(source, step, (encoded, visited))? {
                    return Ok(());
                }
            }
            self.frontier.extend(&self.met);
        }
        match &mut self.seen.symmetry {
            Some(symmetry) => symmetry.keep_up(self.system),
            None => Ok(()),
        }
    }

    /// Says how far the search is, to whoever waits for it.
    fn looks_up(&mut self) -> Result<IsOver, Interrupt> {
        let Plan { limits, progress, .. } = self.plan;
        self.seen.limit = self.seen.look_up(self.system, &self.frontier, limits, progress).or(self.seen.limit);
        match self.seen.is_cut_off() {
            true => self.ends_at_limit(),
            false => Ok(false),
        }
    }

    fn ends_at_limit(&mut self) -> Result<IsOver, Interrupt> {
        self.seen.judge_in_turn(self.system, self.properties, &mut self.frontier, self.is_reduced)?;
        Ok(true)
    }

    fn violated(&mut self, at: StateId, found: Found) -> Result<IsOver, Interrupt> {
        self.seen.violated(self.system, self.properties, at, found, self.is_reduced)
    }

    /// Judges a state in which nothing can happen, or nothing but failures.
    fn is_violated_at(&mut self, Source { id, state, .. }: Source<'_>) -> Result<IsOver, Interrupt> {
        self.seen.terminals += 1;
        let terminal = self.properties.terminal(self.system, state);
        if let Some(observer) = &mut self.observer {
            observer.end(self.system, state, &terminal);
            return Ok(false);
        }
        let found = match terminal {
            Terminal::Deadlock(found) => Some(found),
            Terminal::Spurious => {
                self.seen.suppressed_deadlocks += 1;
                None
            }
            Terminal::End { suppressed } => {
                self.seen.suppressed_deadlocks += u64::from(suppressed);
                // Only ends that are sure to be real are shown to the user's properties.
                if !self.is_reduced {
                    self.seen.judge_end(self.system, self.properties, id, state)?
                } else {
                    if !self.properties.is_empty() {
                        self.seen.ends.push((id, StateVector::from_slice(state)));
                    }
                    None
                }
            }
        };
        found.map_or(Ok(false), |found| self.violated(id, found))
    }

    /// Takes a step to where it leads; `visited`: that state, if it is known to have been visited.
    fn take(
        &mut self,
        source: Source<'_>,
        step: &Transition,
        (encoded, visited): (Encoded<'_>, Option<StateId>),
    ) -> Result<IsOver, Interrupt> {
        self.seen.transitions += 1;
        self.seen.taken.note(step);
        if self.reads_next && self.is_left_out(source, step, encoded)? {
            return Ok(false);
        }
        let (state, is_new) = match visited {
            _ if self.reads_next => self.seen.store.insert(&self.next, Some(source.id)),
            Some(visited) => (visited, false),
            None => self.seen.store.insert_encoded(encoded, Some(source.id)),
        };
        let successor = Successor { state, is_new, unit: step.unit(), faults: step.faults, score: 0 };
        match is_new {
            true => self.meet(source, step, successor),
            false => {
                self.meet_again(source, step, successor);
                Ok(false)
            }
        }
    }

    /// Reads where a step leads: to the state that stands for it, with what an observer keeps there. Says whether
    /// nobody has to go there.
    fn is_left_out(&mut self, source: Source<'_>, step: &Transition, encoded: Encoded<'_>) -> Result<bool, Interrupt> {
        let Exploration { system, properties, observer, seen, next, .. } = self;
        next.clear();
        next.extend(words(encoded.bytes));
        if let Some(symmetry) = &mut seen.symmetry {
            symmetry.canonicalize(system, next)?;
        }
        if let Some(subsumption) = &mut seen.subsumption
            && seen.store.find(next).is_none()
            && subsumption.cover(system, step, next).is_some()
        {
            seen.subsumed += 1;
            // A step that violates is judged, whatever it leads to.
            if properties.step(system, step).is_none() {
                seen.note_output(system, step);
                return Ok(true);
            }
        }
        if let Some(observer) = observer {
            observer.step(system, source.state, step, next);
        }
        Ok(false)
    }

    /// A step leads to a state that was met before.
    fn meet_again(&mut self, source: Source<'_>, step: &Transition, successor: Successor) {
        if !self.frontier.looks_back() {
            return;
        }
        if self.frontier.prefers(&successor) {
            self.seen.lead(successor.state, source.id, step, source.scope);
        }
        self.met.push(successor);
    }

    /// A step leads to a new state.
    fn meet(&mut self, source: Source<'_>, step: &Transition, mut successor: Successor) -> Result<IsOver, Interrupt> {
        let Exploration { system, seen, .. } = self;
        let state = successor.state;
        if let Some(subsumption) = &mut seen.subsumption {
            subsumption.add(system, &self.next, state);
        }
        let depth = seen.store.depth(state);
        seen.depth = seen.depth.max(depth);
        if let (Some(scope), true) = (source.scope, step.is_scoped()) {
            seen.scopes.insert(state, Arc::clone(scope));
        }
        seen.note_output(system, step);
        if self.observer.is_none()
            && let Some(found) = self.properties.step(system, step)
        {
            if !self.frontier.judges_in_turn() {
                return self.violated(state, found);
            }
            seen.awaiting.insert(state, found);
            self.met.push(successor);
            return Ok(false);
        }
        if seen.store.len() > self.plan.limits.states_max {
            seen.limit = Some(Limit::States);
            self.frontier.extend(&self.met);
            return self.ends_at_limit();
        }
        if let Some(score) = self.plan.score {
            let faults = self.frontier.faults() + step.faults;
            successor.score = score.of(system, &self.next, depth, faults)?;
        }
        self.met.push(successor);
        Ok(false)
    }
}

/// Edges that were taken in a search.
#[derive(Default)]
pub(crate) struct Taken(Vec<bool>);

impl Taken {
    fn note(&mut self, transition: &Transition) {
        if let Step::Unit { edge, .. } = transition.step {
            self.add(edge);
        }
    }

    fn add(&mut self, edge: EdgeId) {
        let index = edge.0 as usize;
        if self.0.len() <= index {
            self.0.resize(index + 1, false);
        }
        self.0[index] = true;
    }

    pub(crate) fn has(&self, edge: EdgeId) -> bool {
        self.0.get(edge.0 as usize).copied().unwrap_or(false)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = EdgeId> + '_ {
        (0u32..).zip(&self.0).filter(|&(_, &taken)| taken).map(|(index, _)| EdgeId(index))
    }
}

/// So many states are expanded between looks at the memory that is used, and at who waits.
const LOOKS_UP_EVERY: u64 = 1024;

/// Executions of one search that are taken through the full semantics at the most.
const CONCRETIZED_MAX: usize = 64;

impl Explored {
    /// Nothing yet.
    fn new(system: &System, initial: &StateVector, plan: Plan<'_>) -> Explored {
        Explored {
            initial: initial.clone(),
            store: Store::new(plan.keep),
            transitions: 0,
            pruned: 0,
            subsumed: 0,
            subsumption: plan.subsumes.then(Subsumption::default),
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
            ends: Vec::new(),
            scopes: AHashMap::new(),
            concretized: 0,
            awaiting: AHashMap::new(),
        }
    }

    /// Says how far the search is; which limit was hit by that.
    fn look_up(&self, system: &System, frontier: &Frontier, limits: Limits, progress: &Progress) -> Option<Limit> {
        let symmetry_bytes = self.symmetry.as_ref().map_or(0, Symmetry::memory_bytes);
        let memory_bytes = self.store.memory_bytes() + frontier.memory_bytes() + symmetry_bytes;
        let is_over = progress.note(Seen {
            states: self.store.len() as u64,
            frontier: frontier.len() as u64,
            depth: self.depth as u64,
            local_states: system.learner.automata.nodes.len() as u64,
            memory_bytes: memory_bytes as u64,
        });
        match is_over {
            true => Some(Limit::Interrupt),
            false => (memory_bytes > limits.memory_bytes_max).then_some(Limit::Memory),
        }
    }

    /// A state is reached on a better way.
    fn lead(&mut self, to: StateId, from: StateId, by: &Transition, scope: Option<&Arc<Scope>>) {
        self.store.lead(to, from);
        self.depth = self.depth.max(self.store.depth(to));
        match scope.filter(|_| by.is_scoped()) {
            Some(scope) => self.scopes.insert(to, Arc::clone(scope)),
            None => self.scopes.remove(&to),
        };
    }

    /// Judges what still waits for its turn: a search that ends at a limit forgets no violation that it has met.
    fn judge_in_turn(
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

    /// Keeps a violation; says whether it can be believed at once.
    fn violated(
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
    fn concretize(&mut self, system: &mut System, properties: &Properties, at: StateId) -> Result<(), Interrupt> {
        if self.concretized < CONCRETIZED_MAX {
            self.concretized += 1;
            let legs = self.path(system, at)?;
            self.concrete = concretize(system, properties, &legs)?;
        }
        Ok(())
    }

    /// Where states stand for others, a violation has to say which processes it is about.
    pub(crate) fn name_processes(&mut self, system: &mut System, properties: &Properties) -> Result<(), Interrupt> {
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
    ) -> Result<(Vec<Leg>, Found), Interrupt> {
        let legs = self.path(system, at)?;
        let Some(Leg { state, transition, .. }) = legs.last() else { return Ok((legs, found.clone())) };
        let mut next = Vec::new();
        system.apply(state, transition, &mut next);
        let again = properties.step(system, transition).or_else(|| properties.violated_at_end(system, &next));
        Ok((legs, again.unwrap_or_else(|| found.clone())))
    }

    /// The properties of the end, for all that an end stands for.
    fn judge_end(
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

    /// Adds what the processes do that are like those which were seen to do it.
    pub(crate) fn spread(&mut self) {
        let Some(symmetry) = &self.symmetry else { return };
        let outputs = self.outputs.iter().flat_map(|&(unit, output)| {
            let like = symmetry.like(ProcessId(unit.0));
            like.map(move |process| (UnitId(process.0), output))
        });
        self.outputs = outputs.collect();
        let edges: Vec<EdgeId> = self.taken.iter().flat_map(|edge| symmetry.images_of_edge(edge)).collect();
        edges.into_iter().for_each(|edge| self.taken.add(edge));
    }

    /// What was visited, for who goes through it again.
    pub(crate) fn visited<'a>(&'a mut self, violates: &'a dyn Fn(&System, &Transition) -> bool) -> Visited<'a> {
        let Explored { store, subsumption, symmetry, subsumed, .. } = self;
        let (subsumption, symmetry) = (subsumption.as_mut(), symmetry.as_mut());
        Visited { store, subsumption, symmetry, leaves_out: *subsumed > 0, violates }
    }

    /// Whether the search can't go on, whatever is known by now.
    pub(crate) fn is_cut_off(&self) -> bool {
        matches!(self.limit, Some(Limit::Memory | Limit::Interrupt))
    }

    /// Whether there is nothing else to be seen: it did not end at a violation that is believed.
    pub(crate) fn is_complete(&self) -> bool {
        self.limit.is_none() && self.concrete.is_none()
    }

    /// Whether the violation holds whatever footprints will grow to.
    pub(crate) fn is_believed(&self) -> bool {
        self.concrete.is_some()
    }

    /// Evaluates the properties of the end on every end that a reduced search came to. Unless
    /// it was at its fixpoint, only those that could be taken through the full semantics.
    pub(crate) fn judge_ends(
        &mut self,
        system: &mut System,
        properties: &Properties,
        at_fixpoint: bool,
    ) -> Result<(), Interrupt> {
        if self.found.is_some() || properties.is_empty() {
            return Ok(());
        }
        for (end, state) in std::mem::take(&mut self.ends) {
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

    /// Without a violation that relied on footprints that have grown since.
    pub(crate) fn unless_doubtful(mut self, grew: bool) -> Explored {
        if grew && self.concrete.is_none() {
            self.found = None;
        }
        self
    }

    fn note_output(&mut self, system: &System, transition: &Transition) {
        let Step::Unit { unit, edge, .. } = transition.step else { return };
        let target = system.learner.automata.edge(edge).target;
        if let NodeKind::Ended { output } = system.learner.automata.node(target).kind {
            self.outputs.insert((unit, output));
        }
    }

    /// The steps from the start to a state, each with the state that it leaves.
    pub(crate) fn path(&mut self, system: &mut System, to: StateId) -> Result<Vec<Leg>, Interrupt> {
        let states = self.store.path(to);
        let mut successors = Successors::default();
        let mut state = self.initial.clone();
        let mut next = Vec::new();
        let mut legs = Vec::new();
        for &id in &states[1..] {
            let scope = self.scopes.get(&id).cloned();
            let possible = successors.within(system, &state, scope.as_deref())?.to_vec();
            let mut taken: Option<(Transition, StateVector)> = None;
            for transition in possible {
                system.apply(&state, &transition, &mut next);
                if let Some(symmetry) = &mut self.symmetry {
                    symmetry.canonicalize(system, &mut next)?;
                }
                let is_better = taken.as_ref().is_none_or(|(best, _)| transition.faults < best.faults);
                if is_better && self.store.find(&next) == Some(id) {
                    taken = Some((transition, StateVector::from_slice(&next)));
                }
            }
            let (transition, successor) = taken.expect("a state was reached by one of its parent's steps");
            legs.push(Leg { state, transition, scope });
            state = successor;
        }
        match &mut self.symmetry {
            Some(symmetry) => symmetry.unfold(system, &legs, self.shown.get(&to).copied()),
            None => Ok(legs),
        }
    }
}
