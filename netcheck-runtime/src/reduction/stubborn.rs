//! Stubborn sets: which movers have to be explored in a state.
//!
//! The movers (units, and the tasks of a unit whose tasks are tracked) are split into connected components: two are
//! connected if they may still touch a common component of the network, or an object that tasks share. Each component
//! is explored by itself until it needs time, those that have begun before those that have not. Components that share a
//! clock ([`clocks`](super::clocks)) wait for each other before time passes; others never meet again, and have clocks
//! of their own.
//!
//! Within the component, a set T of movers is stubborn if no step that others can take while T does not move affects a
//! resource that a present step of T depends on: then whatever steps the others take first, the steps of T are the same
//! afterwards and lead to the same states. The smallest such set with an enabled step is explored. A tracked task that
//! waits to be woken can move only after another mover has used one of the objects that the task has used itself, or
//! has aborted it.

use super::bits::Bits;
use super::clocks::{finished, with_lenders};
use super::cycles::{Part, Turn, part};
use super::dependence::Dependence;
use super::footprint::{Footprints, Row};
use super::live::Live;
use super::survey::{survey, survey_of};
use crate::id::{Mover, NodeId, ProcessId, TaskId, UnitId};
use crate::sorted::SortedSet;
use crate::world::enabled::Enabled;
use crate::world::tables::{Lookup, View};
use smallvec::{SmallVec, smallvec};

/// What to explore in a state.
#[derive(Debug, PartialEq, Eq)]
pub enum StubbornSet {
    /// The moves of these movers.
    Moves(SmallVec<[Mover; 8]>),
    /// All steps of a connected component, its timers among them.
    Component(SmallVec<[Mover; 8]>),
    /// A component in which only daemons are left and nothing can happen any more.
    Finished(SmallVec<[UnitId; 4]>),
    /// Nothing can happen.
    Nothing,
    /// All has been seen, but a component goes on for ever: no end.
    Endless,
    /// A component that goes round for ever, and others besides, each with a clock of its own.
    Both(Box<[StubbornSet; 2]>),
}

impl StubbornSet {
    /// Whether a component goes on for ever: then nothing else that happens is an end.
    pub(crate) fn is_endless(&self) -> bool {
        match self {
            StubbornSet::Endless => true,
            StubbornSet::Both(scopes) => scopes.iter().any(StubbornSet::is_endless),
            _ => false,
        }
    }

    /// Whether one of its movers is a part of the given one, or the given one of it.
    pub(crate) fn concerns(&self, mover: Mover) -> bool {
        match self {
            StubbornSet::Moves(movers) | StubbornSet::Component(movers) => movers.iter().any(|of| !of.is_apart(mover)),
            StubbornSet::Finished(units) => units.contains(&mover.unit),
            StubbornSet::Nothing | StubbornSet::Endless => false,
            StubbornSet::Both(scopes) => scopes.iter().any(|scope| scope.concerns(mover)),
        }
    }
}

/// The movers that share a clock.
fn members_of(live: &[Live], clock: usize) -> SmallVec<[&Live; 8]> {
    live.iter().filter(|member| member.clock == clock).collect()
}

fn movers_of(members: &[&Live]) -> SmallVec<[Mover; 8]> {
    members.iter().map(|member| member.mover).collect()
}

/// Chooses what to explore in `state`, and collects what the units that were looked at are offered.
pub(crate) fn choose(
    view: View<'_>,
    footprints: &Footprints,
    state: &[u32],
    enabled: &mut Enabled,
) -> Lookup<(StubbornSet, Vec<Row>)> {
    if let Some(choice) = choose_in_group(view, footprints, state, enabled)? {
        return Ok(choice);
    }
    view.enabled(state, enabled)?;
    let live = survey(view, footprints, state, enabled)?;
    let scope = scope(view, footprints, (state, enabled), &live)?;
    Ok((scope, live.into_iter().map(|live| live.row).collect()))
}

/// As [`choose`], for the first group of processes in which there is something to explore but failures; `None` if there
/// is none, or if the choice depends on several groups.
///
/// Groups that have begun come first, as their components do in [`in_order`].
fn choose_in_group(
    view: View<'_>,
    footprints: &Footprints,
    state: &[u32],
    enabled: &mut Enabled,
) -> Lookup<Option<(StubbornSet, Vec<Row>)>> {
    if view.tracks || footprints.cycles.span_groups() {
        return Ok(None);
    }
    let begun = begun_groups(view, footprints, state);
    let mut looked_at: SortedSet<usize> = begun.iter().copied().collect();
    let others = view.live_units(state).filter_map(|(unit, _)| {
        let group = footprints.groups().of(view.process_of(unit));
        looked_at.insert(group).then(|| smallvec![group])
    });
    for groups in Some(begun).filter(|begun| !begun.is_empty()).into_iter().chain(others) {
        let units = units_of(view, footprints, state, &groups);
        let units = || units.iter().copied();
        view.enabled_of(state, units(), enabled)?;
        let live = survey_of(view, footprints, state, enabled, units())?;
        let components = in_order(view, &live);
        let dependence = Dependence::new(footprints, &live);
        for clock in clocks(&live, &components) {
            let members = members_of(&live, clock);
            let scope = with_one_clock(view, footprints, (state, enabled), (&dependence, &components), &members, true)?;
            if let Some(scope) = scope {
                let rows = live.iter().map(|live| live.row).chain(footprints.firsts_to_consult());
                return Ok(Some((scope, rows.collect())));
            }
        }
    }
    Ok(None)
}

/// The groups of processes that have begun and not ended, in order.
fn begun_groups(view: View<'_>, footprints: &Footprints, state: &[u32]) -> SmallVec<[usize; 8]> {
    let mut groups = SmallVec::new();
    // In a state with many units, few have begun and not ended.
    for unit in &view.units {
        let node = NodeId(unit.component.of(state));
        if view.automata.has_begun(node) || unit.is_task && view.automata.is_live(node) {
            groups.push(footprints.groups().of(unit.process));
        }
    }
    groups.sort_unstable();
    groups.dedup();
    groups
}

/// The live units of some groups, in order: of their processes, and the isolated tasks of these.
fn units_of(
    view: View<'_>,
    footprints: &Footprints,
    state: &[u32],
    groups: &[usize],
) -> SmallVec<[(UnitId, NodeId); 8]> {
    let processes =
        groups.iter().flat_map(|&group| footprints.groups().members(group)).map(|process| UnitId(process.0));
    let is_member = |process: ProcessId| groups.contains(&footprints.groups().of(process));
    let tasks = (view.processes.len() as u32..view.units.len() as u32).map(UnitId);
    let units = processes.chain(tasks.filter(|task| is_member(view.process_of(*task))));
    let with_nodes = units.map(|unit| (unit, NodeId(view.unit_component(unit).of(state))));
    let mut live: SmallVec<[(UnitId, NodeId); 8]> =
        with_nodes.filter(|&(_, node)| view.automata.is_live(node)).collect();
    live.sort_unstable();
    live
}

/// Whether a unit has moved, or belongs to a process that has.
pub(super) fn has_begun(view: View<'_>, unit: UnitId, node: NodeId) -> bool {
    view.automata.has_begun(node) || view.units[unit.0 as usize].is_task
}

fn scope(
    view: View<'_>,
    footprints: &Footprints,
    (state, enabled): (&[u32], &Enabled),
    live: &[Live],
) -> Lookup<StubbornSet> {
    // The stubborn sets of components that go round for ever, and whether time passes there.
    let mut endless: Option<StubbornSet> = None;
    let mut timed = true;
    // Failures that need not happen wait for everything else.
    let mut failing: SmallVec<[Mover; 8]> = SmallVec::new();
    let components = in_order(view, live);
    let dependence = Dependence::new(footprints, live);
    let mut turns: Vec<(Turn, SmallVec<[&Live; 8]>)> = Vec::new();
    for clock in clocks(live, &components) {
        let members = members_of(live, clock);
        turns.push((footprints.cycles.turn(view, state, &movers_of(&members)), members));
    }
    // A component that goes round for ever is explored beside the first of the others.
    turns.sort_by_key(|(turn, members)| {
        let needs_time = !members.iter().any(|unit| unit.proceeds);
        (*turn == Turn::Usual, footprints.cycles.is_time_last() && needs_time)
    });
    for (turn, members) in turns {
        match (turn, with_one_clock(view, footprints, (state, enabled), (&dependence, &components), &members, timed)?) {
            (Turn::Usual, Some(scope)) => return Ok(after(endless, scope)),
            (Turn::Usual, None) if members.iter().any(|unit| unit.moves > 0) => {
                failing.extend(with_lenders(footprints, &members));
            }
            (Turn::Usual, None) => {}
            (Turn::Shared { timed: passes }, scope) => {
                endless = Some(scope.map_or(StubbornSet::Endless, |scope| after(endless, scope)));
                timed &= passes;
            }
            (Turn::Over { timed: passes }, _) => {
                endless.get_or_insert(StubbornSet::Endless);
                timed &= passes;
            }
        }
    }
    Ok(match (endless, failing.is_empty()) {
        (Some(endless), true) => endless,
        (None, false) => StubbornSet::Component(with_lenders(footprints, &live.iter().collect::<Vec<_>>())),
        (Some(endless), false) => after(Some(endless), StubbornSet::Component(failing)),
        (None, true) => StubbornSet::Nothing,
    })
}

/// A stubborn set that is explored besides that of components that go round for ever.
fn after(endless: Option<StubbornSet>, scope: StubbornSet) -> StubbornSet {
    match endless {
        Some(endless) => StubbornSet::Both(Box::new([endless, scope])),
        None => scope,
    }
}

/// The stubborn set of the movers that share a clock, from the first of their `components` that can move; `None` if
/// there is nothing to explore. Their timers fire only if time passes (`timed`).
fn with_one_clock(
    view: View<'_>,
    footprints: &Footprints,
    (state, enabled): (&[u32], &Enabled),
    (dependence, components): (&Dependence<'_>, &[usize]),
    members: &[&Live],
    timed: bool,
) -> Lookup<Option<StubbornSet>> {
    let live = dependence.live;
    let is_member = |mover: Mover| members.iter().any(|member| member.mover == mover);
    if members.iter().any(|unit| unit.proceeds) {
        let starts = |component: usize| {
            let is_start = move |of: &Live| of.proceeds && of.component == component && of.clock == members[0].clock;
            (0..live.len()).filter(move |&index| is_start(&live[index]))
        };
        let first = components.iter().find(|&&component| starts(component).next().is_some());
        let smallest = first.and_then(|&component| smallest(dependence, starts(component)));
        let movers = smallest.map(|set| set.iter().map(|&index| live[index].mover).collect::<SmallVec<[Mover; 8]>>());
        return Ok(Some(match movers.filter(|movers| !footprints.cycles.are_unreduced(movers)) {
            Some(movers) => StubbornSet::Moves(movers),
            None if timed => StubbornSet::Component(with_lifecycle(footprints, dependence, members)),
            // Without the timers.
            None => StubbornSet::Moves(with_lifecycle(footprints, dependence, members)),
        }));
    }
    if members.iter().any(|unit| unit.is_dead_end) {
        return Ok(None);
    }
    if members.iter().any(|unit| unit.timers) && view.due(state, enabled, &is_member)?.is_some() {
        return Ok(timed.then(|| StubbornSet::Component(with_lenders(footprints, members))));
    }
    let finished = finished(view, footprints, live, members[0].clock);
    let is_finished =
        |of: &Live| live.iter().zip(&finished).any(|(live, &finished)| finished && live.mover == of.mover);
    Ok(members.iter().all(|of| is_finished(of)).then(|| {
        let mut units: SmallVec<[UnitId; 4]> = members.iter().map(|live| live.mover.unit).collect();
        units.dedup();
        StubbornSet::Finished(units)
    }))
}

/// The movers that share a clock, with those that end one of them or are ended by one: these may be apart from it.
fn with_lifecycle(footprints: &Footprints, dependence: &Dependence<'_>, members: &[&Live]) -> SmallVec<[Mover; 8]> {
    let live = dependence.live;
    let mut movers = with_lenders(footprints, members);
    for start in (0..live.len()).filter(|&index| live[index].moves > 0 && live[index].clock == members[0].clock) {
        let set = stubborn(dependence, start);
        movers.extend(set.into_iter().map(|index| live[index].mover));
    }
    movers.sort_unstable();
    movers.dedup();
    movers
}

/// The movers that wait in a state while others go round in a cycle.
pub(super) struct Waiting {
    /// Whether one that is connected to the cycle waits.
    pub(super) connected: bool,
    /// Whether one that is not connected waits.
    pub(super) apart: bool,
    /// The movers with one clock that go round, and beside which no other is explored yet.
    pub(super) component: SmallVec<[Mover; 8]>,
    /// Whether time passes for them while they go round.
    pub(super) timed: bool,
    /// The units of each component that goes round without time passing for it.
    pub(super) untimed: Vec<SortedSet<UnitId>>,
}

/// The movers that go round in a cycle.
pub(super) struct Round {
    pub(super) movers: SortedSet<Mover>,
    /// Those whose timers fire there.
    pub(super) timed: SortedSet<Mover>,
}

/// The movers that could be explored in a state besides those that go round in a cycle. Several components may go round
/// in one cycle, each with a clock of its own; time passes for the others if it passes for each of these.
pub(super) fn waiting(
    view: View<'_>,
    footprints: &Footprints,
    state: &[u32],
    enabled: &Enabled,
    round: &Round,
) -> Lookup<(Waiting, Vec<Row>)> {
    let live = survey(view, footprints, state, enabled)?;
    let mut waiting =
        Waiting { connected: false, apart: false, component: SmallVec::new(), timed: false, untimed: Vec::new() };
    let components = in_order(view, &live);
    let dependence = Dependence::new(footprints, &live);
    let by_clock = clocks(&live, &components).into_iter().map(|clock| members_of(&live, clock));
    let moves = |members: &SmallVec<[&Live; 8]>| members.iter().any(|unit| round.movers.contains(&unit.mover));
    let (going_round, others): (Vec<_>, Vec<_>) = by_clock.partition(moves);
    for members in going_round {
        let movers = movers_of(&members);
        let timed = movers.iter().any(|mover| round.timed.contains(mover));
        if !timed {
            let units = movers.iter().filter(|mover| round.movers.contains(mover)).map(|mover| mover.unit);
            waiting.untimed.push(units.collect());
        }
        waiting.connected |= members.iter().any(|unit| unit.proceeds && !round.movers.contains(&unit.mover));
        // Other components that go round, beside which more is explored already, keep no mover waiting.
        if waiting.component.is_empty() && footprints.cycles.turn(view, state, &movers) == Turn::Usual {
            (waiting.component, waiting.timed) = (movers, timed);
        }
    }
    for members in others {
        if footprints.cycles.turn(view, state, &movers_of(&members)) == Turn::Usual {
            let timed = waiting.untimed.is_empty();
            let scope =
                with_one_clock(view, footprints, (state, enabled), (&dependence, &components), &members, timed)?;
            waiting.apart |= matches!(scope, Some(StubbornSet::Moves(_) | StubbornSet::Component(_)));
            waiting.apart |= members.iter().any(|unit| unit.moves > 0);
        }
    }
    Ok((waiting, live.into_iter().map(|live| live.row).collect()))
}

/// The states of the components of a state: of the movers that share a clock.
pub(super) fn parts(view: View<'_>, footprints: &Footprints, state: &[u32], enabled: &Enabled) -> Lookup<Vec<Part>> {
    let live = survey(view, footprints, state, enabled)?;
    let movers = |clock| movers_of(&members_of(&live, clock));
    Ok(clocks(&live, &in_order(view, &live)).into_iter().map(|clock| part(&view, state, &movers(clock))).collect())
}

/// The components in order, those that have begun first, so that finished ones do not multiply with the rest. Of
/// tracked tasks, the one that was spawned first comes first, with all that it spawns.
fn in_order(view: View<'_>, live: &[Live]) -> Vec<usize> {
    let mut order: Vec<usize> = live.iter().map(|unit| unit.component).collect();
    order.sort_unstable();
    order.dedup();
    let has_begun = |live: &Live| has_begun(view, live.mover.unit, live.node);
    let spawned = |unit: &Live| unit.mover.task.map(TaskId::line).filter(|line| !line.is_empty());
    order.sort_by_cached_key(|&component| {
        let members = || live.iter().filter(|unit| unit.component == component);
        (!members().any(has_begun), members().filter_map(spawned).min())
    });
    order
}

/// The clocks of some components, each once.
fn clocks(live: &[Live], components: &[usize]) -> Vec<usize> {
    let mut met = SortedSet::new();
    components.iter().map(|&component| live[component].clock).filter(|clock| met.insert(*clock)).collect()
}

/// The smallest stubborn set with a mover in it; both as indexes into the live movers.
fn stubborn(dependence: &Dependence<'_>, start: usize) -> SmallVec<[usize; 8]> {
    let live = dependence.live;
    let clock = live[start].clock;
    let is_awake = |unit: &Live| unit.moves > 0 || unit.timers && unit.clock != clock;
    // The movers outside of the set, in order: that can move, and that have to be woken.
    let others = (0..live.len()).filter(|&index| index != start);
    let (mut awake, mut asleep): (SmallVec<[usize; 16]>, SmallVec<[usize; 16]>) =
        others.partition(|&index| is_awake(&live[index]));
    let mut set: SmallVec<[usize; 8]> = SmallVec::from_slice(&[start]);
    // The movers on which the steps of the set depend.
    let mut depended_on = dependence.of(start).clone();
    loop {
        let other = movable(dependence, &awake, &asleep).find(|&other| depended_on.contains(other as u32));
        let Some(other) = other else { return set };
        set.push(other);
        depended_on.union_with(dependence.of(other));
        awake.retain(|index| *index != other);
        asleep.retain(|index| *index != other);
    }
}

/// The movers that can move while others do not: those that are awake, and those that they wake, in the order in which
/// each is found, the lowest first.
fn movable(dependence: &Dependence<'_>, awake: &[usize], asleep: &[usize]) -> impl Iterator<Item = usize> {
    let mut awake = awake.iter().copied().peekable();
    let mut asleep: SmallVec<[usize; 16]> = SmallVec::from_slice(asleep);
    let mut found: SmallVec<[usize; 16]> = SmallVec::new();
    let mut are_found = Bits::default();
    std::iter::from_fn(move || {
        let is_woken = |index: usize| {
            let needs = &dependence.live[index].needs;
            dependence.of(index).meets(&are_found)
                && (needs.is_empty() || dependence.affected(&found).contains_all(needs))
        };
        let woken = asleep.iter().position(|&index| is_woken(index));
        let next = match (woken, awake.peek()) {
            (Some(woken), next) if next.is_none_or(|&next| asleep[woken] < next) => Some(asleep.remove(woken)),
            _ => awake.next(),
        }?;
        found.push(next);
        are_found.insert(next as u32);
        Some(next)
    })
}

/// The first of the stubborn sets with one of these movers in them that has the fewest moves.
fn smallest(dependence: &Dependence<'_>, starts: impl Iterator<Item = usize>) -> Option<SmallVec<[usize; 8]>> {
    let mut smallest: Option<(usize, SmallVec<[usize; 8]>)> = None;
    for start in starts {
        let set = stubborn(dependence, start);
        let moves = set.iter().map(|&index| dependence.live[index].moves).sum();
        if smallest.as_ref().is_none_or(|(fewest, _)| moves < *fewest) {
            smallest = Some((moves, set));
        }
        // Each start can move, so that none has fewer.
        if moves == 1 {
            break;
        }
    }
    smallest.map(|(_, set)| set)
}
