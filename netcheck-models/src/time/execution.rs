//! The instants of the steps of one whole execution.
//!
//! An execution fixes the order of its steps, and each scheduled event bounds the distance between two of them: these
//! are difference constraints. The earliest and the latest instant of each step are the longest and the shortest ways
//! from the start in their graph (Bellman 1958, Ford 1956).

use super::delay::{Delay, Span};

/// A millisecond in nanoseconds.
pub const MILLISECOND_NS: u64 = 1_000_000;

/// A step of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepId(u32);

impl StepId {
    /// The start, at the instant 0, which precedes all steps.
    pub const START: StepId = StepId(0);

    /// The number of the step; the start has number 0.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The steps of an execution, and the constraints on their instants.
#[derive(Clone, Debug, Default)]
pub struct Execution {
    /// The last step.
    last: u32,
    bounds: Vec<Constraint>,
}

/// The instant of the step `to` is at most `most` after that of `from`. Wider than the delays, so that no sum overflows.
#[derive(Clone, Copy, Debug)]
struct Constraint {
    from: StepId,
    to: StepId,
    most: i128,
}

/// The instants of all steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule(Vec<Timed>);

/// When a step happens. Instants are nanoseconds since the start; one that does not fit is `u64::MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timed {
    /// The instant in this schedule.
    pub at_ns: u64,
    /// The earliest instant in any schedule of the execution.
    pub earliest_ns: u64,
    /// The latest instant in any schedule of the execution; `None` if there is none.
    pub latest_ns: Option<u64>,
}

impl Schedule {
    /// When a step of the execution happens.
    ///
    /// # Panics
    ///
    /// If the execution does not have the step.
    #[must_use]
    pub fn of(&self, step: StepId) -> Timed {
        self.0[step.index()]
    }

    /// When the start and all steps happen, in their order.
    #[must_use]
    pub fn steps(&self) -> &[Timed] {
        &self.0
    }
}

impl Execution {
    /// An execution without steps.
    #[must_use]
    pub fn new() -> Self {
        Execution::default()
    }

    /// Adds a step, which is not before the preceding ones.
    ///
    /// # Panics
    ///
    /// If there are more than `u32::MAX` steps.
    pub fn step(&mut self) -> StepId {
        let before = StepId(self.last);
        self.last = self.last.checked_add(1).expect("an execution has fewer steps");
        let step = StepId(self.last);
        self.bounds.push(Constraint { from: step, to: before, most: 0 });
        step
    }

    /// An event that a step has scheduled has happened at a later step, after such a delay.
    pub fn happened(&mut self, scheduled: StepId, happened: StepId, delay: Delay) {
        self.waits(scheduled, happened, delay);
        self.bounds.push(Constraint { from: happened, to: scheduled, most: -i128::from(delay.least_ns()) });
    }

    /// An event that a step has scheduled with such a delay has not happened before a later step, at which it is
    /// disarmed, or the execution ends.
    pub fn waits(&mut self, scheduled: StepId, until: StepId, delay: Delay) {
        let bounds = delay.most_ns().map(|ns| Constraint { from: scheduled, to: until, most: ns.into() });
        self.bounds.extend(bounds);
    }

    /// The instant of one step is at most so many nanoseconds after that of another; negative for before.
    pub fn at_most(&mut self, one: StepId, other: StepId, after_ns: i64) {
        self.bounds.push(Constraint { from: other, to: one, most: after_ns.into() });
    }

    /// The least schedule: each step, in their order, at its earliest instant after those that were chosen for the steps
    /// before it. If that is no multiple of `unit_ns`, the step takes place at the next multiple, where the constraints
    /// allow it. With a unit of 1, all steps are at their earliest instants. `None` if the constraints contradict each
    /// other, and no schedule exists.
    ///
    /// # Panics
    ///
    /// If the unit is 0, or a constraint names a step of another execution.
    #[must_use]
    pub fn schedule(&self, unit_ns: u64) -> Option<Schedule> {
        assert!(unit_ns > 0, "a unit of no time");
        let mut ranges = self.free();
        if !self.narrow(&mut ranges) {
            return None;
        }
        let possible = ranges.clone();
        for index in 0..ranges.len() {
            let (earliest, latest) = ranges[index];
            let whole = earliest + (-earliest).rem_euclid(unit_ns.into());
            let at = if latest.is_none_or(|latest| whole <= latest) { whole } else { earliest };
            ranges[index] = (at, Some(at));
            let is_possible = self.narrow(&mut ranges);
            assert!(is_possible, "each instant in the range of a step belongs to a schedule");
        }
        let ns = |instant: i128| u64::try_from(instant).unwrap_or(u64::MAX);
        let timed = ranges.iter().zip(possible).map(|(&(at, _), (earliest, latest))| Timed {
            at_ns: ns(at),
            earliest_ns: ns(earliest),
            latest_ns: latest.map(ns),
        });
        Some(Schedule(timed.collect()))
    }

    /// The possible distances from one step to another in any schedule. They mean nothing if there is no schedule.
    #[must_use]
    pub fn distance(&self, from: StepId, to: StepId) -> Span {
        let ns = |way: i128| i64::try_from(way).ok();
        let (there, back) = (self.shortest(from, to), self.shortest(to, from));
        Span { least_ns: back.and_then(|way| ns(-way)), most_ns: there.and_then(ns) }
    }

    /// The ranges before any constraint but that no step is before the start.
    fn free(&self) -> Vec<(i128, Option<i128>)> {
        let mut ranges = vec![(0, None); self.last as usize + 1];
        ranges[StepId::START.index()] = (0, Some(0));
        ranges
    }

    /// Narrows the ranges of all steps until each constraint holds for their bounds; `false` if none is left for some
    /// step. Without a contradiction each way has fewer constraints than there are steps, so as many rounds suffice.
    fn narrow(&self, ranges: &mut [(i128, Option<i128>)]) -> bool {
        for _ in 0..=ranges.len() {
            let mut changed = false;
            // Delays lead forwards and the order of steps leads backwards: one round of each kind is mostly enough.
            for &Constraint { from, to, most } in self.bounds.iter().chain(self.bounds.iter().rev()) {
                let (from, to) = (from.index(), to.index());
                if let Some(latest) = ranges[from].1.map(|latest| latest + most)
                    && ranges[to].1.is_none_or(|known| latest < known)
                {
                    (ranges[to].1, changed) = (Some(latest), true);
                }
                let earliest = ranges[to].0 - most;
                if earliest > ranges[from].0 {
                    (ranges[from].0, changed) = (earliest, true);
                }
            }
            if ranges.iter().any(|(earliest, latest)| latest.is_some_and(|latest| latest < *earliest)) {
                return false;
            }
            if !changed {
                return true;
            }
        }
        false
    }

    /// The shortest way from one step to another in the graph of the constraints.
    fn shortest(&self, from: StepId, to: StepId) -> Option<i128> {
        let mut ways: Vec<Option<i128>> = vec![None; self.last as usize + 1];
        ways[from.index()] = Some(0);
        for _ in 0..=ways.len() {
            let mut changed = false;
            for constraint in self.bounds.iter().chain(self.bounds.iter().rev()) {
                let way = ways[constraint.from.index()].map(|way| way + constraint.most);
                let known = &mut ways[constraint.to.index()];
                if way.is_some_and(|way| known.is_none_or(|known| way < known)) {
                    (*known, changed) = (way, true);
                }
            }
            if !changed {
                break;
            }
        }
        ways[to.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In milliseconds.
    fn ms(ms: u64) -> u64 {
        ms * MILLISECOND_NS
    }

    #[test]
    fn a_reply_in_time_takes_the_least_delays() {
        let mut execution = Execution::new();
        let (sent, arrived, replied) = (execution.step(), execution.step(), execution.step());
        let delay = Delay::between(ms(5), ms(200));
        execution.at_most(sent, StepId::START, 0);
        execution.happened(sent, arrived, delay);
        execution.happened(arrived, replied, delay);
        // The time-out of the sender has not fired.
        execution.waits(sent, replied, Delay::exactly(ms(150)));
        let schedule = execution.schedule(MILLISECOND_NS).expect("a schedule exists");
        let timed =
            |at, earliest, latest| Timed { at_ns: ms(at), earliest_ns: ms(earliest), latest_ns: Some(ms(latest)) };
        assert_eq!(schedule.of(arrived), timed(5, 5, 145));
        assert_eq!(schedule.of(replied), timed(10, 10, 150));
        let took = execution.distance(arrived, replied);
        assert_eq!((took.least_ns, took.most_ns), (Some(5_000_000), Some(145_000_000)));
    }

    #[test]
    fn a_step_waits_for_a_later_one_that_is_bound_to_it() {
        let mut execution = Execution::new();
        let (early, late) = (execution.step(), execution.step());
        execution.happened(StepId::START, late, Delay::exactly(100));
        execution.happened(early, late, Delay::between(0, 10));
        let schedule = execution.schedule(1).expect("a schedule exists");
        assert_eq!(schedule.of(early).at_ns, 90);
    }

    #[test]
    fn whole_milliseconds_are_taken_where_there_are_some() {
        let mut execution = Execution::new();
        let steps = [(); 4].map(|()| execution.step());
        execution.happened(StepId::START, steps[0], Delay::between(1_300_000, 2_600_000));
        execution.happened(steps[0], steps[1], Delay::exactly(500_000));
        execution.happened(steps[1], steps[2], Delay::at_least(0));
        execution.happened(steps[1], steps[3], Delay::between(100_000, 200_000));
        let schedule = execution.schedule(MILLISECOND_NS).expect("a schedule exists");
        let at: Vec<u64> = schedule.steps()[1..].iter().map(|timed| timed.at_ns).collect();
        assert_eq!(at, [2_000_000, 2_500_000, 2_500_000, 2_600_000]);
        assert_eq!(schedule.of(steps[3]).latest_ns, Some(3_300_000));
    }

    #[test]
    fn contradictory_constraints_have_no_schedule() {
        let mut execution = Execution::new();
        let (one, other) = (execution.step(), execution.step());
        execution.happened(one, other, Delay::at_least(10));
        execution.waits(StepId::START, other, Delay::exactly(5));
        assert_eq!(execution.schedule(1), None);
        let mut endless = Execution::new();
        let (one, other) = (endless.step(), endless.step());
        endless.happened(one, other, Delay::at_least(10));
        endless.at_most(other, one, 9);
        assert_eq!(endless.schedule(1), None);
    }

    #[test]
    fn an_event_that_may_never_come_leaves_no_latest_instant() {
        let mut execution = Execution::new();
        let step = execution.step();
        execution.happened(StepId::START, step, Delay::at_least(3));
        let expected = Timed { at_ns: 3, earliest_ns: 3, latest_ns: None };
        assert_eq!(execution.schedule(1).map(|schedule| schedule.of(step)), Some(expected));
    }

    #[test]
    fn the_longest_delays_do_not_overflow() {
        let mut execution = Execution::new();
        for _ in 0..3 {
            let step = execution.step();
            execution.happened(StepId(step.0 - 1), step, Delay::exactly(u64::MAX));
        }
        let schedule = execution.schedule(1).expect("a schedule exists");
        assert_eq!(schedule.of(StepId(3)).at_ns, u64::MAX);
        assert_eq!(execution.distance(StepId(1), StepId(2)).least_ns, None);
    }
}
