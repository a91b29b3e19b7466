//! Dense time: processes that never meet are explored one group after the other, each with a time of its own.
//!
//! The groups are those of [`groups`](super::groups): no step of one process, whatever it is, affects a resource on which
//! a step of a process of another group depends. Within a group all is explored. Of several groups, only the steps of one
//! are: of the first in which something but a failure is possible, and time passes for this group alone
//! ([`own`](crate::world::time::own)). Why that loses nothing, and finds nothing that is not there:
//!
//! - **An execution of all is one of each.** The steps of one group in an execution, with their instants, are an execution
//!   of the group alone: no step of another changes what it reads, and time waits for no event of another. So whatever
//!   happens in a group (a step, a panic, an output) is found in the group alone, from whatever the others are left at.
//! - **Executions of each are one of all.** Sorted by instants they are an execution of all of them, since at each instant
//!   the groups may take turns in any order, and the time of one waits for the others only as long as these have steps at
//!   that instant, or an event to come: both are steps of theirs. The zone of all is the product of those of the groups,
//!   because nothing relates the instants of two groups. So any two ends of two groups are the ends of one execution: a
//!   deadlock, and what `finally` is shown, are real.
//! - **A group that is over** (nothing is possible in it but failures) is over at every later instant, since nothing is
//!   scheduled that has to come. Its daemons leave the state vector, with what is under way to them that nobody hears.
//!   What fails at that instant or later is explored when all groups are over, beside the end.
//! - **A group that goes round for ever** would put off the others. It is explored after them: no order of the groups adds
//!   anything or leaves anything out. Several such groups are explored together, each with its own time. This is seen in
//!   the terminal cycles of the reduced graph, as [`proviso`](super::proviso) has it. If no timer fires in such a cycle,
//!   it may let time stand, and then it decides what the others can do: from then on all processes are one group.
//! - **The budget** (`at_most`) is used by sums alone, which do not depend on the order of groups; all the same, processes
//!   whose datagrams may be lost or doubled at its cost are one group, as in quiet time.
//! - **A monitor** that sees steps of two groups makes them one. If it has clocks, it sees all time that passes, so that all
//!   processes are one group. They are one, too, if a program reads the clock, whose marks are relative to one start, and if
//!   segments of TCP take delays, whose steps are not told by groups yet.
//! - **Footprints grow**: a choice of one group of several relies on all first footprints, and the search runs again if one
//!   of them grows. Where all are one group, it relies on none.
//! - **Zones that include others**: what a state may still do in each group, the state that covers it may do, whichever
//!   group is explored first there.

use super::footprint::{Footprints, Row};
use super::stubborn::{StubbornSet, has_begun};
use crate::id::{Mover, ProcessId, UnitId};
use crate::world::enabled::Enabled;
use crate::world::events::EventsId;
use crate::world::step::{Move, Transition};
use crate::world::system::System;
use crate::world::tables::{Lookup, View};
use smallvec::SmallVec;

/// The live units of one group in a state.
pub(super) struct Group {
    /// Where they are in the order of exploration.
    turn: (bool, bool, usize),
    pub(super) units: SmallVec<[UnitId; 8]>,
}

impl Group {
    fn has(&self, mover: Mover) -> bool {
        self.units.contains(&mover.unit)
    }

    pub(super) fn number(&self) -> usize {
        self.turn.2
    }

    /// Whether the group is explored after all that do not go round for ever.
    fn is_last(&self) -> bool {
        self.turn.0
    }

    fn scope(&self) -> StubbornSet {
        StubbornSet::Component(self.units.iter().map(|&unit| Mover { unit, task: None }).collect())
    }

    /// The steps of the group in a state, if time passes for it alone.
    pub(super) fn steps(
        &self,
        view: View<'_>,
        state: &[u32],
        enabled: &mut Enabled,
        steps: &mut Vec<Transition>,
    ) -> Lookup<()> {
        view.enabled_of(state, view.live_units(state).filter(|(unit, _)| self.units.contains(unit)), enabled)?;
        let own = |mover| self.has(mover);
        view.within(state, enabled, &own, &own, steps)
    }

    /// Whether only daemons are left, and none of them is in the middle of a poll.
    fn is_finished(&self, view: View<'_>, state: &[u32]) -> bool {
        self.units.iter().all(|&unit| view.is_daemon(unit))
            && !view
                .live_units(state)
                .any(|(unit, node)| self.units.contains(&unit) && view.automata.polled(node).is_some())
    }
}

/// Whether all processes are one group, whatever they do.
fn are_together(view: View<'_>, footprints: &Footprints) -> bool {
    view.demands.clock || view.monitors.has_timed() || view.has_segments() || footprints.cycles.are_together()
}

/// Whether some processes never meet some others, so that states may have been explored for one group alone.
pub(super) fn are_apart(view: View<'_>, footprints: &Footprints) -> bool {
    let group = |process: usize| footprints.groups().of(ProcessId(process as u32));
    !are_together(view, footprints) && (1..view.processes.len()).any(|process| group(process) != group(0))
}

impl Footprints {
    /// Whether in dense time some processes never meet others, and are explored one group after the other.
    pub fn keep_apart(&self, system: &System) -> bool {
        system.has_delay() && are_apart(system.view(), self)
    }
}

/// The groups of the live units of a state in the order in which they are explored: those that have begun first, so that
/// finished ones do not multiply with the rest, and those that go round for ever last.
pub(super) fn groups(view: View<'_>, footprints: &Footprints, state: &[u32]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (unit, node) in view.live_units(state) {
        let process = view.process_of(unit);
        let number = footprints.groups().of(process);
        let known = groups.iter().position(|group| group.number() == number).unwrap_or_else(|| {
            groups.push(Group { turn: (false, true, number), units: SmallVec::new() });
            groups.len() - 1
        });
        let group = &mut groups[known];
        group.turn.0 |= footprints.cycles.is_last(process);
        group.turn.1 &= !has_begun(view, unit, node);
        group.units.push(unit);
    }
    groups.sort_by_key(|group| group.turn);
    groups
}

/// Chooses the steps to explore in a state in dense time.
pub(super) fn choose(
    view: View<'_>,
    footprints: &Footprints,
    state: &[u32],
    (enabled, chosen): (&mut Enabled, &mut Vec<Transition>),
) -> Lookup<(Option<StubbornSet>, Vec<Row>)> {
    chosen.clear();
    if !are_apart(view, footprints) {
        view.enabled(state, enabled)?;
        view.within(state, enabled, &|_| true, &|_| true, chosen)?;
        return Ok((None, Vec::new()));
    }
    let rows: Vec<Row> = footprints.firsts_to_consult().collect();
    let mut beside: Option<StubbornSet> = None;
    let mut steps = Vec::new();
    for group in groups(view, footprints, state) {
        group.steps(view, state, enabled, &mut steps)?;
        let goes_on = steps.iter().any(|step| !step.is_failure());
        if goes_on && !group.is_last() {
            std::mem::swap(chosen, &mut steps);
            return Ok((Some(group.scope()), rows));
        }
        if !goes_on && group.is_finished(view, state) {
            steps.push(parked(&group.units));
            std::mem::swap(chosen, &mut steps);
            return Ok((Some(StubbornSet::Finished(finished(&group.units))), rows));
        }
        if !steps.is_empty() {
            beside = Some(match beside {
                Some(others) => StubbornSet::Both(Box::new([others, group.scope()])),
                None => group.scope(),
            });
            chosen.append(&mut steps);
        }
    }
    Ok((Some(beside.unwrap_or(StubbornSet::Nothing)), rows))
}

fn finished(units: &[UnitId]) -> SmallVec<[UnitId; 4]> {
    SmallVec::from_slice(units)
}

/// The step with which the daemons of a group that is over leave the state vector.
fn parked(units: &[UnitId]) -> Transition {
    let step = Move::Park(finished(units));
    Transition { step, writes: Default::default(), faults: 0, events: EventsId::NONE, watched: None }
}
