//! Who has to be explored in a state.
//!
//! Those who move (units, and the tasks of a unit whose tasks are tracked) are split into
//! connected components: who may still touch a common component of the network, or something
//! that tasks share. Components never meet again, so each is explored by itself,
//! to its end, one that was begun before one that was not; each has a clock of its own, since
//! nobody can compare their times. (A program that reads the clock, and `delay`, join all that
//! have timers. Who only joins or ends its tasks, where nobody has timers, is apart from them.)
//!
//! Within the component, a set T is stubborn if no step that others can take
//! without T moving does anything that a present step of T minds: then whatever the others
//! do first, the steps of T are the same afterwards and lead to the same states. The
//! smallest such set with something enabled is explored. A tracked task that waits to be woken
//! can move only after somebody has used one of the objects that it has used itself, or has
//! aborted it.

use super::bits::Bits;
use super::footprint::{Footprints, Parenthood, Row};
use super::proviso::Turn;
use crate::id::{Mover, NodeId, TaskId, UnitId};
use crate::operation::Offer;
use crate::state::enabled::{Class, Enabled};
use crate::state::tables::{Lookup, View};
use crate::unit::automaton::EdgeId;
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// What to explore in a state.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The moves of these.
    Moves(SmallVec<[Mover; 8]>),
    /// Everything in a connected component, its timers among it.
    Component(SmallVec<[Mover; 8]>),
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

/// Somebody who is there.
struct Live {
    mover: Mover,
    node: NodeId,
    row: Row,
    /// What its steps mind in this state.
    minds: Bits,
    /// What others have to do before it can move, all of it: a process that starts after others.
    needs: Bits,
    /// What may be sent to it.
    inlets: Bits,
    /// All of its moves.
    moves: usize,
    /// Whether it has one that is no failure.
    proceeds: bool,
    /// Whether it is in the middle of a poll that leads nowhere: there is another way to where it goes on.
    is_dead_end: bool,
    immediate: bool,
    timers: bool,
    component: usize,
}

impl Live {
    /// Whether it waits for a timer, or may use one from now on.
    fn has_timers(&self, footprints: &Footprints) -> bool {
        self.timers || footprints.has_timers(self.mover.unit, self.row)
    }
}

fn members_of(live: &[Live], component: usize) -> SmallVec<[&Live; 8]> {
    live.iter().filter(|member| member.component == component).collect()
}

fn movers_of(members: &[&Live]) -> SmallVec<[Mover; 8]> {
    members.iter().map(|member| member.mover).collect()
}

/// Chooses what to explore in `state`.
pub(crate) fn choose(
    view: View<'_>,
    footprints: &Footprints,
    state: &[u32],
    enabled: &Enabled,
) -> Lookup<(Scope, Vec<Row>)> {
    let live = survey(view, footprints, state, enabled)?;
    let scope = scope(view, footprints, state, &live);
    Ok((scope, live.into_iter().map(|live| live.row).collect()))
}

fn scope(view: View<'_>, footprints: &Footprints, state: &[u32], live: &[Live]) -> Scope {
    // What is explored of components that go round for ever, and whether time passes there.
    let mut endless: Option<Scope> = None;
    let mut timed = true;
    // Failures that need not happen wait for everything else.
    let mut failing: SmallVec<[Mover; 8]> = SmallVec::new();
    for component in in_order(view, live) {
        let members = members_of(live, component);
        let movers = movers_of(&members);
        let turn = footprints.cycles.turn(view, state, &movers);
        match (turn, of_component(view, footprints, live, &members, timed)) {
            (Turn::Usual, Some(scope)) => {
                let sooner = at_once(view, footprints, state, live, &members);
                return after(endless, sooner.unwrap_or(scope));
            }
            (Turn::Usual, None) if members.iter().any(|unit| unit.moves > 0) => failing.extend(movers),
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
        (None, false) => Scope::Component(live.iter().map(|live| live.mover).collect()),
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

/// Those who are there, with what they can do and the components that they are in.
fn survey(view: View<'_>, footprints: &Footprints, state: &[u32], enabled: &Enabled) -> Lookup<Vec<Live>> {
    let moves: Vec<Option<Mover>> = enabled.moves.iter().map(|step| view.mover(step)).collect();
    let mut live: Vec<Live> = Vec::new();
    for (unit, node) in view.live_units(state) {
        let inlets = footprints.inlets(view, state, unit);
        for mover in view.automata.movers(node) {
            let own = || enabled.moves.iter().zip(&moves).filter(|(_, of)| **of == Some(mover)).map(|(step, _)| step);
            let row = footprints.row(view.automata, node, mover);
            let proceeds = own().any(|step| !step.is_failure());
            live.push(Live {
                mover,
                node,
                row,
                minds: minds(view, footprints, state, (mover, node, row))?,
                needs: footprints.needs(view, state, unit, node)?,
                inlets: inlets.clone(),
                moves: own().count(),
                proceeds,
                is_dead_end: !proceeds && view.automata.polled(node) == Some(mover),
                immediate: own().any(|step| step.class() == Some(Class::Immediate)),
                timers: enabled.timers.iter().any(|waiting| waiting.mover == mover),
                component: usize::MAX,
            });
        }
    }
    live.sort_by_key(|live| live.mover);
    connect(view, footprints, &mut live);
    Ok(live)
}

/// What to explore of a component; `None` if there is nothing. Its timers fire only where time passes.
fn of_component(
    view: View<'_>,
    footprints: &Footprints,
    live: &[Live],
    members: &[&Live],
    timed: bool,
) -> Option<Scope> {
    let delay = view.has_delay();
    let whole = || Scope::Component(movers_of(members));
    if members.iter().any(|unit| unit.proceeds) {
        // With delays, time may pass instead of a delivery: all or an immediate step.
        let starts = members.iter().filter(|unit| if delay { unit.immediate } else { unit.proceeds });
        let sets = starts.map(|start| stubborn(footprints, live, start, start.component));
        let smallest = sets.min_by_key(|set| set.iter().map(|&index| live[index].moves).sum::<usize>());
        let movers = smallest.map(|set| set.iter().map(|&index| live[index].mover).collect::<SmallVec<[Mover; 8]>>());
        return Some(match movers.filter(|movers| !footprints.cycles.are_unreduced(movers)) {
            Some(movers) => Scope::Moves(movers),
            None => Scope::Component(with_lifecycle(footprints, live, members)),
        });
    }
    if members.iter().any(|unit| unit.is_dead_end) {
        return None;
    }
    if members.iter().any(|unit| unit.timers) {
        return timed.then(whole);
    }
    let is_whole = |unit: UnitId| {
        let of_unit = |live: &&Live| live.mover.unit == unit;
        live.iter().filter(of_unit).count() == members.iter().copied().filter(of_unit).count()
    };
    let is_finished = members.iter().all(|live| view.is_daemon(live.mover.unit) && is_whole(live.mover.unit));
    is_finished.then(|| {
        let mut units: SmallVec<[UnitId; 4]> = members.iter().map(|live| live.mover.unit).collect();
        units.dedup();
        Scope::Finished(units)
    })
}

/// What is to be explored before time passes in a component: where nobody of the same process has timers, all that
/// is possible happens at once.
fn at_once(view: View<'_>, footprints: &Footprints, state: &[u32], live: &[Live], members: &[&Live]) -> Option<Scope> {
    if members.iter().any(|member| member.proceeds) {
        return None;
    }
    let process = |live: &Live| view.process_of(live.mover.unit);
    let mut others: Vec<usize> = live.iter().filter(|other| other.proceeds).map(|other| other.component).collect();
    others.dedup();
    others.into_iter().find_map(|component| {
        let others = members_of(live, component);
        let is_related = others.iter().any(|other| members.iter().any(|member| process(other) == process(member)));
        let is_timed = others.iter().any(|of| of.has_timers(footprints));
        let is_usual = footprints.cycles.turn(view, state, &movers_of(&others)) == Turn::Usual;
        (is_related && !is_timed && is_usual).then(|| of_component(view, footprints, live, &others, true)).flatten()
    })
}

/// A whole component, with those who end or are ended by somebody in it: they may be apart from it.
fn with_lifecycle(footprints: &Footprints, live: &[Live], members: &[&Live]) -> SmallVec<[Mover; 8]> {
    let mut movers = movers_of(members);
    for start in members.iter().filter(|member| member.moves > 0) {
        let set = stubborn(footprints, live, start, start.component);
        movers.extend(set.into_iter().map(|index| live[index].mover));
    }
    movers.sort_unstable();
    movers.dedup();
    movers
}

/// Who waits in a state while some units go round.
pub(super) struct Waiting {
    /// Somebody who is connected to them.
    pub(super) connected: bool,
    /// Somebody who is not.
    pub(super) apart: bool,
    /// Those who go round, with all that are connected to them.
    pub(super) component: SmallVec<[Mover; 8]>,
}

/// Who could be explored in a state besides the units that go round in a cycle, in which time passes or not.
pub(super) fn waiting(
    view: View<'_>,
    footprints: &Footprints,
    state: &[u32],
    enabled: &Enabled,
    moved: &BTreeSet<Mover>,
    timed: bool,
) -> Lookup<(Waiting, Vec<Row>)> {
    let live = survey(view, footprints, state, enabled)?;
    let goes_round =
        |component: usize| live.iter().any(|unit| unit.component == component && moved.contains(&unit.mover));
    let mut waiting = Waiting { connected: false, apart: false, component: SmallVec::new() };
    for component in in_order(view, &live) {
        let members = members_of(&live, component);
        let movers = movers_of(&members);
        if goes_round(component) {
            waiting.connected |= members.iter().any(|unit| unit.proceeds && !moved.contains(&unit.mover));
            waiting.component.extend(movers);
        } else if footprints.cycles.turn(view, state, &movers) == Turn::Usual {
            let scope = of_component(view, footprints, &live, &members, timed);
            waiting.apart |= matches!(scope, Some(Scope::Moves(_) | Scope::Component(_)));
            waiting.apart |= members.iter().any(|unit| unit.moves > 0);
        }
    }
    Ok((waiting, live.into_iter().map(|live| live.row).collect()))
}

/// What the next steps of somebody mind in a state.
fn minds(
    view: View<'_>,
    footprints: &Footprints,
    state: &[u32],
    (mover, node, row): (Mover, NodeId, Row),
) -> Lookup<Bits> {
    let footprint = footprints.get(row);
    let has_offers = |offer: &Offer| mover.task.is_none_or(|task| offer.task == task);
    if !view.automata.node(node).offers.iter().any(has_offers) {
        return Ok(footprint.woken_by.clone());
    }
    let mut minds = footprint.minds.clone();
    minds.union_with(&footprint.woken_by);
    if mover.task.is_some() {
        let automata = &view.automata;
        let own = |edge: &EdgeId| automata.mover(node, automata.edge(*edge).input.key) == mover;
        automata.node(node).edges().filter(own).for_each(|edge| _ = minds.union_with(footprints.minded_by(edge)));
    }
    if !footprint.when_contended.is_empty() {
        for offer in view.menu(node)? {
            for (_, also) in footprint.when_contended.iter().filter(|(key, _)| *key == offer.key) {
                if view.is_contended(state, mover.unit, &offer.action)? {
                    minds.union_with(also);
                }
            }
        }
    }
    Ok(minds)
}

/// The components, those that were begun first: finished ones do not multiply with the rest. Of tracked tasks, one
/// that was spawned first was begun first, with all that it spawns.
fn in_order(view: View<'_>, live: &[Live]) -> Vec<usize> {
    let mut order: Vec<usize> = live.iter().map(|unit| unit.component).collect();
    order.sort_unstable();
    order.dedup();
    // A task that was spawned belongs to a process that has begun.
    let has_begun =
        |unit: &Live| view.automata.node(unit.node).from.is_some() || view.units[unit.mover.unit.0 as usize].is_task;
    let spawned = |unit: &Live| unit.mover.task.map(TaskId::line).filter(|line| !line.is_empty());
    order.sort_by_cached_key(|&component| {
        let members = || live.iter().filter(|unit| unit.component == component);
        (!members().any(has_begun), members().filter_map(spawned).min())
    });
    order
}

/// Numbers the connected components by their lowest members.
fn connect(view: View<'_>, footprints: &Footprints, live: &mut [Live]) {
    let mut parent: Vec<usize> = (0..live.len()).collect();
    for a in 0..live.len() {
        for b in a + 1..live.len() {
            if root(&parent, a) != root(&parent, b) && are_joined(footprints, &live[a], &live[b]) {
                join(&mut parent, a, b);
            }
        }
    }
    join_with_children(view, footprints, live, &mut parent);
    for (index, unit) in live.iter_mut().enumerate() {
        unit.component = root(&parent, index);
    }
}

/// The lowest of those whom somebody is connected to.
fn root(parent: &[usize], mut index: usize) -> usize {
    while parent[index] != index {
        index = parent[index];
    }
    index
}

fn join(parent: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root(parent, a), root(parent, b));
    parent[a.max(b)] = a.min(b);
}

/// Where somebody has timers, it shows how long the tasks take that somebody else there waits for. Who waits for a
/// task that takes time and may end another one shows how long they take to each other.
fn join_with_children(view: View<'_>, footprints: &Footprints, live: &[Live], parent: &mut [usize]) {
    // Who is neither spawned nor one of several tasks has no parent that could wait for it.
    let is_child = |live: &Live| live.mover.task.is_some() || view.units[live.mover.unit.0 as usize].is_task;
    if !live.iter().any(is_child) {
        return;
    }
    let mut are_timed = vec![false; live.len()];
    for (index, of) in live.iter().enumerate() {
        are_timed[root(parent, index)] |= of.has_timers(footprints);
    }
    let mut families: Vec<(usize, Vec<(usize, Parenthood)>)> = Vec::new();
    for (index, of) in live.iter().enumerate() {
        let mut children = Vec::new();
        for (other, child) in live.iter().enumerate().filter(|&(other, child)| other != index && is_child(child)) {
            let process = view.process_of(child.mover.unit);
            let parenthood = footprints.parenthood(of.row, child.mover, process);
            if parenthood.waits || parenthood.ends {
                children.push((other, parenthood));
            }
        }
        if !children.is_empty() {
            families.push((index, children));
        }
    }
    loop {
        let shows = |(index, children): &(usize, Vec<(usize, Parenthood)>)| {
            let timed = || children.iter().filter(|(child, _)| are_timed[root(parent, *child)]);
            let ends = || timed().filter(|(_, parenthood)| parenthood.ends).map(|(child, _)| root(parent, *child));
            let waits = || timed().filter(|(_, parenthood)| parenthood.waits).map(|(child, _)| root(parent, *child));
            are_timed[root(parent, *index)] || ends().any(|ended| waits().any(|awaited| awaited != ended))
        };
        let Some(next) = families.iter().position(shows) else { return };
        let (index, children) = families.swap_remove(next);
        for (child, _) in children {
            join(parent, index, child);
        }
        are_timed[root(parent, index)] = true;
    }
}

/// Whether two units may still touch the same component of the network.
fn are_joined(footprints: &Footprints, a: &Live, b: &Live) -> bool {
    let (of_a, of_b) = (footprints.get(a.row), footprints.get(b.row));
    let apart = footprints.lifecycle();
    if of_a.future_does.meets_outside(&of_b.future_minds, apart)
        || of_b.future_does.meets_outside(&of_a.future_minds, apart)
        || of_a.future_does.meets(&b.inlets)
        || of_b.future_does.meets(&a.inlets)
    {
        return true;
    }
    if footprints.cycles.has_busy() {
        let shares_time = |live: &Live| footprints.cycles.is_busy(live.mover.unit) || live.has_timers(footprints);
        return shares_time(a) && shares_time(b);
    }
    false
}

/// The smallest stubborn set with `start` in it, as indexes into `live`.
fn stubborn(footprints: &Footprints, live: &[Live], start: &Live, component: usize) -> SmallVec<[usize; 8]> {
    let first = live.iter().position(|live| live.mover == start.mover).expect("it is one of them");
    let mut set: SmallVec<[usize; 8]> = SmallVec::from_slice(&[first]);
    loop {
        // Who can move without the set moving, and all that it can do then.
        let mut does = Bits::default();
        let mut movable: SmallVec<[usize; 16]> = SmallVec::new();
        loop {
            let can_move = |unit: &Live| {
                let is_woken = unit.minds.meets(&does) && does.contains_all(&unit.needs);
                unit.moves > 0 || unit.timers && unit.component != component || is_woken
            };
            let more = (0..live.len())
                .find(|index| !set.contains(index) && !movable.contains(index) && can_move(&live[*index]));
            let Some(more) = more else { break };
            movable.push(more);
            does.union_with(&footprints.get(live[more].row).future_does);
        }
        let minded = movable.iter().copied().find(|&other| {
            let does = &footprints.get(live[other].row).future_does;
            set.iter().any(|&index| live[index].minds.meets(does))
        });
        match minded {
            Some(other) => set.push(other),
            None => return set,
        }
    }
}
