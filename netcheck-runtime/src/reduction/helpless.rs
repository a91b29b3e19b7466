//! Processes that wait for ever while others go on.
//!
//! A set of units is *at rest for ever* if none of them can take a step now, but for failures, which need not happen, and no unit
//! outside of the set may ever affect a resource that a present step of one of them depends on. Then none of them takes a step in
//! any execution from here without further failures: the first one to do so would have been enabled by a step of another
//! one of the set, which would have come before it, or of a unit outside, which affects nothing of the kind. What they would do
//! afterwards does not matter, since they never come to it.
//!
//! The union of two such sets is one, so there is a largest one: of the units that can take no step, those are left out, one by
//! one, that are reached by a unit outside. A process whose program, and not only an isolated task, is in it waits for ever: a
//! deadlock, whatever goes on elsewhere, unless it is a daemon or may wait for a next client. It is judged together with the units
//! of the set that could help it, and with those that could help these.
//!
//! A cut of a link only stops what would come, and a heal lets through only what is held up, where it is a step of the unit that
//! waits for that: so what is done to links wakes nobody. Nor do others that use up the budget of faults. What a unit does later
//! than the horizon of a check is not known, so that it reaches all others.

use super::bits::Bits;
use super::footprint::Footprints;
use super::live::Live;
use super::parts::{self, Part};
use super::survey::survey;
use crate::id::{ProcessId, UnitId};
use crate::world::enabled::Enabled;
use crate::world::tables::{Lookup, View};
use smallvec::SmallVec;

/// The live units of a state.
struct Units<'l> {
    view: View<'l>,
    footprints: &'l Footprints,
    units: SmallVec<[Unit<'l>; 8]>,
    /// The resources by which nobody is woken: links, and the budget of faults.
    apart: Bits,
}

/// A live unit.
struct Unit<'l> {
    unit: UnitId,
    process: ProcessId,
    /// Its movers.
    movers: &'l [Live],
    /// Whether it can take a step that is no failure.
    can_move: bool,
}

/// The processes of a state that wait for ever while others go on, with the units that could have helped them: all together, and
/// each. Whether something in flight comes to one of these is not looked at.
pub(super) fn helpless(view: View<'_>, footprints: &Footprints, state: &[u32], live: &[Live]) -> SmallVec<[Part; 1]> {
    let waits = |of: &Live| !can_move(of) && !view.is_daemon(of.mover.unit);
    if !footprints.uses.seeks_helpless || parts::are_together(view) || !live.iter().any(waits) {
        return SmallVec::new();
    }
    let all = Units::of(view, footprints, state, live);
    let mut at_rest: SmallVec<[bool; 8]> = all.units.iter().map(|of| !of.can_move).collect();
    let is_root = |of: &Unit<'_>| !view.is_daemon(of.unit) && view.root_of(state, of.process) == of.unit;
    let mut roots: SmallVec<[usize; 4]> =
        (0..at_rest.len()).filter(|&index| at_rest[index] && is_root(&all.units[index])).collect();
    if roots.is_empty() || !at_rest.contains(&false) {
        return SmallVec::new();
    }
    all.leave_out(&mut at_rest);
    roots.retain(|index| at_rest[*index] && !all.may_accept(all.units[*index].process, &at_rest));
    let mut found: SmallVec<[Part; 1]> =
        roots.into_iter().map(|index| all.with_helpers(all.units[index].process, &at_rest)).collect();
    if found.len() > 1 {
        let mut together: Part = found.iter().flatten().copied().collect();
        together.sort_unstable();
        together.dedup();
        found.insert(0, together);
    }
    found
}

/// The same where the movers of a state are not surveyed for anything else: in dense time, and with one clock for all.
pub(super) fn helpless_unsurveyed(
    view: View<'_>,
    footprints: &Footprints,
    (state, enabled): (&[u32], &Enabled),
) -> Lookup<SmallVec<[Part; 1]>> {
    let moves = |unit: UnitId| {
        let has_timers = enabled.timers.iter().any(|waiting| waiting.mover.unit == unit);
        has_timers || enabled.moves.iter().any(|step| !step.holds_nothing_up() && step.unit() == Some(unit))
    };
    let waits = |(unit, _)| !view.is_daemon(unit) && !moves(unit);
    if !footprints.uses.seeks_helpless || !view.live_units(state).any(waits) {
        return Ok(SmallVec::new());
    }
    let live = survey(view, footprints, state, enabled)?;
    Ok(helpless(view, footprints, state, &live))
}

/// Whether a mover can take a step that is no failure.
fn can_move(of: &Live) -> bool {
    of.proceeds || of.starts_again || of.timers || of.is_dead_end
}

impl<'l> Units<'l> {
    fn of(view: View<'l>, footprints: &'l Footprints, state: &[u32], live: &'l [Live]) -> Units<'l> {
        let by_unit = live.chunk_by(|one, other| one.mover.unit == other.mover.unit);
        let unit = |movers: &'l [Live]| {
            let unit = movers[0].mover.unit;
            let can_move = movers.iter().any(can_move) || view.is_cut_off(state, &|own| own == unit);
            Unit { unit, process: view.process_of(unit), movers, can_move }
        };
        let mut apart = footprints.links(view);
        apart.union_with(footprints.budget());
        Units { view, footprints, units: by_unit.map(unit).collect(), apart }
    }

    /// Of the units that can take no step, leaves out those that are reached by others.
    fn leave_out(&self, at_rest: &mut [bool]) {
        let mut others: SmallVec<[usize; 8]> = (0..at_rest.len()).filter(|&index| !at_rest[index]).collect();
        while let Some(from) = others.pop() {
            for (to, unit) in self.units.iter().enumerate() {
                if at_rest[to] && self.reaches(&self.units[from], unit) {
                    at_rest[to] = false;
                    others.push(to);
                }
            }
        }
    }

    /// Whether a unit may affect what the present steps of another one depend on.
    fn reaches(&self, from: &Unit<'_>, to: &Unit<'_>) -> bool {
        let reaches = |&Live { row, .. }: &Live| {
            let affects = &self.footprints.get(row).future_affects;
            let depends = |to: &Live| affects.meets_outside(&to.depends_on, &self.apart);
            parts::goes_on_unknown(self.view, self.footprints, row) || to.movers.iter().any(depends)
        };
        from.movers.iter().any(reaches)
    }

    /// Whether a unit of a process that goes on may wait for a next client.
    fn may_accept(&self, process: ProcessId, at_rest: &[bool]) -> bool {
        let others = self.units.iter().zip(at_rest).filter(|(of, at_rest)| of.process == process && !**at_rest);
        others.flat_map(|(of, _)| of.movers).any(|of| self.footprints.may_accept(of.row))
    }

    /// The units of a process that are at rest, with those that reach them, directly or by others.
    fn with_helpers(&self, process: ProcessId, at_rest: &[bool]) -> Part {
        let at_rest = self.units.iter().zip(at_rest).filter(|(_, at_rest)| **at_rest).map(|(of, _)| of);
        let (mut part, mut others): (SmallVec<[&Unit<'_>; 8]>, SmallVec<[&Unit<'_>; 8]>) =
            at_rest.partition(|of| of.process == process);
        let mut next = 0;
        while next < part.len() {
            let helped = part[next];
            let (helpers, rest): (SmallVec<[&Unit<'_>; 8]>, _) =
                others.into_iter().partition(|from| self.reaches(from, helped));
            part.extend(helpers);
            others = rest;
            next += 1;
        }
        let mut units: Part = part.into_iter().map(|of| of.unit).collect();
        units.sort_unstable();
        units
    }
}
