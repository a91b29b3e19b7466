//! The automata, the components and the declared faults of one check.

use crate::id::{NodeId, OutcomeId, ProcessId, SocketId, TaskId, UnitId};
use crate::operation::{Effect, Input, Offer, Operation, OperationKey, Outcome, ReceiveMode, Side};
use crate::state::intern::Interner;
use crate::state::place::{Bindings, HeldConnection, Place, PlaceId, Places, StateVector, StreamBindings, Timers};
use crate::state::tcp::connections::{ConnectionEnd, Connections, TcpRules};
use crate::unit::automaton::{EdgeId, NodeKind};
use crate::unit::context::{Host, Shared};
use crate::unit::instance::Program;
use crate::unit::learn::{Diagnostic, Learner};
use ahash::AHashMap;
use netcheck_models::udp::{Link, LinkRules, Perturbation};
use smallvec::SmallVec;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;

/// Which side of a process's traffic is perturbed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// What the process sends.
    Send,
    /// What the process receives.
    Receive,
    /// Both in turn: a packet between two such processes can be multiplied twice.
    Both,
}

/// The declared behaviour of UDP.
#[derive(Clone, Debug)]
pub(crate) struct UdpFaults {
    pub(crate) perturbation: Perturbation,
    /// `None`: every packet that a named process sends or receives, once.
    pub(crate) direction: Option<Direction>,
    pub(crate) delay: bool,
    /// `None`: every process.
    pub(crate) processes: Option<Vec<ProcessId>>,
}

/// What is declared for one check.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declared {
    pub(crate) udp: Option<UdpFaults>,
    pub(crate) tcp: TcpRules,
    pub(crate) at_most: Option<u32>,
}

/// What is known of the programs before the search, or was learned of them by an earlier one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Demands {
    /// A program reads the clock: the time since the start is part of the state.
    pub(crate) clock: bool,
    /// A program uses `faults::scope`: there are no faults outside such regions.
    pub(crate) scope: bool,
}

/// Why a search can't go on.
#[derive(Debug)]
pub(crate) enum Interrupt {
    Diagnostic(Diagnostic),
    /// It has to begin again with these demands.
    Demands(Demands),
}

/// A process as it was registered.
pub(crate) struct Process {
    pub(crate) daemon: bool,
    pub(crate) after: Vec<ProcessId>,
    pub(crate) program: Rc<Program>,
}

/// One check's system: everything that state vectors refer to.
pub(crate) struct System {
    pub(crate) learner: Learner,
    pub(crate) places: Places,
    pub(crate) processes: Vec<Process>,
    pub(crate) declared: Declared,
    pub(crate) demands: Demands,
    pub(crate) ports: Interner<Bindings>,
    pub(crate) links: Interner<Link>,
    pub(crate) stream_ports: Interner<StreamBindings>,
    pub(crate) held: Interner<HeldConnection>,
    pub(crate) connections: Connections,
    pub(crate) timers: Interner<Timers>,
    pub(crate) times: Interner<u64>,
    pub(crate) known: Known,
    rules: Vec<Rules>,
    channels: AHashMap<(SocketId, SocketId), Channel>,
    /// By destination socket.
    inboxes: AHashMap<SocketId, u32>,
    inlets: Vec<Vec<Channel>>,
    /// By inbox: the place of the datagram that was peeked at, for sockets that are peeked at.
    heads: Vec<Option<PlaceId>>,
    unit_places: Vec<PlaceId>,
    dispatched: AHashMap<(u32, u32, bool, bool), u32>,
    /// A unit's timers after an edge with these timers before it.
    pub(crate) rearmed: AHashMap<(EdgeId, u32), u32>,
    menus: Vec<Option<Rc<[Menu]>>>,
}

/// Outcomes that are always the same.
pub(crate) struct Known {
    pub(crate) done: OutcomeId,
    pub(crate) would_block: OutcomeId,
    pub(crate) cancelled: OutcomeId,
}

/// A way from one socket to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Channel {
    pub(crate) place: PlaceId,
    pub(crate) rules: usize,
}

/// The rules of some channels, and what they say of each link state.
struct Rules {
    rules: LinkRules,
    arrivals: Vec<Option<Rc<Arrivals>>>,
}

/// What can come out of a link.
pub(crate) struct Arrivals {
    pub(crate) deliveries: Vec<Arrival>,
    /// The faults if all of it is lost; `None` if something must still arrive.
    pub(crate) settle: Option<u32>,
}

/// One datagram that can arrive next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) datagram: OutcomeId,
    pub(crate) link: u32,
    pub(crate) faults: u32,
}

/// An offer, with all that the search looks up again and again.
#[derive(Clone, Debug)]
pub(crate) struct Menu {
    pub(crate) key: OperationKey,
    pub(crate) action: Action,
}

/// What an offer asks of the components.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Start {
        after: Vec<PlaceId>,
    },
    Run,
    Bind {
        socket: SocketId,
        address: SocketAddr,
    },
    Connect {
        socket: SocketId,
        local: SocketAddr,
        peer: SocketAddr,
    },
    /// `to` is `None` where no process has the address.
    Send {
        socket: SocketId,
        from: SocketAddr,
        to: SocketAddr,
        host: Option<ProcessId>,
        port: Option<PlaceId>,
        datagram: OutcomeId,
    },
    Receive {
        socket: SocketId,
        port: u16,
        inbox: u32,
        mode: ReceiveMode,
        waits: bool,
    },
    BindStream {
        socket: SocketId,
        address: SocketAddr,
        shares: bool,
    },
    Listen {
        socket: SocketId,
        address: SocketAddr,
        is_bound: bool,
        backlog: usize,
    },
    /// `to` is `None` where no process has the address.
    Open {
        socket: SocketId,
        local: Option<SocketAddr>,
        peer: SocketAddr,
        to: Option<(ProcessId, PlaceId)>,
        fails: bool,
        hangs: bool,
    },
    Accept {
        process: ProcessId,
        port: PlaceId,
        local: SocketAddr,
        waits: bool,
        fails: bool,
    },
    Read {
        end: ConnectionEnd,
        max: usize,
        peeks: bool,
        waits: bool,
        fails: bool,
        resets: bool,
    },
    Write {
        end: ConnectionEnd,
        bytes: Arc<[u8]>,
        waits: bool,
        fails: bool,
        resets: bool,
    },
    Ready {
        end: ConnectionEnd,
        read: bool,
        write: bool,
        waits: bool,
    },
    TakeError {
        end: ConnectionEnd,
    },
    Shutdown {
        end: ConnectionEnd,
        fails: bool,
    },
    Timer {
        timer: u32,
        armed: PlaceId,
        repeats: bool,
    },
    Clock,
    Deadline {
        timer: u32,
        armed: PlaceId,
    },
    Choose {
        alternatives: usize,
    },
    Select {
        candidates: SmallVec<[u8; 8]>,
    },
    Join {
        unit: UnitId,
        child: PlaceId,
    },
    IsEnded {
        unit: UnitId,
        child: PlaceId,
    },
}

impl System {
    pub(crate) fn new(shared: Rc<Shared>, processes: Vec<Process>, declared: Declared, demands: Demands) -> Self {
        let mut learner = Learner::new(shared);
        let known = Known {
            done: learner.automata.intern(&Outcome::Done),
            would_block: learner.automata.intern(&Outcome::WouldBlock),
            cancelled: learner.automata.intern(&Outcome::Cancelled),
        };
        System {
            learner,
            places: Places::default(),
            processes,
            declared,
            demands,
            ports: Interner::new(),
            links: Interner::new(),
            stream_ports: Interner::new(),
            held: Interner::new(),
            connections: Connections::default(),
            timers: Interner::new(),
            times: Interner::new(),
            known,
            rules: Vec::new(),
            channels: AHashMap::new(),
            inboxes: AHashMap::new(),
            inlets: Vec::new(),
            heads: Vec::new(),
            unit_places: Vec::new(),
            dispatched: AHashMap::new(),
            rearmed: AHashMap::new(),
            menus: Vec::new(),
        }
    }

    /// The state in which no process has started.
    pub(crate) fn initial(&mut self) -> StateVector {
        let mut state = Vec::new();
        for index in 0..self.processes.len() {
            let unit = UnitId(index as u32);
            let place = self.unit_place(unit);
            let program = Rc::clone(&self.processes[index].program);
            let root = self.learner.add_program(unit, program);
            place.set(&mut state, root.0);
        }
        StateVector::from_vec(state)
    }

    pub(crate) fn shared(&self) -> &Rc<Shared> {
        &self.learner.shared
    }

    pub(crate) fn unit_place(&mut self, unit: UnitId) -> PlaceId {
        for index in self.unit_places.len()..=unit.0 as usize {
            let place = self.places.id(Place::Unit(UnitId(index as u32)));
            self.unit_places.push(place);
        }
        self.unit_places[unit.0 as usize]
    }

    /// The place of the datagram that was peeked at, if the socket is ever peeked at.
    pub(crate) fn head(&self, inbox: u32) -> Option<PlaceId> {
        self.heads[inbox as usize]
    }

    pub(crate) fn head_of(&mut self, socket: SocketId) -> Option<PlaceId> {
        let inbox = self.inbox(socket);
        self.head(inbox)
    }

    /// The units that are there, with their nodes.
    pub(crate) fn live_units<'a>(&'a self, state: &'a [u32]) -> impl Iterator<Item = (UnitId, NodeId)> + 'a {
        let units = self.places.iter().filter_map(|(id, place)| match place {
            Place::Unit(unit) => Some((unit, NodeId(id.of(state)))),
            _ => None,
        });
        units.filter(|&(_, node)| self.learner.automata.node(node).kind == NodeKind::Live)
    }

    /// How many datagrams are under way that may still arrive, for the first time or again.
    pub(crate) fn in_flight(&self, state: &[u32]) -> usize {
        let links = self.places.iter().filter(|(_, place)| matches!(place, Place::Channel { .. }));
        links.map(|(id, _)| self.links.get(id.of(state)).packets().count()).sum()
    }

    /// The ports of which a unit holds a datagram socket.
    pub(crate) fn ports_of<'a>(&'a self, state: &'a [u32], unit: UnitId) -> impl Iterator<Item = PlaceId> + 'a {
        let ports = self.places.iter().filter(|(_, place)| matches!(place, Place::Port(..)));
        let held = ports.filter(move |(id, _)| {
            id.of(state) != 0 && self.ports.get(id.of(state)).iter().any(|binding| binding.holders.contains(&unit))
        });
        held.map(|(id, _)| id)
    }

    /// Whether a unit waits for a connection.
    pub(crate) fn is_in_accept(&self, node: NodeId) -> bool {
        let node = self.learner.automata.node(node);
        node.kind == NodeKind::Parked { in_accept: true }
            || node.offers.iter().any(|offer| matches!(offer.operation, Operation::Accept { waits: true, .. }))
    }

    pub(crate) fn is_daemon(&self, unit: UnitId) -> bool {
        self.processes[self.shared().process_of(unit).0 as usize].daemon
    }

    /// The edge for an input; learning it may show that the search has to begin again.
    pub(crate) fn edge(&mut self, node: NodeId, input: Input) -> Result<EdgeId, Interrupt> {
        if let Some(edge) = self.learner.automata.find(node, input) {
            return Ok(edge);
        }
        let id = self.learner.edge(node, input).map_err(Interrupt::Diagnostic)?;
        let edge = self.learner.automata.edge(id);
        let target = self.learner.automata.node(edge.target);
        let reads = |offer: &Offer| matches!(offer.operation, Operation::Clock | Operation::Deadline { .. });
        let demands = Demands {
            clock: self.demands.clock
                || target.offers.iter().any(reads)
                || edge.effects.iter().any(|effect| matches!(effect, Effect::ArmAt { .. })),
            scope: self.demands.scope || edge.effects.iter().any(|effect| matches!(effect, Effect::Scope { .. })),
        };
        if (demands.clock, demands.scope) != (self.demands.clock, self.demands.scope) {
            return Err(Interrupt::Demands(demands));
        }
        Ok(id)
    }

    /// The process with an address, seen from one of `host`'s sockets.
    pub(crate) fn process_at(&self, from: ProcessId, to: SocketAddr) -> Option<ProcessId> {
        if crate::operation::is_local(to.ip()) {
            return Some(from);
        }
        let host = self.shared().hosts.iter().position(|host: &Host| host.has(to.ip()));
        host.map(|index| ProcessId(index as u32))
    }

    /// The channel between two sockets.
    pub(crate) fn channel(&mut self, from: SocketId, to: SocketId) -> Channel {
        if let Some(&channel) = self.channels.get(&(from, to)) {
            return channel;
        }
        let rules = self.link_rules(self.shared().process_of(from.unit), self.shared().process_of(to.unit));
        let rules = self.rules.iter().position(|known| known.rules == rules).unwrap_or_else(|| {
            self.rules.push(Rules { rules, arrivals: Vec::new() });
            self.rules.len() - 1
        });
        let channel = Channel { place: self.places.id(Place::Channel { from, to }), rules };
        self.channels.insert((from, to), channel);
        let inbox = self.inbox(to);
        self.inlets[inbox as usize].push(channel);
        channel
    }

    /// The declared perturbation as it applies between two processes.
    fn link_rules(&self, sender: ProcessId, receiver: ProcessId) -> LinkRules {
        let budgeted = self.declared.at_most.is_some();
        let Some(udp) = &self.declared.udp else {
            return LinkRules { budgeted, ..LinkRules::default() };
        };
        let named = |process| udp.processes.as_ref().is_none_or(|named| named.contains(&process));
        let (send, receive) = match udp.direction {
            None => (named(sender) || named(receiver), false),
            Some(Direction::Send) => (named(sender), false),
            Some(Direction::Receive) => (false, named(receiver)),
            Some(Direction::Both) => (named(sender), named(receiver)),
        };
        let perturbation = |on: bool| on.then(|| udp.perturbation.clone());
        LinkRules { send: perturbation(send), receive: perturbation(receive), budgeted }
    }

    /// The channel at a place.
    pub(crate) fn channel_at(&self, place: PlaceId) -> Option<Channel> {
        self.inlets.iter().flatten().copied().find(|channel| channel.place == place)
    }

    /// Whether the contents of a channel may cover each other.
    pub(crate) fn can_cover(&self, place: PlaceId) -> bool {
        self.channel_at(place).is_some_and(|channel| self.rules_of(channel).can_cover())
    }

    /// Whether all that can come out of one content of a channel can come out of the other.
    pub(crate) fn covers(&self, place: PlaceId, covering: u32, covered: u32) -> bool {
        let rules = self.channel_at(place).map(|channel| self.rules_of(channel));
        rules.is_some_and(|rules| self.links.get(covering).covers(self.links.get(covered), rules))
    }

    pub(crate) fn rules_of(&self, channel: Channel) -> &LinkRules {
        &self.rules[channel.rules].rules
    }

    /// Whether what is dispatched now is perturbed, on the sending and on the receiving side.
    pub(crate) fn perturbed(&self, state: &[u32], channel: Channel, from: SocketId, to: SocketId) -> (bool, bool) {
        let rules = &self.rules[channel.rules].rules;
        let (send, receive) = (rules.send.is_some(), rules.receive.is_some());
        if !self.demands.scope {
            return (send, receive);
        }
        let inside = |socket: SocketId| {
            let process = self.learner.shared.process_of(socket.unit);
            self.places.find(Place::Scope(process)).is_some_and(|place| place.of(state) > 0)
        };
        let (sender, receiver) = (inside(from), inside(to));
        let each_once = self.declared.udp.as_ref().is_some_and(|udp| udp.direction.is_none());
        (send && (sender || each_once && receiver), receive && receiver)
    }

    fn inbox(&mut self, socket: SocketId) -> u32 {
        let next = self.inlets.len() as u32;
        let inbox = *self.inboxes.entry(socket).or_insert(next);
        if inbox == next {
            self.inlets.push(Vec::new());
            self.heads.push(None);
        }
        inbox
    }

    pub(crate) fn inlets(&self, inbox: u32) -> &[Channel] {
        &self.inlets[inbox as usize]
    }

    /// The channels into a socket.
    pub(crate) fn inlets_of(&mut self, socket: SocketId) -> &[Channel] {
        let inbox = self.inbox(socket);
        self.inlets(inbox)
    }

    /// The link after a dispatch.
    pub(crate) fn dispatch(&mut self, link: u32, datagram: OutcomeId, (send, receive): (bool, bool)) -> u32 {
        let key = (link, datagram.0, send, receive);
        if let Some(&after) = self.dispatched.get(&key) {
            return after;
        }
        let after = self.links.get(link).dispatch(datagram.0, send, receive);
        let after = self.links.intern(&after);
        self.dispatched.insert(key, after);
        after
    }

    /// What can come out of a link, worked out once for each rules and link state.
    pub(crate) fn arrivals(&mut self, channel: Channel, link: u32) -> Rc<Arrivals> {
        let Rules { rules, arrivals } = &mut self.rules[channel.rules];
        if arrivals.len() <= link as usize {
            arrivals.resize(link as usize + 1, None);
        }
        if let Some(known) = &arrivals[link as usize] {
            return Rc::clone(known);
        }
        let state = self.links.get(link).clone();
        let deliveries = state.deliveries(rules).into_iter().map(|delivery| Arrival {
            datagram: OutcomeId(delivery.packet),
            link: self.links.intern(&delivery.link),
            faults: delivery.faults,
        });
        let new = Rc::new(Arrivals {
            deliveries: deliveries.collect(),
            settle: state.settle(rules).map(|settled| settled.faults),
        });
        arrivals[link as usize] = Some(Rc::clone(&new));
        new
    }

    /// A node's offers, ready for the search.
    pub(crate) fn menu(&mut self, node: NodeId) -> Rc<[Menu]> {
        if let Some(Some(menu)) = self.menus.get(node.index()) {
            return Rc::clone(menu);
        }
        let unit = self.learner.automata.node(node).unit;
        let offers = self.learner.automata.node(node).offers.clone();
        let menu: Rc<[Menu]> = offers
            .into_iter()
            .map(|offer| Menu { key: offer.key, action: self.action(unit, offer.operation, offer.execution) })
            .collect();
        if self.menus.len() <= node.index() {
            self.menus.resize(node.index() + 1, None);
        }
        self.menus[node.index()] = Some(Rc::clone(&menu));
        menu
    }

    fn action(&mut self, unit: UnitId, operation: Operation, execution: u32) -> Action {
        let process = self.shared().process_of(unit);
        let fails = self.declared.tcp.fails;
        let fallible = |system: &System, side: Side| system.is_fallible(unit, side, execution);
        match operation {
            Operation::Start => {
                let after = match self.shared().unit(unit).parent {
                    None => self.processes[process.0 as usize].after.clone(),
                    Some(_) => Vec::new(),
                };
                let after = after.into_iter().map(|process| self.unit_place(UnitId(process.0)));
                Action::Start { after: after.collect() }
            }
            Operation::Run(TaskId(_)) => Action::Run,
            Operation::Bind { socket, address } => Action::Bind { socket, address },
            Operation::Connect { socket, local, peer } => Action::Connect { socket, local, peer },
            Operation::Send { socket, from, to, payload } => {
                let host = self.process_at(process, to);
                let port = host.map(|host| self.places.id(Place::Port(host, to.port())));
                let datagram = self.learner.automata.intern(&Outcome::Datagram { from, payload });
                Action::Send { socket, from, to, host, port, datagram }
            }
            Operation::Receive { socket, port, mode } => self.receive(socket, port, mode, true),
            Operation::TryReceive { socket, port, mode } => self.receive(socket, port, mode, false),
            Operation::BindStream { socket, address, shares } => Action::BindStream { socket, address, shares },
            Operation::Listen { socket, address, is_bound, backlog } => {
                Action::Listen { socket, address, is_bound, backlog }
            }
            Operation::Open { socket, local, peer } => {
                let may = fallible(self, Side::Client);
                let (fails, hangs) = (may && fails.open, may && fails.hang);
                Action::Open { socket, local, peer, to: self.dialed(process, peer), fails, hangs }
            }
            Operation::AtOnce { operation, .. } => self.action(unit, *operation, execution),
            Operation::Accept { local, waits } => {
                let port = self.places.id(Place::StreamPort(process, local.port()));
                let fails = fails.open && fallible(self, Side::Server);
                Action::Accept { process, port, local, waits, fails }
            }
            Operation::Read { stream, max, peeks, waits } => {
                let may = fallible(self, stream.side);
                let (fails, resets) = (may && fails.read && !peeks, may && fails.reset && !peeks);
                Action::Read { end: self.end_of(process, stream), max, peeks, waits, fails, resets }
            }
            Operation::Write { stream, bytes, waits } => {
                let may = fallible(self, stream.side);
                let (fails, resets) = (may && fails.write, may && fails.reset);
                Action::Write { end: self.end_of(process, stream), bytes, waits, fails, resets }
            }
            Operation::Ready { stream, read, write, waits } => {
                Action::Ready { end: self.end_of(process, stream), read, write, waits }
            }
            Operation::TakeError { stream } => Action::TakeError { end: self.end_of(process, stream) },
            Operation::Shutdown { stream } => {
                let fails = fails.close && fallible(self, stream.side);
                Action::Shutdown { end: self.end_of(process, stream), fails }
            }
            Operation::Timer { timer, repeats } => {
                Action::Timer { timer, armed: self.places.id(Place::Timers(unit)), repeats }
            }
            Operation::Clock => Action::Clock,
            Operation::Deadline { timer } => Action::Deadline { timer, armed: self.places.id(Place::Timers(unit)) },
            Operation::Choose { alternatives } => Action::Choose { alternatives },
            Operation::Select { candidates, .. } => Action::Select { candidates },
            Operation::Join { child } => Action::Join { unit: child, child: self.unit_place(child) },
            Operation::IsEnded { child } => Action::IsEnded { unit: child, child: self.unit_place(child) },
        }
    }

    fn receive(&mut self, socket: SocketId, port: u16, mode: ReceiveMode, waits: bool) -> Action {
        let inbox = self.inbox(socket);
        if mode != ReceiveMode::Take && self.heads[inbox as usize].is_none() {
            self.heads[inbox as usize] = Some(self.places.id(Place::Head(socket)));
        }
        Action::Receive { socket, port, inbox, mode, waits }
    }

    /// The time since the start; 0 where it is not tracked.
    pub(crate) fn now_ns(&self, state: &[u32]) -> u64 {
        let clock = self.places.find(Place::Clock);
        clock.map_or(0, |clock| *self.times.get(clock.of(state)))
    }

    /// How many more faults this execution may have.
    pub(crate) fn faults_left(&self, state: &[u32]) -> u32 {
        let Some(at_most) = self.declared.at_most else { return u32::MAX };
        let used = self.places.find(Place::Faults).map_or(0, |faults| faults.of(state));
        at_most.saturating_sub(used)
    }

    /// Whether timers may fire while packets are in flight.
    pub(crate) fn has_delay(&self) -> bool {
        self.declared.udp.as_ref().is_some_and(|udp| udp.delay)
    }

    /// Whether the number of faults in one execution is bounded.
    pub(crate) fn is_limited(&self) -> bool {
        self.declared.at_most.is_some()
    }
}
