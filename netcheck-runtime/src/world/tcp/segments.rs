//! Segments of connections under way: dense time, in which each takes a delay of its own.
//!
//! Each write's bytes, the end of a stream, a reset, a connect and its answer are segments. Those from one end arrive in
//! the order in which they were sent. So with delays of an interval, the nth segment, sent at the instant s, arrives at
//! any instant of s + interval that is not before the arrival of the segment before it: if it can't be later than that
//! one, its own delay was shorter. (It can always be later, or as late: the segment before was sent earlier, and has the
//! same longest delay.) A variable of the zone for each segment under way, not before that of the one before it, says
//! just that. Where the interval is `0s..`, a segment may arrive at any instant once the one before has arrived, and
//! needs no variable.
//!
//! Where delays are listed, a segment has one of these delays, or arrives with the segment before it if that comes later.
//! Which one is decided by a step of its own ([`Move::Delay`]), before anything else happens.
//!
//! A segment is scheduled at the end of the step that sends it ([`View::send_segments`]): then the zone is at the instant
//! of the step, whatever the step was.

use crate::id::ConnectionId;
use crate::operation::Side;
use crate::world::components::{Component, ComponentId, HeldConnection};
use crate::world::delays::Delays;
use crate::world::enabled::Enabled;
use crate::world::step::{Move, Transition, Writes};
use crate::world::tables::{Lookup, Tables, View};
use crate::world::time::dense::Passing;
use crate::world::time::names::{component_of, copy_event, copy_of, sent_event};
use netcheck_models::event::{Brought, Event};
use netcheck_models::tcp::{Connection, Segment};
use netcheck_models::time::{Delay, Moment, Scheduled, Time, Zone};
use smallvec::smallvec;

const SIDES: [Side; 2] = [Side::Client, Side::Server];

impl Tables {
    /// Whether what ends of connections send takes time.
    pub fn has_segments(&self) -> bool {
        self.declared.tcp.delays.is_some()
    }

    /// The delay of segments that may arrive in parts, each with a delay of its own: with `split`, where delays are those
    /// of an interval. With listed delays, the bytes of one write arrive together.
    fn delay_of_parts(&self) -> Option<Delay> {
        match self.declared.tcp.delays {
            Some(Delays::Interval(delay)) if self.declared.tcp.streams.split => Some(delay),
            _ => None,
        }
    }

    /// Whether the bytes of one write may arrive one by one, so that a reset may overtake some of them: with `split`, except with
    /// listed delays.
    pub(super) fn cuts_segments(&self) -> bool {
        self.declared.tcp.streams.split && !matches!(self.declared.tcp.delays, Some(Delays::Listed(_)))
    }
}

impl View<'_> {
    /// Schedules the segments that the last step has sent, where delays are of an interval.
    pub(in crate::world) fn send_segments(self, next: &mut Vec<u32>) -> Lookup<()> {
        let Some(&Delays::Interval(delay)) = self.tables.declared.tcp.delays.as_ref() else { return Ok(()) };
        for &component in self.tables.components.streams() {
            if component.of(next) == 0 || !self.is_connection(component) {
                continue;
            }
            let mut held = self.held.get(component.of(next)).clone();
            if SIDES.iter().all(|&side| held.connection.undecided(side) == 0) {
                continue;
            }
            let mut zone = self.zone_at(next).clone();
            for side in SIDES {
                let (count, undecided) = (held.connection.under_way(side).len(), held.connection.undecided(side));
                for position in count - undecided..count {
                    let is_cut = self.cuts_segments()
                        && matches!(&held.connection.under_way(side)[position], Segment::Bytes(bytes) if bytes.len() > 1);
                    schedule(&mut zone, component, (side, position), (delay, is_cut));
                }
                held.connection = held.connection.decided(side, undecided);
            }
            component.set(next, self.held_connection(held)?);
            let (of_zone, value) = self.zone_write(&zone)?;
            of_zone.set(next, value);
        }
        Ok(())
    }

    /// Whether an event is the arrival of a segment that is under way, and not free, or the instant at which such a
    /// segment was sent.
    pub(in crate::world) fn is_segment_under_way(self, named: Scheduled, zone: &Zone, next: &[u32]) -> bool {
        let event = copy_of(named);
        let component = component_of(event);
        let connection = &self.held.get(component.of(next)).connection;
        let side = if event.number.is_multiple_of(2) { Side::Client } else { Side::Server };
        let decided = connection.under_way(side).len() - connection.undecided(side);
        let first = usize::from(connection.waits_for_room() && side == Side::Client);
        (first..decided).contains(&((event.number / 2) as usize)) && zone.is_scheduled(event) && !zone.is_free(event)
    }

    pub(in crate::world) fn is_connection(&self, component: ComponentId) -> bool {
        matches!(self.tables.components.component(component), Component::Connection(_))
    }

    /// The steps that come before all others, if there are any: a connect is sent, and a segment gets a listed delay.
    pub(in crate::world) fn first_of_all(
        self,
        state: &[u32],
        enabled: &mut Enabled,
        chosen: &mut Vec<Transition>,
    ) -> Lookup<bool> {
        if !self.has_segments() {
            return Ok(false);
        }
        if let Some(Delays::Listed(listed)) = self.tables.declared.tcp.delays.as_ref() {
            for component in self.connections_at(state) {
                let connection = &self.held.get(component.of(state)).connection;
                if let Some(side) = SIDES.into_iter().find(|&side| connection.undecided(side) > 0) {
                    chosen.clear();
                    self.delays_of(state, (component, side), listed, chosen)?;
                    return Ok(true);
                }
            }
        }
        let Some(first) = enabled.begun.first().and_then(|first| self.mover(first)) else { return Ok(false) };
        std::mem::swap(chosen, &mut enabled.begun);
        chosen.retain(|step| self.mover(step) == Some(first));
        Ok(true)
    }

    /// The connections of a state, in an order that is the same in every run.
    fn connections_at(self, state: &[u32]) -> Vec<ComponentId> {
        let streams = self.tables.components.streams().iter().copied();
        let mut all: Vec<ComponentId> =
            streams.filter(|component| component.of(state) != 0 && self.is_connection(*component)).collect();
        all.sort_by_key(|&component| {
            let connection = self.connection_of(component);
            SIDES.map(|side| self.connections.end(connection, side))
        });
        all
    }

    pub fn connection_of(&self, component: ComponentId) -> ConnectionId {
        match self.tables.components.component(component) {
            Component::Connection(connection) => connection,
            other => unreachable!("{other:?} is no connection"),
        }
    }

    /// The ways to give one of the listed delays to the first segment without one.
    fn delays_of(
        self,
        state: &[u32],
        (component, side): (ComponentId, Side),
        listed: &[u64],
        chosen: &mut Vec<Transition>,
    ) -> Lookup<()> {
        let held = self.held.get(component.of(state));
        let zone = self.zone_at(state);
        let position = held.connection.under_way(side).len() - held.connection.undecided(side);
        let event = segment_event(component, side, position);
        let before = position.checked_sub(1).map(|before| segment_event(component, side, before));
        let decided = HeldConnection { connection: held.connection.decided(side, 1), ..held.clone() };
        let decided = self.held_connection(decided)?;
        let mut ways: Vec<(u64, bool, Zone)> = Vec::new();
        for &ns in listed {
            let own = Moment::NOW.plus_ns(i64::try_from(ns).expect("delays are shorter"));
            let Some(before) = before.filter(|before| zone.is_scheduled(*before)).map(Moment::of) else {
                let mut zone = zone.clone();
                zone.arm(event, Delay::exactly(ns));
                ways.push((ns, false, zone));
                continue;
            };
            let order = zone.compare(before, own);
            if order.less || order.equal {
                let mut zone = zone.at_most(before, own).expect("the zone says that it may be");
                zone.arm(event, Delay::exactly(ns));
                ways.push((ns, false, zone));
            }
            if order.greater {
                let mut zone = zone.at_most(own, before).expect("the zone says that it may be");
                zone.arm_from(event, before, Delay::NONE);
                if !ways.iter().any(|(_, follows, known)| *follows && *known == zone) {
                    ways.push((ns, true, zone));
                }
            }
        }
        for (ns, follows, zone) in ways {
            let writes = smallvec![(component, decided), self.zone_write(&zone)?];
            let events = self.event(Event::Delayed { ns })?;
            let step = Move::Delay { connection: component, from: side, ns, follows };
            chosen.push(Transition { step, writes, faults: 0, events, watched: None });
        }
        Ok(())
    }

    /// Adds the connects that wait for room in a backlog, where there is some by now.
    pub(in crate::world) fn waiting_connects(self, state: &[u32], chosen: &mut Vec<Transition>) -> Lookup<()> {
        for component in self.connections_at(state) {
            if self.held.get(component.of(state)).connection.waits_for_room() {
                chosen.extend(self.knock(state, component, Writes::new())?);
            }
        }
        Ok(())
    }

    /// Adds the arrivals of segments that may come next.
    pub(in crate::world) fn segments_in(
        self,
        state: &[u32],
        passing: &Passing<'_>,
        chosen: &mut Vec<Transition>,
    ) -> Lookup<()> {
        for component in self.connections_at(state) {
            let held = self.held.get(component.of(state));
            for side in SIDES {
                let Some(first) = held.connection.under_way(side).first() else { continue };
                if side == Side::Client && held.connection.waits_for_room() {
                    continue;
                }
                let event = segment_event(component, side, 0);
                let zone =
                    if passing.zone.is_scheduled(event) { passing.until(event) } else { Some(passing.some_time()) };
                let Some(mut zone) = zone else { continue };
                zone.disarm(event);
                if *first == Segment::Open {
                    let writes = smallvec![self.zone_write(&zone)?];
                    chosen.extend(self.knock(state, component, writes)?);
                    continue;
                }
                let after = held.connection.arrived(side);
                let came = (first.brought(), None);
                chosen.push(self.reach(held, (component, side), came, after, &moved_up(&zone, component, side))?);
                if let Some(delay) = self.delay_of_parts() {
                    let later = rest(zone, component, side, delay);
                    for (count, after) in held.connection.arrived_in_part(side) {
                        let came = (Brought::Bytes { bytes: count as u64 }, Some(count as u32));
                        let mut later = later.clone();
                        if matches!(after.under_way(side).first(), Some(Segment::Bytes(bytes)) if bytes.len() == 1) {
                            // It comes as a whole.
                            later.disarm(sent_event(event));
                        }
                        chosen.push(self.reach(held, (component, side), came, after, &later)?);
                    }
                }
            }
        }
        Ok(())
    }

    /// The step with which a segment arrives, or a part of it.
    fn reach(
        self,
        held: &HeldConnection,
        (component, from): (ComponentId, Side),
        (brought, part): (Brought, Option<u32>),
        after: Connection,
        zone: &Zone,
    ) -> Lookup<Transition> {
        let after = kept(HeldConnection { connection: after, ..held.clone() });
        let writes = smallvec![(component, self.held_connection(after)?), self.zone_write(zone)?];
        let events = self.event(Event::Came { brought })?;
        let step = Move::Reach { connection: component, from, part };
        Ok(Transition { step, writes, faults: 0, events, watched: None })
    }

    /// The arrival of a connect at its address, with the zone after it. `None` for one that waits already and still
    /// finds no room.
    fn knock(self, state: &[u32], component: ComponentId, zone: Writes) -> Lookup<Option<Transition>> {
        let held = self.held.get(component.of(state));
        let connection = self.connection_of(component);
        let [own, other] = SIDES.map(|side| self.connections.end(connection, side));
        let (host, address) = other;
        let port = self.components.find(Component::StreamPort(host, address.port()));
        let listener = port.and_then(|port| Some((port, self.listener(state, port, address)?.clone())));
        let brought = Segment::Open.brought();
        let mut event = Event::Came { brought };
        let mut others = Writes::new();
        let is_silent = self.is_silent(state, host);
        let after = match listener {
            _ if is_silent && held.connection.waits_for_room() => return Ok(None),
            _ if is_silent => {
                event = Event::Waits;
                held.connection.kept_waiting()
            }
            None if own == other => held.connection.met_itself(),
            None => held.connection.refused(),
            Some((port, listener)) => {
                let backlog = listener.backlog.as_ref().expect("a listener has a backlog");
                if backlog.has_room() {
                    let mut bindings = self.stream_ports.get(port.of(state)).clone();
                    for binding in bindings.iter_mut().filter(|binding| binding.socket == listener.socket) {
                        binding.backlog = Some(backlog.with(connection.0));
                    }
                    others.push((port, self.stream_bindings(bindings)?));
                    held.connection.queued()
                } else if held.connection.waits_for_room() {
                    return Ok(None);
                } else {
                    event = Event::Waits;
                    held.connection.kept_waiting()
                }
            }
        };
        let has_left = !after.is_at_the_door();
        let after = HeldConnection { connection: after, ..held.clone() };
        let mut writes: Writes = smallvec![(component, self.held_connection(kept(after))?)];
        writes.extend(others);
        let before = zone.first().map_or_else(|| self.zone_at(state), |(_, value)| self.zones.get(*value));
        if has_left {
            writes.push(self.zone_write(&moved_up(before, component, Side::Client))?);
        } else {
            writes.extend(zone);
        }
        let step = Move::Reach { connection: component, from: Side::Client, part: None };
        let events = self.event(event)?;
        Ok(Some(Transition { step, writes, faults: 0, events, watched: None }))
    }
}

/// Nothing is known of a connection that is gone.
pub(super) fn kept(held: HeldConnection) -> HeldConnection {
    if held.connection.is_gone() { HeldConnection::default() } else { held }
}

/// The name of the arrival of a segment: the one at a position of those under way from an end.
fn segment_event(component: ComponentId, side: Side, position: usize) -> Scheduled {
    copy_event(component, 2 * position as u32 + side as u32)
}

/// Schedules the arrival of a segment that is sent now, behind the one before it.
fn schedule(zone: &mut Zone, component: ComponentId, (side, position): (Side, usize), (delay, is_cut): (Delay, bool)) {
    let event = segment_event(component, side, position);
    zone.disarm(event);
    zone.disarm(sent_event(event));
    if delay.is_any() {
        return;
    }
    zone.arm(event, delay);
    if is_cut && delay.most_ns().is_some() {
        zone.arm(sent_event(event), Delay::NONE);
    }
    let before = position.checked_sub(1).map(|before| segment_event(component, side, before));
    if let (Some(_), Some(before)) = (delay.most_ns(), before.filter(|before| zone.is_scheduled(*before))) {
        let ordered = zone.at_most(Moment::of(before), Moment::of(event));
        *zone = ordered.expect("a segment that is sent later can arrive as late");
    }
}

/// The zone in which the rest of the first segment from an end is under way, of which a part arrives now. It was sent
/// with that part, and comes no earlier. Without a longest delay it comes at any later instant.
fn rest(mut zone: Zone, component: ComponentId, side: Side, delay: Delay) -> Zone {
    let (event, next) = (segment_event(component, side, 0), segment_event(component, side, 1));
    let sent = sent_event(event);
    if !zone.is_scheduled(sent) {
        return zone;
    }
    zone.arm_from(event, Moment::of(sent), delay);
    let later = zone.at_most(Moment::NOW, Moment::of(event)).expect("the rest can arrive now");
    match later.is_scheduled(next) {
        true => later.at_most(Moment::of(event), Moment::of(next)).expect("the rest can arrive now"),
        false => later,
    }
}

/// The zone in which the segments behind the first one from an end have moved up by one.
fn moved_up(zone: &Zone, component: ComponentId, side: Side) -> Zone {
    let of_end = segment_event(component, side, 0);
    let is_later = |event: &Scheduled| {
        let number = copy_of(*event).number;
        event.owner == of_end.owner && number % 2 == of_end.number && number > 1
    };
    let mut left = zone.clone();
    left.disarm(of_end);
    left.disarm(sent_event(of_end));
    if !left.events().iter().any(is_later) {
        return left;
    }
    left.renamed(|event| match is_later(&event) {
        true => Scheduled { number: event.number - 2, ..event },
        false => event,
    })
}
