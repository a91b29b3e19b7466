//! Whether the programs are as like as they seem: a swap of two processes has to map each learned edge to an edge that
//! is learned too.
//!
//! Every learned edge of every process is compared with its image: an edge of a server shows whether the server tells
//! its clients apart. An image that is not known yet is learned, which runs user code.

use super::classes::Classes;
use super::permutations::{Permutations, Swap};
use super::tables::{Tables, doubtful, outcome};
use crate::id::{NodeId, ProcessId, UnitId};
use crate::operation::{Effect, Input, Offer, Operation, OperationKey, Outcome};
use crate::unit::automaton::{Edge, EdgeId, NodeKind};
use crate::unit::shared::Shared;
use crate::unit::wording;
use crate::world::host::ephemeral::{self, Owner};
use crate::world::renaming::{Map, Renaming};
use crate::world::system::{Asymmetry, Interrupt, LikeTasks, System};
use crate::world::{tasks, tcp, udp};
use std::rc::Rc;

/// The edges that were compared, each with its images.
pub(super) struct Likeness {
    /// By edge, by swap.
    images: Vec<Vec<EdgeId>>,
    /// Isolated tasks that were seen to be spawned together.
    seen: Vec<LikeTasks>,
    /// Processes that are like others: their tasks are exchanged with them.
    exchanged: Vec<ProcessId>,
}

/// How far a swap maps the programs to each other.
struct Comparison<'a> {
    tables: &'a mut Tables,
    swap: Swap,
    map: &'a Map,
}

impl Likeness {
    pub(super) fn new(classes: &Classes) -> Self {
        let exchanged = classes.classes.iter().flatten().copied().collect();
        Likeness { images: Vec::new(), seen: classes.seen.clone(), exchanged }
    }

    /// How many edges were compared.
    pub(super) fn edges(&self) -> usize {
        self.images.len()
    }

    /// The images of an edge under the swaps.
    pub(super) fn images(&self, edge: EdgeId) -> &[EdgeId] {
        self.images.get(edge.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// Nothing was learned yet: roots become roots.
    pub(super) fn begin(permutations: &Permutations, tables: &mut Tables, roots: &[NodeId]) {
        for &swap in permutations.swaps() {
            let map = permutations.map(swap.permutation);
            for (process, &root) in (0u32..).map(ProcessId).zip(roots) {
                tables.set_node(swap, root, roots[map.process(process).0 as usize]);
            }
            for node in [NodeId::PARKED, NodeId::GONE, NodeId::PARKED_IN_ACCEPT, NodeId::ELSEWHERE] {
                tables.set_node(swap, node, node);
            }
        }
    }

    /// Compares all that was learned with its images, and learns the images that are missing.
    pub(super) fn compare(
        &mut self,
        system: &mut System,
        permutations: &Permutations,
        tables: &mut Tables,
    ) -> Result<(), Interrupt> {
        while self.images.len() < system.learner.automata.edges.len() {
            let edge = EdgeId(self.images.len() as u32);
            if let Some(tasks) = self.like_tasks(system, edge) {
                return Err(Interrupt::Likeness(tasks));
            }
            let mut images = Vec::with_capacity(permutations.swaps().len());
            for &swap in permutations.swaps() {
                let mut comparison = Comparison { tables, swap, map: permutations.map(swap.permutation) };
                images.push(comparison.edge(system, edge)?);
            }
            self.images.push(images);
        }
        Ok(())
    }

    /// Isolated tasks of one name that an edge of a process which has not crashed spawns and that were not compared yet: they may be
    /// alike.
    fn like_tasks(&self, system: &System, edge: EdgeId) -> Option<LikeTasks> {
        let shared = system.shared();
        let Edge { roots, .. } = system.learner.automata.edge(edge);
        let named = roots.iter().filter_map(|&(unit, _)| {
            let info = shared.unit(unit);
            let parent = info.parent.map(|parent| shared.unit(parent));
            let of_process = parent.is_some_and(|parent| parent.parent.is_none() && parent.crashes == 0);
            info.ordinal.filter(|_| of_process).map(|(name, index)| (info.process, name, index))
        });
        let named: Vec<_> = named.filter(|(of, ..)| !self.exchanged.contains(of)).collect();
        let each = named.iter().map(|&(of, name, _)| {
            let alike = named.iter().filter(|(_, other, _)| *other == name);
            LikeTasks { of, name, indices: alike.map(|&(_, _, index)| index).collect() }
        });
        let mut several = each.filter(|tasks| tasks.indices.len() > 1);
        several.find(|tasks| !self.seen.contains(tasks))
    }
}

impl Comparison<'_> {
    /// The image of an edge, if it is like it.
    fn edge(&mut self, system: &mut System, edge: EdgeId) -> Result<EdgeId, Interrupt> {
        let image = match system.learner.automata.attempted(edge) {
            Some((whole, number)) => {
                let whole = self.edge(system, whole)?;
                system.attempt(whole, number)?
            }
            None => self.edge_of_input(system, edge)?,
        };
        let (of, other) = (system.learner.automata.edge(edge), system.learner.automata.edge(image));
        let shared = Rc::clone(system.shared());
        let renaming = Renaming::new(&shared, self.map);
        let effects: Vec<_> = of.effects.iter().map(|effect| renaming.effect(effect)).collect();
        let roots: Vec<_> = of.roots.iter().map(|&(unit, root)| (renaming.unit(unit), root)).collect();
        renaming.sure(()).map_err(|doubt| doubtful(self.swap.pair, doubt))?;
        let (target, other_target) = (of.target, other.target);
        let root_of = |unit: UnitId| other.roots.iter().find(|(other, _)| *other == unit).map(|(_, root)| *root);
        let pairs: Option<Vec<_>> = roots.iter().map(|&(unit, root)| Some((root, root_of(unit)?))).collect();
        let pairs = pairs.filter(|pairs| {
            pairs.len() == other.roots.len()
                && of.is_refused() == other.is_refused()
                && are_same(&effects, &other.effects)
        });
        let Some(pairs) = pairs else {
            return Err(self.differ(system, edge, "does something else with its sockets, timers or tasks"));
        };
        for (root, other) in pairs {
            self.node(system, edge, root, other)?;
        }
        if target != NodeId::ABSENT {
            self.node(system, edge, target, other_target)?;
        }
        Ok(image)
    }

    /// The edge that leaves the image of an edge's source for the image of its input.
    fn edge_of_input(&self, system: &mut System, edge: EdgeId) -> Result<EdgeId, Interrupt> {
        let Edge { source, input, .. } = *system.learner.automata.edge(edge);
        self.has_own_port(system, source, input)?;
        let image = self.tables.node(self.swap, source).expect("a node is met before what leaves it");
        let answer = outcome(system, self.map, input.outcome).map_err(|doubt| doubtful(self.swap.pair, doubt))?;
        let key = self.key(system, (source, image), input)?;
        system.edge(image, Input { key, outcome: answer })
    }

    /// The operation that an input's operation becomes, in the image of a node.
    fn key(&self, system: &System, (node, image): (NodeId, NodeId), input: Input) -> Result<OperationKey, Interrupt> {
        let automata = &system.learner.automata;
        let Some(offer) = automata.node(node).offer(input) else { return Ok(input.key) };
        let renaming = Renaming::new(system.shared(), self.map);
        let offers = &automata.node(image).offers;
        let offer = renamed(&renaming, offer, offers);
        let offer = renaming.sure(offer).map_err(|doubt| doubtful(self.swap.pair, doubt))?;
        Ok(offers.iter().find(|other| stands_for(other, &offer)).map_or(input.key, |other| other.key))
    }

    /// A socket that asks for any port has to be given one that it prefers: only preferred ports are known to have
    /// preferred ports as images.
    fn has_own_port(&self, system: &System, source: NodeId, input: Input) -> Result<(), Interrupt> {
        let Some(offer) = system.learner.automata.node(source).offer(input) else { return Ok(()) };
        let (socket, asked) = match offer.operation.itself() {
            Operation::Udp(udp::Operation::Bind { socket, address })
            | Operation::Tcp(tcp::Operation::BindStream { socket, address, .. })
            | Operation::Tcp(tcp::Operation::Listen { socket, address, .. }) => (*socket, Some(*address)),
            Operation::Tcp(tcp::Operation::Open { socket, local, .. }) => (*socket, *local),
            _ => return Ok(()),
        };
        let (&Outcome::Bound(got) | &Outcome::Connected { local: got }) =
            system.learner.automata.outcome(input.outcome)
        else {
            return Ok(());
        };
        let is_free = asked.is_none_or(|asked| asked.port() == 0);
        let is_own = matches!(ephemeral::owner(system.shared(), got.port()), Owner::Unit(unit) if unit == socket.unit);
        if is_free && !is_own {
            return Err(doubtful(self.swap.pair, "a process has so many ports that it is given those of others"));
        }
        Ok(())
    }

    /// From now on, `other` is the image of a node that an edge leads to, if it is like it.
    fn node(&mut self, system: &System, edge: EdgeId, node: NodeId, other: NodeId) -> Result<(), Interrupt> {
        let known = self.tables.node(self.swap, node);
        let back = self.tables.node(self.swap, other);
        if known == Some(other) {
            return Ok(());
        }
        let difference = self.difference(system, node, other).map_err(|doubt| doubtful(self.swap.pair, doubt))?;
        if let Some(how) = difference {
            return Err(self.differ(system, edge, &how));
        }
        if known.is_some() || back.is_some_and(|back| back != node) {
            return Err(self.differ(system, edge, "has not forgotten the same"));
        }
        self.tables.set_node(self.swap, node, other);
        self.tables.set_node(self.swap, other, node);
        Ok(())
    }

    /// How two local states differ, if they do.
    fn difference(&self, system: &System, node: NodeId, other: NodeId) -> Result<Option<String>, &'static str> {
        let shared = system.shared();
        let (node, other) = (system.learner.automata.node(node), system.learner.automata.node(other));
        let text = |output: u32| shared.output(output).text;
        match (&node.kind, &other.kind) {
            (NodeKind::Live, NodeKind::Live) => {}
            (kind, other) if kind == other => return Ok(None),
            (NodeKind::Ended { output: expected }, NodeKind::Ended { output }) => {
                return Ok(Some(format!("ends with {} and not with {}", text(*output), text(*expected))));
            }
            (_, NodeKind::Ended { output }) => return Ok(Some(format!("ends with {}", text(*output)))),
            (_, NodeKind::Panicked(panic)) => {
                return Ok(Some(format!("panics at {}: {}", panic.location, panic.message)));
            }
            (_, _) => return Ok(Some("goes on".to_owned())),
        }
        let renaming = Renaming::new(shared, self.map);
        let renamed: Vec<Offer> = node.offers.iter().map(|offer| renamed(&renaming, offer, &other.offers)).collect();
        let unit = renaming.sure(renaming.unit(node.unit))?;
        if !have_same(&renamed, &other.offers) {
            return Ok(Some(in_words(shared, &renamed, &other.offers)));
        }
        let is_same = unit == other.unit && node.waited == other.waited;
        Ok((!is_same).then(|| "has not waited in the same way".to_owned()))
    }

    /// An edge is not like its image.
    fn differ(&self, system: &System, edge: EdgeId, how: &str) -> Interrupt {
        let shared = system.shared();
        let automata = &system.learner.automata;
        let Edge { source, input, .. } = *automata.edge(edge);
        let of = automata.node(source).unit;
        let name = |unit: UnitId| shared.unit(unit).name;
        let [a, b] = self.swap.pair.map(name);
        // A unit that moves with its process is named by that process.
        let exchanged = |&unit: &UnitId| self.swap.pair.contains(&unit);
        let of = std::iter::successors(Some(of), |&unit| shared.unit(unit).parent).find(exchanged);
        let of = of.unwrap_or_else(|| UnitId(shared.process_of(automata.node(source).unit).0));
        let image = Renaming::new(shared, self.map).unit(of);
        let (who, exchanged) = match image == of {
            true => (format!("\"{}\" tells \"{a}\" and \"{b}\" apart", name(of)), true),
            false => (format!("\"{}\" is not like \"{}\"", name(image), name(of)), false),
        };
        let step = automata.node(source).offer(input).map_or_else(String::new, |offer| {
            let outcome = wording::outcome(automata.outcome(input.outcome), shared);
            let operation = wording::operation_of(&offer.operation, shared);
            format!("after {operation} at {} -> {outcome}", wording::line(offer, shared))
        });
        let exchanged = if exchanged { ", with them exchanged" } else { "" };
        let reason = format!("{who}: {step}{exchanged}, it {how}");
        Interrupt::Asymmetry(Asymmetry { between: Some(self.swap.pair), reason })
    }
}

/// The offer that an offer's image has to be. The source line at which a program is registered makes no difference.
fn renamed(renaming: &Renaming<'_>, offer: &Offer, others: &[Offer]) -> Offer {
    let operation = renaming.operation(&offer.operation);
    let starts = |other: &&Offer| {
        matches!(operation, Operation::Tasks(tasks::Operation::Start | tasks::Operation::Restart))
            && other.operation == operation
    };
    let location = others.iter().find(starts).map_or(offer.location, |other| other.location);
    Offer { operation, location, ..offer.clone() }
}

/// Whether an offer of an image is the image of an offer. A unit that waits for several tasks may have them in another
/// order.
fn stands_for(other: &Offer, offer: &Offer) -> bool {
    match offer.operation {
        Operation::Tasks(tasks::Operation::Join { .. }) | Operation::Tasks(tasks::Operation::IsEnded { .. }) => {
            *other == Offer { key: other.key, execution: other.execution, ..offer.clone() }
        }
        _ => other == offer,
    }
}

/// Whether each offer stands for one, and for another one each.
fn have_same(offers: &[Offer], others: &[Offer]) -> bool {
    let count = |offer: &Offer, of: &[Offer]| of.iter().filter(|other| stands_for(other, offer)).count();
    offers.len() == others.len() && offers.iter().all(|offer| count(offer, others) == 1 && count(offer, offers) == 1)
}

/// Whether effects are the same, but for the order in which tasks are spawned and let go: the effects on different
/// tasks touch nothing in common but sockets that each of the tasks comes to hold.
fn are_same(effects: &[Effect], others: &[Effect]) -> bool {
    let of_task = |effect: &Effect| match effect {
        Effect::Tasks(tasks::Effect::Spawn { child, .. }) | Effect::Tasks(tasks::Effect::Detach { child }) => {
            Some(*child)
        }
        _ => None,
    };
    let sorted = |effects: &[Effect]| {
        let mut of_tasks: Vec<Effect> = effects.iter().filter(|effect| of_task(effect).is_some()).cloned().collect();
        of_tasks.sort_by_key(of_task);
        of_tasks
    };
    let shape = |effect: &Effect| if of_task(effect).is_some() { None } else { Some(effect.clone()) };
    let (shape_of, shape_of_others) = (effects.iter().map(shape), others.iter().map(shape));
    shape_of.eq(shape_of_others) && sorted(effects) == sorted(others)
}

/// The first operation in which two lists of offers differ.
fn in_words(shared: &Shared, expected: &[Offer], seen: &[Offer]) -> String {
    let menu = |offers: &[Offer], others: &[Offer]| {
        let first = offers.iter().find(|offer| !others.contains(offer));
        first.map_or_else(|| "nothing more".to_owned(), |offer| wording::menu(std::slice::from_ref(offer), shared))
    };
    format!("asks for {} and not for {}", menu(seen, expected), menu(expected, seen))
}
