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
use crate::state::store::{Keep, StateId, Store, words};
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
    mut reduction: Option<&mut Footprints>,
    properties: &Properties,
    mut observer: Option<&mut dyn Observer>,
) -> Result<Explored, Interrupt> {
    let Plan { search, score, keep, subsumes, symmetry, patience, limits, threads, progress } = plan;
    let mut seen = Explored {
        initial: initial.clone(),
        store: Store::new(keep),
        transitions: 0,
        pruned: 0,
        subsumed: 0,
        subsumption: subsumes.then(Subsumption::default),
        symmetry: symmetry.map(|classes| Symmetry::new(system, classes, initial)),
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
    };
    let (first, _) = seen.store.insert(initial, None);
    let mut frontier = match score {
        Some(_) => Frontier::best(first),
        None => Frontier::new(search, first),
    };
    let mut expander = Expander::new(threads);
    let mut next = Vec::new();
    let mut met = Vec::new();
    let mut state = StateVector::new();
    // Only some of those who look at a step see where it leads, too.
    let reads_next = subsumes || symmetry.is_some() || score.is_some() || observer.is_some();
    let mut expanded = 0u64;
    let mut grown_at = None;
    while let Some(id) = frontier.pop() {
        if let Some(found) = seen.awaiting.remove(&id) {
            if seen.violated(system, properties, id, found, reduction.is_some())? {
                return Ok(seen);
            }
            continue;
        }
        expanded += 1;
        if expanded.is_multiple_of(LOOKS_UP_EVERY)
            && let Some(limit) = seen.look_up(system, &frontier, limits, progress)
        {
            seen.limit = Some(limit);
            seen.judge_in_turn(system, properties, &mut frontier, reduction.is_some())?;
            return Ok(seen);
        }
        if reduction.as_ref().is_some_and(|footprints| footprints.has_grown()) {
            let since = *grown_at.get_or_insert(expanded);
            if expanded > since + patience {
                return Ok(seen);
            }
        }
        seen.store.look_at(id, &mut state);
        let place = (&seen.store, &frontier);
        let expansion = expander.expand(system, reduction.as_deref_mut(), place, (id, &state))?;
        seen.store.close(id);
        seen.pruned += expansion.pruned;
        let scope = expansion.scope;
        let is_endless = scope.is_some_and(|scope| scope.is_endless());
        if expansion.steps.iter().all(Transition::is_failure) && !is_endless {
            seen.terminals += 1;
            let terminal = properties.terminal(system, &state);
            if let Some(observer) = &mut observer {
                observer.end(system, &state, &terminal);
            }
            let found = match terminal {
                _ if observer.is_some() => None,
                Terminal::Deadlock(found) => Some(found),
                Terminal::Spurious => {
                    seen.suppressed_deadlocks += 1;
                    None
                }
                Terminal::End { suppressed } => {
                    seen.suppressed_deadlocks += u64::from(suppressed);
                    // Only ends that are sure to be real are shown to the user's properties.
                    match reduction {
                        None => seen.judge_end(system, properties, id, &state)?,
                        Some(_) => {
                            if !properties.is_empty() {
                                seen.ends.push((id, state.clone()));
                            }
                            None
                        }
                    }
                }
            };
            if let Some(found) = found
                && seen.violated(system, properties, id, found, reduction.is_some())?
            {
                return Ok(seen);
            }
        }
        if expansion.steps.is_empty() {
            continue;
        }
        if seen.store.depth(id) >= limits.depth_max {
            seen.limit = Some(Limit::Depth);
            continue;
        }
        met.clear();
        for (transition, encoded, visited) in expansion.successors() {
            seen.transitions += 1;
            seen.taken.note(transition);
            if reads_next {
                next.clear();
                next.extend(words(encoded.bytes));
            }
            if let Some(symmetry) = &mut seen.symmetry {
                symmetry.canonicalize(system, &mut next)?;
            }
            if let Some(subsumption) = &mut seen.subsumption
                && seen.store.find(&next).is_none()
                && subsumption.cover(system, transition, &next).is_some()
            {
                seen.subsumed += 1;
                // A step that violates is judged, whatever it leads to.
                if properties.step(system, transition).is_none() {
                    seen.note_output(system, transition);
                    continue;
                }
            }
            if let Some(observer) = &mut observer {
                observer.step(system, &state, transition, &mut next);
            }
            let (successor, is_new) = match visited {
                _ if reads_next => seen.store.insert(&next, Some(id)),
                Some(visited) => (visited, false),
                None => seen.store.insert_encoded(encoded, Some(id)),
            };
            let mut of_step =
                Successor { state: successor, is_new, unit: transition.unit(), faults: transition.faults, score: 0 };
            if !is_new {
                if frontier.looks_back() {
                    if frontier.prefers(&of_step) {
                        seen.lead(successor, id, transition, scope);
                    }
                    met.push(of_step);
                }
                continue;
            }
            if let Some(subsumption) = &mut seen.subsumption {
                subsumption.add(system, &next, successor);
            }
            seen.depth = seen.depth.max(seen.store.depth(successor));
            if let (Some(scope), true) = (scope, transition.is_scoped()) {
                seen.scopes.insert(successor, Arc::clone(scope));
            }
            seen.note_output(system, transition);
            if observer.is_none()
                && let Some(found) = properties.step(system, transition)
            {
                if frontier.judges_in_turn() {
                    seen.awaiting.insert(successor, found);
                    met.push(of_step);
                } else if seen.violated(system, properties, successor, found, reduction.is_some())? {
                    return Ok(seen);
                }
                continue;
            }
            if seen.store.len() > limits.states_max {
                seen.limit = Some(Limit::States);
                frontier.extend(&met);
                seen.judge_in_turn(system, properties, &mut frontier, reduction.is_some())?;
                return Ok(seen);
            }
            if let Some(score) = score {
                let faults = frontier.faults() + transition.faults;
                of_step.score = score.of(system, &next, seen.store.depth(successor), faults)?;
            }
            met.push(of_step);
        }
        frontier.extend(&met);
    }
    if let Some(symmetry) = &mut seen.symmetry {
        symmetry.keep_up(system)?;
    }
    Ok(seen)
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
