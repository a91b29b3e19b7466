//! The instants of a run.
//!
//! A program depends on how far its instants lie apart, and from now. So a local state has no time since the
//! start of the check: the world tells an instant by the latest one that the program's memory holds (`At::from_latest`),
//! and by now if it holds none. The run counts on from there: its instants have the numbers of a clock of its own, which
//! shows 0 where nothing is held. After each step, the image of the memory says which instant is the latest one, and the
//! edge how far it lies from the one before (`Effect::Latest`). So two runs that come to one local state do the same from
//! there, whatever their clocks show; and a state of the world needs, of each unit that holds an instant, only how long ago
//! the latest one is.
//!
//! # Reach
//!
//! Memory is full of instants that are of no use any more: a map from which an entry was removed still has its bytes. So of
//! an instant that lies farther before the latest one than the *reach*, a local state tells only that, for as long as it is
//! held; and of the latest one, a state of the world tells no longer age. A program that never asks how far such an instant
//! is from another one does the same whatever it is. If it asks ([`Context::measured`]), the check begins again with a
//! longer reach.
//!
//! It may compare such an instant with one in reach, or with now, also when it has added something to it: the answer is
//! known. For a program makes no instant that is a third of the reach away from the latest one, from now, or from one that is
//! out of reach ([`Context::derived`]), and holds none that is to come in a third of it or more (`Countdowns::hold`). So what
//! went out of reach is more than two thirds of the reach ago; what is made of it, more than one third, and nothing is made
//! of that; and what is told by now, or made of that, is less than one third ago. Where the latest one is out of reach, the
//! clock of the run goes on as long after it as the reach is: what the memory holds lies before the middle, and what is told
//! by now behind it.
//!
//! A program that takes an instant for a number (its `Hash`, its `Debug` text, an argument of another unit) depends on the
//! clock of its run. It says so ([`Context::number`]), and the check begins again with the time since the start.

use crate::operation::time::{self, At, Kept};
use crate::operation::{Effect, Outcome};
use crate::unit::poll::clock::{Clock, MADE_NS};
use crate::unit::poll::context::Context;
use crate::unit::poll::marks::Marks;
use crate::unit::shared::{Dating, Modes};
use netcheck_memory::{
    CALENDAR, Dated, Held, Instants, RANGE_NS, engine, is_recognised, is_recognised_in_group, range_of,
};

impl Context {
    /// An instant that the world tells, by the clock of the run.
    pub(crate) fn told(&self, at: At) -> At {
        let reach_ns = self.shared.modes.reach_ns;
        let mut state = self.state();
        let clock = &mut state.clock;
        if self.shared.modes.dating == Dating::Marks && at.is_by_mark() {
            clock.reads = true;
            let number = clock.marks.own(at);
            drop(state);
            if number.is_none_or(|ns| !is_recognised_in_group(ns)) {
                self.number();
            }
            return At::new(At::START, number.unwrap_or(0));
        }
        let ns = match (at.since_latest(), at.since_long_after()) {
            (Some(ns), _) => clock.latest_ns().saturating_add(ns),
            (_, Some(ns)) => {
                clock.middle_ns = Some(clock.latest_ns().saturating_add(reach_ns / 2));
                clock.latest_ns().saturating_add(reach_ns).saturating_add(ns)
            }
            (None, None) => return at,
        };
        (clock.told_ns, clock.reads) = (Some(ns), true);
        drop(state);
        if !is_recognised(ns) {
            self.number();
        }
        At::new(At::START, ns)
    }

    /// As [`Context::told`], of an outcome that is kept until the program takes it.
    pub(super) fn told_outcome(&self, outcome: &Outcome) -> Outcome {
        match outcome {
            Outcome::Elapsed { at: Some(at), is_missed } => {
                Outcome::Elapsed { at: Some(self.told(*at)), is_missed: *is_missed }
            }
            other => other.clone(),
        }
    }

    /// An instant of the program's, as it is told to the world.
    pub(crate) fn untold(&self, at: At) -> At {
        let Some(ns) = at.number() else { return at };
        match self.shared.modes.dating {
            Dating::Start => at,
            Dating::Latest => {
                self.measured([at, at]);
                engine(|| At::from_latest(ns.saturating_sub(self.state().clock.latest_ns())))
            }
            Dating::Marks => engine(|| {
                let told = self.state().clock.marks.told(ns);
                told.unwrap_or_else(|| {
                    self.number();
                    at
                })
            }),
        }
    }

    /// Two instants of the program's as they are told to the world, if only that knows how far they lie apart.
    pub(crate) fn apart(&self, both: [At; 2]) -> Option<[At; 2]> {
        let is_told = self.shared.modes.dating == Dating::Marks && both.iter().all(|at| at.number().is_some());
        let ranges = both.map(|at| range_of(at.ns()));
        (is_told && ranges[0] != ranges[1]).then(|| both.map(|at| self.untold(at)))
    }

    /// The program depends on how far instants are from each other, or from now.
    pub(crate) fn measured(&self, both: [At; 2]) {
        engine(|| {
            let Modes { dating, reach_ns, .. } = self.shared.modes;
            let numbers = both.into_iter().filter_map(At::number);
            let asked = {
                let clock = &self.state().clock;
                let unknown = numbers.filter(|&ns| dating == Dating::Latest && !clock.is_in_reach(ns));
                unknown.map(|ns| clock.distance_beyond(ns, reach_ns)).max()
            };
            if let Some(ns) = asked {
                self.effect(Effect::Time(time::Effect::Reach { ns }));
            }
        });
    }

    /// The program compares two instants. Which comes first is known if one of them is in reach.
    pub(crate) fn compared(&self, both: [At; 2]) {
        let is_known = |at: At| at.number().is_none_or(|ns| self.state().clock.is_in_reach(ns));
        if !engine(|| both.into_iter().any(is_known)) {
            self.measured(both);
        }
    }

    /// The instant that the program makes of another one, which has to be recognised. What it makes of one that is out of
    /// reach is told from that by lying [`MADE_NS`] before it.
    pub(crate) fn derived(&self, from: At, made: At) -> At {
        engine(|| {
            let Modes { dating, reach_ns, .. } = self.shared.modes;
            let (Some(from_ns), Some(ns)) = (from.number(), made.number()) else { return made };
            match dating {
                Dating::Start => return made,
                Dating::Latest => {}
                Dating::Marks => {
                    if range_of(ns) != range_of(from_ns) || !is_recognised_in_group(ns) {
                        self.number();
                    }
                    return made;
                }
            }
            if ns.saturating_abs() > RANGE_NS - 2 * MADE_NS || !is_recognised(ns) {
                self.number();
                return made;
            }
            let (is_in_reach, too_far, is_made) = {
                let clock = &self.state().clock;
                (clock.is_in_reach(from_ns), clock.is_too_far(from_ns, ns, reach_ns), clock.is_made(from_ns))
            };
            let away_ns = ns.saturating_sub(from_ns).saturating_abs();
            let asked_ns = match is_in_reach {
                true => too_far,
                false if is_made => Some(reach_ns),
                false => (away_ns >= reach_ns / 3).then(|| away_ns.saturating_mul(3)),
            };
            if let Some(ns) = asked_ns {
                self.effect(Effect::Time(time::Effect::Reach { ns }));
            }
            if is_in_reach {
                return made;
            }
            if reach_ns > MADE_NS / 2 {
                self.number();
            }
            At::new(At::START, from_ns - MADE_NS)
        })
    }

    /// The program takes an instant for a number.
    pub(crate) fn number(&self) {
        if self.shared.modes.dating != Dating::Start {
            self.effect(Effect::Time(time::Effect::Number));
        }
    }

    /// The run reads a clock of the standard library.
    pub(super) fn reads_std(&self, is_date: bool) {
        let clock = &mut self.state().clock;
        (clock.reads_std, clock.reads_date) = (true, clock.reads_date || is_date);
    }

    /// Whether the run has ever read the date.
    pub(in crate::unit) fn reads_date(&self) -> bool {
        self.state().clock.reads_date
    }

    /// The words of the program's memory that are instants.
    pub(super) fn instants(&self) -> Instants {
        let Modes { dating, reach_ns, .. } = self.shared.modes;
        let clock = &self.state().clock;
        let calendar = clock.reads_date.then(|| CALENDAR + self.shared.calendar.get());
        match () {
            () if dating == Dating::Start || !clock.reads => Instants::None,
            () if dating == Dating::Marks => Instants::Groups { has_std: clock.reads_std, calendar },
            () if clock.reads_std => Instants::All(clock.reach(reach_ns), calendar),
            () => Instants::Own(clock.reach(reach_ns)),
        }
    }

    /// The instants that the memory held before the step.
    pub(in crate::unit) fn dated(&self) -> Option<Dated> {
        self.state().clock.dated
    }

    /// The instants that the run was told.
    pub(in crate::unit) fn last_held(&self) -> Held {
        let Clock { dated, told_ns, reads_std: has_std, .. } = self.state().clock;
        let dated = told_ns.map(|latest_ns| Dated { latest_ns, has_std, is_in_reach: true }).or(dated);
        Held { dated, ..Held::default() }
    }

    /// The marks that the memory held before the step, and those that the step was told.
    pub(in crate::unit) fn marks(&self) -> Marks {
        self.state().clock.marks.clone()
    }

    /// The number of an instant that the program reads by the clock of the standard library, in dense time. `measure` gives the
    /// nanoseconds from one instant to another. `None`: they are no number.
    pub(super) fn std_number(&self, at: At, measure: impl FnOnce([At; 2]) -> Option<i64>) -> Option<i64> {
        let of_std = {
            let clock = &mut self.state().clock;
            clock.reads = true;
            let of_std = clock.marks.of_std();
            if of_std.is_none() {
                clock.marks.begin_std(at);
            }
            of_std
        };
        match of_std {
            None => Some(0),
            Some((mark, ns)) if mark == at.mark => Some(ns + at.ns()),
            Some((mark, ns)) => Some(ns + measure([At::new(mark, 0), at])?),
        }
    }

    /// Whether the step was told an instant.
    pub(in crate::unit) fn was_told(&self) -> bool {
        self.state().clock.told_ns.is_some()
    }

    /// The step is over, and the memory holds these instants.
    pub(in crate::unit) fn set_dated(&self, dated: Option<Dated>) {
        let reach_ns = self.shared.modes.reach_ns;
        let clock = &mut self.state().clock;
        clock.floor_ns = dated.map_or(i64::MIN, |dated| clock.reach(reach_ns).floor_below(dated.latest_ns));
        (clock.dated, clock.middle_ns) = (dated, None);
    }

    /// The step is over, and the memory holds these marks.
    pub(in crate::unit) fn set_marks(&self, kept: &[Kept]) {
        let clock = &mut self.state().clock;
        clock.marks = clock.marks.after(kept);
    }
}
