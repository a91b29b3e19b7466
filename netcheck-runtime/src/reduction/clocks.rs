//! Which movers share a clock, and which daemons have come to their end.
//!
//! `a` *reaches* `b` if `b` minds something that `a` may still do. Network components, objects, joins, aborts, handles
//! and the ends of processes are all resources, and [`touches`](super::touches) is the one place that says what an
//! operation or an effect does to them.
//!
//! **Clocks.** Movers that one reaches from the other share a clock. So who is reached by two timed movers, by any
//! chain, has one clock with both, and sees their steps in the order of their times. One edge is left out: `x` waits
//! for the end of `z` and, at that point, for nothing else, has no timers, and reaches or is reached by nobody in
//! another way. That end is there from some time on, and `x` takes the same steps whenever it finds it: its steps
//! follow those of `z` and are seen by nobody, so no time tells where among the others' steps they are.
//!
//! **Finished.** Daemons none of which can move, has timers, or is reached by anybody who is alive and not among them:
//! the largest such set, by taking away who is reached from outside until nobody is.

use super::bits::Bits;
use super::footprint::Footprints;
use super::stubborn::Live;
use crate::state::tables::View;

/// Sets of movers, by index.
pub(super) struct Sets(Vec<usize>);

impl Sets {
    /// Each by itself.
    pub(super) fn new(count: usize) -> Self {
        Sets((0..count).collect())
    }

    /// The lowest member of a mover's set.
    pub(super) fn lowest(&self, mut index: usize) -> usize {
        while self.0[index] != index {
            index = self.0[index];
        }
        index
    }

    pub(super) fn are_joined(&self, a: usize, b: usize) -> bool {
        self.lowest(a) == self.lowest(b)
    }

    pub(super) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.lowest(a), self.lowest(b));
        self.0[a.max(b)] = a.min(b);
    }
}

/// Joins those who share a clock to the `components` that the network makes of `live`.
pub(super) fn join_clocks(view: View<'_>, footprints: &Footprints, live: &[Live], components: &mut Sets) {
    // Who is neither spawned nor one of several tasks ends nobody, and nobody waits for its end.
    let is_child = |live: &Live| live.mover.task.is_some() || view.units[live.mover.unit.0 as usize].is_task;
    if !live.iter().any(is_child) {
        return;
    }
    // Who waits for one end at a time, and whose.
    let mut waits: Vec<(usize, usize)> = Vec::new();
    for (index, of) in live.iter().enumerate() {
        for (other, from) in live.iter().enumerate().filter(|&(other, _)| other != index) {
            let does = &footprints.get(from.row).future_does;
            let footprint = footprints.get(of.row);
            if does.meets(&footprint.future_races) {
                components.join(index, other);
            } else if does.meets(&footprint.future_waits) {
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

/// By index: whether nobody can ever wake a daemon again.
pub(super) fn finished(view: View<'_>, footprints: &Footprints, live: &[Live]) -> Vec<bool> {
    let may_go_on = |of: &Live| !view.is_daemon(of.mover.unit) || of.proceeds || of.timers || of.is_dead_end;
    let mut finished: Vec<bool> = live.iter().map(|of| !may_go_on(of)).collect();
    let reaches = |from: &Live, to: &Live| {
        let does = &footprints.get(from.row).future_does;
        let minded: [&Bits; 3] = [&footprints.get(to.row).future_minds, &to.minds, &to.inlets];
        minded.into_iter().any(|minded| does.meets(minded))
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
