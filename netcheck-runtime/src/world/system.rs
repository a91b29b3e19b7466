//! The system of one check: the tables, and the learner that fills them.

use crate::id::{Mover, NodeId, OutcomeId, ProcessId, SocketId, UnitId};
use crate::operation::{Effect, Input, Offer, Operation, OperationKey, Outcome, Side, tcp, udp};
use crate::unit::automaton::EdgeId;
use crate::unit::learn::{Diagnostic, Learner};
use crate::unit::program::Program;
use crate::unit::shared::{Dating, Shared, Statics, Untyped};
use crate::world::components::{Component, ComponentId, Components, StateVector, trim};
use crate::world::declared::{Declared, Demands};
use crate::world::enabled::Enabled;
use crate::world::events::{Events, Happened, Remaining};
use crate::world::intern::Interner;
use crate::world::monitors::table::Monitors;
use crate::world::step::Transition;
use crate::world::storage::images::Images;
use crate::world::tables::{
    AllLost, Arrival, Arrivals, Channel, Known, Lookup, Missing, Process, Rules, Tables, Unit, View, WithoutFaults,
};
use crate::world::tcp::connections::Connections;
use crate::world::{faults, time};
use ahash::AHashMap;
use netcheck_models::event::Event;
use netcheck_models::time::{Countdowns, Zone};
use smallvec::{SmallVec, smallvec};
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

/// The reason why a search can't go on.
#[derive(Debug)]
pub enum Interrupt {
    Diagnostic(Diagnostic),
    /// The search must begin again with these demands.
    Demands(Demands),
    /// The search must begin again, and take these processes or tasks to be different.
    Asymmetry(Asymmetry),
    /// The search may begin again, and take these tasks to be alike.
    Likeness(LikeTasks),
    /// A program has changed these statics, which all runs share: the check is to be run where each has its own.
    Statics(Vec<&'static str>),
}

/// Isolated tasks that one process spawned in one step, with the same name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LikeTasks {
    pub of: ProcessId,
    pub name: &'static str,
    pub indices: Vec<u32>,
}

/// Why processes or tasks that seemed alike are not.
#[derive(Clone, Debug)]
pub struct Asymmetry {
    /// `None`: no two may be taken to be alike.
    pub between: Option<[UnitId; 2]>,
    pub reason: String,
}

/// A process as it was registered.
pub struct Registration {
    pub daemon: bool,
    pub after: Vec<ProcessId>,
    pub program: Program,
}

/// One check's system.
pub struct System {
    pub learner: Learner,
    tables: Tables,
    programs: Vec<Rc<Program>>,
}

impl Deref for System {
    type Target = Tables;

    fn deref(&self) -> &Tables {
        &self.tables
    }
}

impl DerefMut for System {
    fn deref_mut(&mut self) -> &mut Tables {
        &mut self.tables
    }
}

impl System {
    pub fn new(shared: Rc<Shared>, processes: Vec<Registration>, declared: Declared, demands: Demands) -> Self {
        let modes = shared.modes;
        let mut learner = Learner::new(shared);
        let hosts = learner.shared.hosts.iter().cloned();
        let (programs, processes) = processes
            .into_iter()
            .zip(hosts)
            .map(|(process, host)| {
                let Registration { daemon, after, program } = process;
                (Rc::new(program), Process { host, daemon, after, roots: SmallVec::new() })
            })
            .unzip();
        let mut events = Events::new();
        let known = Known {
            departed: events.add_single(Event::Departed),
            astray: events.add_single(Event::Astray),
            unbound: events.add_single(Event::Unbound),
            kept: events.add_single(Event::Kept),
            fired: events.add_single(Event::Fired { after_ns: 0 }),
            done: learner.automata.intern(&Outcome::Done),
            would_block: learner.automata.intern(&Outcome::WouldBlock),
            woken: learner.automata.intern(&Outcome::Woken),
            cancelled: learner.automata.intern(&Outcome::Cancelled),
        };
        let tables = Tables {
            components: Components::default(),
            processes,
            units: Vec::new(),
            declared,
            demands,
            modes,
            ports: Interner::new(),
            links: Interner::new(),
            regions: Interner::new(),
            link_bytes: 0,
            stream_ports: Interner::new(),
            mailboxes: Interner::new(),
            storages: Interner::new(),
            reaches: Interner::new(),
            images: Images::default(),
            held: Interner::new(),
            connections: Connections::default(),
            timers: Interner::new(),
            times: Interner::new(),
            zone: None,
            zones: Interner::new(),
            known,
            events,
            rules: Vec::new(),
            channels: AHashMap::new(),
            inboxes: AHashMap::new(),
            inlets: Vec::new(),
            heads: Vec::new(),
            dispatched: AHashMap::new(),
            rearmed: AHashMap::new(),
            prepared: Vec::new(),
            begun: AHashMap::new(),
            monitors: Monitors::default(),
        };
        let mut system = System { learner, tables, programs };
        system.add_incarnations();
        system.add_units();
        if system.declared.is_dense() {
            system.tables.zone = Some(system.components.id(Component::Zone));
        }
        if system.declares_partitions() {
            system.components.id(Component::Reach);
        }
        let observers = system.declared.observers.clone();
        for (number, observer) in (0..).zip(observers) {
            let component = system.components.id(Component::Monitor(number));
            system.monitors.add(observer, component);
        }
        system
    }

    /// The state in which no process has started.
    pub fn initial(&mut self) -> StateVector {
        let mut state = Vec::new();
        for index in 0..self.programs.len() {
            let unit = UnitId(index as u32);
            let root = self.learner.add_program(unit, Rc::clone(&self.programs[index]));
            self.unit_component(unit).set(&mut state, root.0);
            self.add_programs_after_crashes(ProcessId(index as u32), &Rc::clone(&self.programs[index]));
            if let (Some(duration_ns), None) = (self.declared.duration_ns, self.zone) {
                let timers = self.timers.intern(&Countdowns::until_horizon(duration_ns));
                self.components.id(Component::Timers(unit)).set(&mut state, timers);
            }
        }
        if let Some(zone) = self.zone {
            let start = if self.demands.clock && self.modes.dating == Dating::Start {
                time::names::with_start()
            } else {
                Zone::default()
            };
            let mut start = self.monitors.with_marks(start);
            for process in (0..self.processes.len() as u32).map(ProcessId) {
                self.declared.duration_ns.iter().for_each(|&ns| time::names::arm_horizon(&mut start, process, ns));
            }
            zone.set(&mut state, self.zones.intern(&start));
            trim(&mut state);
        }
        StateVector::from_vec(state)
    }

    pub fn shared(&self) -> &Rc<Shared> {
        &self.learner.shared
    }

    /// The id of a component that is used from now on.
    pub(crate) fn add_component(&mut self, component: Component) -> ComponentId {
        match component {
            Component::Channel { from, to } => self.tell(|view| view.channel(from, to)).component,
            Component::Head(socket) => {
                let (inbox, head) = (self.inbox(socket), self.components.id(component));
                self.heads[inbox as usize] = Some(head);
                head
            }
            component => self.components.id(component),
        }
    }

    /// The system as a read-only view.
    pub fn view(&self) -> View<'_> {
        View { automata: &self.learner.automata, tables: &self.tables, postpones: false }
    }

    /// Repeats a question until all entries that its answer needs are in the tables.
    pub(crate) fn ask<T>(&mut self, mut question: impl FnMut(View<'_>) -> Lookup<T>) -> Result<T, Interrupt> {
        loop {
            match question(self.view()) {
                Ok(answer) => return Ok(answer),
                Err(missing) => self.find_out(*missing)?,
            }
        }
    }

    /// The answer to a question that needs no new edges of units.
    pub(crate) fn tell<T>(&mut self, question: impl FnMut(View<'_>) -> Lookup<T>) -> T {
        self.ask(question).expect("no user code is run")
    }

    /// Adds a missing entry to the tables.
    pub(crate) fn find_out(&mut self, missing: Missing) -> Result<(), Interrupt> {
        match missing {
            Missing::Edge(node, input) => _ = self.edge(node, input)?,
            Missing::Attempt(edge, number) => _ = self.attempt(edge, number)?,
            Missing::Begun(edge) => self.prepare_begun(edge),
            Missing::Outcome(outcome) => _ = self.learner.automata.intern(&outcome),
            Missing::PreparedOffers(node) => _ = self.prepared_offers(node),
            Missing::Component(component) => _ = self.components.id(component),
            Missing::Bindings(bindings) => _ = self.ports.intern(&bindings),
            Missing::StreamBindings(bindings) => _ = self.stream_ports.intern(&bindings),
            Missing::Mailboxes(all) => _ = self.mailboxes.intern(&all),
            Missing::Storage(storage) => _ = self.storages.intern(&Some(storage)),
            Missing::Reach(reach) => _ = self.reaches.intern(&reach),
            Missing::Held(held) => _ = self.held.intern(&held),
            Missing::Timers(timers) => _ = self.timers.intern(&timers),
            Missing::Time(at_ns) => _ = self.times.intern(&at_ns),
            Missing::Zone(zone) => _ = self.zones.intern(&zone),
            Missing::Link(link) => _ = self.links.intern(&link),
            Missing::Instant(node, key) => return Err(Interrupt::Diagnostic(self.unreadable(node, key))),
            Missing::LeftFiles(process, files) => self.add_left(process, files),
            Missing::Unordered(node, key) => return Err(Interrupt::Diagnostic(self.unordered(node, key))),
            Missing::Demands(demands) => return Err(Interrupt::Demands(demands)),
            Missing::Connection(ends) => {
                let connection = self.connections.id(ends);
                self.components.id(Component::Connection(connection));
            }
            Missing::Channel { from, to } => self.add_channel(from, to),
            Missing::Rules { sender, receiver } => _ = self.add_rules(sender, receiver),
            Missing::Dispatch((link, datagram, (send, receive))) => {
                let after = self.links.get(link).dispatch(datagram.0, send, receive);
                self.tables.link_bytes += after.memory_bytes();
                let after = self.links.intern(&after);
                self.dispatched.insert((link, datagram, (send, receive)), after);
            }
            Missing::Regions(regions) => _ = self.regions.intern(&regions),
            Missing::Region { rules, perturbation } => self.rules[rules].rules.regions.push(perturbation),
            Missing::Arrivals { rules, link } => self.add_arrivals(rules, link),
            Missing::WithoutFaults { rules, link } => self.add_without_faults(rules, link),
            Missing::Rearmed { edge, before, after } => _ = self.rearmed.insert((edge, before), after),
            Missing::Event(event) => _ = self.events.add_single(event),
            Missing::Told(told) => _ = self.events.add(&told),
            Missing::Together(each) => _ = self.events.add_together(&each),
            Missing::Sighting(sighting) => self.monitors.add_sighting(&sighting),
            Missing::Watched(step) => self.watch_step(step)?,
            Missing::Marked(step) => self.mark_step(&step)?,
            Missing::Each(all) => all.into_iter().try_for_each(|missing| self.find_out(missing))?,
        }
        Ok(())
    }

    /// A program asks for an instant that is not one number.
    fn unreadable(&self, node: NodeId, key: OperationKey) -> Diagnostic {
        let (name, line) = self.learner.place_of(node, key);
        Diagnostic(format!(
            "{name} reads the time at {line}, but packets take any delay of an interval, and so the time there is no number\n  \
             list the delays that packets may have: `udp(delay = [5ms, 50ms])`; or wait by relative times \
             (`sleep`, `timeout`), which need no number"
        ))
    }

    /// The edge for an input. Learning it may show that the search must begin again.
    pub(crate) fn edge(&mut self, node: NodeId, input: Input) -> Result<EdgeId, Interrupt> {
        let id = self.learner.edge(node, input).map_err(|diagnostic| self.unlearned(diagnostic))?;
        self.look_at(id)
    }

    /// Whether the program refuses an input, which is learned. It may show that the search must begin again.
    pub(crate) fn is_refused(&mut self, node: NodeId, input: Input) -> Result<bool, Interrupt> {
        let edge = self.edge(node, input)?;
        Ok(self.learner.automata.edge(edge).is_refused())
    }

    /// The step of an edge up to the call that it begins with this number.
    pub(crate) fn attempt(&mut self, edge: EdgeId, number: u32) -> Result<EdgeId, Interrupt> {
        let id = self.learner.attempt(edge, number).map_err(|diagnostic| self.unlearned(diagnostic))?;
        self.look_at(id)
    }

    /// A step could not be learned. If two histories that differ in when they are were taken for one, they may differ in
    /// what the program makes of the number of an instant: then it is looked at with the time since the start.
    fn unlearned(&self, diagnostic: Diagnostic) -> Interrupt {
        if let Some(interrupt) = self.changed_statics() {
            return interrupt;
        }
        match self.modes.dating != Dating::Start && self.demands.clock {
            true => Interrupt::Demands(Demands { start: true, ..self.demands }),
            false => Interrupt::Diagnostic(diagnostic),
        }
    }

    /// The statics that a program has changed, where that ends the check.
    fn changed_statics(&self) -> Option<Interrupt> {
        if self.modes.statics != Statics::Unchanged {
            return None;
        }
        let changed = self.shared().changed_statics();
        (!changed.is_empty()).then_some(Interrupt::Statics(changed))
    }

    /// Notes what the search must know of an edge. It may show that the search must begin again.
    fn look_at(&mut self, id: EdgeId) -> Result<EdgeId, Interrupt> {
        if let Some(interrupt) = self.changed_statics() {
            return Err(interrupt);
        }
        self.add_units();
        let losses = self.look_at_edges()?;
        let edge = self.learner.automata.edge(id);
        let target = self.learner.automata.node(edge.target);
        let reads = |offer: &Offer| {
            matches!(offer.operation, Operation::Time(time::Operation::Clock { .. } | time::Operation::Deadline { .. }))
        };
        let resets_by_closing = |effect: &Effect| match effect {
            Effect::Tcp(tcp::Effect::Linger { stream, resets }) => *resets && stream.side == Side::Server,
            _ => false,
        };
        let reaches = |effect: &Effect| match effect {
            Effect::Time(time::Effect::Reach { ns }) => Some(*ns),
            _ => None,
        };
        let demands = Demands {
            clock: self.demands.clock
                || target.offers.iter().any(reads)
                || edge.effects.iter().any(|effect| matches!(effect, Effect::Time(time::Effect::ArmAt { .. }))),
            reach_ns: edge.effects.iter().filter_map(reaches).fold(self.demands.reach_ns, i64::max),
            start: self.demands.start
                || edge.effects.iter().any(|effect| matches!(effect, Effect::Time(time::Effect::Number))),
            lingers: self.demands.lingers || edge.effects.iter().any(resets_by_closing),
            ports: self.demands.ports,
            types: self.demands.types || self.needs_types(0),
            driver: self.demands.driver || depends_on_driver(&target.offers),
            losses,
            cuts: if self.demands.cuts == 0 { self.seers_of_cuts()? } else { self.demands.cuts },
            ..faults::regions::demands(self.demands, &edge.effects)
        };
        if demands != self.demands {
            return Err(Interrupt::Demands(demands));
        }
        Ok(id)
    }

    /// Whether there are so many local states, or states, that it is worth the time to read the types of what lies in memory.
    pub(crate) fn needs_types(&self, states: usize) -> bool {
        let Untyped { nodes: nodes_max, states: states_max } = self.modes.untyped_max;
        let are_many = self.learner.automata.nodes.len() > nodes_max || states > states_max;
        self.modes.remembers && are_many && netcheck_memory::types::are_known()
    }

    /// Adds the units that were spawned since the last call.
    fn add_units(&mut self) {
        for index in self.units.len()..self.shared().units() {
            let id = UnitId(index as u32);
            let info = self.shared().unit(id);
            let component = self.components.id(Component::Unit(id));
            self.units.push(Unit {
                component,
                process: info.process,
                is_task: info.parent.is_some(),
                number: info.number,
                crashes: info.crashes,
            });
            if info.parent.is_none() {
                self.processes[info.process.0 as usize].roots.push(id);
            }
        }
    }

    fn add_channel(&mut self, from: SocketId, to: SocketId) {
        let rules = self.add_rules(self.process_of(from.unit), self.process_of(to.unit));
        let channel = Channel { component: self.components.id(Component::Channel { from, to }), rules };
        self.channels.insert((from, to), channel);
        let inbox = self.inbox(to);
        self.inlets[inbox as usize].push(channel);
    }

    fn add_rules(&mut self, sender: ProcessId, receiver: ProcessId) -> usize {
        let rules = self.link_rules(sender, receiver);
        self.rules.iter().position(|known| known.rules.are_declared_as(&rules)).unwrap_or_else(|| {
            self.rules.push(Rules { rules, arrivals: Vec::new(), without_faults: AHashMap::new() });
            self.rules.len() - 1
        })
    }

    pub(super) fn inbox(&mut self, socket: SocketId) -> u32 {
        let next = self.inlets.len() as u32;
        let inbox = *self.inboxes.entry(socket).or_insert(next);
        if inbox == next {
            self.inlets.push(Vec::new());
            self.heads.push(None);
        }
        inbox
    }

    fn add_arrivals(&mut self, rules: usize, link: u32) {
        let Tables { rules: of_channels, links, link_bytes, events, .. } = &mut self.tables;
        let Rules { rules, arrivals, .. } = &mut of_channels[rules];
        if arrivals.len() <= link as usize {
            arrivals.resize_with(link as usize + 1, || None);
        }
        let state = links.get(link).clone();
        // The link after each arrival, and the events on the way there, which are about as many as its packets.
        *link_bytes += 2 * state.memory_bytes() * state.packets().count();
        let deliveries = state.deliveries(rules).into_iter().map(|delivery| Arrival {
            datagram: OutcomeId(delivery.packet),
            link: links.intern(&delivery.link),
            faults: delivery.faults,
            events: {
                let remaining = Remaining { write: 0, positions: delivery.remaining };
                events.add(&smallvec![Happened { write: 0, events: delivery.events, remaining: Some(remaining) }])
            },
        });
        let deliveries = deliveries.collect();
        let lose_in_flight = state.lose_in_flight(rules).map(|lost_in_flight| AllLost {
            faults: lost_in_flight.faults,
            events: events.add(&smallvec![Happened { write: 0, events: lost_in_flight.events, remaining: None }]),
        });
        arrivals[link as usize] = Some(Box::new(Arrivals { deliveries, lose_in_flight }));
    }

    fn add_without_faults(&mut self, rules: usize, link: u32) {
        let Tables { rules: of_channels, links, .. } = &mut self.tables;
        let Rules { rules, without_faults, .. } = &mut of_channels[rules];
        let left = links.get(link).without_faults(rules);
        without_faults.insert(link, WithoutFaults { link: links.intern(&left.link), remaining: left.remaining });
    }

    /// Collects what `state` offers. Steps that the program refuses are left out.
    pub(crate) fn enabled(&mut self, state: &[u32], enabled: &mut Enabled) -> Result<(), Interrupt> {
        self.ask(|view| view.enabled(state, enabled))
    }

    /// Writes the successor of `state` by `transition` to `next`.
    pub fn apply(&mut self, state: &[u32], transition: &Transition, next: &mut Vec<u32>) -> Result<(), Interrupt> {
        self.ask(|view| view.apply(state, transition, next))
    }

    /// The process of a unit that has panicked ends: the OS closes all that the process held.
    pub fn crash(&mut self, unit: UnitId, next: &mut Vec<u32>) {
        let before = next.clone();
        self.tell(|view| view.crash(unit, &before, next));
    }

    /// Sets the value that an observer of the search keeps.
    pub fn observe(&mut self, known: u32, next: &mut Vec<u32>) {
        self.components.id(Component::Observed).set(next, known);
        trim(next);
    }

    /// The mover of a step; `None` for a step of the network.
    pub(crate) fn mover(&self, transition: &Transition) -> Option<Mover> {
        self.view().mover(transition)
    }

    /// The live units, with their nodes.
    pub fn live_units<'a>(&'a self, state: &'a [u32]) -> impl Iterator<Item = (UnitId, NodeId)> + 'a {
        self.view().live_units(state)
    }
}

/// Whether it makes a difference to a unit with these offers of what tokio's driver has told: for a call beside others, and
/// for a receive that does not wait.
fn depends_on_driver(offers: &[Offer]) -> bool {
    use tcp::Operation::{Accept, Read, Ready};
    offers.iter().any(|offer| match offer.operation.itself() {
        Operation::Udp(udp::Operation::TryReceive { .. }) => true,
        Operation::Udp(udp::Operation::Receive { .. }) | Operation::Tcp(Accept { .. } | Read { .. } | Ready { .. }) => {
            offers.len() > 1 && !offer.is_called
        }
        _ => false,
    })
}
