//! Dense time: a zone holds all instants at which the armed timers may fire and the datagrams in flight may arrive.
//!
//! Programs compute in no time: as long as some step needs no time, none passes, and an event may happen only if its
//! instant may be now. Otherwise the next event is any that no awaited event has to precede, and time passes until then.
//! Time does not pass beyond the latest instant of an awaited event: a timer that a program waits for, or a datagram
//! whose delay has an upper bound. It does pass beyond a timer that is armed and not polled; when such a timer is waited
//! for again, and its deadline may be over or not, a step of its own ([`Move::Settle`]) decides which.

use super::Effect;
use super::names::{
    MONITORS, SOME_TIME, component_of, is_copy, is_horizon, is_mark, is_of_component, is_restart, restart_event,
    timer_event,
};
use super::operation::{At, Missed};
use super::own::Own;
use crate::id::{Mover, NodeId, OutcomeId, ProcessId, UnitId};
use crate::operation::{Effect as AnyEffect, Input, OperationKey, Outcome};
use crate::unit::automaton::{Edge, EdgeId, NodeKind};
use crate::unit::shared::Dating;
use crate::world::components::{Component, ComponentId};
use crate::world::enabled::{Asker, Enabled, Waiting};
use crate::world::events::EventsId;
use crate::world::step::{Change, Class, Move, Transition};
use crate::world::tables::{Lookup, Missing, View};
use netcheck_models::event::Event;
use netcheck_models::time::{Delay, LATE_MAX_NS, Moment, Scheduled, Time, Zone};
use smallvec::{SmallVec, smallvec};
use std::borrow::Cow;

/// A timer whose firing its program accepts.
struct Accepted<'e> {
    waiting: &'e Waiting,
    event: Scheduled,
    input: Input,
    edge: EdgeId,
    /// Whether its deadline may be over.
    may_be_over: bool,
}

/// Whether an event is over when another one is.
fn is_at_latest_with(zone: &Zone, one: Scheduled, other: Scheduled) -> bool {
    zone.distance(Moment::of(one), Moment::of(other)).most_ns.is_some_and(|most_ns| most_ns <= 0)
}

/// How time may pass from a state to the next event.
pub(in crate::world) struct Passing<'z> {
    pub(in crate::world) zone: &'z Zone,
    /// No time passes: some step needs none.
    is_instant: bool,
    /// The awaited timers.
    timers: Vec<Scheduled>,
}

impl Passing<'_> {
    fn is_awaited(&self, event: Scheduled) -> bool {
        is_copy(event) || is_horizon(event) || is_restart(event) || self.timers.contains(&event)
    }

    /// The zone at an event that is scheduled; it stays scheduled for now. `None` if it can't come next.
    pub(in crate::world) fn until(&self, event: Scheduled) -> Option<Zone> {
        match self.is_instant {
            true => self.zone.at_most(Moment::of(event), Moment::NOW),
            false => self.zone.elapse_until(event, |other| self.is_awaited(other)),
        }
    }

    /// The zone after some time, or none.
    pub(in crate::world) fn some_time(&self) -> Zone {
        if self.is_instant {
            return self.zone.clone();
        }
        let mut zone = self.zone.clone();
        zone.arm(SOME_TIME, Delay::ANY);
        let passed = zone.elapse_until(SOME_TIME, |other| other == SOME_TIME || self.is_awaited(other));
        let mut passed = passed.expect("no time need pass");
        passed.disarm(SOME_TIME);
        passed
    }

    /// Whether time passes only until an event that has to come.
    fn has_to_end(&self) -> bool {
        let is_bounded = |event: &Scheduled| {
            (is_copy(*event) || is_restart(*event))
                && self.zone.distance(Moment::NOW, Moment::of(*event)).most_ns.is_some()
        };
        !self.timers.is_empty() || self.zone.events().iter().any(is_bounded)
    }
}

impl<'a> View<'a> {
    /// The zone of a state in dense time.
    pub(crate) fn zone_at(self, state: &[u32]) -> &'a Zone {
        let component = self.tables.zone.expect("time is dense");
        self.tables.zones.get(component.of(state))
    }

    /// The component of the zone, and the number of a value.
    pub(in crate::world) fn zone_write(self, zone: &Zone) -> Lookup<(ComponentId, u32)> {
        let component = self.tables.zone.expect("time is dense");
        let value = self.tables.zones.find(zone).ok_or_else(|| Box::new(Missing::Zone(zone.clone())))?;
        Ok((component, value))
    }

    /// The outcome of a timer that fires now. A tick of an interval is told by its own instant, also when it is late.
    fn fires_in(self, zone: &Zone, unit: UnitId, tick: Option<Scheduled>, is_missed: bool) -> Lookup<OutcomeId> {
        let moment = tick.map_or(Moment::NOW, Moment::of);
        let at = match self.modes.dating {
            _ if !self.demands.clock => None,
            // Programs are told no other instants of timers.
            Dating::Marks => tick.map(|tick| self.told_in(zone, unit, Moment::of(tick)).0),
            _ => Some(self.relative(zone, unit, moment).unwrap_or(At::UNTOLD)),
        };
        self.outcome(Outcome::Elapsed { at, is_missed })
    }

    /// Offers a timer: at once if its deadline is over or now.
    pub(super) fn offer_timer(
        self,
        state: &[u32],
        asker: Asker,
        (timer, armed, repeats): (u32, ComponentId, bool),
        enabled: &mut Enabled,
    ) -> Lookup<()> {
        let (zone, event) = (self.zone_at(state), timer_event(asker.unit, timer));
        if !zone.is_scheduled(event) {
            return Ok(());
        }
        let away = zone.distance(Moment::NOW, Moment::of(event));
        if away.most_ns.is_none_or(|most_ns| most_ns > 0) {
            let mover = self.automata.mover(asker.node, asker.key);
            enabled.timers.push(Waiting { mover, asker, timer, armed, remaining_ns: 0, repeats });
            return Ok(());
        }
        self.offer_due_in(zone, asker, event, repeats, enabled)
    }

    /// Answers whether a timer is due, which then fires. Where that is open, each answer narrows the zone.
    pub(super) fn offer_try(
        self,
        state: &[u32],
        asker: Asker,
        timer: u32,
        repeats: bool,
        enabled: &mut Enabled,
    ) -> Lookup<()> {
        let (zone, event) = (self.zone_at(state), timer_event(asker.unit, timer));
        let deadline = Moment::of(event);
        let (due, ahead) = match zone.is_scheduled(event) {
            true => (zone.at_most(deadline, Moment::NOW), zone.at_most(Moment::NOW, deadline)),
            false => (None, Some(zone.clone())),
        };
        if let Some(due) = due {
            self.offer_due_in(&due, asker, event, repeats, enabled)?;
        }
        match ahead {
            Some(ahead) => self.answer(enabled, asker, Outcome::WouldBlock, smallvec![self.zone_write(&ahead)?]),
            None => Ok(()),
        }
    }

    /// Offers that a timer fires which is due in a zone.
    fn offer_due_in(
        self,
        zone: &Zone,
        asker: Asker,
        event: Scheduled,
        repeats: bool,
        enabled: &mut Enabled,
    ) -> Lookup<()> {
        let timer = event.number;
        let tick = repeats.then_some(event);
        let outcome = self.fires_in(zone, asker.unit, tick, false)?;
        let edge = self.edge(asker.node, Input { key: asker.key, outcome })?;
        let counts = |effect: &AnyEffect| {
            let AnyEffect::Time(Effect::Rearm { timer: of, missed, .. }) = effect else { return false };
            *of == timer && *missed != Missed::Burst
        };
        let parts = match self.automata.edge(edge).effects.iter().any(counts) {
            true => on_time_or_missed(zone, event),
            false => smallvec![(zone.clone(), false)],
        };
        for (zone, is_missed) in parts {
            let outcome = self.fires_in(&zone, asker.unit, tick, is_missed)?;
            let write = self.zone_write(&self.fired_in(&zone, asker.unit, outcome, event, repeats))?;
            let change = Change { events: self.known.fired, ..Change::quiet(smallvec![write]) };
            self.offer(enabled, asker, outcome, Class::Immediate, change)?;
        }
        Ok(())
    }

    /// Moves the steps that may come next in dense time to `chosen`, if only the movers for which `own` holds take steps,
    /// and time passes for their processes alone.
    pub(in crate::world) fn within_dense(
        self,
        state: &[u32],
        enabled: &mut Enabled,
        own: &dyn Fn(Mover) -> bool,
        chosen: &mut Vec<Transition>,
    ) -> Lookup<()> {
        std::mem::swap(chosen, &mut enabled.moves);
        enabled.moves.clear();
        if self.first_of_all(state, enabled, chosen)? {
            return Ok(());
        }
        let processes = self.own_time(state, own);
        chosen.retain(|transition| self.mover(transition).is_some_and(own));
        enabled.timers.retain(|waiting| own(waiting.mover));
        let zone = processes.zone();
        let before = chosen.len();
        if self.has_segments() {
            self.waiting_connects(state, chosen)?;
        }
        let is_immediate = chosen.len() > before
            || chosen
                .iter()
                .any(|step| matches!(step.class(), Some(Class::Immediate | Class::Delivery { may_wait: false, .. })));
        let is_instant = is_immediate || self.is_dead_end(state, own, chosen);
        let accepted = self.all_accepted(zone, is_instant, &enabled.timers)?;
        if let Some(unsettled) = accepted.iter().find(|timer| timer.may_be_over) {
            return self.settle(&processes, unsettled, chosen);
        }
        let passing = Passing { zone, is_instant, timers: accepted.iter().map(|timer| timer.event).collect() };
        let restarts = self.restarts_in(&processes, &passing, chosen)?;
        let later = processes.write(self, &passing.some_time())?;
        if !is_instant && later.1 != later.0.of(state) {
            // They may happen at any instant until the next event that has to.
            let is_late = |step: &&mut Transition| {
                step.holds_nothing_up() || matches!(step.class(), Some(Class::Delivery { .. }))
            };
            chosen.iter_mut().filter(is_late).for_each(|step| step.writes.push(later));
        }
        chosen.extend(restarts);
        let arrivals_from = chosen.len();
        if self.has_arrivals() {
            self.arrivals_in(state, enabled, (&processes, &passing), chosen)?;
        }
        let has_timers = !accepted.is_empty() || is_instant && !enabled.timers.is_empty();
        let loses = match self.has_late_datagrams() {
            true => !is_immediate && !has_timers && !has_required(chosen),
            // Datagrams take no time, as in quiet time.
            false => !self.has_arrivals() && !chosen.iter().any(|step| step.class() == Some(Class::Immediate)),
        };
        if loses {
            self.lose_in_flight(state, enabled, &own, chosen)?;
        } else if chosen.len() > arrivals_from && !is_instant && !passing.has_to_end() {
            self.never_arrive(state, &processes, chosen)?;
        }
        if self.has_segments() {
            self.segments_in(state, &passing, chosen)?;
        }
        for timer in &accepted {
            let Some(at) = passing.until(timer.event) else { continue };
            let Accepted { waiting, event, input, edge, .. } = *timer;
            let Asker { unit, component, node, .. } = waiting.asker;
            let is_due = |key: OperationKey| {
                let is_it = |other: &&Accepted<'_>| (other.waiting.asker.unit, other.waiting.asker.key) == (unit, key);
                accepted.iter().find(is_it).is_some_and(|other| is_at_latest_with(zone, event, other.event))
            };
            let is_known = |key: OperationKey| enabled.known.contains(&(unit, key));
            if self.has_passed(edge, |key| is_due(key) || is_known(key)) {
                continue;
            }
            let step = Move::Unit { unit, component, node, input, edge, class: Class::Timer { advance_ns: 0 } };
            let fired = self.fired_in(&at, unit, input.outcome, event, waiting.repeats);
            let writes = smallvec![processes.write(self, &fired)?];
            let events = self.event(Event::Fired { after_ns: 0 })?;
            chosen.push(Transition { step, writes, faults: 0, events, watched: None });
        }
        self.forgo_copies(state, chosen)
    }

    /// Takes the starts of processes out of `chosen` that are down for a declared time, and returns those that may come next.
    fn restarts_in(
        self,
        processes: &Own<'_>,
        passing: &Passing<'_>,
        chosen: &mut Vec<Transition>,
    ) -> Lookup<Vec<Transition>> {
        let event = |step: &Transition| match step.step {
            Move::Unit { unit, class: Class::AnyTime, .. } => {
                Some(restart_event(unit)).filter(|&event| passing.zone.is_scheduled(event))
            }
            _ => None,
        };
        let mut next = Vec::new();
        for mut step in chosen.extract_if(.., |step| event(step).is_some()) {
            let event = event(&step).expect("it is scheduled");
            if let Some(mut at) = passing.until(event) {
                at.disarm(event);
                step.writes.push(processes.write(self, &at)?);
                next.push(step);
            }
        }
        Ok(next)
    }

    /// The time that a process is down after a crash begins, where it is declared.
    pub(in crate::world) fn begin_to_be_down(
        self,
        process: ProcessId,
        incarnation: UnitId,
        next: &mut Vec<u32>,
    ) -> Lookup<()> {
        let down = self.declared.crashes_of(process).and_then(|crashes| crashes.down).filter(|down| !down.is_any());
        let Some(down) = down else { return Ok(()) };
        let mut zone = self.zone_at(next).clone();
        zone.arm(restart_event(incarnation), down);
        let (component, value) = self.zone_write(&zone)?;
        component.set(next, value);
        Ok(())
    }

    /// The timers that may come next or hold time up, and whose programs accept that they fire.
    ///
    /// Whether a program accepts a timer is asked by polling it, which must not go on after a timer that can't fire: a
    /// loop that no execution enters need not return. So the timers are looked at by their least distance, and one that
    /// can't come next for the others that were accepted is not asked: it holds nothing up that these do not.
    fn all_accepted<'e>(self, zone: &Zone, is_instant: bool, waiting: &'e [Waiting]) -> Lookup<Vec<Accepted<'e>>> {
        let least_ns = |waiting: &Waiting| {
            zone.distance(Moment::NOW, Moment::of(timer_event(waiting.asker.unit, waiting.timer))).least_ns
        };
        let mut by_distance: Vec<(usize, &Waiting)> = waiting.iter().enumerate().collect();
        by_distance.sort_by_key(|(_, waiting)| least_ns(waiting));
        let mut accepted: Vec<(usize, Accepted<'e>)> = Vec::new();
        for (place, waiting) in by_distance {
            let timers = accepted.iter().map(|(_, timer)| timer.event).collect();
            let event = timer_event(waiting.asker.unit, waiting.timer);
            let may_be_over = least_ns(waiting).is_none_or(|least_ns| least_ns < 0);
            if may_be_over || (Passing { zone, is_instant, timers }).until(event).is_some() {
                accepted.extend(self.accepted(zone, waiting)?.map(|timer| (place, timer)));
            }
            // Whether its deadline is over is decided first.
            if accepted.last().is_some_and(|(_, timer)| timer.may_be_over) {
                break;
            }
        }
        accepted.sort_by_key(|(place, _)| *place);
        Ok(accepted.into_iter().map(|(_, timer)| timer).collect())
    }

    /// The timer, if its program accepts that it fires.
    fn accepted<'e>(self, zone: &Zone, waiting: &'e Waiting) -> Lookup<Option<Accepted<'e>>> {
        let Asker { unit, node, key, .. } = waiting.asker;
        let event = timer_event(unit, waiting.timer);
        let away = zone.distance(Moment::NOW, Moment::of(event));
        let may_be_over = away.least_ns.is_none_or(|least_ns| least_ns < 0);
        let tick = waiting.repeats.then_some(event);
        let outcome = match may_be_over {
            true => self.fires_in(zone, unit, tick, false)?,
            false => {
                let then = zone.elapse_until(event, |_| false).expect("nothing is in its way");
                self.fires_in(&then, unit, tick, false)?
            }
        };
        let input = Input { key, outcome };
        let edge = self.edge(node, input)?;
        let is_refused = self.automata.edge(edge).is_refused();
        Ok((!is_refused).then_some(Accepted { waiting, event, input, edge, may_be_over }))
    }

    /// Decides whether the deadline of a timer that is waited for again is over.
    fn settle(self, processes: &Own<'_>, timer: &Accepted<'_>, chosen: &mut Vec<Transition>) -> Lookup<()> {
        chosen.clear();
        let Asker { unit, .. } = timer.waiting.asker;
        let (zone, deadline, now) = (processes.zone(), Moment::of(timer.event), Moment::NOW);
        for (is_over, settled) in [(true, zone.at_most(deadline, now)), (false, zone.at_most(now, deadline))] {
            let Some(settled) = settled else { continue };
            let writes = smallvec![processes.write(self, &settled)?];
            let step = Move::Settle { unit, timer: timer.waiting.timer, is_over };
            chosen.push(Transition { step, writes, faults: 0, events: EventsId::NONE, watched: None });
        }
        Ok(())
    }

    /// The zone after a timer has fired; an interval keeps the instant of its tick until it is armed again.
    fn fired_in(self, zone: &Zone, unit: UnitId, outcome: OutcomeId, event: Scheduled, repeats: bool) -> Zone {
        let mut zone = zone.clone();
        match repeats {
            true => self.mark_tick(&mut zone, unit, outcome, event),
            false => zone.disarm(event),
        }
        zone
    }

    /// The change that an effect makes to the timers of a unit in dense time.
    pub(super) fn rearm(self, (unit, edge): (UnitId, EdgeId), effect: &Effect, next: &mut Vec<u32>) -> Lookup<()> {
        let mut zone = self.zone_at(next).clone();
        match *effect {
            Effect::Arm { timer, after_ns, .. } => zone.arm(timer_event(unit, timer), Delay::exactly(after_ns)),
            Effect::ArmAt { timer, at, repeats } => {
                let deadline = self.deadline(&zone, unit, at, repeats)?;
                zone.arm_from(timer_event(unit, timer), deadline, Delay::NONE);
            }
            Effect::Rearm { timer, period_ns, missed } => {
                let event = timer_event(unit, timer);
                let late = zone.distance(Moment::of(event), Moment::NOW);
                let is_on_time = late.most_ns.is_some_and(|most_ns| most_ns <= LATE_MAX_NS);
                match missed {
                    // Of a tick that has fired before it is taken, both may hold: it counts as missed.
                    _ if is_on_time => zone.arm_from(event, Moment::of(event), Delay::exactly(period_ns)),
                    Missed::Burst => zone.arm_from(event, Moment::of(event), Delay::exactly(period_ns)),
                    Missed::Delay => zone.arm(event, Delay::exactly(period_ns)),
                    Missed::Skip => {
                        // How many ticks were missed has to be a number.
                        let Edge { source, input, .. } = *self.automata.edge(edge);
                        let late = late.exactly().ok_or(Missing::Instant(source, input.key))?;
                        let late = u64::try_from(late).unwrap_or(0);
                        zone.arm(event, Delay::exactly(period_ns - late % period_ns.max(1)));
                    }
                }
            }
            Effect::Await { .. } => return Ok(()),
            Effect::Disarm { timer } => zone.disarm(timer_event(unit, timer)),
            Effect::Marks { ref kept } => zone = self.with_marks_kept(zone, unit, kept),
            Effect::Latest { .. } | Effect::Reach { .. } | Effect::Number => {}
        }
        let (component, value) = self.zone_write(&zone)?;
        component.set(next, value);
        Ok(())
    }

    /// Takes events out of the zone that cannot happen any more, and copies that may arrive at any instant by now.
    pub(in crate::world) fn keep_zone(self, next: &mut Vec<u32>) -> Lookup<()> {
        let Some(component) = self.tables.zone else { return Ok(()) };
        let zone = self.zone_at(next);
        let is_kept = |event: Scheduled| {
            // The monitors' marks are as many as their configurations name.
            if event.owner >= MONITORS {
                return true;
            }
            if is_mark(event) {
                return self.live_units(next).any(|(unit, _)| self.is_mark_of(event, unit));
            }
            if is_of_component(event) && self.is_connection(component_of(event)) {
                return self.is_segment_under_way(event, zone, next);
            }
            if is_copy(event) {
                let link = component_of(event).of(next);
                let is_under_way = self.tables.links.get(link).packets().count() > event.number as usize;
                return is_under_way && !zone.is_free(event);
            }
            let node = self.components.find(Component::Unit(UnitId(event.owner / 2)));
            let node = node.map_or(NodeId::ABSENT, |component| NodeId(component.of(next)));
            self.automata.node(node).kind == NodeKind::Live
        };
        let kept = match zone.events().iter().all(|&event| is_kept(event)) {
            true => Cow::Borrowed(zone),
            false => Cow::Owned(zone.projected(is_kept)),
        };
        if let Cow::Owned(kept) = self.aged(kept, next) {
            let (_, value) = self.zone_write(&kept)?;
            component.set(next, value);
        }
        Ok(())
    }
}

/// Whether some delivery can't be lost.
fn has_required(steps: &[Transition]) -> bool {
    steps.iter().any(|step| matches!(step.class(), Some(Class::Delivery { required: true, .. })))
}

/// The parts of a zone in which a tick is on time and in which it counts as missed; the latter is named if both are there.
fn on_time_or_missed(zone: &Zone, tick: Scheduled) -> SmallVec<[(Zone, bool); 2]> {
    let latest = Moment::of(tick).plus_ns(LATE_MAX_NS);
    match (zone.at_most(Moment::NOW, latest), zone.at_most(latest.plus_ns(1), Moment::NOW)) {
        (Some(on_time), Some(missed)) => smallvec![(on_time, false), (missed, true)],
        _ => smallvec![(zone.clone(), false)],
    }
}
