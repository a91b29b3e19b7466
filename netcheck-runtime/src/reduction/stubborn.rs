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
use super::proviso::Turn;
use crate::id::{NodeId, UnitId};
use crate::state::enabled::{Class, Enabled, Transition};
use crate::state::system::System;
use smallvec::SmallVec;
use std::collections::BTreeSet;

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
    /// Nothing that was not seen, but somebody goes on for ever: no end.
    Endless,
    /// A component that goes round for ever, and others besides, each with a clock of its own.
    Both(Box<[Scope; 2]>),
}

impl Scope {
    /// Whether somebody goes on for ever: then nothing else that happens is an end.
    pub(crate) fn is_endless(&self) -> bool {
        match self {
            Scope::Endless => true,
            Scope::Both(scopes) => scopes.iter().any(Scope::is_endless),
            _ => false,
        }
    }
}

/// A unit that is there.
struct Live {
    unit: UnitId,
    node: NodeId,
    /// What its steps mind in this state.
    minds: Bits,
    /// What may be sent to it.
    inlets: Bits,
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
    let live = survey(system, footprints, state, enabled);
    // What is explored of components that go round for ever, and whether time passes there.
    let mut endless: Option<Scope> = None;
    let mut timed = true;
    // Failures that need not happen wait for everything else.
    let mut failing: SmallVec<[UnitId; 8]> = SmallVec::new();
    for component in in_order(system, &live) {
        let members: SmallVec<[&Live; 8]> = live.iter().filter(|unit| unit.component == component).collect();
        let units: SmallVec<[UnitId; 8]> = members.iter().map(|unit| unit.unit).collect();
        let turn = footprints.cycles.turn(system, state, &units);
        match (turn, of_component(system, footprints, &live, &members, timed)) {
            (Turn::Usual, Some(scope)) => return after(endless, scope),
            (Turn::Usual, None) if members.iter().any(|unit| unit.moves > 0) => failing.extend(units),
            (Turn::Usual, None) => {}
            (Turn::Shared { timed: passes }, scope) => {
                endless = Some(scope.map_or(Scope::Endless, |scope| after(endless, scope)));
                timed &= passes;
            }
            (Turn::Over { timed: passes }, _) => {
                endless.get_or_insert(Scope::Endless);
                timed &= passes;
            }
        }
    }
    match (endless, failing.is_empty()) {
        (Some(endless), true) => endless,
        (None, false) => Scope::Component(live.iter().map(|unit| unit.unit).collect()),
        (Some(endless), false) => after(Some(endless), Scope::Component(failing)),
        (None, true) => Scope::Nothing,
    }
}

/// A scope that is explored besides what goes round for ever.
fn after(endless: Option<Scope>, scope: Scope) -> Scope {
    match endless {
        Some(endless) => Scope::Both(Box::new([endless, scope])),
        None => scope,
    }
}

/// The units that are there, with what they can do and the components that they are in.
fn survey(system: &mut System, footprints: &mut Footprints, state: &[u32], enabled: &Enabled) -> Vec<Live> {
    footprints.update(system);
    let units: Vec<(UnitId, NodeId)> = system.live_units(state).collect();
    let mut live: Vec<Live> = Vec::with_capacity(units.len());
    for (unit, node) in units {
        let is_immediate = |step: &Transition| step.class() == Some(Class::Immediate);
        live.push(Live {
            unit,
            node,
            minds: minds(system, footprints, state, unit, node),
            inlets: footprints.inlets(system, state, unit),
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
    live
}

/// What to explore of a component; `None` if there is nothing. Its timers fire only where time passes.
fn of_component(
    system: &System,
    footprints: &Footprints,
    live: &[Live],
    members: &[&Live],
    timed: bool,
) -> Option<Scope> {
    let delay = system.has_delay();
    let whole = || Scope::Component(members.iter().map(|unit| unit.unit).collect());
    if members.iter().any(|unit| unit.proceeds) {
        // With delays, time may pass instead of a delivery: all or an immediate step.
        let starts = members.iter().filter(|unit| if delay { unit.immediate } else { unit.proceeds });
        let sets = starts.map(|start| stubborn(footprints, live, start, start.component));
        let smallest = sets.min_by_key(|set| set.iter().map(|&index| live[index].moves).sum::<usize>());
        let units = smallest.map(|set| set.iter().map(|&index| live[index].unit).collect::<SmallVec<[UnitId; 8]>>());
        return Some(match units.filter(|units| !footprints.cycles.are_unreduced(units)) {
            Some(units) => Scope::Moves(units),
            None => whole(),
        });
    }
    if members.iter().any(|unit| unit.timers) {
        return timed.then(whole);
    }
    let is_finished = members.iter().all(|unit| system.is_daemon(unit.unit));
    is_finished.then(|| Scope::Finished(members.iter().map(|unit| unit.unit).collect()))
}

/// Who waits in a state while some units go round.
pub(super) struct Waiting {
    /// Somebody who is connected to them.
    pub(super) connected: bool,
    /// Somebody who is not.
    pub(super) apart: bool,
    /// The units that go round, with all that are connected to them.
    pub(super) component: SmallVec<[UnitId; 8]>,
}

/// Who could be explored in a state besides the units that go round in a cycle, in which time passes or not.
pub(super) fn waiting(
    system: &mut System,
    footprints: &mut Footprints,
    state: &[u32],
    enabled: &Enabled,
    moved: &BTreeSet<UnitId>,
    timed: bool,
) -> Waiting {
    let live = survey(system, footprints, state, enabled);
    let goes_round =
        |component: usize| live.iter().any(|unit| unit.component == component && moved.contains(&unit.unit));
    let mut waiting = Waiting { connected: false, apart: false, component: SmallVec::new() };
    for component in in_order(system, &live) {
        let members: SmallVec<[&Live; 8]> = live.iter().filter(|unit| unit.component == component).collect();
        let units: SmallVec<[UnitId; 8]> = members.iter().map(|unit| unit.unit).collect();
        if goes_round(component) {
            waiting.connected |= members.iter().any(|unit| unit.proceeds && !moved.contains(&unit.unit));
            waiting.component.extend(units);
        } else if footprints.cycles.turn(system, state, &units) == Turn::Usual {
            let scope = of_component(system, footprints, &live, &members, timed);
            waiting.apart |= matches!(scope, Some(Scope::Moves(_) | Scope::Component(_)));
            waiting.apart |= members.iter().any(|unit| unit.moves > 0);
        }
    }
    waiting
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
        || of_a.future_does.meets(&b.inlets)
        || of_b.future_does.meets(&a.inlets)
    {
        return true;
    }
    if footprints.cycles.has_busy() {
        let mut shares_time = |live: &Live| {
            footprints.cycles.is_busy(live.unit) || live.timers || footprints.has_timers(live.unit, live.node)
        };
        if shares_time(a) && shares_time(b) {
            return true;
        }
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
