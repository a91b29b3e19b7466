//! Which units have to be explored in a state.
//!
//! The units are split into connected components: units that may still touch a common
//! component of the network. Components never meet again, so each is explored by itself,
//! to its end, one that was begun before one that was not; each has a clock of its own, since
//! nobody can compare their times. (A program that reads the clock, and `delay`, join all that
//! have timers. Who only joins or ends its tasks, and has no timers, is apart from them.)
//!
//! Within the component, a set T of units is stubborn if no step that other units can take
//! without T moving does anything that a present step of T minds: then whatever the others
//! do first, the steps of T are the same afterwards and lead to the same states. The
//! smallest such set with something enabled is explored.

use super::bits::Bits;
use super::footprint::Footprints;
use crate::id::{NodeId, UnitId};
use crate::state::enabled::{Class, Enabled, Transition};
use crate::state::system::System;
use smallvec::SmallVec;

/// What to explore in a state.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The moves of these units.
    Moves(SmallVec<[UnitId; 8]>),
    /// Everything in a connected component, its timers among it.
    Component(SmallVec<[UnitId; 8]>),
    /// A component in which only daemons are left and nothing can happen any more.
    Finished(SmallVec<[UnitId; 4]>),
    /// Nothing can happen.
    Nothing,
}

/// A unit that is there.
struct Live {
    unit: UnitId,
    node: NodeId,
    /// What its steps mind in this state.
    minds: Bits,
    /// All of its moves.
    moves: usize,
    /// Whether it has one that is no failure.
    proceeds: bool,
    immediate: bool,
    timers: bool,
    component: usize,
}

/// Chooses what to explore in `state`.
pub(crate) fn choose(system: &mut System, footprints: &mut Footprints, state: &[u32], enabled: &Enabled) -> Scope {
    footprints.update(system);
    let units: Vec<(UnitId, NodeId)> = system.live_units(state).collect();
    let mut live: Vec<Live> = Vec::with_capacity(units.len());
    for (unit, node) in units {
        let is_immediate = |step: &Transition| step.class() == Some(Class::Immediate);
        live.push(Live {
            unit,
            node,
            minds: minds(system, footprints, state, unit, node),
            moves: enabled.moves_of(unit).count(),
            proceeds: enabled.moves_of(unit).any(|step| !step.is_failure()),
            immediate: enabled.moves_of(unit).any(is_immediate),
            timers: enabled.timers.iter().any(|waiting| waiting.unit == unit),
            component: usize::MAX,
        });
    }
    live.sort_by_key(|unit| unit.unit);
    for unit in &live {
        footprints.consult(unit.node);
    }
    connect(system, footprints, &mut live);
    let delay = system.has_delay();
    for component in in_order(system, &live) {
        let members = || live.iter().filter(|unit| unit.component == component);
        if members().any(|unit| unit.proceeds) {
            // With delays, time may pass instead of a delivery: all or an immediate step.
            let starts = members().filter(|unit| if delay { unit.immediate } else { unit.proceeds });
            let sets = starts.map(|start| stubborn(footprints, &live, start, component));
            let smallest = sets.min_by_key(|set| set.iter().map(|&index| live[index].moves).sum::<usize>());
            return match smallest {
                Some(set) => Scope::Moves(set.iter().map(|&index| live[index].unit).collect()),
                None => Scope::Component(members().map(|unit| unit.unit).collect()),
            };
        }
        if members().any(|unit| unit.timers) {
            return Scope::Component(members().map(|unit| unit.unit).collect());
        }
        if members().all(|unit| system.is_daemon(unit.unit)) {
            return Scope::Finished(members().map(|unit| unit.unit).collect());
        }
    }
    // Failures that need not happen have waited for everything else.
    match live.iter().any(|unit| unit.moves > 0) {
        true => Scope::Component(live.iter().map(|unit| unit.unit).collect()),
        false => Scope::Nothing,
    }
}

/// What the steps that leave a node mind in a state.
fn minds(system: &mut System, footprints: &Footprints, state: &[u32], unit: UnitId, node: NodeId) -> Bits {
    let footprint = footprints.get(node);
    let mut minds = footprint.minds.clone();
    if !footprint.when_contended.is_empty() {
        for offer in &*system.menu(node) {
            let also = footprint.when_contended.iter().find(|(key, _)| *key == offer.key);
            if let Some((_, also)) = also.filter(|_| system.is_contended(state, unit, &offer.action)) {
                minds.union_with(also);
            }
        }
    }
    minds
}

/// The components, those that were begun first: finished ones do not multiply with the rest.
fn in_order(system: &System, live: &[Live]) -> Vec<usize> {
    let mut order: Vec<usize> = live.iter().map(|unit| unit.component).collect();
    order.sort_unstable();
    order.dedup();
    // A task that was spawned belongs to a process that has begun.
    let has_begun = |unit: &Live| {
        system.learner.automata.node(unit.node).from.is_some() || system.shared().unit(unit.unit).parent.is_some()
    };
    order.sort_by_key(|&component| !live.iter().any(|unit| unit.component == component && has_begun(unit)));
    order
}

/// Numbers the connected components by their lowest members.
fn connect(system: &System, footprints: &mut Footprints, live: &mut [Live]) {
    let mut parent: Vec<usize> = (0..live.len()).collect();
    fn root(parent: &[usize], mut index: usize) -> usize {
        while parent[index] != index {
            index = parent[index];
        }
        index
    }
    for a in 0..live.len() {
        for b in a + 1..live.len() {
            let (ra, rb) = (root(&parent, a), root(&parent, b));
            if ra != rb && are_joined(system, footprints, &live[a], &live[b]) {
                parent[ra.max(rb)] = ra.min(rb);
            }
        }
    }
    for (index, unit) in live.iter_mut().enumerate() {
        unit.component = root(&parent, index);
    }
}

/// Whether two units may still touch the same component of the network.
fn are_joined(system: &System, footprints: &mut Footprints, a: &Live, b: &Live) -> bool {
    let (of_a, of_b) = (footprints.get(a.node), footprints.get(b.node));
    let apart = footprints.lifecycle();
    if of_a.future_does.meets_outside(&of_b.future_minds, apart)
        || of_b.future_does.meets_outside(&of_a.future_minds, apart)
    {
        return true;
    }
    // A parent with timers can see how long its tasks take.
    let mut sees = |parent: &Live, child: &Live| {
        let process = system.shared().process_of(child.unit);
        let timed = footprints.timed(parent.unit);
        let has_timers = parent.timers || footprints.get(parent.node).future_does.contains(timed);
        has_timers && footprints.is_lifecycle_parent(parent.node, child.unit, process)
    };
    sees(a, b) || sees(b, a)
}

/// The smallest stubborn set with `start` in it, as indexes into `live`.
fn stubborn(footprints: &Footprints, live: &[Live], start: &Live, component: usize) -> SmallVec<[usize; 8]> {
    let first = live.iter().position(|unit| unit.unit == start.unit).expect("it is one of them");
    let mut set: SmallVec<[usize; 8]> = SmallVec::from_slice(&[first]);
    loop {
        // Who can move without the set moving, and all that it can do then.
        let mut does = Bits::default();
        let mut movable: SmallVec<[usize; 16]> = SmallVec::new();
        loop {
            let more = (0..live.len()).find(|index| {
                let unit = &live[*index];
                !set.contains(index)
                    && !movable.contains(index)
                    && (unit.moves > 0 || unit.timers && unit.component != component || unit.minds.meets(&does))
            });
            let Some(more) = more else { break };
            movable.push(more);
            does.union_with(&footprints.get(live[more].node).future_does);
        }
        let minded = movable.iter().copied().find(|&other| {
            let does = &footprints.get(live[other].node).future_does;
            set.iter().any(|&index| live[index].minds.meets(does))
        });
        match minded {
            Some(other) => set.push(other),
            None => return set,
        }
    }
}
