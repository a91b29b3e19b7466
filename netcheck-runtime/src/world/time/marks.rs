//! The instants that programs have read in dense time, as marks in the zone.
//!
//! A unit whose memory tells local states apart has marks of its own, numbered from 1 on, which its steps keep, move and
//! drop ([`Effect::Marks`](super::Effect::Marks)). It is told an instant by a new one: how far that lies from the others is
//! asked only where it matters, so that local states do not differ by it. Only a unit that has many is told an instant by
//! the first of them from which the distance is one number. A mark from which all else is farther away than programs have asked for
//! (`Modes::reach_ns`) has no age any more ([`Zone::aged`]); where an answer would depend on its age, the check begins again
//! with a longer reach. Where histories are local states, a process has marks beside the start, until it ends.

use super::names::{Marked, START, is_mark, mark_event, marked, step_event, timer_event};
use super::operation::{At, Kept};
use crate::id::{OutcomeId, UnitId};
use crate::operation::Outcome;
use crate::unit::shared::Dating;
use crate::world::enabled::{Asker, Enabled};
use crate::world::step::Writes;
use crate::world::tables::{Lookup, Missing, View};
use netcheck_models::time::{Comparison, Delay, Moment, Scheduled, Zone};
use smallvec::smallvec;
use std::borrow::Cow;
use std::cmp::Ordering;

/// The reach grows by this factor where it is not known how far it has to be.
const REACH_GROWS: i64 = 8;

/// With so many marks, a unit is told instants by them.
const MANY: u32 = 24;

/// The marks of a unit have these numbers and higher ones while they change.
const NEW_MARKS: u32 = 1 << 16;

impl View<'_> {
    /// Whose marks a unit is told.
    fn marked(self, unit: UnitId) -> Marked {
        match self.modes.dating {
            Dating::Marks => Marked::Unit(unit),
            Dating::Start | Dating::Latest => self.of_process(unit),
        }
    }

    /// Whether units have marks of their own, which age.
    pub(crate) fn ages(self) -> bool {
        self.modes.dating == Dating::Marks
    }

    fn of_process(self, unit: UnitId) -> Marked {
        Marked::Process(self.process_of(unit))
    }

    /// Whether a mark is one of a unit's, or of its process.
    pub(super) fn is_mark_of(self, event: Scheduled, unit: UnitId) -> bool {
        let of = marked(event.owner);
        of == Marked::Unit(unit) || of == self.of_process(unit)
    }

    /// The zone in which the marks of units have no age that is longer than their programs ask for.
    pub(super) fn aged<'z>(self, mut zone: Cow<'z, Zone>, state: &[u32]) -> Cow<'z, Zone> {
        if !self.ages() || !zone.events().iter().any(|&event| is_mark(event)) {
            return zone;
        }
        for (unit, _) in self.live_units(state) {
            let is_marked = |event: Scheduled| is_mark(event) && marked(event.owner) == Marked::Unit(unit);
            let is_timer = |event: Scheduled| event.owner == timer_event(unit, 0).owner;
            if let Some(aged) = zone.aged(is_marked, is_timer, self.modes.reach_ns) {
                zone = Cow::Owned(aged);
            }
        }
        zone
    }

    /// An instant as it is told by the start of an execution whose steps are kept.
    pub(super) fn mark_since_start(self, state: &[u32], unit: UnitId, (at, is_now): (At, bool)) -> Option<At> {
        let (zone, start) = (self.zone_at(state), step_event(0));
        let moment = if is_now { Moment::NOW } else { moment_of(self.marked(unit), at) };
        let are_known = [Some(start), moment.event].into_iter().flatten().all(|event| zone.is_scheduled(event));
        let ns = are_known.then(|| zone.distance(Moment::of(start), moment).exactly()).flatten()?;
        Some(At::new(At::START, ns))
    }

    /// The deadline for which a unit sets a timer. How late an interval is depends on how long ago it began.
    pub(super) fn deadline(self, zone: &Zone, unit: UnitId, at: At, repeats: bool) -> Lookup<Moment> {
        let (of, reach_ns) = (self.marked(unit), self.modes.reach_ns);
        let deadline = moment_of(of, at);
        if self.ages() && deadline.event.is_some_and(|event| zone.is_scheduled(event)) {
            let is_aged = zone.is_aged(deadline, Moment::NOW, reach_ns);
            if at.ns() > reach_ns && is_aged {
                return Err(self.out_of_reach(at.ns()));
            }
            if repeats && zone.distance(deadline, Moment::NOW).exactly().is_none() && is_aged {
                return Err(self.farther());
            }
        }
        Ok(deadline)
    }

    /// It has to be known how far apart instants are that may lie much farther from each other.
    fn farther(self) -> Box<Missing> {
        self.out_of_reach(self.modes.reach_ns.saturating_mul(REACH_GROWS))
    }

    /// A moment relative to the start, or to the first mark from which its distance is one number. Of the marks of its own, a
    /// unit is told only the one of this moment, unless it has many.
    pub(super) fn relative(self, zone: &Zone, unit: UnitId, moment: Moment) -> Option<At> {
        let of = self.marked(unit);
        let start = (!self.ages()).then_some(At::START);
        let marks = (1..).take_while(|&mark| zone.is_scheduled(mark_event(of, mark)));
        // Farther away, a mark of its own lets both age by themselves.
        let far_ns = match () {
            () if !self.ages() => i64::MAX,
            () if zone.is_scheduled(mark_event(of, MANY)) => self.modes.reach_ns,
            () => 0,
        };
        start.into_iter().chain(marks).find_map(|mark| {
            let ns = zone.distance(moment_of(of, At::new(mark, 0)), moment).exactly()?;
            (ns.abs() <= far_ns).then(|| At::new(mark, ns))
        })
    }

    /// A moment as a unit is told it: relative to the start or to a mark, else as a new mark, which is to be scheduled then.
    pub(super) fn told_in(self, zone: &Zone, unit: UnitId, moment: Moment) -> (At, Option<Scheduled>) {
        if let Some(at) = self.relative(zone, unit, moment) {
            return (at, None);
        }
        let event = |mark| mark_event(self.marked(unit), mark);
        let mark = (1..).find(|&mark| !zone.is_scheduled(event(mark))).expect("marks are few");
        (At::new(mark, 0), Some(event(mark)))
    }

    /// Schedules the mark by which the outcome of a timer that fires tells its tick, if it is a new one.
    pub(super) fn mark_tick(self, zone: &mut Zone, unit: UnitId, outcome: OutcomeId, tick: Scheduled) {
        if let (true, Outcome::Elapsed { at: Some(at), .. }) = (self.ages(), self.automata.outcome(outcome)) {
            let mark = mark_event(self.marked(unit), at.mark);
            if !zone.is_scheduled(mark) {
                zone.arm_from(mark, Moment::of(tick), Delay::NONE);
            }
        }
    }

    /// Answers with an instant.
    pub(super) fn offer_instant(
        self,
        state: &[u32],
        asker: Asker,
        moment: Moment,
        enabled: &mut Enabled,
    ) -> Lookup<()> {
        let zone = self.zone_at(state);
        let is_scheduled = moment.event.is_none_or(|event| zone.is_scheduled(event));
        let (at, writes) = match is_scheduled.then(|| self.told_in(zone, asker.unit, moment)) {
            // The timer has fired.
            None => (At::UNTOLD, Writes::new()),
            Some((at, None)) => (at, Writes::new()),
            Some((at, Some(mark))) => {
                let mut marked = zone.clone();
                marked.arm_from(mark, moment, Delay::NONE);
                (at, smallvec![self.zone_write(&marked)?])
            }
        };
        self.answer(enabled, asker, Outcome::Time { at }, writes)
    }

    /// Offers the outcomes that comparing two instants may have.
    pub(super) fn offer_comparison(
        self,
        state: &[u32],
        asker: Asker,
        instants: [At; 2],
        enabled: &mut Enabled,
    ) -> Lookup<()> {
        let zone = self.zone_at(state);
        let [one, other] = self.moments(zone, asker, instants)?;
        let ahead_ns = one.after_ns.saturating_sub(other.after_ns);
        for (older, newer, ahead_ns) in [(one, other, ahead_ns), (other, one, -ahead_ns)] {
            if self.ages() && ahead_ns > self.modes.reach_ns && zone.is_aged(older, newer, self.modes.reach_ns) {
                return Err(self.out_of_reach(ahead_ns));
            }
        }
        let Comparison { less, equal, greater } = zone.compare(one, other);
        let ways = [
            (less, Ordering::Less, [(one.plus_ns(1), other); 2]),
            (equal, Ordering::Equal, [(one, other), (other, one)]),
            (greater, Ordering::Greater, [(other.plus_ns(1), one); 2]),
        ];
        for (_, order, orders) in ways.into_iter().filter(|(is_possible, ..)| *is_possible) {
            let narrow = |zone: Zone, (earlier, later)| zone.at_most(earlier, later);
            let narrowed = orders.into_iter().try_fold(zone.clone(), narrow).expect("the zone says that it may be");
            self.answer(enabled, asker, Outcome::Compared(order), smallvec![self.zone_write(&narrowed)?])?;
        }
        Ok(())
    }

    /// Answers with the time between two instants, if it is one number.
    pub(super) fn offer_distance(
        self,
        state: &[u32],
        asker: Asker,
        instants: [At; 2],
        enabled: &mut Enabled,
    ) -> Lookup<()> {
        let zone = self.zone_at(state);
        let [from, to] = self.moments(zone, asker, instants)?;
        let ns = zone.distance(from, to).exactly().ok_or_else(|| {
            let is_aged = |[one, other]: [Moment; 2]| zone.is_aged(one, other, self.modes.reach_ns);
            match self.ages() && [[from, to], [to, from]].into_iter().any(is_aged) {
                true => self.farther(),
                false => Missing::Instant(asker.node, asker.key).into(),
            }
        })?;
        self.answer(enabled, asker, Outcome::Distance { ns }, Writes::new())
    }

    fn moments(self, zone: &Zone, asker: Asker, instants: [At; 2]) -> Lookup<[Moment; 2]> {
        let moments = instants.map(|at| moment_of(self.marked(asker.unit), at));
        match moments.iter().all(|moment| moment.event.is_some_and(|event| zone.is_scheduled(event))) {
            true => Ok(moments),
            false => Err(Missing::Instant(asker.node, asker.key).into()),
        }
    }

    /// The zone in which the marks of a unit are those that it keeps.
    pub(super) fn with_marks_kept(self, mut zone: Zone, unit: UnitId, kept: &[Kept]) -> Zone {
        let of = self.marked(unit);
        let new = |number: usize| mark_event(of, NEW_MARKS + number as u32);
        for (number, kept) in kept.iter().enumerate() {
            zone.arm_from(new(number), moment_of(of, At::new(kept.mark, kept.ns)), Delay::NONE);
        }
        let owner = new(0).owner;
        let mut zone = zone.projected(|event| event.owner != owner || event.number >= NEW_MARKS);
        for number in 0..kept.len() {
            zone.arm_from(mark_event(of, number as u32 + 1), Moment::of(new(number)), Delay::NONE);
        }
        zone.projected(|event| event.owner != owner || event.number < NEW_MARKS)
    }
}

/// The moment of an instant that a program has read.
fn moment_of(of: Marked, at: At) -> Moment {
    let event = if at.mark == At::START { START } else { mark_event(of, at.mark) };
    Moment::of(event).plus_ns(at.ns())
}
