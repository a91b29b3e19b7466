//! What a unit's steps do to components, and what they mind others doing.
//!
//! A step `t` of one unit has to be explored together with another unit's step `u` if `u`
//! *does* something that `t` *minds*: if `u` first could make `t` impossible, possible in
//! more ways, or lead elsewhere. The relation is not symmetric: a send minds nobody
//! receiving, because a datagram that is there earlier can still be received later (late
//! choice), but a receive minds somebody sending.

use super::bits::Bits;
use crate::id::{NodeId, ProcessId, SocketId, UnitId};
use crate::operation::Effect;
use crate::state::place::{Place, PlaceId};
use crate::state::system::{Action, System};
use crate::unit::automaton::{EdgeId, NodeKind};
use ahash::AHashMap;

/// What can be touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Resource {
    /// Who is bound to a port changes.
    Bound(PlaceId),
    /// Somebody looks who is bound to a port.
    Routed(PlaceId),
    /// A socket of the process may be bound.
    Binding(ProcessId),
    /// A socket of the process may be closed.
    Releasing(ProcessId),
    /// A datagram is added for a port.
    Appended(PlaceId),
    /// A datagram for a port is taken.
    Taken(PlaceId),
    /// A datagram leaves a socket: the order matters.
    Dispatched(SocketId),
    /// A process has first waited.
    Waited(UnitId),
    /// A unit ends.
    Ended(UnitId),
    /// A unit is ended by another one.
    Killed(UnitId),
    /// The isolated tasks of a process are ended with it.
    KilledWith(ProcessId),
    /// A unit moves.
    Alive(UnitId),
    /// An isolated task of a process moves.
    AliveIn(ProcessId),
    /// The fault budget is used.
    Budget,
    /// The time since the start passes.
    Clock,
    /// A fault region is entered or left.
    Scoped(ProcessId),
    /// A datagram is sent by or to a process with fault regions.
    InScope(ProcessId),
    /// A unit uses timers.
    Timed(UnitId),
}

/// What is known of one node.
#[derive(Clone, Default)]
pub(crate) struct Footprint {
    /// What the steps that leave the node do and mind.
    pub(crate) does: Bits,
    pub(crate) minds: Bits,
    /// What they and all that can follow them do and mind.
    pub(crate) future_does: Bits,
    pub(crate) future_minds: Bits,
    /// Whether a choice has relied on it.
    consulted: bool,
}

/// The footprints of all nodes, kept up with the automata.
#[derive(Default)]
pub(crate) struct Footprints {
    resources: AHashMap<Resource, u32>,
    nodes: Vec<Footprint>,
    edges: usize,
    /// The node whose step spawned a root.
    spawner: AHashMap<NodeId, NodeId>,
    /// Resources of ending, joining and aborting.
    lifecycle: Bits,
    grew: bool,
}

impl Footprints {
    /// Whether a footprint has grown that a choice had relied on; asking forgets it.
    pub(crate) fn grew(&mut self) -> bool {
        std::mem::take(&mut self.grew)
    }

    pub(crate) fn lifecycle(&self) -> &Bits {
        &self.lifecycle
    }

    /// A node's footprint, which the caller relies on.
    pub(crate) fn consult(&mut self, node: NodeId) -> &Footprint {
        let footprint = &mut self.nodes[node.index()];
        footprint.consulted = true;
        footprint
    }

    pub(crate) fn get(&self, node: NodeId) -> &Footprint {
        &self.nodes[node.index()]
    }

    /// The resource number of a unit's timers.
    pub(crate) fn timed(&mut self, unit: UnitId) -> u32 {
        self.bit(Resource::Timed(unit))
    }

    /// Whether `parent` waits for, or can end, `child`.
    pub(crate) fn is_lifecycle_parent(&mut self, parent: NodeId, child: UnitId, process: ProcessId) -> bool {
        let bits = [Resource::Ended(child), Resource::Killed(child), Resource::KilledWith(process)];
        let [ended, killed, with] = bits.map(|resource| self.bit(resource));
        let footprint = self.get(parent);
        footprint.future_minds.contains(ended)
            || footprint.future_does.contains(killed)
            || footprint.future_does.contains(with)
    }

    fn bit(&mut self, resource: Resource) -> u32 {
        let next = self.resources.len() as u32;
        let bit = *self.resources.entry(resource).or_insert(next);
        if bit == next
            && matches!(
                resource,
                Resource::Ended(_)
                    | Resource::Killed(_)
                    | Resource::KilledWith(_)
                    | Resource::Alive(_)
                    | Resource::AliveIn(_)
            )
        {
            self.lifecycle.insert(bit);
        }
        bit
    }

    /// Takes in what was learned since the last time.
    pub(crate) fn update(&mut self, system: &mut System) {
        for index in self.nodes.len()..system.learner.automata.nodes.len() {
            let footprint = self.node(system, NodeId(index as u32));
            self.nodes.push(footprint);
        }
        while self.edges < system.learner.automata.edges.len() {
            self.edge(system, EdgeId(self.edges as u32));
            self.edges += 1;
        }
    }

    /// The footprint of a node's menu.
    fn node(&mut self, system: &mut System, node: NodeId) -> Footprint {
        let mut touches = Touches::default();
        if system.learner.automata.node(node).kind != NodeKind::Live {
            return Footprint::default();
        }
        let unit = system.learner.automata.node(node).unit;
        let info = system.shared().unit(unit);
        if !system.learner.automata.node(node).waited {
            touches.does(Resource::Waited(unit));
        }
        if info.parent.is_some() {
            touches.does(Resource::Alive(unit)).does(Resource::AliveIn(info.process));
            touches.minds(Resource::Killed(unit)).minds(Resource::KilledWith(info.process));
        }
        for offer in &*system.menu(node) {
            action(system, unit, &offer.action, &mut touches);
        }
        let mut footprint = Footprint::default();
        self.add(&mut footprint, &touches);
        footprint
    }

    fn add(&mut self, footprint: &mut Footprint, touches: &Touches) -> bool {
        let mut does = Bits::default();
        let mut minds = Bits::default();
        for &resource in &touches.does {
            does.insert(self.bit(resource));
        }
        for &resource in &touches.minds {
            minds.insert(self.bit(resource));
        }
        // Not short-circuited: all four have to grow.
        footprint.does.union_with(&does)
            | footprint.minds.union_with(&minds)
            | footprint.future_does.union_with(&does)
            | footprint.future_minds.union_with(&minds)
    }

    /// Adds an edge's effects to its source, and what can follow it to all that lead there.
    fn edge(&mut self, system: &mut System, edge: EdgeId) {
        let edge = system.learner.automata.edge(edge);
        let (source, target, roots) = (edge.source, edge.target, edge.roots.clone());
        let unit = system.learner.automata.node(source).unit;
        let process = system.shared().process_of(unit);
        let mut touches = Touches::default();
        for effect in &edge.effects {
            match effect {
                Effect::Arm { .. } | Effect::ArmAt { .. } | Effect::Rearm { .. } => {
                    touches.does(Resource::Timed(unit));
                }
                Effect::Close { .. } => {
                    touches.does(Resource::Releasing(process)).minds(Resource::Binding(process));
                }
                Effect::Abort { child } => {
                    touches.does(Resource::Killed(*child)).minds(Resource::Alive(*child));
                }
                Effect::Scope { .. } => {
                    touches.does(Resource::Scoped(process)).minds(Resource::InScope(process));
                }
                Effect::Disarm { .. } | Effect::Spawn { .. } | Effect::Detach { .. } => {}
            }
        }
        if matches!(system.learner.automata.node(target).kind, NodeKind::Ended { .. }) {
            touches.does(Resource::Ended(unit));
            touches.does(Resource::Releasing(process)).minds(Resource::Binding(process));
            if system.shared().unit(unit).parent.is_none() {
                touches.does(Resource::KilledWith(process)).minds(Resource::AliveIn(process));
            }
        }
        let mut footprint = std::mem::take(&mut self.nodes[source.index()]);
        let mut grew = self.add(&mut footprint, &touches);
        for next in std::iter::once(target).chain(roots.iter().map(|&(_, root)| root)) {
            let following = if next == source { continue } else { &self.nodes[next.index()] };
            grew |= footprint.future_does.union_with(&following.future_does)
                | footprint.future_minds.union_with(&following.future_minds);
        }
        self.grew |= grew && footprint.consulted;
        self.nodes[source.index()] = footprint;
        for (_, root) in roots {
            self.spawner.insert(root, source);
        }
        if grew {
            self.propagate(system, source);
        }
    }

    /// What can happen after a node can happen after all that lead to it.
    fn propagate(&mut self, system: &System, mut node: NodeId) {
        loop {
            let from = system.learner.automata.node(node).from.map(|(from, _)| from);
            let Some(before) = from.or_else(|| self.spawner.get(&node).copied()) else { return };
            let following = self.nodes[node.index()].clone();
            let footprint = &mut self.nodes[before.index()];
            let grew = footprint.future_does.union_with(&following.future_does)
                | footprint.future_minds.union_with(&following.future_minds);
            if !grew {
                return;
            }
            self.grew |= footprint.consulted;
            node = before;
        }
    }
}

/// Resources that something does and minds.
#[derive(Default)]
struct Touches {
    does: Vec<Resource>,
    minds: Vec<Resource>,
}

impl Touches {
    fn does(&mut self, resource: Resource) -> &mut Self {
        self.does.push(resource);
        self
    }

    fn minds(&mut self, resource: Resource) -> &mut Self {
        self.minds.push(resource);
        self
    }
}

fn action(system: &mut System, unit: UnitId, action: &Action, touches: &mut Touches) {
    let process = system.shared().process_of(unit);
    let mut port = |process: ProcessId, port: u16| system.places.id(Place::Port(process, port));
    match action {
        Action::Run | Action::Choose { .. } | Action::Select { .. } => {}
        Action::Start { .. } => {
            if system.shared().unit(unit).parent.is_none() {
                for before in system.processes[process.0 as usize].after.clone() {
                    touches.minds(Resource::Waited(UnitId(before.0)));
                }
            }
        }
        Action::Bind { address, .. } => {
            // An ephemeral port is one of the unit's own.
            if address.port() != 0 {
                let port = port(process, address.port());
                touches.does(Resource::Bound(port)).minds(Resource::Bound(port)).minds(Resource::Routed(port));
            }
            touches.does(Resource::Binding(process)).minds(Resource::Releasing(process));
        }
        Action::Connect { local, .. } => {
            let port = port(process, local.port());
            touches.does(Resource::Bound(port)).minds(Resource::Bound(port)).minds(Resource::Routed(port));
        }
        Action::Send { socket, host, port, .. } => {
            touches.does(Resource::Dispatched(*socket)).minds(Resource::Dispatched(*socket));
            if let (Some(host), Some(port)) = (host, port) {
                touches.does(Resource::Routed(*port)).does(Resource::Appended(*port)).minds(Resource::Bound(*port));
                if system.demands.scope {
                    for process in [process, *host] {
                        touches.does(Resource::InScope(process)).minds(Resource::Scoped(process));
                    }
                }
            }
        }
        Action::Receive { socket, port: number, .. } => {
            let port = port(system.learner.shared.process_of(socket.unit), *number);
            touches.does(Resource::Taken(port)).minds(Resource::Taken(port)).minds(Resource::Appended(port));
            if system.is_limited() && system.declared.udp.is_some() {
                touches.does(Resource::Budget).minds(Resource::Budget);
            }
        }
        Action::Timer { .. } => {
            touches.does(Resource::Timed(unit));
            // With delays time passes for everybody while packets are in flight: a timer can be
            // due, and not yet taken, because of another's.
            if system.demands.clock || system.has_delay() {
                touches.does(Resource::Clock).minds(Resource::Clock);
            }
        }
        Action::Clock | Action::Deadline { .. } => {
            touches.minds(Resource::Clock);
        }
        Action::Join { unit: child, .. } | Action::IsEnded { unit: child, .. } => {
            touches.minds(Resource::Ended(*child)).minds(Resource::Killed(*child));
        }
    }
}
