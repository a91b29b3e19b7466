//! Dense time: groups that go round for ever, which are explored after the others.
//!
//! They are seen in the terminal cycles of the reduced graph (see [`apart`](super::apart) and
//! [`proviso`](super::proviso)): only the groups whose steps are explored there go round, and others wait.

use super::apart::{are_apart, groups};
use super::footprint::Footprints;
use super::proviso::{Visited, walk};
use crate::graph::Graph;
use crate::id::ProcessId;
use crate::sorted::SortedMap;
use crate::world::components::StateVector;
use crate::world::enabled::Enabled;
use crate::world::step::{Class, Transition};
use crate::world::system::{Interrupt, System};
use ahash::AHashMap;
use std::collections::BTreeMap;

/// The processes of the steps that leave a state, and whether a timer fires with one of them.
type Departure = Vec<(ProcessId, bool)>;

/// Looks for terminal cycles in which a group goes round for ever that was not known to; says whether the search has to
/// run again.
pub fn update(
    system: &mut System,
    footprints: &mut Footprints,
    initial: &StateVector,
    mut visited: Visited<'_>,
) -> Result<bool, Interrupt> {
    let may_go_round = system.learner.has_cycles() || visited.leaves_out;
    if !may_go_round || !are_apart(system.view(), footprints) {
        return Ok(false);
    }
    let visited = &mut visited;
    let mut graph: Graph<Departure> = Graph::default();
    let is_whole = walk(system, footprints, initial, visited, |system, number, _, chosen, edges| {
        let of_step = |step: &Transition| {
            Some((system.view().process_of_step(step)?, matches!(step.class(), Some(Class::Timer { .. }))))
        };
        graph.set(number, chosen.iter().filter_map(of_step).collect(), edges);
    })?;
    let cycles = graph.terminal_cycles();
    if !is_whole || cycles.is_empty() {
        return Ok(false);
    }
    let cycle_of: AHashMap<usize, usize> =
        cycles.iter().enumerate().filter_map(|(number, cycle)| Some((*cycle.iter().min()?, number))).collect();
    let mut shown: BTreeMap<usize, StateVector> = BTreeMap::new();
    walk(system, footprints, initial, visited, |_, number, state, _, _| {
        shown.extend(cycle_of.get(&number).map(|&cycle| (cycle, state.clone())));
    })?;
    let mut grew = false;
    for (cycle, state) in shown {
        // By group: a process of it, and whether time passes for it.
        let mut round: SortedMap<usize, (ProcessId, bool)> = SortedMap::new();
        for &(process, fires) in cycles[cycle].iter().flat_map(|&number| graph.label(number)) {
            round.or_insert_with(footprints.groups().of(process), || (process, false)).1 |= fires;
        }
        let waits = waits(system, footprints, &state, &round)?;
        let mut is_dealt_with = !waits;
        for &(process, passes) in round.values() {
            match passes {
                false => footprints.cycles.put_together(),
                true if waits => is_dealt_with |= footprints.cycles.put_last(process),
                true => {}
            }
        }
        if !is_dealt_with {
            footprints.cycles.put_together();
        }
        grew |= waits || footprints.cycles.are_together();
    }
    Ok(grew)
}

/// Whether something is possible in a state for a group that does not go round.
fn waits(
    system: &mut System,
    footprints: &Footprints,
    state: &StateVector,
    round: &SortedMap<usize, (ProcessId, bool)>,
) -> Result<bool, Interrupt> {
    let (mut enabled, mut steps) = (Enabled::default(), Vec::new());
    system.ask(|view| {
        for group in groups(view, footprints, state).iter().filter(|group| !round.contains_key(&group.number())) {
            group.steps(view, state, &mut enabled, &mut steps)?;
            if !steps.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    })
}
