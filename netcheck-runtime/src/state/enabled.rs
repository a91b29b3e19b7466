//! Which steps a state offers.
//!
//! [`System::enabled`] asks every pending operation for its outcomes; [`Enabled::within`]
//! then says which of the steps of some units may come next: timers wait for the network
//! to be quiet, and what is still under way is given up for lost only then (DESIGN 5, 8).

use crate::id::{Mover, NodeId, OutcomeId, ProcessId, SocketId, TaskId, UnitId};
use crate::operation::{Failure, Input, OperationKey, Outcome, ReceiveMode};
use crate::state::events::EventsId;
use crate::state::menu::{Action, Menu};
use crate::state::place::{ABORTED, Binding, Place, PlaceId, overlap};
use crate::state::tables::{Lookup, Settling, View};
use crate::unit::automaton::{EdgeId, NodeKind};
use netcheck_models::event::Event;
use smallvec::{SmallVec, smallvec};
use std::net::{IpAddr, SocketAddr};

/// What the model writes for one outcome.
pub(crate) type Writes = SmallVec<[(PlaceId, u32); 2]>;

/// One possible step.
#[derive(Clone, Debug)]
pub(crate) struct Transition {
    pub(crate) step: Step,
    pub(crate) writes: Writes,
    pub(crate) faults: u32,
    /// What happens to the network; [`Tables::told`](crate::state::tables::Tables::told) reads it.
    pub(crate) events: EventsId,
}

/// What the model does with one outcome.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) writes: Writes,
    pub(crate) faults: u32,
    pub(crate) events: EventsId,
}

impl Change {
    /// Nothing happens to the network but what is written.
    pub(crate) fn quiet(writes: Writes) -> Change {
        Change { writes, faults: 0, events: EventsId::NONE }
    }
}

/// Who moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A unit takes an edge.
    Unit { unit: UnitId, place: PlaceId, node: NodeId, input: Input, edge: EdgeId, class: Class },
    /// Everything under way to sockets that are waited on is lost.
    Settle,
    /// A unit's connect will never be answered.
    Hang { unit: UnitId, node: NodeId, key: OperationKey },
    /// Daemons that nothing can wake leave the vector.
    Park(SmallVec<[UnitId; 4]>),
}

/// What a unit's step has to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Nothing.
    Immediate,
    /// A datagram that arrives now; `required` if it can't be lost.
    Delivery { required: bool },
    /// A deadline: the time until then passes.
    Timer { advance_ns: i64 },
    /// Nothing: a call fails that need not. Whoever waits goes on waiting for all that.
    Failure,
}

impl Transition {
    pub(crate) fn unit(&self) -> Option<UnitId> {
        match self.step {
            Step::Unit { unit, .. } | Step::Hang { unit, .. } => Some(unit),
            _ => None,
        }
    }

    /// Whether the step is possible only because some units are quiet.
    pub(crate) fn is_scoped(&self) -> bool {
        let class = self.class();
        !self.is_failure() && !matches!(class, Some(Class::Immediate | Class::Delivery { .. }))
    }

    /// Whether the step is a failure that need not happen: where there is nothing else, an
    /// execution may have come to its end.
    pub(crate) fn is_failure(&self) -> bool {
        matches!(self.step, Step::Unit { class: Class::Failure, .. } | Step::Hang { .. })
    }

    pub(crate) fn class(&self) -> Option<Class> {
        match self.step {
            Step::Unit { class, .. } => Some(class),
            _ => None,
        }
    }
}

/// All that a state offers, before anything waits for quiet.
#[derive(Default)]
pub(crate) struct Enabled {
    /// Immediate steps and deliveries.
    pub(crate) moves: Vec<Transition>,
    /// Timers that are waited for, with their deadlines.
    pub(crate) timers: Vec<Waiting>,
    /// Channels into sockets that are waited on, all of which may be lost.
    losable: Vec<Losable>,
}

/// The time until some timers fire, and those timers, with the edges that their units take.
pub(crate) type Due<'e> = (i64, Vec<(&'e Waiting, Input, EdgeId)>);

/// A timer that a unit waits for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub(crate) mover: Mover,
    unit: UnitId,
    place: PlaceId,
    node: NodeId,
    input_key: OperationKey,
    timer: u32,
    armed: PlaceId,
    pub(crate) remaining_ns: i64,
    repeats: bool,
}

struct Losable {
    mover: Mover,
    channel: PlaceId,
    lost: Settling,
}

impl Enabled {
    fn clear(&mut self) {
        self.moves.clear();
        self.timers.clear();
        self.losable.clear();
    }
}

impl View<'_> {
    /// Collects what `state` offers. Steps that the program refuses are left out.
    pub(crate) fn enabled(self, state: &[u32], enabled: &mut Enabled) -> Lookup<()> {
        enabled.clear();
        for (unit, node) in self.live_units(state) {
            if self.is_cancelled(state, unit, node) {
                let input = Input { key: OperationKey::CANCEL, outcome: self.known.done };
                self.offer(
                    enabled,
                    (unit, self.unit_place(unit), node),
                    input,
                    Class::Immediate,
                    Change::quiet(Writes::new()),
                )?;
                continue;
            }
            for offer in self.menu(node)? {
                self.outcomes(state, (unit, self.unit_place(unit), node), offer, enabled)?;
            }
        }
        Ok(())
    }

    /// Whether an isolated task was aborted and is not in the middle of a poll: then it ends, and does nothing else.
    pub(crate) fn is_cancelled(self, state: &[u32], unit: UnitId, node: NodeId) -> bool {
        self.units[unit.0 as usize].is_task
            && self.places.find(Place::Handle(unit)).is_some_and(|place| place.of(state) & ABORTED != 0)
            && !self.automata.node(node).is_synchronous()
    }

    /// Adds one step, unless the program refuses it. Says whether it is there.
    pub(super) fn offer(
        self,
        enabled: &mut Enabled,
        (unit, place, node): (UnitId, PlaceId, NodeId),
        input: Input,
        class: Class,
        Change { writes, faults, events }: Change,
    ) -> Lookup<bool> {
        let edge = self.edge(node, input)?;
        if self.automata.edge(edge).is_refused() {
            return Ok(false);
        }
        let step = Step::Unit { unit, place, node, input, edge, class };
        enabled.moves.push(Transition { step, writes, faults, events });
        Ok(true)
    }

    /// Every outcome of one offer.
    fn outcomes(self, state: &[u32], at: (UnitId, PlaceId, NodeId), offer: &Menu, enabled: &mut Enabled) -> Lookup<()> {
        let key = offer.key;
        let done = self.known.done;
        let mut immediate = |outcome: OutcomeId, writes: Writes| {
            self.offer(enabled, at, Input { key, outcome }, Class::Immediate, Change::quiet(writes)).map(|_| ())
        };
        match &offer.action {
            Action::Run => immediate(done, Writes::new()),
            Action::Start { after } => {
                let waited = |place: &PlaceId| {
                    let node = self.automata.node(NodeId(place.of(state)));
                    node.waited
                };
                if after.iter().all(waited) { immediate(done, Writes::new()) } else { Ok(()) }
            }
            Action::Bind { socket, address } => {
                let (outcome, writes) = self.bind(state, *socket, *address)?;
                let bound = if let Outcome::Bound(local) = outcome { Some(local) } else { None };
                let outcome = self.outcome(outcome)?;
                for change in self.with_astray(state, *socket, bound, writes)? {
                    self.offer(enabled, at, Input { key, outcome }, Class::Immediate, change)?;
                }
                Ok(())
            }
            Action::Connect { socket, local, peer } => {
                let (outcome, writes) = self.connect(state, *socket, *local, *peer)?;
                let outcome = self.outcome(outcome)?;
                immediate(outcome, writes)
            }
            Action::Send { socket, from, to, host, port, datagram } => {
                let mut change = Change { events: self.known.unbound, ..Change::quiet(Writes::new()) };
                let binding = port.and_then(|port| self.route(state, port, *from, *to));
                let channel = match (binding, *host) {
                    (Some(binding), _) if self.is_deaf(state, binding) => None,
                    (Some(&Binding { socket: receiver, .. }), _) => {
                        Some((self.channel(*socket, receiver)?, self.process_of(receiver.unit), self.known.departed))
                    }
                    (None, Some(host)) => {
                        let channel = self.astray(state, *socket, (host, *to))?;
                        channel.map(|channel| (channel, host, self.known.astray))
                    }
                    (None, None) => None,
                };
                if let Some((channel, receiver, events)) = channel {
                    let perturbed = self.perturbed(state, channel.rules, self.process_of(socket.unit), receiver);
                    let link = self.dispatch(channel.place.of(state), *datagram, perturbed)?;
                    change.writes.push((channel.place, link));
                    change.events = events;
                }
                self.offer(enabled, at, Input { key, outcome: done }, Class::Immediate, change).map(|_| ())
            }
            Action::Receive { inbox, mode, waits, .. } => {
                self.arriving(state, at, offer, (*inbox, *mode, *waits), enabled)
            }
            Action::Timer { timer, armed, repeats } => {
                let entries = self.timers.get(armed.of(state));
                let Some(entry) = entries.iter().find(|entry| entry.timer == *timer) else {
                    return Ok(());
                };
                let remaining_ns = entry.remaining_ns;
                if remaining_ns > 0 {
                    let (unit, place, node) = at;
                    let waiting = Waiting {
                        mover: self.automata.mover(node, key),
                        unit,
                        place,
                        node,
                        input_key: key,
                        timer: *timer,
                        armed: *armed,
                        remaining_ns,
                        repeats: *repeats,
                    };
                    enabled.timers.push(waiting);
                    return Ok(());
                }
                let outcome = self.elapsed(state, remaining_ns)?;
                let fired = self.fired(armed.of(state), *timer, *repeats)?;
                let change = Change { events: self.known.fired, ..Change::quiet(smallvec![(*armed, fired)]) };
                self.offer(enabled, at, Input { key, outcome }, Class::Immediate, change).map(|_| ())
            }
            Action::Clock => {
                let at_ns = self.now_ns(state);
                let outcome = self.outcome(Outcome::Time { at_ns })?;
                immediate(outcome, Writes::new())
            }
            Action::Deadline { timer, armed } => {
                let entries = self.timers.get(armed.of(state));
                let remaining =
                    entries.iter().find(|entry| entry.timer == *timer).map_or(0, |entry| entry.remaining_ns);
                let at_ns = self.now_ns(state).saturating_add_signed(remaining);
                let outcome = self.outcome(Outcome::Time { at_ns })?;
                immediate(outcome, Writes::new())
            }
            Action::Choose { alternatives } => {
                for alternative in 0..*alternatives {
                    let outcome = self.outcome(Outcome::Alternative(alternative))?;
                    immediate(outcome, Writes::new())?;
                }
                Ok(())
            }
            Action::Select { candidates } => {
                for &candidate in candidates {
                    let outcome = self.outcome(Outcome::Alternative(candidate.into()))?;
                    immediate(outcome, Writes::new())?;
                }
                Ok(())
            }
            Action::Join { child, waits, .. } => {
                let outcome = match self.automata.node(NodeId(child.of(state))).kind {
                    NodeKind::Ended { output } => self.outcome(Outcome::Ended { output })?,
                    NodeKind::Gone => self.known.cancelled,
                    _ if *waits => return Ok(()),
                    _ => return immediate(self.known.would_block, Writes::new()),
                };
                immediate(outcome, smallvec![(*child, NodeId::GONE.0)])
            }
            Action::IsEnded { child, .. } => {
                let ended = match self.automata.node(NodeId(child.of(state))).kind {
                    NodeKind::Ended { .. } | NodeKind::Panicked(_) | NodeKind::Gone => 1,
                    NodeKind::Live | NodeKind::Parked { .. } => 0,
                };
                let outcome = self.outcome(Outcome::Alternative(ended))?;
                immediate(outcome, Writes::new())
            }
            Action::BindStream { .. }
            | Action::Listen { .. }
            | Action::Open { .. }
            | Action::Accept { .. }
            | Action::Read { .. }
            | Action::Write { .. }
            | Action::Ready { .. }
            | Action::TakeError { .. }
            | Action::Shutdown { .. } => self.stream_outcomes(state, at, key, &offer.action, enabled),
        }
    }

    /// The datagrams that a receive can get.
    fn arriving(
        self,
        state: &[u32],
        at: (UnitId, PlaceId, NodeId),
        offer: &Menu,
        (inbox, mode, waits): (u32, ReceiveMode, bool),
        enabled: &mut Enabled,
    ) -> Lookup<()> {
        let key = offer.key;
        let done = self.known.done;
        let answer = |datagram: OutcomeId| if mode == ReceiveMode::Ready { done } else { datagram };
        let head = self.head(inbox);
        if let Some((head, peeked)) = head.and_then(|head| Some((head, head.of(state).checked_sub(1)?))) {
            let kept = if mode == ReceiveMode::Take { 0 } else { peeked + 1 };
            let input = Input { key, outcome: answer(OutcomeId(peeked)) };
            let change = Change { events: self.known.kept, ..Change::quiet(smallvec![(head, kept)]) };
            self.offer(enabled, at, input, Class::Immediate, change)?;
            return Ok(());
        }
        let left = self.budget(state);
        for index in 0..self.inlets(inbox).len() {
            let channel = self.inlets(inbox)[index];
            let link = channel.place.of(state);
            if link == 0 {
                continue;
            }
            let arrivals = self.arrivals(channel, link)?;
            let mut arrives = false;
            for arrival in arrivals.deliveries.iter().filter(|arrival| left.allows(arrival.faults)) {
                let mut writes: Writes = smallvec![(channel.place, arrival.link)];
                if let (Some(head), false) = (head, mode == ReceiveMode::Take) {
                    writes.push((head, arrival.datagram.0 + 1));
                }
                let class = match waits {
                    true => Class::Delivery { required: arrivals.settle.is_none() },
                    false => Class::Immediate,
                };
                let input = Input { key, outcome: answer(arrival.datagram) };
                let change = Change { writes, faults: arrival.faults, events: arrival.events };
                arrives |= self.offer(enabled, at, input, class, change)?;
            }
            if let (true, true, Some(lost)) = (arrives, waits, arrivals.settle)
                && !enabled.losable.iter().any(|other| other.channel == channel.place)
            {
                let mover = self.automata.mover(at.2, key);
                enabled.losable.push(Losable { mover, channel: channel.place, lost });
            }
        }
        if !waits {
            let input = Input { key, outcome: self.known.would_block };
            self.offer(enabled, at, input, Class::Immediate, Change::quiet(Writes::new()))?;
        }
        Ok(())
    }

    /// Whether a process may bind an address.
    pub(super) fn has_address(&self, process: ProcessId, ip: IpAddr) -> bool {
        crate::operation::is_local(ip) || self.processes[process.0 as usize].host.has(ip)
    }

    fn bind(self, state: &[u32], socket: SocketId, address: SocketAddr) -> Lookup<(Outcome, Writes)> {
        let process = self.process_of(socket.unit);
        let ip = address.ip();
        if !self.has_address(process, ip) {
            return Ok((Outcome::Failed(Failure::AddressNotAvailable), Writes::new()));
        }
        let holder = socket.unit;
        let at = |port: u16| -> Lookup<Option<(Outcome, Writes)>> {
            let place = self.place(Place::Port(process, port))?;
            let mut bindings = self.ports.get(place.of(state)).clone();
            if bindings.iter().any(|binding| overlap(binding.ip, ip)) {
                return Ok(None);
            }
            bindings.push(Binding { ip, socket, peer: None, holders: smallvec![holder] });
            bindings.sort_by_key(|binding| (binding.socket, binding.ip));
            let writes = smallvec![(place, self.bindings(bindings)?)];
            Ok(Some((Outcome::Bound(SocketAddr::new(ip, port)), writes)))
        };
        let bound = match address.port() {
            0 => self.ephemeral_ports(socket).find_map(|port| at(port).transpose()).transpose()?,
            port => at(port)?,
        };
        Ok(bound.unwrap_or((Outcome::Failed(Failure::AddressInUse), Writes::new())))
    }

    fn connect(
        self,
        state: &[u32],
        socket: SocketId,
        local: SocketAddr,
        peer: SocketAddr,
    ) -> Lookup<(Outcome, Writes)> {
        let host = self.host_of(socket.unit);
        let ip = host.source(local.ip(), peer.ip());
        let process = self.process_of(socket.unit);
        let place = self.place(Place::Port(process, local.port()))?;
        let mut bindings = self.ports.get(place.of(state)).clone();
        for binding in bindings.iter_mut().filter(|binding| binding.socket == socket) {
            (binding.ip, binding.peer) = (ip, Some(peer));
        }
        let value = self.bindings(bindings)?;
        Ok((Outcome::Bound(SocketAddr::new(ip, local.port())), smallvec![(place, value)]))
    }

    fn elapsed(self, state: &[u32], remaining_ns: i64) -> Lookup<OutcomeId> {
        let at_ns = self.demands.clock.then(|| self.now_ns(state).saturating_add_signed(remaining_ns));
        self.outcome(Outcome::Elapsed { at_ns })
    }

    /// The timers after one of them has been waited for.
    fn fired(self, timers: u32, timer: u32, repeats: bool) -> Lookup<u32> {
        if repeats {
            return Ok(timers);
        }
        let mut entries = self.timers.get(timers).clone();
        entries.retain(|entry| entry.timer != timer);
        self.timers(entries)
    }

    /// Moves to `chosen` which of the steps may come next, if only those for whom `moving` holds move and
    /// those for whom `timed` holds share a clock.
    pub(crate) fn within(
        self,
        state: &[u32],
        enabled: &mut Enabled,
        moving: impl Fn(Mover) -> bool,
        timed: impl Fn(Mover) -> bool,
        chosen: &mut Vec<Transition>,
    ) -> Lookup<()> {
        std::mem::swap(chosen, &mut enabled.moves);
        enabled.moves.clear();
        chosen.retain(|transition| self.mover(transition).is_some_and(&moving));
        let has = |class: Class| chosen.iter().any(|transition| transition.class() == Some(class));
        if has(Class::Immediate) {
            return Ok(());
        }
        let delay = self.has_delay();
        let quiet = chosen.iter().all(Transition::is_failure);
        let waiting = |waiting: &&Waiting| timed(waiting.mover);
        let time_may_pass = delay && enabled.timers.iter().any(|timer| waiting(&timer));
        if !has(Class::Delivery { required: true }) && !time_may_pass {
            let losable = enabled.losable.iter().filter(|losable| moving(losable.mover));
            let faults = losable.clone().map(|losable| losable.lost.faults).sum();
            let writes: Writes = losable.clone().map(|losable| (losable.channel, 0)).collect();
            if !writes.is_empty() && self.budget(state).allows(faults) {
                let events = self.together(losable.map(|losable| losable.lost.events).collect())?;
                chosen.push(Transition { step: Step::Settle, writes, faults, events });
            }
        }
        // Computing takes no time.
        if (quiet || delay) && !self.is_dead_end(state, &timed, chosen) {
            self.deadlines(state, enabled, &timed, chosen)?;
        }
        Ok(())
    }

    /// Whether one of those for whom `timed` holds is in the middle of a poll and has none of the `possible` steps
    /// but failures. It tries something that is not there yet, and then comes to where another alternative of the
    /// same `select!` leads, too: nobody is ever seen there.
    fn is_dead_end(self, state: &[u32], timed: impl Fn(Mover) -> bool, possible: &[Transition]) -> bool {
        let polled = self.live_units(state).filter_map(|(_, node)| self.automata.polled(node));
        polled.filter(|mover| timed(*mover)).any(|polled| {
            let mut own = possible.iter().filter(|step| self.mover(step) == Some(polled));
            own.all(Transition::is_failure)
        })
    }

    /// Whose step it is; `None` for those of the network.
    pub(crate) fn mover(&self, transition: &Transition) -> Option<Mover> {
        match transition.step {
            // Without a look at the node: this is asked for every step.
            Step::Unit { unit, .. } | Step::Hang { unit, .. } if !self.tracks => Some(Mover { unit, task: None }),
            Step::Unit { node, input: Input { key, .. }, .. } | Step::Hang { node, key, .. } => {
                Some(self.automata.mover(node, key))
            }
            Step::Settle | Step::Park(_) => None,
        }
    }

    /// Whose timer it is.
    fn owner(&self, state: &[u32], unit: UnitId, timer: u32) -> Mover {
        let node = self.places.find(Place::Unit(unit)).map(|place| NodeId(place.of(state)));
        let moves_each = node.is_some_and(|node| !self.automata.node(node).tasks.is_empty());
        Mover { unit, task: moves_each.then(|| TaskId::of_number(timer)) }
    }

    /// The earliest timers that somebody takes, with their edges, and the time until then. A timer that nobody polls any
    /// more (a `tick` that was given up, a pinned `sleep`) stays armed and keeps nobody from going on.
    pub(crate) fn due<'e>(
        self,
        state: &[u32],
        enabled: &'e Enabled,
        timed: impl Fn(Mover) -> bool,
    ) -> Lookup<Option<Due<'e>>> {
        let mut waiting: Vec<&Waiting> = enabled.timers.iter().filter(|waiting| timed(waiting.mover)).collect();
        // Stable: timers that are due at once stay in the order of their units.
        waiting.sort_by_key(|waiting| waiting.remaining_ns);
        for group in waiting.chunk_by(|one, other| one.remaining_ns == other.remaining_ns) {
            let advance_ns = group[0].remaining_ns;
            let outcome = self.elapsed(state, advance_ns)?;
            let mut due = Vec::new();
            for &waiting in group {
                let input = Input { key: waiting.input_key, outcome };
                let edge = self.edge(waiting.node, input)?;
                if !self.automata.edge(edge).is_refused() {
                    due.push((waiting, input, edge));
                }
            }
            if !due.is_empty() {
                return Ok(Some((advance_ns, due)));
            }
        }
        Ok(None)
    }

    /// The steps of the earliest timers.
    fn deadlines(
        self,
        state: &[u32],
        enabled: &Enabled,
        timed: &impl Fn(Mover) -> bool,
        chosen: &mut Vec<Transition>,
    ) -> Lookup<()> {
        let Some((advance_ns, due)) = self.due(state, enabled, timed)? else { return Ok(()) };
        let armed = self.places.timers().iter().filter(|(_, place)| place.of(state) != 0);
        let mut passed: Writes = Writes::new();
        for &(unit, place) in armed {
            let mut entries = self.timers.get(place.of(state)).clone();
            let whose = |timer: u32| self.owner(state, unit, timer);
            for entry in entries.iter_mut().filter(|entry| timed(whose(entry.timer))) {
                entry.remaining_ns -= advance_ns;
                if !entry.repeats {
                    entry.remaining_ns = entry.remaining_ns.max(0);
                }
            }
            passed.push((place, self.timers(entries)?));
        }
        if self.demands.clock {
            let now = self.now_ns(state).saturating_add_signed(advance_ns);
            passed.push((self.place(Place::Clock)?, self.time(now)?));
        }
        let events = self.event(Event::Fired { after_ns: advance_ns.unsigned_abs() })?;
        for (waiting, input, edge) in due {
            let mut writes = passed.clone();
            for write in writes.iter_mut().filter(|(place, _)| *place == waiting.armed) {
                write.1 = self.fired(write.1, waiting.timer, waiting.repeats)?;
            }
            let Waiting { unit, place, node, .. } = *waiting;
            let class = Class::Timer { advance_ns };
            let step = Step::Unit { unit, place, node, input, edge, class };
            chosen.push(Transition { step, writes, faults: 0, events });
        }
        Ok(())
    }
}

/// Whether what is sent to an address comes to a socket that is bound to one.
pub(super) fn is_addressed(bound: IpAddr, to: IpAddr) -> bool {
    bound == to
        || bound.is_unspecified() && bound.is_ipv4() == to.is_ipv4()
        || to.is_unspecified() && bound.is_loopback()
}

impl<'a> View<'a> {
    /// Whether everybody who holds a socket is a daemon that is finished.
    pub(super) fn is_deaf(self, state: &[u32], binding: &Binding) -> bool {
        let node = |unit: UnitId| NodeId(self.unit_place(unit).of(state));
        binding.holders.iter().all(|&unit| [NodeId::PARKED, NodeId::PARKED_IN_ACCEPT].contains(&node(unit)))
    }

    /// The socket that a datagram goes to. `None`: there is none.
    fn route(self, state: &[u32], port: PlaceId, from: SocketAddr, to: SocketAddr) -> Option<&'a Binding> {
        let bindings = self.tables.ports.get(port.of(state));
        let takes =
            |binding: &&Binding| is_addressed(binding.ip, to.ip()) && binding.peer.is_none_or(|peer| peer == from);
        bindings.iter().find(takes)
    }
}
