//! All that state vectors refer to, for look-ups from any thread.
//!
//! A search asks a [`View`], which is read-only. An entry that is not known yet is returned as [`Missing`]; the
//! [`System`](crate::world::system::System) then learns it, which may run user code, and the question is asked again.
//! So the semantics is written once, for the one thread that learns and for the many that only read.

use crate::id::{ConnectionId, NodeId, OutcomeId, ProcessId, SocketId, UnitId};
use crate::operation::{Input, Operation, OperationKey, Outcome};
use crate::unit::automaton::{Automata, EdgeId, NodeKind};
use crate::unit::names::Host;
use crate::unit::shared::Modes;
use crate::world::components::{Bindings, Component, ComponentId, Components, HeldConnection, StreamBindings};
use crate::world::declared::{Declared, Demands};
use crate::world::events::{Events, EventsId, Together, Told};
use crate::world::faults::regions::Regions;
use crate::world::intern::Interner;
use crate::world::monitors::sighting::Sighting;
use crate::world::monitors::table::{Monitors, Unmarked, Unwatched};
use crate::world::prepared::{PreparedCall, PreparedOffer};
use crate::world::step::{Message, Move, Transition};
use crate::world::storage::images::Images;
use crate::world::tcp;
use crate::world::tcp::connections::Connections;
use ahash::AHashMap;
use netcheck_models::budget::Budget;
use netcheck_models::event::Event;
use netcheck_models::host::{is_local, reach::Reach};
use netcheck_models::mailboxes::Mailboxes;
use netcheck_models::storage::Storage;
use netcheck_models::time::{Countdowns, Time, Zone};
use netcheck_models::udp::{Link, LinkRules, Perturbation, Perturbed};
use smallvec::SmallVec;
use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::Arc;

/// A process, as the tables keep it.
pub struct Process {
    pub(crate) host: Host,
    pub daemon: bool,
    pub after: Vec<ProcessId>,
    /// The units that are no isolated tasks: the first one, and one for each crash after which it starts again.
    pub(crate) roots: SmallVec<[UnitId; 1]>,
}

/// A unit, as the tables keep it.
pub struct Unit {
    pub(crate) component: ComponentId,
    pub(crate) process: ProcessId,
    /// Whether it is an isolated task.
    pub(crate) is_task: bool,
    /// The unit's number, by its place in the program.
    pub(crate) number: u32,
    /// How often its process had crashed before.
    pub(crate) crashes: u32,
}

/// The components and the declarations of one check, and all that was computed from them.
pub struct Tables {
    pub components: Components,
    pub processes: Vec<Process>,
    pub units: Vec<Unit>,
    pub(crate) declared: Declared,
    pub demands: Demands,
    pub(crate) modes: Modes,
    pub ports: Interner<Bindings>,
    pub links: Interner<Link>,
    pub(super) regions: Interner<Regions>,
    /// The memory that the states of links, and the arrivals that they allow, take, about.
    pub(crate) link_bytes: usize,
    pub stream_ports: Interner<StreamBindings>,
    pub mailboxes: Interner<Mailboxes<SocketId>>,
    pub(super) storages: Interner<Option<Storage>>,
    pub reaches: Interner<Reach>,
    pub images: Images,
    pub held: Interner<HeldConnection>,
    pub connections: Connections,
    pub timers: Interner<Countdowns>,
    pub(crate) times: Interner<u64>,
    /// In dense time: the component that says when the scheduled events may happen.
    pub(crate) zone: Option<ComponentId>,
    pub(crate) zones: Interner<Zone>,
    pub(crate) known: Known,
    pub(super) events: Events,
    pub(super) rules: Vec<Rules>,
    pub(super) channels: AHashMap<(SocketId, SocketId), Channel>,
    /// By destination socket.
    pub(super) inboxes: AHashMap<SocketId, u32>,
    pub(super) inlets: Vec<Vec<Channel>>,
    /// By inbox: the component of the datagram that was peeked at, if the program ever peeks at the socket.
    pub(super) heads: Vec<Option<ComponentId>>,
    pub(super) dispatched: AHashMap<Dispatch, u32>,
    /// A unit's timers after an edge, by the edge and the timers before it.
    pub(super) rearmed: AHashMap<(EdgeId, u32), u32>,
    pub(super) prepared: Vec<Option<Arc<[PreparedOffer]>>>,
    /// The calls that the steps of edges begin and that complete at once if they can.
    pub(super) begun: AHashMap<EdgeId, Arc<[PreparedCall]>>,
    pub monitors: Monitors,
}

/// Outcomes and events that every check uses.
pub struct Known {
    pub(crate) done: OutcomeId,
    pub(crate) would_block: OutcomeId,
    pub(crate) woken: OutcomeId,
    pub(crate) cancelled: OutcomeId,
    pub(crate) departed: EventsId,
    pub(crate) astray: EventsId,
    pub(crate) unbound: EventsId,
    pub(crate) kept: EventsId,
    /// A timer that was due already.
    pub(crate) fired: EventsId,
}

/// The channel from one socket to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Channel {
    pub(crate) component: ComponentId,
    pub(crate) rules: usize,
}

/// A link, the packet that is dispatched on it, and how it is perturbed on the sending and on the receiving side.
pub(super) type Dispatch = (u32, OutcomeId, (Perturbed, Perturbed));

/// The rules of some channels, and what they allow in each state of a link.
pub(super) struct Rules {
    pub(super) rules: LinkRules,
    pub(super) arrivals: Vec<Option<Box<Arrivals>>>,
    /// The links when no more faults may happen.
    pub(super) without_faults: AHashMap<u32, WithoutFaults>,
}

/// A link when no more faults may happen.
pub(super) struct WithoutFaults {
    pub(super) link: u32,
    /// For each packet that is left: its position before.
    pub(super) remaining: SmallVec<[u32; 4]>,
}

/// The packets that can arrive from a link.
pub(crate) struct Arrivals {
    pub(crate) deliveries: Vec<Arrival>,
    /// The loss of all packets in flight; `None` if one of them must still arrive.
    pub(crate) lose_in_flight: Option<AllLost>,
}

/// The loss of all packets in flight on a link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AllLost {
    pub(crate) faults: u32,
    pub(crate) events: EventsId,
}

/// One datagram that can arrive next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) datagram: OutcomeId,
    pub(crate) link: u32,
    pub(crate) faults: u32,
    pub(crate) events: EventsId,
}

/// An entry that the tables do not hold yet.
#[derive(Debug)]
pub(crate) enum Missing {
    Edge(NodeId, Input),
    Outcome(Outcome),
    PreparedOffers(NodeId),
    Component(Component),
    Bindings(Bindings),
    StreamBindings(StreamBindings),
    Mailboxes(Mailboxes<SocketId>),
    Storage(Storage),
    Reach(Reach),
    Held(HeldConnection),
    Timers(Countdowns),
    Time(u64),
    Zone(Zone),
    Link(Link),
    /// A program asks for an instant that is not one number.
    Instant(NodeId, OperationKey),
    /// The images of the files of a process, by their number, when it has crashed.
    LeftFiles(ProcessId, u32),
    /// A program sends to a multicast group where packets have delays and keep an order.
    Unordered(NodeId, OperationKey),
    Connection([(ProcessId, SocketAddr); 2]),
    /// A fact about the programs that the search does not know.
    Demands(Demands),
    Channel {
        from: SocketId,
        to: SocketId,
    },
    Rules {
        sender: ProcessId,
        receiver: ProcessId,
    },
    Dispatch(Dispatch),
    Regions(Regions),
    Region {
        rules: usize,
        perturbation: Perturbation,
    },
    Arrivals {
        rules: usize,
        link: u32,
    },
    WithoutFaults {
        rules: usize,
        link: u32,
    },
    Attempt(EdgeId, u32),
    Begun(EdgeId),
    Rearmed {
        edge: EdgeId,
        before: u32,
        after: u32,
    },
    Event(Event),
    Told(Told),
    Together(Together),
    Sighting(Sighting),
    Watched(Unwatched),
    Marked(Unmarked),
    Each(Vec<Missing>),
}

/// The result of a look-up; the error is boxed, because it is rare.
pub(crate) type Lookup<T> = Result<T, Box<Missing>>;

/// The automata and the tables, as a read-only view.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub(crate) automata: &'a Automata,
    pub(crate) tables: &'a Tables,
    /// Whether edges that are not known are [`EdgeId::POSTPONED`], and not missing.
    pub(crate) postpones: bool,
}

impl Deref for View<'_> {
    type Target = Tables;

    fn deref(&self) -> &Tables {
        self.tables
    }
}

impl Tables {
    pub fn process_of(&self, unit: UnitId) -> ProcessId {
        self.units[unit.0 as usize].process
    }

    pub fn unit_component(&self, unit: UnitId) -> ComponentId {
        self.units[unit.0 as usize].component
    }

    pub(crate) fn host_of(&self, unit: UnitId) -> &Host {
        &self.processes[self.process_of(unit).0 as usize].host
    }

    /// The number of datagrams in flight: those that may still arrive, for the first time or again.
    pub(crate) fn in_flight(&self, state: &[u32]) -> usize {
        let is_link = |component: &Component| matches!(component, Component::Channel { .. } | Component::Astray { .. });
        let links = self.components.iter().filter(|(_, component)| is_link(component));
        links.map(|(id, _)| self.links.get(id.of(state)).packets().count()).sum()
    }

    /// The ports at which a unit holds a UDP socket.
    pub(crate) fn ports_of<'a>(&'a self, state: &'a [u32], unit: UnitId) -> impl Iterator<Item = ComponentId> + 'a {
        let ports = self.components.ports_of(self.process_of(unit)).iter().copied();
        ports.filter(move |id| {
            id.of(state) != 0 && self.ports.get(id.of(state)).iter().any(|binding| binding.holders.contains(&unit))
        })
    }

    pub(crate) fn is_daemon(&self, unit: UnitId) -> bool {
        self.processes[self.process_of(unit).0 as usize].daemon
    }

    /// The process that an address names, for a socket of `from`.
    pub fn process_at(&self, from: ProcessId, to: SocketAddr) -> Option<ProcessId> {
        if is_local(to.ip()) {
            return Some(from);
        }
        let index = self.processes.iter().position(|process| process.host.addresses.has(to.ip()));
        index.map(|index| ProcessId(index as u32))
    }

    /// The channel of a component.
    pub(crate) fn channel_at(&self, component: ComponentId) -> Option<Channel> {
        self.inlets.iter().flatten().copied().find(|channel| channel.component == component)
    }

    /// Whether one content of a channel may cover another.
    pub(crate) fn can_cover(&self, component: ComponentId) -> bool {
        self.channel_at(component).is_some_and(|channel| self.rules_of(channel).can_cover())
    }

    /// Whether all deliveries from the content `covered` of a channel are possible from the content `covering`.
    pub(crate) fn covers(&self, component: ComponentId, covering: u32, covered: u32) -> bool {
        if matches!(self.components.component(component), Component::Astray { .. }) {
            return self.links.get(covering).includes(self.links.get(covered));
        }
        let rules = self.channel_at(component).map(|channel| self.rules_of(channel));
        rules.is_some_and(|rules| self.links.get(covering).covers(self.links.get(covered), rules))
    }

    /// Whether all schedules of one zone are among those of another.
    pub(crate) fn zone_covers(&self, covering: u32, covered: u32) -> bool {
        self.zones.get(covering).covers(self.zones.get(covered))
    }

    pub(crate) fn rules_of(&self, channel: Channel) -> &LinkRules {
        &self.rules[channel.rules].rules
    }

    /// The declared perturbation as it applies between two processes.
    pub(super) fn link_rules(&self, sender: ProcessId, receiver: ProcessId) -> LinkRules {
        let budgeted = self.declared.at_most.is_some();
        let Some(udp) = self.declared.udp_between(sender, receiver) else {
            return LinkRules { budgeted, ..LinkRules::default() };
        };
        let (send, receive) = udp.sides(sender, receiver);
        let perturbation = |on: bool| on.then(|| udp.perturbation.clone());
        LinkRules { send: perturbation(send), receive: perturbation(receive), regions: Vec::new(), budgeted }
    }

    /// The component of the datagram that was peeked at, if the program ever peeks at the socket.
    pub(crate) fn head(&self, inbox: u32) -> Option<ComponentId> {
        self.heads[inbox as usize]
    }

    pub(crate) fn head_of(&self, socket: SocketId) -> Option<ComponentId> {
        self.head(*self.inboxes.get(&socket)?)
    }

    pub(crate) fn inlets(&self, inbox: u32) -> &[Channel] {
        &self.inlets[inbox as usize]
    }

    /// The channels into a socket.
    pub(crate) fn inlets_of(&self, socket: SocketId) -> &[Channel] {
        self.inboxes.get(&socket).map_or(&[], |&inbox| self.inlets(inbox))
    }

    /// The time since the start; 0 if it is not tracked.
    pub(crate) fn now_ns(&self, state: &[u32]) -> u64 {
        let clock = self.components.find(Component::Clock);
        clock.map_or(0, |clock| *self.times.get(clock.of(state)))
    }

    /// How many more faults this execution may have.
    pub(crate) fn budget(&self, state: &[u32]) -> Budget {
        let used = || self.components.find(Component::Faults).map_or(0, |faults| faults.of(state));
        Budget::after(if self.is_limited() { used() } else { 0 }, self.declared.at_most)
    }

    /// The events of the network in a step.
    pub fn told(&self, transition: &Transition) -> &Told {
        self.events.get(transition.events)
    }

    /// The message that a step writes or reads.
    pub(crate) fn message(&self, transition: &Transition) -> Option<Message> {
        self.told(transition).iter().flat_map(|happened| &happened.events).find_map(|event| event.message())
    }

    /// Whether a datagram arrives where no socket is bound.
    pub fn is_unheard(&self, transition: &Transition) -> bool {
        let happened = self.told(transition).iter().flat_map(|happened| &happened.events);
        matches!(transition.step, Move::Arrive { .. })
            && happened.into_iter().any(|event| matches!(event, Event::Unheard { .. }))
    }

    /// One event, at the component of the step's first write.
    pub(super) fn event(&self, event: Event) -> Lookup<EventsId> {
        self.events.find_single(event).ok_or_else(|| Missing::Event(event).into())
    }

    pub(super) fn tells(&self, told: Told) -> Lookup<EventsId> {
        self.events.find(&told).ok_or_else(|| Missing::Told(told).into())
    }

    /// The events of several channels in one step.
    pub(super) fn together(&self, each: Together) -> Lookup<EventsId> {
        match each[..] {
            [only] => Ok(only),
            _ => self.events.find_together(&each).ok_or_else(|| Missing::Together(each).into()),
        }
    }

    /// Whether time is dense: something in the network takes time.
    pub fn has_delay(&self) -> bool {
        self.zone.is_some()
    }

    /// Whether each copy of a datagram arrives at an instant of its own, which its delay decides.
    pub(crate) fn has_arrivals(&self) -> bool {
        self.declared.udp.iter().any(|udp| udp.delays.is_some() && !udp.is_ordered)
    }

    /// Whether datagrams are under way, in the order that `window` bounds, until they are received at any later instant.
    pub(crate) fn has_late_datagrams(&self) -> bool {
        self.declared.udp.iter().any(|udp| udp.delays.is_some() && udp.is_ordered)
    }

    /// Whether the number of faults in one execution is bounded.
    pub(crate) fn is_limited(&self) -> bool {
        self.declared.at_most.is_some()
    }

    pub(super) fn component(&self, component: Component) -> Lookup<ComponentId> {
        self.components.find(component).ok_or_else(|| Missing::Component(component).into())
    }

    pub(super) fn bindings(&self, bindings: Bindings) -> Lookup<u32> {
        self.ports.find(&bindings).ok_or_else(|| Missing::Bindings(bindings).into())
    }

    pub(super) fn timers(&self, timers: Countdowns) -> Lookup<u32> {
        self.timers.find(&timers).ok_or_else(|| Missing::Timers(timers).into())
    }

    pub(super) fn time(&self, at_ns: u64) -> Lookup<u32> {
        self.times.find(&at_ns).ok_or_else(|| Missing::Time(at_ns).into())
    }

    /// The link after a dispatch.
    pub(super) fn dispatch(&self, link: u32, datagram: OutcomeId, perturbed: (Perturbed, Perturbed)) -> Lookup<u32> {
        let key = (link, datagram, perturbed);
        self.dispatched.get(&key).copied().ok_or_else(|| Missing::Dispatch(key).into())
    }

    /// The number of a channel's content.
    pub(super) fn link(&self, link: Link) -> Lookup<u32> {
        self.links.find(&link).ok_or_else(|| Missing::Link(link).into())
    }

    /// The channel between two sockets.
    pub(super) fn channel(&self, from: SocketId, to: SocketId) -> Lookup<Channel> {
        self.channels.get(&(from, to)).copied().ok_or_else(|| Missing::Channel { from, to }.into())
    }

    /// The rules of channels between two processes.
    pub(super) fn rules_between(&self, sender: ProcessId, receiver: ProcessId) -> Lookup<usize> {
        let rules = self.link_rules(sender, receiver);
        let known = self.rules.iter().position(|known| known.rules.are_declared_as(&rules));
        known.ok_or_else(|| Missing::Rules { sender, receiver }.into())
    }

    /// The id of a connection; its connecting end comes first.
    pub(super) fn connection_id(&self, ends: [(ProcessId, SocketAddr); 2]) -> Lookup<ConnectionId> {
        self.connections.find(ends).ok_or_else(|| Missing::Connection(ends).into())
    }
}

impl<'a> View<'a> {
    /// The packets that can arrive from a link.
    pub(super) fn arrivals(self, channel: Channel, link: u32) -> Lookup<&'a Arrivals> {
        let arrivals = &self.tables.rules[channel.rules].arrivals;
        let known = arrivals.get(link as usize).and_then(Option::as_deref);
        known.ok_or_else(|| Missing::Arrivals { rules: channel.rules, link }.into())
    }

    /// A link when no more faults may happen.
    pub(super) fn without_faults(self, rules: usize, link: u32) -> Lookup<&'a WithoutFaults> {
        let known = self.tables.rules[rules].without_faults.get(&link);
        known.ok_or_else(|| Missing::WithoutFaults { rules, link }.into())
    }

    /// The prepared offers of a node.
    pub(crate) fn prepared_offers(self, node: NodeId) -> Lookup<&'a [PreparedOffer]> {
        let known = self.tables.prepared.get(node.index()).and_then(Option::as_deref);
        known.ok_or_else(|| Missing::PreparedOffers(node).into())
    }

    pub(super) fn outcome(self, outcome: Outcome) -> Lookup<OutcomeId> {
        self.automata.number(&outcome).ok_or_else(|| Missing::Outcome(outcome).into())
    }

    /// The live units, with their nodes.
    pub(crate) fn live_units(self, state: &'a [u32]) -> impl Iterator<Item = (UnitId, NodeId)> + 'a {
        let nodes =
            (0u32..).map(UnitId).zip(&self.tables.units).map(|(id, unit)| (id, NodeId(unit.component.of(state))));
        nodes.filter(move |&(_, node)| self.automata.is_live(node))
    }

    /// Whether a unit waits for a connection in a node.
    pub(crate) fn is_in_accept(self, node: NodeId) -> bool {
        let node = self.automata.node(node);
        node.kind == NodeKind::Parked { in_accept: true }
            || node
                .offers
                .iter()
                .any(|offer| matches!(offer.operation, Operation::Tcp(tcp::Operation::Accept { waits: true, .. })))
    }
}
