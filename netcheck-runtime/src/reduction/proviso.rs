//! The proviso for cycles: no step is put off for ever.
//!
//! Where programs come back to local states, the graph of global states has cycles, and a stubborn set that leads round a
//! cycle can put off the steps outside it for ever. (Without a cycle of local states there is none of global ones: each
//! unit takes finitely many steps, and the network and time take finitely many between two of them.) A step that is put off stays possible until it is taken, so no step is ignored if
//! every state has a path to a state in which it is taken. That is seen on the terminal strongly connected components
//! of the reduced graph (A. Valmari, "Stubborn sets for reduced state space generation", 1991, section 4): a unit that
//! can move in one of them has to move in it. Where it does not,
//!
//! - if it is connected to units that move, those units are no longer reduced among themselves:
//!   [`Cycles::unreduce`](super::cycles::Cycles::unreduce);
//! - if it is of another connected component, the component that goes round is *endless*: one state of the cycle
//!   represents it, from which the others are explored as well; after that the endless one is left alone:
//!   [`Cycles::add_endless`](super::cycles::Cycles::add_endless). The endless component never meets the others, so all
//!   its steps have been seen by then. The timers of the others run only if time passes in the cycle.
//!
//! Where a component goes round without a timer of its own, time does not pass, and no timer of any unit fires any more,
//! also if another component goes round by timers in the same cycle. If others have timers, it is then no longer true
//! that no mover can compare their clocks: the units of the cycle and those with timers are one component.
//!
//! With symmetry, the states of the graph stand for their orbits. If the graph has no terminal cycle, that of all
//! states has none either, and no unit is ignored; if it has one, the search runs again without symmetry.
//!
//! Then the search runs again, as it does when a footprint has grown. With more units that are not reduced or that keep
//! time from passing, it may not come to a representative any more; then another state with the same state of the
//! endless component represents it as well. So at the fixpoint each endless component goes round from a state that was
//! visited, with the others beside it. The result does not depend on the order of
//! exploration. So no state is left out as covered by another one as soon as there is an endless component: the order
//! would decide which states are met, and the representative of the cycle has to be met.

use super::cycles::{Part, part};
use super::footprint::Footprints;
use super::stubborn::{Round, Waiting, parts, waiting};
use super::subsumption::Subsumption;
use super::successors::Successors;
use super::symmetry::Symmetry;
use crate::graph::Graph;
use crate::id::{Mover, NodeId, UnitId};
use crate::operation::{Offer, Operation, tasks};
use crate::sorted::SortedSet;
use crate::world::components::StateVector;
use crate::world::enabled::Enabled;
use crate::world::step::{Class, Transition};
use crate::world::store::{StateId, Store};
use crate::world::system::{Asymmetry, Interrupt, System};
use ahash::{AHashMap, AHashSet};
use smallvec::SmallVec;
use std::collections::{BTreeSet, VecDeque};

/// A state of a cycle in which a mover waits that never moves in the cycle.
struct Ignoring {
    state: StateVector,
    waiting: Waiting,
}

/// What the states of a cycle show.
#[derive(Default)]
struct Shown {
    /// The least state in which a mover waits that never moves in the cycle, if there is one.
    ignoring: Option<Ignoring>,
    /// The units of each component that goes round without time passing for it.
    untimed: Vec<SortedSet<UnitId>>,
}

/// Looks for cycles of a finished reduced search that ignore a mover; says whether the search has to run again. If the
/// check is to end, no cycle is looked for.
pub fn update(
    system: &mut System,
    footprints: &mut Footprints,
    initial: &StateVector,
    mut visited: Visited<'_>,
) -> Result<bool, Interrupt> {
    if !system.learner.has_cycles() && !visited.leaves_out {
        return Ok(false);
    }
    if represent(system, footprints, initial, &mut visited)? {
        return Ok(true);
    }
    let Some(graph) = Reduced::of(system, footprints, initial, &mut visited)? else { return Ok(false) };
    let cycles = graph.0.terminal_cycles();
    if visited.symmetry.as_ref().is_some_and(|symmetry| !symmetry.is_trivial()) && !cycles.is_empty() {
        let reason = "executions go round for ever, and the reduction has to know who does not move then".to_owned();
        return Err(Interrupt::Asymmetry(Asymmetry { between: None, reason }));
    }
    let Some(states) = graph.states(system, footprints, initial, &mut visited, &cycles)? else { return Ok(false) };
    let rounds: Vec<Round> = cycles.iter().map(|cycle| graph.round(cycle)).collect();
    let mut shown = Vec::new();
    for (round, states) in rounds.iter().zip(states) {
        shown.push(shown_by(system, footprints, round, states)?);
    }
    let with_timers = with_timers(system, footprints, initial);
    let untimed = shown.iter_mut().flat_map(|shown| std::mem::take(&mut shown.untimed));
    if footprints.cycles.add_untimed(untimed, &with_timers) {
        return Ok(true);
    }
    // A component may come to its cycle with others in several states.
    let mut unreduced = AHashSet::new();
    let mut endless = AHashSet::new();
    for (round, Shown { ignoring, .. }) in rounds.into_iter().zip(shown) {
        let Some(Ignoring { state, waiting }) = ignoring else { continue };
        let cycles = &mut footprints.cycles;
        let is_new = match waiting.connected {
            true => {
                let moved: SmallVec<[Mover; 8]> = round.movers.into_iter().collect();
                !unreduced.insert(moved.clone()) || cycles.unreduce(moved)
            }
            false if visited.leaves_out => {
                cycles.note_endless_in_part();
                return Ok(true);
            }
            // Another cycle of the same component, which was dealt with just now.
            false if waiting.component.is_empty() => !endless.is_empty(),
            false => {
                let part = part(system, &state, &waiting.component);
                !endless.insert(part.clone()) || cycles.add_endless(part, state, waiting.timed)
            }
        };
        assert!(is_new, "a cycle that ignores somebody was dealt with and does so again");
    }
    Ok(!unreduced.is_empty() || !endless.is_empty())
}

/// Looks for endless components that a finished search has left alone everywhere; says whether there was one.
fn represent(
    system: &mut System,
    footprints: &mut Footprints,
    initial: &StateVector,
    visited: &mut Visited<'_>,
) -> Result<bool, Interrupt> {
    let mut unrepresented = BTreeSet::new();
    for (part, representatives) in footprints.cycles.represented() {
        let mut is_represented = false;
        for state in representatives.iter().filter(|state| visited.store.find(state).is_some()) {
            is_represented |= parts_of(system, footprints, state)?.contains(&part);
        }
        if !is_represented {
            unrepresented.insert(part);
        }
    }
    let mut met = Vec::new();
    if !unrepresented.is_empty() {
        walk(system, footprints, initial, visited, |_, _, state, _, _| {
            let holds = |part: &Part| part.iter().all(|&(component, value)| component.of(state) == value);
            if unrepresented.iter().any(holds) {
                met.push(state.clone());
            }
        })?;
    }
    met.sort_unstable();
    let mut are_more = false;
    for state in met {
        for part in parts_of(system, footprints, &state)? {
            if unrepresented.remove(&part) {
                footprints.cycles.represent(&part, state.clone());
                are_more = true;
            }
        }
    }
    Ok(are_more)
}

/// The states of the components of a state.
fn parts_of(system: &mut System, footprints: &mut Footprints, state: &StateVector) -> Result<Vec<Part>, Interrupt> {
    let mut enabled = Enabled::default();
    system.enabled(state, &mut enabled)?;
    footprints.update(system);
    system.ask(|view| parts(view, footprints, state, &enabled))
}

/// Whether a search that came to a limit has to run again with time passing last: a unit without timers takes steps
/// that need nobody, or was left before it had waited for anything. It may go round without ever needing time, and the
/// timers that led to the limit never fire then.
pub fn let_time_pass_last(system: &System, footprints: &mut Footprints, initial: &StateVector) -> bool {
    let automata = &system.learner.automata;
    let with_timers = with_timers(system, footprints, initial);
    let may_go_round = |id: NodeId| {
        let node = automata.node(id);
        let was_left = !node.waited && automata.edges_of(id).next().is_none();
        let needs_nobody = |offer: &Offer| match offer.operation {
            Operation::Tasks(tasks::Operation::Run(_)) | Operation::Choices(_) => true,
            _ => was_left && !offer.operation.waits(),
        };
        !node.offers.is_empty() && node.offers.iter().all(needs_nobody) && !with_timers.contains(&node.unit)
    };
    (0..automata.nodes.len()).any(|node| may_go_round(NodeId(node as u32))) && footprints.cycles.let_time_pass_last()
}

/// The units that may use timers from the initial state on.
fn with_timers(system: &System, footprints: &Footprints, initial: &StateVector) -> Vec<UnitId> {
    let roots = system.live_units(initial);
    roots.filter(|&(unit, node)| footprints.has_timers_at(unit, node)).map(|(unit, _)| unit).collect()
}

/// What the states of a cycle show, of which all movers and their steps are known.
fn shown_by(
    system: &mut System,
    footprints: &mut Footprints,
    round: &Round,
    mut states: Vec<StateVector>,
) -> Result<Shown, Interrupt> {
    states.sort_unstable();
    let mut enabled = Enabled::default();
    let mut shown = Shown::default();
    for state in states {
        system.enabled(&state, &mut enabled)?;
        footprints.update(system);
        let (mut waiting, rows) = system.ask(|view| waiting(view, footprints, &state, &enabled, round))?;
        rows.into_iter().for_each(|row| footprints.consult(row));
        shown.untimed.append(&mut waiting.untimed);
        if waiting.connected || waiting.apart {
            shown.ignoring = Some(Ignoring { state, waiting });
            break;
        }
    }
    Ok(shown)
}

/// What the proviso keeps of a state of the reduced graph.
#[derive(Default)]
struct Departure {
    /// The movers of the steps that leave the state.
    movers: SmallVec<[Mover; 2]>,
    /// Those of them whose timers fire.
    timed: SmallVec<[Mover; 2]>,
}

/// The reduced graph; its states are numbered in breadth-first order from the initial state.
struct Reduced(Graph<Departure>);

impl Reduced {
    fn of(
        system: &mut System,
        footprints: &mut Footprints,
        initial: &StateVector,
        visited: &mut Visited<'_>,
    ) -> Result<Option<Reduced>, Interrupt> {
        let mut graph = Graph::default();
        let is_whole = walk(system, footprints, initial, visited, |system, number, _, chosen, edges| {
            let mut movers: SmallVec<[Mover; 2]> = chosen.iter().filter_map(|step| system.mover(step)).collect();
            movers.dedup();
            let timers = chosen.iter().filter(|step| matches!(step.class(), Some(Class::Timer { .. })));
            let timed = timers.filter_map(|step| system.mover(step)).collect();
            graph.set(number, Departure { movers, timed }, edges);
        })?;
        Ok(is_whole.then_some(Reduced(graph)))
    }

    /// The movers of a cycle.
    fn round(&self, cycle: &[usize]) -> Round {
        let all =
            |of: fn(&Departure) -> &[Mover]| cycle.iter().flat_map(move |&state| of(self.0.label(state))).copied();
        Round { movers: all(|left| &left.movers).collect(), timed: all(|left| &left.timed).collect() }
    }

    /// The states of some cycles.
    fn states(
        &self,
        system: &mut System,
        footprints: &mut Footprints,
        initial: &StateVector,
        visited: &mut Visited<'_>,
        cycles: &[Vec<usize>],
    ) -> Result<Option<Vec<Vec<StateVector>>>, Interrupt> {
        let mut states = vec![Vec::new(); cycles.len()];
        if cycles.is_empty() {
            return Ok(Some(states));
        }
        let of_cycle = |(number, cycle): (usize, &Vec<usize>)| cycle.iter().map(|&at| (at, number)).collect::<Vec<_>>();
        let number: AHashMap<usize, usize> = cycles.iter().enumerate().flat_map(of_cycle).collect();
        let is_whole = walk(system, footprints, initial, visited, |_, at, state, _, _| {
            if let Some(&cycle) = number.get(&at) {
                states[cycle].push(state.clone());
            }
        })?;
        Ok(is_whole.then_some(states))
    }
}

/// The states that a search has visited, and left out.
pub struct Visited<'a> {
    pub(crate) store: &'a mut Store,
    pub(crate) subsumption: Option<&'a mut Subsumption>,
    /// If each state stands for its orbit.
    pub(crate) symmetry: Option<&'a mut Symmetry>,
    /// Whether states were left out because visited ones cover them.
    pub(crate) leaves_out: bool,
    /// Whether the check is to end with what it has seen.
    pub(crate) is_over: &'a dyn Fn() -> bool,
    /// Whether a step violates a property: the search does not go on from its target.
    pub(crate) violates: &'a dyn Fn(&System, &Transition) -> bool,
}

impl Visited<'_> {
    /// The visited state that stands for the target of a step, and whether it is the target itself.
    fn find(&mut self, system: &System, transition: &Transition, state: &[u32]) -> (StateId, bool) {
        if let Some(id) = self.store.find(state) {
            let instead = self.subsumption.as_mut().and_then(|states| states.instead_of(system, state, id));
            return instead.map_or((id, true), |cover| (cover, false));
        }
        let cover = self.subsumption.as_mut().and_then(|states| states.cover(system, transition, state));
        (cover.expect("the search has been here, or where all of this is"), false)
    }
}

/// After so many states the walk asks whether the check is to end.
const LOOKS_UP_EVERY: usize = 64;

/// Goes through the reduced graph once more, breadth-first: each state with its number, its steps
/// and the numbers of the states that they lead to. Says whether it came to the end.
pub(super) fn walk(
    system: &mut System,
    footprints: &mut Footprints,
    initial: &StateVector,
    visited: &mut Visited<'_>,
    mut visit: impl FnMut(&System, usize, &StateVector, &[Transition], &[u32]),
) -> Result<bool, Interrupt> {
    let mut numbers: AHashMap<StateId, u32> = AHashMap::new();
    let mut met: AHashSet<StateId> = AHashSet::new();
    let first = visited.store.find(initial).expect("a search begins with the first state");
    numbers.insert(first, 0);
    met.insert(first);
    let mut open = VecDeque::from([(0usize, initial.clone())]);
    let mut successors = Successors::default();
    let (mut next, mut edges) = (Vec::new(), Vec::new());
    while let Some((number, state)) = open.pop_front() {
        if number.is_multiple_of(LOOKS_UP_EVERY) && (visited.is_over)() {
            return Ok(false);
        }
        let chosen = successors.of(system, &state, Some(&mut *footprints))?;
        edges.clear();
        for transition in chosen {
            system.apply(&state, transition, &mut next);
            if let Some(symmetry) = &mut visited.symmetry {
                symmetry.canonicalize(system, &mut next)?;
            }
            let (id, is_itself) = visited.find(system, transition, &next);
            let new = numbers.len() as u32;
            let number = *numbers.entry(id).or_insert(new);
            if is_itself && !(visited.violates)(system, transition) && met.insert(id) {
                open.push_back((number as usize, StateVector::from_slice(&next)));
            }
            edges.push(number);
        }
        visit(system, number, &state, chosen, &edges);
    }
    Ok(true)
}
