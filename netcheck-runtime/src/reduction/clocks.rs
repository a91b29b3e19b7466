//! Which movers share a clock, and which daemons are finished.
//!
//! A mover *reaches* another one if a step that it may still take affects a resource that the other one depends on.
//! Network components, objects, joins, aborts, handles and the ends of processes are all resources
//! ([`touches`](crate::world::touches)); the `depends` module of each component kind says which of them an operation or
//! an effect affects and depends on (the matches over both have no wildcard).
//!
//! **Clocks.** If one mover reaches another, both share a clock. So a mover that two timed movers reach, by any chain,
//! shares one clock with both, and sees their steps in the order of their times. One edge is left out: that to a mover
//! without timers that waits for the end of another mover and, at that point, for nothing else, if no other edge leads
//! to the waiting mover or from it. The awaited end stays, so the waiting mover takes the same steps whenever it finds
//! that end; its steps come after the end, and no mover depends on them. So no clock can tell where among the steps of
//! others they are taken.
//!
//! **Timers.** The timers that a tracked task has made pass with the clock of that task. If another task may still use
//! one of them, both share a clock, so the timer passes with the clock of each task that may use it. The task that has
//! made it may have ended by then: movers that may use timers of one task share a clock, and that task is counted among
//! the movers of this clock.
//!
//! **Finished.** Movers that share a clock are finished if they belong to daemons, if only failures are left to them
//! (each of which is explored beside their end), and if no mover outside that may still take a step, or fail, reaches
//! one of them. The largest such set is found by removing movers that are reached from outside.

use super::bits::Bits;
use super::footprint::Footprints;
use super::live::Live;
use super::sets::Sets;
use crate::id::Mover;
use crate::world::tables::View;
use smallvec::SmallVec;

/// Joins the movers that share a clock, in `components`, in which the connected components of `live` are joined
/// already. The `unraced` resources connect nobody.
pub(super) fn join_clocks(
    view: View<'_>,
    footprints: &Footprints,
    (live, unraced): (&[Live], &Bits),
    components: &mut Sets,
) {
    // Without tasks there are no lifecycles: no mover waits for the end of a process, or ends one.
    let is_child = |live: &Live| live.mover.task.is_some() || view.units[live.mover.unit.0 as usize].is_task;
    if !live.iter().any(is_child) {
        return;
    }
    join_by_timers(footprints, live, components);
    // Movers that wait for one end at a time, each with the mover whose end it waits for.
    let mut waits: Vec<(usize, usize)> = Vec::new();
    for (index, of) in live.iter().enumerate() {
        for (other, from) in live.iter().enumerate().filter(|&(other, _)| other != index) {
            let affects = &footprints.get(from.row).future_affects;
            let footprint = footprints.get(of.row);
            if affects.meets_outside(&footprint.future_races, unraced) {
                components.join(index, other);
            } else if affects.meets(&footprint.future_waits) {
                waits.push((index, other));
            }
        }
    }
    let is_alone = |of: usize, sets: &Sets| (0..live.len()).all(|other| other == of || !sets.are_joined(of, other));
    while let Some(next) =
        waits.iter().position(|&(waiting, _)| live[waiting].has_timers(footprints) || !is_alone(waiting, components))
    {
        let (waiting, ending) = waits.swap_remove(next);
        components.join(waiting, ending);
    }
}

/// The other tracked tasks whose timers a mover may use from now on.
fn lenders<'f>(footprints: &'f Footprints, of: &Live) -> impl Iterator<Item = Mover> + use<'f> {
    let (mover, affects) = (of.mover, &footprints.get(of.row).future_affects);
    let is_lender = move |lender: Mover| lender.unit == mover.unit && lender != mover;
    let known = footprints.timers.iter().filter(move |&&(bit, lender)| is_lender(lender) && affects.contains(bit));
    known.map(|&(_, lender)| lender)
}

/// Joins the movers that may use timers of one task.
fn join_by_timers(footprints: &Footprints, live: &[Live], sets: &mut Sets) {
    let mut first_users: Vec<(Mover, usize)> = Vec::new();
    for (index, of) in live.iter().enumerate() {
        for lender in lenders(footprints, of) {
            let own = live.iter().position(|other| other.mover == lender);
            let known = first_users.iter().find(|(other, _)| *other == lender).map(|&(_, user)| user);
            own.into_iter().chain(known).for_each(|other| sets.join(index, other));
            first_users.push((lender, index));
        }
    }
}

/// The movers with one clock, and the tasks that have ended and whose timers pass with it.
pub(super) fn with_lenders(footprints: &Footprints, members: &[&Live]) -> SmallVec<[Mover; 8]> {
    let mut movers: SmallVec<[Mover; 8]> = members.iter().map(|member| member.mover).collect();
    for lender in members.iter().flat_map(|of| lenders(footprints, of)) {
        if !movers.contains(&lender) {
            movers.push(lender);
        }
    }
    movers
}

/// By index: whether a daemon's mover can never be woken again, except by failures of the movers with this `clock`.
pub(super) fn finished(view: View<'_>, footprints: &Footprints, live: &[Live], clock: usize) -> Vec<bool> {
    let may_fail = |of: &Live| of.moves > 0 && of.clock != clock;
    // The end of a daemon with files shows them.
    let has_files = |of: &Live| view.automata.files(of.node).is_some();
    let may_go_on = |of: &Live| {
        let stays = of.proceeds || of.starts_again || of.timers || of.is_dead_end || may_fail(of) || has_files(of);
        !view.is_daemon(of.mover.unit) || stays
    };
    let mut finished: Vec<bool> = live.iter().map(|of| !may_go_on(of)).collect();
    let reaches = |from: &Live, to: &Live| {
        let affects = &footprints.get(from.row).future_affects;
        let depended_on: [&Bits; 3] = [&footprints.get(to.row).future_depends_on, &to.depends_on, &to.inlets];
        depended_on.into_iter().any(|depended_on| affects.meets(depended_on))
    };
    loop {
        let goes_on = |index: usize| {
            let of = &live[index];
            live.iter()
                .zip(&finished)
                .any(|(other, is_finished)| !is_finished && (other.mover.unit == of.mover.unit || reaches(other, of)))
        };
        let Some(woken) = (0..live.len()).find(|&index| finished[index] && goes_on(index)) else { return finished };
        finished[woken] = false;
    }
}
