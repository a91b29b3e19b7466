//! Calls that fail at the instants of other processes' timers.
//!
//! A call that is waited for may fail at each instant at which time stands. If a timer that is under way outlives the
//! failure, the instant makes a difference, and the timers of strangers tell, too, at which instants time stands. So if some
//! set of movers that share a clock may still wait for timers and may still fail, all sets that may still wait for timers
//! share one clock and stay in one part. Any other set does the same whatever time strangers let pass:
//!
//! - without timers of its own, it does so at each instant;
//! - without failures, it does nothing before its own timers are due;
//! - where nothing may happen to it, it is at rest for ever, so its timers tell nobody an instant.
//!
//! **Nobody is held up for ever.** While one of these sets proceeds, no timer of the others fires, and if it goes on for ever
//! and takes no time, none ever would; likewise where sets meet only by the cuts of links that they may suffer. So a timer
//! that strangers hold up is a step that is put off: where no chosen step leads on (rule 3, in `search/proviso.rs`), time
//! passes for each set by itself, as it does where nothing fails. No step of the strangers makes that impossible, so the
//! timer fires at last, by itself or with theirs. That a set comes to an instant before a stranger is no execution more for
//! either: all that it finds, it finds as if the stranger had begun later, and they never meet.
//!
//! In dense time calls fail at any instant, and once the budget of faults is used up, none does.

use super::footprint::{Footprints, Row};
use super::live::Live;
use super::parts::Part;
use super::sets::Sets;
use crate::id::Mover;
use crate::world::enabled::Enabled;
use crate::world::tables::{Lookup, View};
use crate::world::touches::Resource;
use smallvec::SmallVec;

/// The steps that a mover, or a set of movers, may take.
#[derive(Clone, Copy, Default)]
struct Standing {
    /// Whether something may happen to it now, if only a failure.
    has_steps: bool,
    /// Whether it may wait for timers from now on.
    has_timers: bool,
    /// Whether one of its calls may fail from now on.
    may_fail: bool,
}

impl Standing {
    fn of(live: &Live, footprints: &Footprints) -> Standing {
        Standing {
            has_steps: live.moves > 0 || live.timers || live.is_dead_end,
            has_timers: live.has_timers(footprints),
            may_fail: footprints.may_fail(live.row),
        }
    }

    fn of_part(
        view: View<'_>,
        footprints: &Footprints,
        state: &[u32],
        enabled: &mut Enabled,
        part: &Part,
    ) -> Lookup<Standing> {
        let own = |mover: Mover| part.contains(&mover.unit);
        view.enabled_of(state, view.live_units(state).filter(|(unit, _)| part.contains(unit)), enabled)?;
        let mut standing = Standing { has_steps: !enabled.timers.is_empty(), ..Standing::default() };
        let mut steps = Vec::new();
        view.within(state, enabled, &own, &own, &mut steps)?;
        standing.has_steps |= !steps.is_empty();
        for (unit, node) in view.live_units(state).filter(|(unit, _)| part.contains(unit)) {
            for mover in view.automata.movers(node) {
                let row = footprints.row(view.automata, node, mover);
                standing.has_timers |= footprints.has_timers(unit, row);
                standing.may_fail |= footprints.may_fail(row);
            }
        }
        Ok(standing)
    }

    fn and(self, other: Standing) -> Standing {
        Standing {
            has_steps: self.has_steps || other.has_steps,
            has_timers: self.has_timers || other.has_timers,
            may_fail: self.may_fail || other.may_fail,
        }
    }
}

impl Footprints {
    /// Whether a mover may make a call from now on that may fail.
    fn may_fail(&self, row: Row) -> bool {
        self.is_in(&self.get(row).future_affects, Resource::Failing)
    }

    /// Whether some call may fail, as far as that is known.
    pub(crate) fn some_may_fail(&self) -> bool {
        self.resources.contains_key(&Resource::Failing)
    }
}

/// Whether calls may fail in a state, and only where time stands.
fn may_matter(view: View<'_>, footprints: &Footprints, state: &[u32]) -> bool {
    // A process may start again, and a cut heal, whatever the budget is.
    let some_come = view.declares_crashes() || view.declares_partitions();
    footprints.some_may_fail() && !view.has_delay() && (some_come || view.budget(state).allows(1))
}

/// Joins the movers whose calls may fail at the instants of each other's timers.
pub(super) fn join_movers(view: View<'_>, footprints: &Footprints, state: &[u32], live: &[Live], sets: &mut Sets) {
    if may_matter(view, footprints, state) {
        let all: SmallVec<[Standing; 8]> = live.iter().map(|live| Standing::of(live, footprints)).collect();
        join(&all, sets);
    }
}

/// Whether a timer is waited for that only strangers hold up.
pub(super) fn hold_up(live: &[Live]) -> bool {
    let goes_on = |of: &Live| of.proceeds || of.is_dead_end;
    let is_held_up = |waiting: &Live| {
        live.iter().any(|of| goes_on(of) && of.clock == waiting.clock)
            && !live.iter().any(|of| goes_on(of) && of.own_clock == waiting.own_clock)
    };
    live.iter().any(|of| of.timers && is_held_up(of))
}

/// The parts, where those are one whose calls may fail at the instants of each other's timers.
pub(super) fn join_parts(
    view: View<'_>,
    footprints: &Footprints,
    state: &[u32],
    enabled: &mut Enabled,
    parts: Vec<Part>,
) -> Lookup<Vec<Part>> {
    if !may_matter(view, footprints, state) {
        return Ok(parts);
    }
    let mut sets = Sets::new(parts.len());
    let standing = parts.iter().map(|part| Standing::of_part(view, footprints, state, enabled, part));
    join(&standing.collect::<Lookup<Vec<_>>>()?, &mut sets);
    let mut joined: Vec<Part> = vec![Part::new(); parts.len()];
    for (index, part) in parts.into_iter().enumerate() {
        joined[sets.lowest(index)].extend(part);
    }
    joined.retain(|part| !part.is_empty());
    joined.iter_mut().for_each(|part| part.sort_unstable());
    Ok(joined)
}

/// Joins those of the sets that tell each other instants; `all` says what each member may do.
fn join(all: &[Standing], sets: &mut Sets) {
    if !all.iter().any(|of| of.may_fail) {
        return;
    }
    let of_set = |lowest: usize| {
        let members = all.iter().enumerate().filter(|&(index, _)| sets.lowest(index) == lowest);
        members.fold(Standing::default(), |all, (_, of)| all.and(*of))
    };
    let lowest = (0..all.len()).filter(|&index| sets.lowest(index) == index);
    let timed: SmallVec<[(usize, Standing); 8]> =
        lowest.map(|index| (index, of_set(index))).filter(|(_, of)| of.has_timers && of.has_steps).collect();
    if timed.iter().any(|(_, of)| of.may_fail) {
        timed.iter().for_each(|&(index, _)| sets.join(timed[0].0, index));
    }
}
