//! The timers that fire next, and the time that passes until then.

use super::operation::At;
use crate::id::{Mover, NodeId, OutcomeId, TaskId, UnitId};
use crate::operation::{Input, Outcome};
use crate::unit::automaton::EdgeId;
use crate::unit::shared::Dating;
use crate::world::components::Component;
use crate::world::enabled::{Asker, Due, Enabled, Waiting};
use crate::world::step::{Class, Move, Transition, Writes};
use crate::world::tables::{Lookup, View};
use netcheck_models::event::Event;
use netcheck_models::time::{Age, Countdowns};

impl View<'_> {
    /// The instant that is so many nanoseconds from now, as a unit is told it.
    pub(in crate::world) fn instant(self, state: &[u32], unit: UnitId, from_now_ns: i64) -> At {
        self.instant_after(state, unit, 0, from_now_ns)
    }

    /// The instant that is `from_then_ns` nanoseconds from the present of a step before which `passed_ns` pass, as a unit is
    /// told it in that step.
    pub(in crate::world) fn instant_after(self, state: &[u32], unit: UnitId, passed_ns: i64, from_then_ns: i64) -> At {
        if self.modes.dating != Dating::Latest {
            return At::from_now(self.now_ns(state), passed_ns.saturating_add(from_then_ns));
        }
        match self.age_after(state, unit, passed_ns) {
            Some(age) if age.is_out_of_reach() => At::long_after_latest(from_then_ns),
            age => At::from_latest(age.map_or(0, |age| age.ns).saturating_add(from_then_ns)),
        }
    }

    fn age_after(self, state: &[u32], unit: UnitId, passed_ns: i64) -> Option<Age> {
        self.countdowns(state, unit).and_then(Countdowns::age).map(|age| age.later(passed_ns))
    }

    /// An instant that a unit is told by the instants that it holds in a step before which `passed_ns` nanoseconds pass, as
    /// told by the start of the check; the step is taken `now_ns` after that. `is_now`: it is the present one. In dense time:
    /// if that is one number, while the instants of steps are kept.
    pub fn since_start(
        self,
        state: &[u32],
        unit: UnitId,
        (at, is_now): (At, bool),
        (passed_ns, now_ns): (i64, i64),
    ) -> Option<At> {
        if at.is_by_mark() {
            return self.mark_since_start(state, unit, (at, is_now));
        }
        let age_ns = self.age_after(state, unit, passed_ns).map_or(0, |age| age.ns);
        let from_now_ns = at.since_long_after().or_else(|| Some(at.since_latest()?.saturating_sub(age_ns)))?;
        Some(At::new(At::START, now_ns.saturating_add(from_now_ns)))
    }

    /// A timer elapses when `passed_ns` nanoseconds have passed; `late_ns` after its deadline, which the unit is told.
    pub(super) fn elapsed(self, state: &[u32], unit: UnitId, passed_ns: i64, late_ns: i64) -> Lookup<OutcomeId> {
        let at = || self.instant_after(state, unit, passed_ns, late_ns.saturating_neg());
        self.outcome(Outcome::Elapsed { at: self.demands.clock.then(at), is_missed: false })
    }

    /// The timers of a unit after one of them has fired and its wait is over.
    pub(super) fn fired(self, timers: u32, timer: u32, repeats: bool) -> Lookup<u32> {
        if repeats {
            return Ok(timers);
        }
        let mut armed = self.timers.get(timers).clone();
        armed.disarm(timer);
        self.timers(armed)
    }

    /// The mover that a timer belongs to.
    fn owner(&self, state: &[u32], unit: UnitId, timer: u32) -> Mover {
        let node = self.components.find(Component::Unit(unit)).map(|component| NodeId(component.of(state)));
        let moves_each = node.is_some_and(|node| !self.automata.node(node).tasks.is_empty());
        Mover { unit, task: moves_each.then(|| TaskId::of_number(timer)) }
    }

    /// The earliest timers whose firing a program accepts, with their edges, and the time until then. A timer that is
    /// no longer polled (a `tick` that was given up, a pinned `sleep`) stays armed and blocks no other step.
    pub(crate) fn due<'e>(
        self,
        state: &[u32],
        enabled: &'e Enabled,
        timed: &dyn Fn(Mover) -> bool,
    ) -> Lookup<Option<Due<'e>>> {
        let mut waiting: Vec<&Waiting> = enabled.timers.iter().filter(|waiting| timed(waiting.mover)).collect();
        // Stable: timers that are due at once stay in the order of their units.
        waiting.sort_by_key(|waiting| waiting.remaining_ns);
        let horizon_ns = self.horizon_ns(state, timed);
        for group in waiting.chunk_by(|one, other| one.remaining_ns == other.remaining_ns) {
            let advance_ns = group[0].remaining_ns;
            if horizon_ns.is_some_and(|horizon_ns| advance_ns.unsigned_abs() > horizon_ns) {
                return Ok(None);
            }
            let mut due = Vec::new();
            for &waiting in group {
                let outcome = self.elapsed(state, waiting.asker.unit, advance_ns, 0)?;
                let input = Input { key: waiting.asker.key, outcome };
                let edge = self.edge(waiting.asker.node, input)?;
                if !self.is_refused(edge) {
                    due.push((waiting, input, edge));
                }
            }
            if self.modes.queues {
                self.keep_first_tasks(&mut due);
            }
            self.keep_first_polled(&mut due);
            if !due.is_empty() {
                return Ok(Some((advance_ns, due)));
            }
        }
        Ok(None)
    }

    /// The earliest timers and the time until then, or no timers and the time until a host gives up before them.
    fn next<'e>(self, state: &[u32], enabled: &'e Enabled, timed: &dyn Fn(Mover) -> bool) -> Lookup<Option<Due<'e>>> {
        let due = self.due(state, enabled, timed)?;
        Ok(match self.gives_up_in(state, timed)? {
            Some(given_up_ns) if due.as_ref().is_none_or(|(ns, _)| given_up_ns <= *ns) => {
                Some((given_up_ns, Vec::new()))
            }
            _ => due,
        })
    }

    /// Of the timers of each unit that are due at once, keeps those of the task whose timer comes first in the menu.
    fn keep_first_tasks(self, due: &mut Vec<(&Waiting, Input, EdgeId)>) {
        let of = |waiting: &Waiting| {
            let Asker { unit, node, key, .. } = waiting.asker;
            let offer = self.automata.node(node).offers.iter().find(|offer| offer.key == key);
            (unit, offer.map(|offer| offer.task))
        };
        let all: Vec<_> = due.iter().map(|(waiting, ..)| of(waiting)).collect();
        due.retain(|(waiting, ..)| {
            let this = of(waiting);
            all.iter().find(|(unit, _)| *unit == this.0) == Some(&this)
        });
    }

    /// tokio fires all timers that are due before it polls a task. So a timer does not fire if the poll that takes it finds
    /// another one before that is due as well: the outer one of two time-outs.
    fn keep_first_polled(self, due: &mut Vec<(&Waiting, Input, EdgeId)>) {
        let all: Vec<_> = due.iter().map(|(waiting, ..)| (waiting.asker.unit, waiting.asker.key)).collect();
        due.retain(|(waiting, _, edge)| !self.has_passed(*edge, |key| all.contains(&(waiting.asker.unit, key))));
    }

    /// The steps of the earliest timers. If some call `may_fail`, it may fail at their instant, too, before they fire:
    /// then time passes by itself as well. So the timers of other components, which may let time stand at that instant,
    /// add nothing.
    pub(in crate::world) fn deadlines(
        self,
        state: &[u32],
        enabled: &Enabled,
        timed: &dyn Fn(Mover) -> bool,
        may_fail: bool,
        chosen: &mut Vec<Transition>,
    ) -> Lookup<()> {
        let Some((advance_ns, due)) = self.next(state, enabled, timed)? else { return Ok(()) };
        let armed = self.components.timers().iter().filter(|(_, component)| component.of(state) != 0);
        let mut passed: Writes = Writes::new();
        for &(unit, component) in armed {
            let mut timers = self.timers.get(component.of(state)).clone();
            timers.elapse(advance_ns, |timer| timed(self.owner(state, unit, timer)));
            if (self.modes.dating == Dating::Latest || self.declared.duration_ns.is_some())
                && self.shares_clock(state, unit, timed)
            {
                timers.approach_horizon(advance_ns.unsigned_abs());
                timers.grow_old(advance_ns);
            }
            passed.push((component, self.timers(timers)?));
        }
        if self.demands.driver && !self.modes.tracks {
            let timed = |unit| timed(Mover { unit, task: None });
            self.look_at_sockets(state, &timed, &mut passed)?;
            self.look_at_streams(state, &timed, &mut passed)?;
        }
        if self.demands.clock && self.modes.dating != Dating::Latest {
            let now = self.now_ns(state).saturating_add_signed(advance_ns);
            passed.push((self.component(Component::Clock)?, self.time(now)?));
        }
        let ns = advance_ns.unsigned_abs();
        self.wait_on(state, ns, &mut passed)?;
        // A host gives up before timers fire.
        if may_fail || due.is_empty() {
            let (step, events) = (Move::Pass { ns }, self.event(Event::Passed { ns })?);
            chosen.push(Transition { step, writes: passed.clone(), faults: 0, events, watched: None });
        }
        let events = self.event(Event::Fired { after_ns: ns })?;
        for (waiting, input, edge) in due {
            let mut writes = passed.clone();
            for write in writes.iter_mut().filter(|(component, _)| *component == waiting.armed) {
                write.1 = self.fired(write.1, waiting.timer, waiting.repeats)?;
            }
            let Asker { unit, component, node, .. } = waiting.asker;
            let class = Class::Timer { advance_ns };
            let step = Move::Unit { unit, component, node, input, edge, class };
            chosen.push(Transition { step, writes, faults: 0, events, watched: None });
        }
        Ok(())
    }
}
