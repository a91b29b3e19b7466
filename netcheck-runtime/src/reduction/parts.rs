//! Rule 1, split: the units of a state fall into parts that never meet, and each part is explored by itself.
//!
//! Two units are of one part if a step that one of them may still take affects a resource that a step of the other may
//! depend on. Let a state have several parts.
//!
//! - *A step of one part is possible, and the same, whatever the others have done*: they change nothing that it depends
//!   on. So the executions from here are the interleavings of executions of each part, and each interleaving is one.
//! - *Time*: whoever could compare the timers of two units would depend on both. So each part has a clock of its own,
//!   also where nothing is reduced: a part that goes round in no time stops no timers but its own. (Parts in which a call
//!   may fail at the instants of each other's timers stay together: see [`failures`](super::failures).)
//! - *What is local is found in a part alone*: a step, a panic, an output, what a monitor rejects (a monitor that sees steps
//!   of two units connects them).
//! - *The whole comes to rest where each part does*, in any combination of their ends. A part that has come to rest while a
//!   process of it waits is a deadlock, whatever the others do, since none of them reaches it any more.
//! - *Faults*: a budget (`at_most`) connects nothing. Each part has all that is left of it, and ends are combined only if
//!   their faults together stay within it.
//!
//! So in place of the state, each of its parts is explored, with all else absent: the states of the parts add up, where
//! those of the whole would multiply. A part that goes on for ever costs its own states once. Parts are states like all
//! others, so that equal ones are one whatever was beside them, the frontier takes them in turns, and they are split again.
//! The value of a component that a part may still touch stays in its state.
//!
//! A process that is no daemon, with a unit that may accept a connection, stays together: while a unit waits for a next client,
//! none of the process is called stuck.
//!
//! A part of daemons that has come to rest is left beside the others, as nothing is to be seen there; if it is the only
//! other one, nothing is split.
//!
//! Where the moment at which *any* process comes to rest tells what all of them are worth (`deadlocks = paper`), nothing is
//! split; nor where ends are combined for a property and states stand for their orbits.

use super::bits::Bits;
use super::footprint::{Footprints, Row};
use super::sets::Sets;
use crate::id::{Mover, NodeId, ProcessId, UnitId};
use crate::world::components::Component;
use crate::world::enabled::Enabled;
use crate::world::events::EventsId;
use crate::world::step::{Move, Transition, Writes};
use crate::world::system::System;
use crate::world::tables::{Lookup, View};
use crate::world::touches::{Resource, Touches};
use smallvec::SmallVec;

/// The units of a part.
pub(crate) type Part = SmallVec<[UnitId; 4]>;

/// Live units with their local states.
type LiveUnits = SmallVec<[(UnitId, NodeId); 8]>;

/// The steps of a live unit from now on.
struct Future {
    unit: UnitId,
    rows: SmallVec<[Row; 1]>,
    affects: Bits,
    depends_on: Bits,
    /// Whether something of it goes over a link that is cut in some states.
    crosses: bool,
}

impl Future {
    fn of(
        view: View<'_>,
        footprints: &Footprints,
        (state, settled): (&[u32], &Bits),
        (unit, node): (UnitId, NodeId),
    ) -> Future {
        let rows = view.automata.movers(node).into_iter().map(|mover| footprints.row(view.automata, node, mover));
        let rows: SmallVec<[Row; 1]> = rows.collect();
        let (mut affects, mut depends_on) = (Bits::default(), footprints.inlets(view, state, unit));
        depends_on.union_with(&footprints.under_way(view, state, unit));
        for &row in &rows {
            let footprint = footprints.get(row);
            affects.union_with(&footprint.future_affects);
            for more in [&footprint.future_depends_on, &footprint.future_waits, &footprint.future_races] {
                depends_on.union_with(more);
            }
        }
        let crosses = affects.iter().any(|bit| matches!(footprints.resource(bit), Resource::Carried(..)));
        affects.remove_all(settled);
        depends_on.remove_all(settled);
        Future { unit, rows, affects, depends_on, crosses }
    }

    /// Whether the unit may wait for a next client, and its process is no daemon.
    fn may_be_a_server(&self, view: View<'_>, footprints: &Footprints) -> bool {
        !view.is_daemon(self.unit) && self.rows.iter().any(|&row| footprints.may_accept(row))
    }

    /// Whether the unit may change what the other one does, or the other way round.
    fn meets(&self, other: &Future, budget: &Bits) -> bool {
        self.affects.meets_outside(&other.depends_on, budget) || other.affects.meets_outside(&self.depends_on, budget)
    }
}

/// The parts of a state, if there are several, and the footprints that say so. Where processes never meet from their
/// beginning on, these are parts that may fall into smaller ones: the search comes to each of them, and splits it again.
pub(super) fn parts(view: View<'_>, footprints: &Footprints, state: &[u32]) -> Option<(Vec<Part>, Vec<Row>)> {
    let live = several(view, state)?;
    if some_go_on_unknown(view, footprints, &live) {
        return None;
    }
    // Processes that never meet from their beginning on are told without a look at their units.
    let group = |&(unit, _): &(UnitId, NodeId)| footprints.groups().of(view.process_of(unit));
    let first = group(&live[0]);
    if live.iter().any(|of| group(of) != first) {
        let mut by_group: Vec<(usize, Part)> = Vec::new();
        for of in &live {
            let group = group(of);
            match by_group.binary_search_by_key(&group, |(group, _)| *group) {
                Ok(known) => by_group[known].1.push(of.0),
                Err(new) => by_group.insert(new, (group, SmallVec::from_slice(&[of.0]))),
            }
        }
        let (_, mut rows) = only(view, footprints, state);
        rows.extend(footprints.firsts_to_consult());
        return Some((by_group.into_iter().map(|(_, part)| part).collect(), rows));
    }
    smallest(view, footprints, state)
}

/// The smallest parts of a state, if there are several, and the footprints that say so: for whoever looks at them in the
/// state, and does not come to the state of each.
pub(super) fn smallest(view: View<'_>, footprints: &Footprints, state: &[u32]) -> Option<(Vec<Part>, Vec<Row>)> {
    let live = several(view, state)?;
    if some_go_on_unknown(view, footprints, &live) {
        return None;
    }
    let settled = footprints.settled_links(view, state);
    let futures: Vec<Future> = live.iter().map(|&of| Future::of(view, footprints, (state, &settled), of)).collect();
    let sets = joined(view, footprints, &futures);
    if (1..futures.len()).all(|index| sets.are_joined(0, index)) {
        return None;
    }
    let mut parts: Vec<(usize, Part)> = Vec::new();
    for (index, future) in futures.iter().enumerate() {
        let lowest = sets.lowest(index);
        match parts.iter_mut().find(|(of, _)| *of == lowest) {
            Some((_, part)) => part.push(future.unit),
            None => parts.push((lowest, SmallVec::from_slice(&[future.unit]))),
        }
    }
    let rows = futures.iter().flat_map(|future| future.rows.iter().copied()).chain(footprints.firsts_to_consult());
    Some((parts.into_iter().map(|(_, part)| part).collect(), rows.collect()))
}

/// The live units of a state with their local states, if there are several that may be apart.
fn several(view: View<'_>, state: &[u32]) -> Option<LiveUnits> {
    let live: LiveUnits = view.live_units(state).collect();
    (live.len() > 1 && !are_together(view)).then_some(live)
}

impl View<'_> {
    /// Whether a state is a part of another one: some units are elsewhere.
    pub(crate) fn is_part(self, state: &[u32]) -> bool {
        self.units.iter().any(|unit| unit.component.of(state) == NodeId::ELSEWHERE.0)
    }
}

/// The parts that are not idle. An *idle* part consists of daemons and has come to rest, also without failures that might
/// happen: nothing is to be seen there any more, so it is left beside another part.
pub(super) fn busy(view: View<'_>, state: &[u32], enabled: &mut Enabled, parts: Vec<Part>) -> Lookup<Vec<Part>> {
    let (mut busy, mut steps) = (Vec::new(), Vec::new());
    for part in parts {
        let own = |mover: Mover| part.contains(&mover.unit);
        let mut is_busy = !part.iter().all(|&unit| view.is_daemon(unit));
        if !is_busy {
            view.enabled_of(state, view.live_units(state).filter(|(unit, _)| part.contains(unit)), enabled)?;
            view.within(state, enabled, &own, &own, &mut steps)?;
            is_busy = !steps.is_empty() || view.is_cut_off(state, &|unit| part.contains(&unit));
        }
        if is_busy {
            busy.push(part);
        }
    }
    Ok(busy)
}

/// Footprints beyond the horizon of a check, where nothing is known (`world::time::horizon`).
impl Footprints {
    /// Adds that the units that are cut off in a state may do anything later than the horizon, unless that is known.
    pub(crate) fn cut_off(&mut self, system: &System, state: &[u32]) {
        let mut touches = Touches::default();
        touches.affects(Resource::Later);
        for (node, has_come_before) in system.view().cut_off(state) {
            for mover in system.learner.automata.movers(node) {
                let row = self.row(&system.learner.automata, node, mover);
                if !has_come_before || self.is_in(&self.get(row).future_affects, Resource::Reading) {
                    self.add_to_future(row, &touches);
                }
            }
        }
    }
}

/// Whether some unit may meet every other one later than the horizon.
fn some_go_on_unknown(view: View<'_>, footprints: &Footprints, live: &[(UnitId, NodeId)]) -> bool {
    let all = live.iter().flat_map(|&(_, node)| {
        view.automata.movers(node).into_iter().map(move |mover| footprints.row(view.automata, node, mover))
    });
    view.declared.duration_ns.is_some() && all.into_iter().any(|row| goes_on_unknown(view, footprints, row))
}

/// Whether it is not known what a mover does later than the horizon.
pub(super) fn goes_on_unknown(view: View<'_>, footprints: &Footprints, row: Row) -> bool {
    view.declared.duration_ns.is_some() && footprints.is_in(&footprints.get(row).future_affects, Resource::Later)
}

impl Footprints {
    /// Whether a mover may accept a connection from now on.
    pub(super) fn may_accept(&self, row: Row) -> bool {
        let accepts = |bit| matches!(self.resource(bit), Resource::Unqueued(_));
        self.get(row).future_affects.iter().any(accepts)
    }
}

/// All live units of a state as one part, and the footprints that say so.
pub(super) fn only(view: View<'_>, footprints: &Footprints, state: &[u32]) -> (Part, Vec<Row>) {
    let units = view.live_units(state).map(|(unit, _)| unit).collect();
    let rows = view.live_units(state).flat_map(|(_, node)| {
        let movers = view.automata.movers(node).into_iter();
        movers.map(move |mover| footprints.row(view.automata, node, mover))
    });
    (units, rows.collect())
}

/// Whether all processes are one part in dense time, whatever they do: a program reads the clock, and is told instants
/// by the start of the check; a monitor has clocks, so that it sees all time that passes; or segments of TCP take delays. In
/// quiet time, where hosts give up.
pub(super) fn are_together(view: View<'_>) -> bool {
    if view.declares_retries() {
        return true;
    }
    let tells_start = view.demands.clock && !view.ages();
    view.has_delay() && (tells_start || view.monitors.has_timed() || view.has_segments())
}

fn joined(view: View<'_>, footprints: &Footprints, futures: &[Future]) -> Sets {
    let mut sets = Sets::new(futures.len());
    for (a, one) in futures.iter().enumerate() {
        for (b, other) in futures.iter().enumerate().skip(a + 1) {
            if sets.are_joined(a, b) {
                continue;
            }
            // In dense time, an instant belongs to a process.
            let is_one = view.process_of(one.unit) == view.process_of(other.unit)
                && (view.has_delay()
                    || one.may_be_a_server(view, footprints)
                    || other.may_be_a_server(view, footprints));
            if is_one || one.meets(other, footprints.budget()) {
                sets.join(a, b);
            }
        }
    }
    sets
}

/// The steps that lead from a state to each of its parts.
pub(super) fn steps(
    view: View<'_>,
    footprints: &Footprints,
    state: &[u32],
    parts: &[Part],
    chosen: &mut Vec<Transition>,
) -> Lookup<()> {
    chosen.clear();
    let settled = footprints.settled_links(view, state);
    for part in parts {
        let nodes = part.iter().map(|&unit| (unit, NodeId(view.unit_component(unit).of(state))));
        let futures: SmallVec<[Future; 4]> =
            nodes.map(|of| Future::of(view, footprints, (state, &settled), of)).collect();
        let writes = forgotten(view, footprints, state, &futures)?;
        let step = Move::Part { units: part.clone() };
        chosen.push(Transition { step, writes, faults: 0, events: EventsId::NONE, watched: None });
    }
    Ok(())
}

/// The writes by which a state forgets all that a part has nothing to do with.
fn forgotten(view: View<'_>, footprints: &Footprints, state: &[u32], part: &[Future]) -> Lookup<Writes> {
    let mut processes: SmallVec<[ProcessId; 8]> = part.iter().map(|of| view.process_of(of.unit)).collect();
    let mut touched = Bits::default();
    for of in part {
        touched.union_with(&of.affects);
        touched.union_with(&of.depends_on);
    }
    for bit in touched.iter() {
        footprints.resource(bit).processes(&view, &mut processes);
    }
    processes.sort_unstable();
    processes.dedup();
    let is_own = |process: ProcessId| processes.binary_search(&process).is_ok();
    let is_live = |unit: UnitId| view.automata.is_live(NodeId(view.unit_component(unit).of(state)));
    let is_here = |unit: UnitId| match is_live(unit) {
        true => part.iter().any(|of| of.unit == unit),
        false => is_own(view.process_of(unit)),
    };
    let stays = |component: Component| match component {
        Component::Unit(unit) | Component::Handle(unit) => is_here(unit),
        Component::Timers(unit) => part.iter().any(|of| of.unit == unit),
        Component::Scope(unit) => is_own(view.process_of(unit)),
        Component::Port(process, _) | Component::StreamPort(process, _) => is_own(process),
        Component::SocketFile(process, _) | Component::Mailboxes(process) => is_own(process),
        Component::Storage(process) => is_own(process),
        Component::Channel { to, .. } => is_own(view.process_of(to.unit)),
        Component::Astray { to: (process, _), .. } => is_own(process),
        Component::Buffer(socket)
        | Component::Head(socket)
        | Component::Hung(socket)
        | Component::Waited(socket)
        | Component::Dialed(socket) => is_own(view.process_of(socket.unit)),
        Component::Connection(connection) => {
            view.connections.processes(connection).iter().any(|&process| is_own(process))
        }
        Component::Reach => part.iter().any(|of| of.crosses),
        Component::Clock => footprints.is_in(&touched, Resource::Clock),
        Component::Monitor(monitor) => footprints.is_in(&touched, Resource::Monitor(monitor)),
        Component::Zone | Component::Faults | Component::Turn | Component::Observed => true,
    };
    // Whoever waits for the end of a unit of another part goes on to do so, and processes are always told of.
    let value = |component: Component| match component {
        Component::Unit(unit) if !view.units[unit.0 as usize].is_task => NodeId::ELSEWHERE.0,
        Component::Unit(unit) if is_live(unit) && is_own(view.process_of(unit)) => NodeId::ELSEWHERE.0,
        _ => 0,
    };
    let all = view.components.iter().take(state.len());
    let others = all.filter(|&(id, component)| id.of(state) != 0 && !stays(component));
    let mut writes: Writes = others.map(|(id, component)| (id, value(component))).collect();
    writes.retain(|(id, value)| id.of(state) != *value);
    writes.extend(view.zone_of(state, &is_own)?);
    Ok(writes)
}
