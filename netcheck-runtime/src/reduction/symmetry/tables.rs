//! The images of components and values under a permutation, each worked out once.

use super::permutations::{Permutation, Permutations, Product, Swap};
use crate::id::{ConnectionId, NodeId, OutcomeId, UnitId};
use crate::operation::Side;
use crate::world::components::{Component, ComponentId, connection_dialed, dialed};
use crate::world::mailboxes::renaming::mailboxes;
use crate::world::renaming::{Map, Renaming};
use crate::world::system::{Asymmetry, Interrupt, System};
use std::cell::RefCell;
use std::rc::Rc;

/// The things that the values of a component stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing that names a process.
    Same,
    Node,
    Bindings,
    Link,
    StreamBindings,
    Mailboxes,
    Connection,
    /// An outcome, counted from 1.
    Head,
    /// A connection, counted from 1.
    Dialed,
}

impl Kind {
    const COUNT: usize = 9;

    fn of(component: Component) -> Kind {
        match component {
            Component::Unit(_) => Kind::Node,
            Component::Port(..) => Kind::Bindings,
            Component::Channel { .. } | Component::Astray { .. } | Component::Buffer(_) => Kind::Link,
            Component::Head(_) => Kind::Head,
            Component::StreamPort(..) => Kind::StreamBindings,
            Component::Mailboxes(_) => Kind::Mailboxes,
            Component::Connection(_) => Kind::Connection,
            Component::Dialed(_) => Kind::Dialed,
            Component::Handle(_)
            | Component::Hung(_)
            | Component::Waited(_)
            | Component::SocketFile(..)
            | Component::Storage(_)
            | Component::Timers(_)
            | Component::Clock
            | Component::Zone
            | Component::Reach
            | Component::Faults
            | Component::Turn
            | Component::Scope(_)
            | Component::Monitor(_)
            | Component::Observed => Kind::Same,
        }
    }
}

/// A number that is not known yet.
const UNKNOWN: u32 = u32::MAX;

/// Numbers by kind and value.
#[derive(Default)]
struct ByValue([Vec<u32>; Kind::COUNT]);

impl ByValue {
    fn get(&self, kind: Kind, value: u32) -> Option<u32> {
        self.0[kind as usize].get(value as usize).copied().filter(|&number| number != UNKNOWN)
    }

    fn set(&mut self, kind: Kind, value: u32, number: u32) {
        let numbers = &mut self.0[kind as usize];
        if numbers.len() <= value as usize {
            numbers.resize(value as usize + 1, UNKNOWN);
        }
        numbers[value as usize] = number;
    }

    fn memory_bytes(&self) -> usize {
        self.0.iter().map(|numbers| numbers.capacity() * size_of::<u32>()).sum()
    }
}

/// The images of all components and values under all permutations.
pub(super) struct Tables {
    permutations: usize,
    /// By component.
    kinds: Vec<Kind>,
    /// By permutation and component: its image, and the component whose image it is.
    pub components: Vec<Vec<u32>>,
    from: Vec<Vec<u32>>,
    /// By swap: the images of values.
    swapped: Vec<ByValue>,
    /// Rows with the images of one value under all permutations, and the row of each value.
    images: Vec<u32>,
    rows: ByValue,
    /// The value in the state that is looked at, or its row, by component.
    columns: Vec<Column>,
}

#[derive(Clone, Copy)]
enum Column {
    Value(u32),
    /// Where the row begins.
    Row(usize),
}

impl Tables {
    pub(super) fn new(permutations: &Permutations) -> Self {
        Tables {
            permutations: permutations.len(),
            kinds: Vec::new(),
            components: vec![Vec::new(); permutations.len()],
            from: vec![Vec::new(); permutations.len()],
            swapped: permutations.swaps().iter().map(|_| ByValue::default()).collect(),
            images: Vec::new(),
            rows: ByValue::default(),
            columns: Vec::new(),
        }
    }

    /// How many components are known.
    pub(super) fn components(&self) -> usize {
        self.kinds.len()
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let by_place = 2 * self.permutations * self.kinds.len();
        let by_value = self.swapped.iter().chain([&self.rows]).map(ByValue::memory_bytes).sum::<usize>();
        (by_place + self.images.capacity()) * size_of::<u32>() + by_value
    }

    /// From now on, [`Tables::at`] is about this state.
    pub(super) fn look_at(
        &mut self,
        system: &mut System,
        permutations: &Permutations,
        state: &[u32],
    ) -> Result<(), Interrupt> {
        self.columns.clear();
        for component in 0..self.kinds.len() {
            let (kind, value) = (self.kinds[component], ComponentId(component as u32).of(state));
            let column = match value == 0 || kind == Kind::Same {
                true => Column::Value(value),
                false => Column::Row(self.row(system, permutations, kind, value)?),
            };
            self.columns.push(column);
        }
        Ok(())
    }

    /// The value at a component of the permuted state.
    pub(super) fn at(&self, permutation: Permutation, component: usize) -> u32 {
        match self.columns[self.from[permutation.index()][component] as usize] {
            Column::Value(value) => value,
            Column::Row(row) => self.images[row + permutation.index()],
        }
    }

    /// Where the row of a value begins.
    fn row(
        &mut self,
        system: &mut System,
        permutations: &Permutations,
        kind: Kind,
        value: u32,
    ) -> Result<usize, Interrupt> {
        if let Some(row) = self.rows.get(kind, value) {
            return Ok(row as usize * self.permutations);
        }
        let begin = self.images.len();
        for permutation in permutations.all() {
            let image = match permutations.product(permutation) {
                Some(Product { swap, after }) => {
                    let value = self.images[begin + after.index()];
                    self.swapped(system, permutations, swap, kind, value)?
                }
                None => value,
            };
            self.images.push(image);
        }
        self.rows.set(kind, value, (begin / self.permutations) as u32);
        Ok(begin)
    }

    /// The image of a value under a swap.
    fn swapped(
        &mut self,
        system: &mut System,
        permutations: &Permutations,
        swap: Swap,
        kind: Kind,
        value: u32,
    ) -> Result<u32, Interrupt> {
        if value == 0 {
            return Ok(0);
        }
        if let Some(known) = self.swapped[swap.index].get(kind, value) {
            return Ok(known);
        }
        let map = permutations.map(swap.permutation);
        let image = swapped(system, map, kind, value).map_err(|doubt| doubtful(swap.pair, doubt))?;
        self.swapped[swap.index].set(kind, value, image);
        Ok(image)
    }

    /// The image of a node under a swap, if the likeness check has met it.
    pub(super) fn node(&self, swap: Swap, node: NodeId) -> Option<NodeId> {
        self.swapped[swap.index].get(Kind::Node, node.0).map(NodeId)
    }

    pub(super) fn set_node(&mut self, swap: Swap, node: NodeId, image: NodeId) {
        self.swapped[swap.index].set(Kind::Node, node.0, image.0);
    }

    /// Gives every component that is known by now an image.
    pub(super) fn add_places(&mut self, system: &mut System, permutations: &Permutations) -> Result<(), Interrupt> {
        while self.kinds.len() < system.components.len() {
            let (_, component) = system.components.iter().nth(self.kinds.len()).expect("it was counted");
            self.kinds.push(Kind::of(component));
            for swap in permutations.swaps() {
                let map = permutations.map(swap.permutation);
                let image = self::component(system, map, component).map_err(|doubt| doubtful(swap.pair, doubt))?;
                self.components[swap.permutation.index()].push(system.add_component(image).0);
            }
        }
        for permutation in permutations.all() {
            let known = self.from[permutation.index()].len();
            self.from[permutation.index()].resize(self.kinds.len(), UNKNOWN);
            for component in known..self.kinds.len() {
                let image = match permutations.product(permutation) {
                    None => component as u32,
                    Some(Product { swap, after }) => {
                        let after = self.components[after.index()][component];
                        self.components[swap.permutation.index()][after as usize]
                    }
                };
                if self.components[permutation.index()].len() <= component {
                    self.components[permutation.index()].push(image);
                }
                self.from[permutation.index()][image as usize] = component as u32;
            }
        }
        Ok(())
    }
}

/// The interrupt for a doubt about an image under a swap.
pub(super) fn doubtful(pair: [UnitId; 2], doubt: &str) -> Interrupt {
    Interrupt::Asymmetry(Asymmetry { between: Some(pair), reason: doubt.to_owned() })
}

/// The image of a component.
fn component(system: &mut System, map: &Map, component: Component) -> Result<Component, &'static str> {
    match component {
        Component::Connection(id) => connection(system, map, id).map(Component::Connection),
        component => {
            let renaming = Renaming::new(system.shared(), map);
            renaming.sure(renaming.component(component))
        }
    }
}

/// The image of a connection.
fn connection(system: &mut System, map: &Map, id: ConnectionId) -> Result<ConnectionId, &'static str> {
    let ends = [Side::Client, Side::Server].map(|side| system.connections.end(id, side));
    let renaming = Renaming::new(system.shared(), map);
    let ends = renaming.sure(renaming.ends(ends))?;
    Ok(system.tell(|view| view.connection(ends)).connection)
}

/// The image of an outcome.
pub(super) fn outcome(system: &mut System, map: &Map, id: OutcomeId) -> Result<OutcomeId, &'static str> {
    let shared = Rc::clone(system.shared());
    let renaming = Renaming::new(&shared, map);
    let renamed = renaming.sure(renaming.outcome(system.learner.automata.outcome(id)))?;
    Ok(system.learner.automata.intern(&renamed))
}

/// The image of a value.
fn swapped(system: &mut System, map: &Map, kind: Kind, value: u32) -> Result<u32, &'static str> {
    let shared = Rc::clone(system.shared());
    let renaming = Renaming::new(&shared, map);
    match kind {
        Kind::Same => Ok(value),
        Kind::Node => unreachable!("nodes are looked at as soon as they are learned"),
        Kind::Bindings => {
            let bindings = renaming.bindings(system.ports.get(value));
            renaming.sure(()).map(|()| system.ports.intern(&bindings))
        }
        Kind::Link => {
            let link = system.links.get(value).clone();
            let doubt = RefCell::new(Ok(()));
            let packets = RefCell::new(&mut *system);
            let renamed = link.renumbered(|packet| {
                let image = outcome(&mut packets.borrow_mut(), map, OutcomeId(packet));
                image.map_or_else(|why| (packet, *doubt.borrow_mut() = Err(why)).0, |image| image.0)
            });
            doubt.into_inner().map(|()| system.links.intern(&renamed))
        }
        Kind::StreamBindings => {
            let bindings = system.stream_ports.get(value).clone();
            let mut doubt = Ok(());
            let renamed = renaming.stream_bindings(&bindings, |id| {
                let image = connection(system, map, ConnectionId(id));
                image.map_or_else(|why| (id, doubt = Err(why)).0, |image| image.0)
            });
            doubt.and(renaming.sure(())).map(|()| system.stream_ports.intern(&renamed))
        }
        Kind::Mailboxes => {
            let all = system.mailboxes.get(value).clone();
            let mut doubt = Ok(());
            let renamed = mailboxes(&renaming, &all, |datagram| {
                let image = outcome(system, map, OutcomeId(datagram));
                image.map_or_else(|why| (datagram, doubt = Err(why)).0, |image| image.0)
            });
            doubt.and(renaming.sure(())).map(|()| system.mailboxes.intern(&renamed))
        }
        Kind::Connection => {
            let held = renaming.held(system.held.get(value));
            renaming.sure(()).map(|()| system.held.intern(&held))
        }
        Kind::Head => outcome(system, map, OutcomeId(value - 1)).map(|image| image.0 + 1),
        Kind::Dialed => match connection_dialed(value) {
            Some(made) => connection(system, map, made).map(dialed),
            None => Ok(value),
        },
    }
}
