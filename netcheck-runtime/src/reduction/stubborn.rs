//! Rule 2, stubborn sets: which movers have to be explored in a state.
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
//!
//! **No step is put off for ever.** A step outside of a stubborn set stays possible when the set's steps are taken. The
//! search expands a state as a whole ([`whole`]) where each of the chosen steps leads to a state that was expanded before
//! and may be taken again (rule 3, in `search/proviso.rs`).
//!
//! **Nor for long**, where programs never come back to a state: which mover comes first makes no difference to what is
//! found, since each stubborn set will do. So at some depths movers take turns ([`turn`]), and whatever is possible is
//! taken within a small multiple of the depth at which it became possible.

use super::bits::Bits;
use super::clocks::{finished, with_lenders};
use super::dependence::Dependence;
use super::failures;
use super::footprint::{Footprints, Row};
use super::helpless::{helpless, helpless_unsurveyed};
use super::live::Live;
use super::parts::{self, Part};
use super::survey::survey;
use super::unread;
use crate::id::{Mover, NodeId, TaskId, UnitId};
use crate::sorted::SortedSet;
use crate::world::enabled::Enabled;
use crate::world::step::Writes;
use crate::world::tables::{Lookup, View};
use smallvec::{SmallVec, smallvec};

/// The steps to explore in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StubbornSet {
    /// The moves of these movers.
    Moves(SmallVec<[Mover; 8]>),
    /// All steps of movers that share a clock, their timers among them.
    Component(SmallVec<[Mover; 8]>),
    /// Movers that share a clock, of which only daemons are left and nothing can happen any more.
    Finished(SmallVec<[UnitId; 4]>),
    /// A part of the state, and what it forgets.
    Part { units: Part, forgets: Writes },
    /// Datagrams that nobody will receive.
    Unread(Writes),
    /// Nothing can happen.
    Nothing,
}

impl StubbornSet {
    /// Whether one of its movers is a part of the given one, or the given one of it.
    pub(crate) fn concerns(&self, mover: Mover) -> bool {
        match self {
            StubbornSet::Moves(movers) | StubbornSet::Component(movers) => movers.iter().any(|of| !of.is_apart(mover)),
            StubbornSet::Finished(units) => units.contains(&mover.unit),
            StubbornSet::Part { .. } | StubbornSet::Unread(_) | StubbornSet::Nothing => false,
        }
    }
}

/// The choice in a state.
pub(crate) struct Chosen {
    pub(crate) sets: Sets,
    /// The footprints that it relies on.
    pub(crate) rows: Vec<Row>,
    /// Whether steps are put off.
    pub(crate) puts_off: bool,
    /// The processes that wait for ever while others go on, with the units that could have helped them.
    pub(crate) helpless: SmallVec<[Part; 1]>,
}

impl Chosen {
    /// Nothing is put off, and nobody is known to wait for ever.
    fn surely(sets: Sets, rows: Vec<Row>) -> Chosen {
        Chosen { sets, rows, puts_off: false, helpless: SmallVec::new() }
    }
}

/// The sets whose steps are explored, each with a time of its own.
pub(crate) enum Sets {
    /// All steps.
    All,
    Each(SmallVec<[StubbornSet; 1]>),
    Parts(Vec<Part>),
}

/// The movers that share a clock.
fn members_of(live: &[Live], clock: usize) -> SmallVec<[&Live; 8]> {
    live.iter().filter(|member| member.clock == clock).collect()
}

/// Chooses what to explore in `state`, at a depth of the search, and collects what its units are offered.
pub(crate) fn choose(
    view: View<'_>,
    footprints: &Footprints,
    (state, depth): (&[u32], usize),
    enabled: &mut Enabled,
) -> Lookup<Chosen> {
    if let Some(chosen) = forgetting(view, footprints, state) {
        return Ok(chosen);
    }
    if footprints.uses.splits
        && let Some((parts, rows)) = parts::parts(view, footprints, state)
    {
        let parts = parts::busy(view, state, enabled, parts)?;
        let parts = failures::join_parts(view, footprints, state, enabled, parts)?;
        if parts.len() > 1 {
            return Ok(Chosen::surely(Sets::Parts(parts), rows));
        }
    }
    if !footprints.uses.stubborn || view.has_delay() {
        return all(view, footprints, state, enabled, Time::PutsOff);
    }
    view.enabled(state, enabled)?;
    let live = survey(view, footprints, state, enabled)?;
    let (set, is_whole) = first(view, footprints, (state, enabled), &live, turn(depth))?;
    let rows = live.iter().map(|live| live.row).chain(footprints.firsts_to_consult()).collect();
    let helpless = helpless(view, footprints, state, &live);
    Ok(Chosen { sets: Sets::Each(smallvec![set]), rows, puts_off: !is_whole || failures::hold_up(&live), helpless })
}

/// Where datagrams are forgotten, that is the only step: the same steps are possible afterwards.
fn forgetting(view: View<'_>, footprints: &Footprints, state: &[u32]) -> Option<Chosen> {
    let (writes, rows) = footprints.uses.forgets.then(|| unread::forgotten(view, footprints, state))??;
    Some(Chosen::surely(Sets::Each(smallvec![StubbornSet::Unread(writes)]), rows))
}

/// Whether the timers that strangers hold up ([`failures`]) fire in a state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Time {
    /// They are put off.
    PutsOff,
    /// Time passes for them.
    Passes,
}

/// All steps of a state, where movers that share a clock have a time of their own, and nobody is held up by strangers;
/// collects what its units are offered.
pub(crate) fn whole(view: View<'_>, footprints: &Footprints, state: &[u32], enabled: &mut Enabled) -> Lookup<Chosen> {
    if let Some(chosen) = forgetting(view, footprints, state) {
        return Ok(chosen);
    }
    all(view, footprints, state, enabled, Time::Passes)
}

fn all(view: View<'_>, footprints: &Footprints, state: &[u32], enabled: &mut Enabled, time: Time) -> Lookup<Chosen> {
    view.enabled(state, enabled)?;
    if !footprints.uses.clocks {
        let helpless = helpless_unsurveyed(view, footprints, (state, enabled))?;
        let (_, rows) = parts::only(view, footprints, state);
        return Ok(Chosen { helpless, ..Chosen::surely(Sets::All, rows) });
    }
    if view.has_delay() {
        return whole_in_dense_time(view, footprints, state, enabled);
    }
    let mut live = survey(view, footprints, state, enabled)?;
    let rows = live.iter().map(|live| live.row).chain(footprints.firsts_to_consult()).collect();
    let puts_off = failures::hold_up(&live);
    if puts_off && time == Time::Passes {
        live.iter_mut().for_each(|of| (of.component, of.clock) = (of.own_clock, of.own_clock));
    }
    let clocks = clocks(&live, &in_order(view, &live));
    let sets = match &clocks[..] {
        [] | [_] if !footprints.uses.stubborn => Sets::All,
        [] => Sets::Each(smallvec![StubbornSet::Nothing]),
        clocks => {
            let each = clocks.iter().map(|&clock| with_lenders(footprints, &members_of(&live, clock)));
            Sets::Each(each.map(StubbornSet::Component).collect())
        }
    };
    let helpless = helpless(view, footprints, state, &live);
    Ok(Chosen { sets, rows, puts_off: puts_off && time == Time::PutsOff, helpless })
}

/// In dense time the movers of each part share a clock.
fn whole_in_dense_time(view: View<'_>, footprints: &Footprints, state: &[u32], enabled: &Enabled) -> Lookup<Chosen> {
    if parts::are_together(view) {
        return Ok(Chosen::surely(Sets::All, Vec::new()));
    }
    let (parts, rows) = parts::smallest(view, footprints, state).unwrap_or_else(|| {
        let (part, rows) = parts::only(view, footprints, state);
        (vec![part], rows)
    });
    let movers = |part: Part| part.into_iter().map(|unit| Mover { unit, task: None }).collect();
    let sets = parts.into_iter().map(|part| StubbornSet::Component(movers(part))).collect();
    let helpless = helpless_unsurveyed(view, footprints, (state, enabled))?;
    Ok(Chosen { helpless, ..Chosen::surely(Sets::Each(sets), rows) })
}

/// From this depth on, movers take turns now and then: most searches have seen everything before.
const TURNS_FROM: usize = 256;

/// At some depths, the number of the mover whose turn it is: in the quarter after each power of two.
fn turn(depth: usize) -> Option<usize> {
    if depth < TURNS_FROM {
        return None;
    }
    let power = 1 << depth.ilog2();
    (depth - power < power / 4).then_some(depth)
}

/// Whether a unit has moved, or belongs to a process that has.
fn has_begun(view: View<'_>, unit: UnitId, node: NodeId) -> bool {
    view.automata.has_begun(node) || view.units[unit.0 as usize].is_task
}

/// The first set of movers with something to explore, and whether nothing is put off.
fn first(
    view: View<'_>,
    footprints: &Footprints,
    (state, enabled): (&[u32], &Enabled),
    live: &[Live],
    turn: Option<usize>,
) -> Lookup<(StubbornSet, bool)> {
    // Failures that need not happen wait for everything else.
    let mut may_fail = false;
    let components = in_order(view, live);
    let dependence = Dependence::new(footprints, live);
    let mut clocks = clocks(live, &components);
    if let (Some(turn), 1..) = (turn, clocks.len()) {
        let places = turn % clocks.len();
        clocks.rotate_left(places);
    }
    for &clock in &clocks {
        let members = members_of(live, clock);
        match with_one_clock(view, footprints, (state, enabled), (&dependence, &components), &members, turn)? {
            Some(set) => {
                let has_all = live.iter().all(|of| of.moves == 0 || set.concerns(of.mover));
                return Ok((set, has_all && clocks.len() == 1));
            }
            None => may_fail |= members.iter().any(|unit| unit.moves > 0),
        }
    }
    Ok(match may_fail {
        true => (StubbornSet::Component(with_lenders(footprints, &live.iter().collect::<Vec<_>>())), true),
        false => (StubbornSet::Nothing, true),
    })
}

/// The stubborn set of the movers that share a clock, from the first of their `components` that can move, or from the mover
/// whose turn it is; `None` if there is nothing to explore.
fn with_one_clock(
    view: View<'_>,
    footprints: &Footprints,
    (state, enabled): (&[u32], &Enabled),
    (dependence, components): (&Dependence<'_>, &[usize]),
    members: &[&Live],
    turn: Option<usize>,
) -> Lookup<Option<StubbornSet>> {
    let live = dependence.live;
    let is_member = |mover: Mover| members.iter().any(|member| member.mover == mover);
    if members.iter().any(|unit| unit.proceeds) {
        let of_clock = |of: &Live| of.proceeds && of.clock == members[0].clock;
        let all = || (0..live.len()).filter(|&index| of_clock(&live[index]));
        let starts = |component: usize| all().filter(move |&index| live[index].component == component);
        let set = match turn {
            Some(turn) => all().nth(turn % all().count()).map(|start| stubborn(dependence, start)),
            None => {
                let first = components.iter().find(|&&component| starts(component).next().is_some());
                first.and_then(|&component| smallest(dependence, starts(component)))
            }
        };
        let movers = set.expect("a mover proceeds").into_iter().map(|index| live[index].mover);
        return Ok(Some(StubbornSet::Moves(movers.collect())));
    }
    if members.iter().any(|unit| unit.is_dead_end) {
        return Ok(None);
    }
    if members.iter().any(|unit| unit.timers) && view.due(state, enabled, &is_member)?.is_some() {
        return Ok(Some(StubbornSet::Component(with_lenders(footprints, members))));
    }
    if view.will_give_up(state)? {
        return Ok(Some(StubbornSet::Component(with_lenders(footprints, members))));
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
