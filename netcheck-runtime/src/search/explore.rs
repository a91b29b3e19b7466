//! The search loop: expands states in the order of the frontier.

use super::expand::{Expander, Expansion, Step};
use super::explored::Explored;
use super::frontier::{Frontier, Search, Successor};
use super::plan::{Limit, Observer, Plan};
use crate::id::NodeId;
use crate::property::{Properties, Terminal};
use crate::reduction::bisimulation::Quotient;
use crate::reduction::footprint::Footprints;
use crate::reduction::parts::Part;
use crate::reduction::stubborn::StubbornSet;
use crate::rest::deadlock_of_part;
use crate::violation::Found;
use crate::world::components::StateVector;
use crate::world::declared::Demands;
use crate::world::step::{Move, Transition};
use crate::world::store::{Encoded, StateId, decode};
use crate::world::system::{Interrupt, System};
use std::sync::Arc;

/// So many states are expanded between checks of the memory that is used and of a wish to end.
const LOOKS_UP_EVERY: u64 = 1024;

/// The states of links take so much more memory between two such checks, in bytes.
const LOOKS_UP_AFTER_BYTES: usize = 16 << 20;

/// Explores everything from `initial`, until a violation or a limit.
pub fn explore(
    system: &mut System,
    initial: &StateVector,
    plan: Plan<'_>,
    reduction: Option<&mut Footprints>,
    properties: &Properties,
) -> Result<Explored, Interrupt> {
    follow(system, initial, plan, reduction, properties, None)
}

/// Explores the full space from `initial` until a limit, and shows all of it to an observer.
pub fn observe(
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
    let combines = reduction.as_ref().is_some_and(|footprints| footprints.uses.splits) && !properties.is_empty();
    let mut seen = Explored::new(system, initial, plan, combines);
    let (first, _) = seen.store.insert(initial, None);
    let alike = reduction.as_ref().and_then(|footprints| footprints.alike());
    seen.quotient = alike.map(Quotient::new);
    seen.quotient.iter_mut().for_each(|quotient| quotient.add(system, initial, first));
    let frontier = match plan.score {
        Some(_) => Frontier::best(first),
        None => Frontier::new(plan.search, first),
    };
    let is_reduced = reduction.is_some();
    let Plan { subsumes, symmetry, score, .. } = plan;
    let reads_network = matches!(plan.search, Search::NetworkStates { .. }) && score.is_none();
    let replaces_next = symmetry.is_some() || observer.is_some();
    let merges = seen.quotient.is_some();
    let reads_next = subsumes || merges || replaces_next || score.is_some() || reads_network;
    let tells_deliveries = matches!(frontier, Frontier::Retransmissions(_));
    let goes_by_messages = matches!(frontier, Frontier::Joint(_) | Frontier::Reads(_));
    let tells_messages = goes_by_messages || plan.limits.messages_max.is_some();
    let (met, next) = (Vec::new(), Vec::new());
    let mut search = Exploration {
        system,
        plan,
        properties,
        observer,
        is_reduced,
        seen,
        frontier,
        met,
        reads_next,
        replaces_next,
        next,
        tells_messages,
        tells_deliveries,
        reads_network,
    };
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
    /// Whether the targets of steps are decoded: for subsumption, symmetry, a score, an observer, or their networks.
    reads_next: bool,
    /// Whether the targets of steps are replaced: by the states of their orbits, or by what an observer makes of them.
    replaces_next: bool,
    next: Vec<u32>,
    /// Whether the messages of steps are looked at: for the frontier, or a limit.
    tells_messages: bool,
    /// Whether the datagrams that steps deliver are looked at, for the frontier.
    tells_deliveries: bool,
    /// Whether the networks of states are looked at, for the frontier.
    reads_network: bool,
}

/// The state that is expanded.
#[derive(Clone, Copy)]
struct Source<'a> {
    id: StateId,
    state: &'a [u32],
}

/// Whether there is a reason not to go on.
type IsOver = bool;

impl Exploration<'_, '_> {
    /// The loop.
    fn run(&mut self, mut reduction: Option<&mut Footprints>) -> Result<(), Interrupt> {
        let (mut expander, mut state) = (Expander::new(self.plan.threads), Vec::new());
        let (mut expanded, mut link_bytes) = (0u64, self.system.link_bytes);
        if let Some(footprints) = &mut reduction {
            footprints.begin_round(self.system);
        }
        while let Some(id) = self.frontier.pop() {
            if let Some(found) = self.seen.awaiting.remove(&id) {
                if self.violated(id, found)? {
                    return Ok(());
                }
                continue;
            }
            if self.seen.skips(id) {
                continue;
            }
            expanded += 1;
            let has_more_links = self.system.link_bytes > link_bytes + LOOKS_UP_AFTER_BYTES;
            let is_wanted = self.plan.progress.is_asked() || self.plan.progress.is_over();
            let is_time = expanded.is_multiple_of(LOOKS_UP_EVERY) || has_more_links || is_wanted;
            if is_time && self.looks_up()? {
                return Ok(());
            }
            if has_more_links {
                link_bytes = self.system.link_bytes;
            }
            if let Some(footprints) = &mut reduction
                && footprints.gives_up(self.system, &self.seen.store, expanded, self.plan.patience)?
            {
                return Ok(());
            }
            self.seen.store.look_at(id, &mut state);
            let place = (&self.seen.store, &self.frontier);
            let progress = self.plan.progress;
            let expanded_now = expander.expand(self.system, reduction.as_deref_mut(), place, (id, &state), progress)?;
            let Some(mut expansion) = expanded_now else {
                self.looks_up()?;
                return Ok(());
            };
            // All of its steps were taken before.
            if self.seen.reopened.contains(&id) && !expansion.puts_off {
                continue;
            }
            self.seen.store.close(id);
            if let Some(footprints) = reduction.as_deref_mut()
                && expansion.puts_off
                && !self.seen.leads_on(self.system, (self.properties, id), &expansion, footprints)?
            {
                let Some(whole) = expander.expand_whole(self.system, footprints, &state, progress)? else {
                    self.looks_up()?;
                    return Ok(());
                };
                expansion = whole;
            }
            self.seen.pruned += expansion.pruned;
            let source = Source { id, state: &state };
            if expansion.steps.iter().all(Transition::is_failure) && self.is_violated_at(source)? {
                return Ok(());
            }
            let mut is_at_rest = expansion.steps.is_empty();
            if is_at_rest && self.system.view().is_cut_off(&state, &|_| true) {
                // Others may have come to rest.
                is_at_rest = false;
                reduction.iter_mut().for_each(|footprints| footprints.cut_off(self.system, &state));
            }
            if !is_at_rest && self.is_violated_in_part(source, expansion.helpless)? {
                return Ok(());
            }
            if expansion.steps.is_empty() {
                continue;
            }
            if self.take_all(source, &expansion)? {
                return Ok(());
            }
        }
        self.seen.limit = self.seen.limit.or(self.system.images.unenumerated.map(Limit::Files));
        match &mut self.seen.symmetry {
            Some(symmetry) => symmetry.keep_up(self.system),
            None => Ok(()),
        }
    }

    /// Takes the steps of a state, unless it is at the greatest depth.
    fn take_all(&mut self, source: Source<'_>, expansion: &Expansion<'_>) -> Result<IsOver, Interrupt> {
        self.seen.split += u64::from(matches!(expansion.steps[0].step, Move::Part { .. }));
        if self.seen.store.depth(source.id) >= self.plan.limits.depth_max {
            self.seen.limit = Some(Limit::Depth);
            return Ok(false);
        }
        self.met.clear();
        for step in expansion.successors() {
            if self.take(source, step)? {
                return Ok(true);
            }
        }
        self.frontier.extend(&self.met);
        Ok(false)
    }

    /// Reports how far the search is.
    fn looks_up(&mut self) -> Result<IsOver, Interrupt> {
        let demands = self.system.demands;
        if !demands.types && self.system.needs_types(self.seen.store.len()) {
            return Err(Interrupt::Demands(Demands { types: true, ..demands }));
        }
        let Plan { limits, progress, advisor, .. } = self.plan;
        if progress.takes_hunt() && advisor.hunts() {
            self.seen.limit = Some(Limit::Interrupt);
            return Ok(true);
        }
        progress.advise(|| advisor.advice(self.system, &self.seen.store));
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

    /// Judges a state in which no step is possible, except failures.
    fn is_violated_at(&mut self, Source { id, state, .. }: Source<'_>) -> Result<IsOver, Interrupt> {
        let terminal = self.properties.terminal(self.system, state);
        if matches!(terminal, Terminal::Unfinished) {
            return Ok(false);
        }
        self.seen.terminals += 1;
        if let Some(observer) = &mut self.observer {
            observer.end(self.system, state, &terminal);
            return Ok(false);
        }
        let found = match terminal {
            Terminal::Unfinished => None,
            Terminal::Deadlock { found, .. } => Some(found),
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
                        self.seen.ends.add(id, state);
                    }
                    // A search for bugs need not wait for the fixpoint.
                    if self.plan.search.hunts() && self.seen.judge_end_early(self.system, self.properties, id, state)? {
                        return Ok(true);
                    }
                    None
                }
            }
        };
        found.map_or(Ok(false), |found| self.violated(id, found))
    }

    /// Judges the processes that wait for ever in a state while others go on.
    fn is_violated_in_part(
        &mut self,
        Source { id, state }: Source<'_>,
        helpless: &[Part],
    ) -> Result<IsOver, Interrupt> {
        for part in helpless {
            let names: Vec<String> = part.iter().map(|&unit| self.system.shared().unit(unit).name).collect();
            if let Some(found) = deadlock_of_part(self.system, self.properties, state, &names)?
                && self.violated(id, found)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Takes a step to its target.
    fn take(
        &mut self,
        source: Source<'_>,
        Step { transition: step, scope, encoded, visited }: Step<'_>,
    ) -> Result<IsOver, Interrupt> {
        // Time, and the loss of what is in flight, wait for the movers of the set alone. In dense time all steps do.
        let scope = scope.filter(|_| step.is_scoped() || self.system.zone.is_some());
        let message = match self.tells_messages {
            true => self.system.view().message(step),
            false => None,
        };
        if self.seen.has_enough_messages(source.id, message, self.plan.limits) {
            return Ok(false);
        }
        self.seen.transitions += 1;
        self.seen.note(self.system, step);
        let visited = match visited {
            None if self.reads_next && !self.replaces_next => self.seen.store.find_encoded(encoded),
            visited => visited,
        };
        if self.reads_next && self.is_left_out(source, step, (encoded, visited))? {
            return Ok(false);
        }
        let (state, is_new) = match visited {
            _ if self.replaces_next => self.seen.store.insert(&self.next, Some(source.id)),
            Some(visited) => (visited, false),
            None => self.seen.store.insert_encoded(encoded, Some(source.id)),
        };
        self.seen.count_messages(source.id, state, message);
        match &step.step {
            Move::Part { .. } => self.seen.ends.split(source.id, source.state, (state, &step.writes)),
            _ => self.seen.ends.lead(source.id, state),
        }
        let (local, is_fault) = (self.local_after(step), step.is_fault());
        let (unit, faults) = (step.unit(), step.faults);
        let view = self.system.view();
        let delivered = if self.tells_deliveries { view.delivered(source.state, step) } else { None };
        let network = if self.reads_network { view.network_state(&self.next) } else { 0 };
        let successor =
            Successor { state, is_new, unit, local, faults, is_fault, message, score: 0, network, delivered };
        match is_new {
            true => self.meet((step, scope), successor),
            false => {
                self.meet_again(source, (step, scope), successor);
                Ok(false)
            }
        }
    }

    /// The local state of the unit that moves, after the step.
    fn local_after(&self, step: &Transition) -> Option<NodeId> {
        match step.step {
            Move::Unit { edge, .. } => Some(self.system.learner.automata.edge(edge).target),
            _ => None,
        }
    }

    /// Decodes the target of a step into `next`: the state that represents it, with the data that an observer keeps
    /// there. Says whether it need not be explored.
    fn is_left_out(
        &mut self,
        source: Source<'_>,
        step: &Transition,
        (encoded, visited): (Encoded<'_>, Option<StateId>),
    ) -> Result<bool, Interrupt> {
        let Exploration { system, properties, observer, seen, next, .. } = self;
        // Only the network is read of a state that was visited.
        if visited.is_some() && !self.replaces_next && !self.reads_network {
            return Ok(false);
        }
        decode(encoded.bytes, next);
        if let Some(symmetry) = &mut seen.symmetry {
            symmetry.canonicalize(system, next)?;
        }
        let is_visited = if self.replaces_next { seen.store.find(next) } else { visited }.is_some();
        if !is_visited
            && step.step != Move::Forget
            && let Some(cover) = seen.stand_in(system, step, next)
        {
            seen.subsumed += 1;
            match &step.step {
                Move::Part { .. } => seen.ends.split(source.id, source.state, (cover, &step.writes)),
                _ => seen.ends.lead(source.id, cover),
            }
            // A step that violates is judged, whatever its target.
            if properties.step(system, step).is_none() {
                return Ok(true);
            }
        }
        if let Some(observer) = observer {
            observer.step(system, source.state, step, next);
        }
        Ok(false)
    }

    /// A step leads to a state that was met before.
    fn meet_again(
        &mut self,
        source: Source<'_>,
        (step, scope): (&Transition, Option<&Arc<StubbornSet>>),
        successor: Successor,
    ) {
        if self.seen.is_expanded_again(self.system, step, successor.state) {
            self.met.push(Successor { is_new: true, ..successor });
            return;
        }
        if !self.frontier.looks_back() {
            return;
        }
        if self.frontier.prefers(&successor) {
            self.seen.lead(successor.state, source.id, scope);
        }
        self.met.push(successor);
    }

    /// A step leads to a new state.
    fn meet(
        &mut self,
        (step, scope): (&Transition, Option<&Arc<StubbornSet>>),
        mut successor: Successor,
    ) -> Result<IsOver, Interrupt> {
        let Exploration { system, seen, .. } = self;
        let state = successor.state;
        if let Some(quotient) = &mut seen.quotient {
            quotient.add(system, &self.next, state);
        }
        if let Some(subsumption) = &mut seen.subsumption {
            for superseded in subsumption.add(system, step, &self.next, state) {
                seen.ends.lead(superseded, state);
            }
        }
        let depth = seen.store.depth(state);
        seen.depth = seen.depth.max(depth);
        if let Some(scope) = scope {
            seen.scopes.insert(state, Arc::clone(scope));
        }
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
