//! Symmetry: states that differ only by a permutation of like processes, or of like tasks of one process.
//!
//! Processes that run the same program are told apart by nothing but their names. So a permutation π of them maps
//! each execution to an execution, and of all states that the permutations make of one, the *orbit*, one is enough:
//! the least vector (C. Ip, D. Dill, "Better verification through symmetry", 1996; E. Clarke, R. Enders, T. Filkorn,
//! S. Jha, "Exploiting symmetry in temporal logic model checking", 1996).
//!
//! - [`classes`]: which processes may be alike; [`permutations`]: the ways to exchange them;
//! - [`tables`]: the images of components and values under a permutation, worked out once, by
//!   [`renaming`](crate::world::renaming);
//! - [`likeness`]: whether the programs are as like as they seem;
//! - `unfold`: an execution through the states that stand for others, as one that happens.
//!
//! # Why it is sound
//!
//! Two processes that are registered with one function may differ in the values that it has captured. So their
//! likeness is not believed but observed: π maps an input (an offered operation and its outcome) to the same one with
//! other addresses, units and sockets, and a node of an automaton to where its renamed history leads. Whenever an edge
//! has been learned, of any unit, each swap of neighbours in a class is applied to it: the image has to be an edge with
//! the renamed effects, to a node with the renamed offers and the same end, and no two nodes have the same image. An
//! image that is not known yet is learned, so that the automata that are known are closed under all permutations, of
//! which the swaps are the generators; they map nodes one to one, and `enabled` and `apply` look only at data that is
//! renamed with them. Then t leads from s to s' exactly if πt leads from πs to πs', by induction over a whole
//! execution. Where a difference is met, nothing has been claimed yet: the search begins again and tells the two apart.
//! All edges that lead to a state were compared before the state is expanded, so that an edge that is learned for an
//! image also occurs in an execution: no program is given an input that no execution gives it.
//!
//! Data that programs derive from a name by themselves (bytes, texts, values that are hashed at a loop head) is not
//! renamed. If it matters, the images differ: a client that sends its own address, or ends with it, is unlike the
//! others, and so are clients of a server that answers in the order of their addresses.
//!
//! *Isolated tasks* are exchanged in the same way, if their process spawned them in one step under one name, and is
//! like no other (otherwise they move with it). They are unknown until that step is learned: then the search begins
//! again, and it is the first step of which the images are compared. Its effects have to be the same up to the order of
//! the spawns, which touch nothing in common but sockets that all of them come to hold. A unit that waits for several
//! of them has offers that a swap maps to themselves, if in another order: an operation becomes the one that waits for
//! the image of its task. A unit that waits for one after the other is not symmetric: it goes on when the first has
//! ended, and not when another one has.
//!
//! - *Stubborn sets*: one that is chosen in a state c stands for its image by π in πc. The image is stubborn there,
//!   because stubbornness depends only on footprints, and these are read off automata that are closed under π. So the
//!   states that are met stand for those of a reduced graph of the full space (E. Emerson, S. Jha, D. Peled, "Combining
//!   partial order and symmetry reductions", 1997). Some choices differ from those without symmetry; that does not
//!   matter. The proviso looks at the states that stand for orbits, as they are expanded: a step that is put off in a
//!   state is put off, as its image, in the state that stands for the next one, so that its chain of states goes on there.
//! - *Subsumption*: if a visited state covers another state, its images cover the images of that state.
//! - *Properties*: panics and deadlocks are properties of every process. `finally` may name one: it is asked about the
//!   whole orbit of an end. A violation is shown by an execution that really happens (`unfold`), and it is judged once
//!   more there, so that it names the right processes.
//!
//! # What is in doubt
//!
//! Ephemeral ports are identified by units: a port that a unit's sockets prefer becomes the one of its image. A program
//! that names such a port by itself, has so many sockets that they are given those of others, or isolated tasks that
//! are met in another order than those of its image, is unlike all others. Tracked tasks (`tasks = tracked`) are left
//! out altogether: their local states are identified by traces, which are not renamed.

mod classes;
mod likeness;
mod permutations;
mod tables;
mod unfold;

pub use classes::{Classes, Known};
pub(crate) use permutations::Permutation;

use crate::id::{NodeId, ProcessId, UnitId};
use crate::unit::automaton::EdgeId;
use crate::world::components::trim;
use crate::world::components::{Component, StateVector};
use crate::world::renaming::Renaming;
use crate::world::system::{Interrupt, System};
use ahash::AHashSet;
use likeness::Likeness;
use permutations::Permutations;
use tables::{Tables, doubtful};

/// The permutations of like processes, and the images of states under them.
pub struct Symmetry {
    classes: Classes,
    permutations: Permutations,
    tables: Tables,
    likeness: Likeness,
    /// Units whose images are known.
    units: usize,
    /// The least image so far.
    least: Vec<u32>,
}

impl Symmetry {
    /// For a search from `initial`, in which no process has started.
    pub fn new(system: &System, classes: &Classes, initial: &[u32]) -> Self {
        let permutations = Permutations::of(classes.processes, &classes.units(system.shared()));
        let mut tables = Tables::new(&permutations);
        let roots = (0..classes.processes as u32).map(|process| {
            let component =
                system.components.find(Component::Unit(UnitId(process))).expect("every process has a component");
            NodeId(component.of(initial))
        });
        Likeness::begin(&permutations, &mut tables, &roots.collect::<Vec<_>>());
        let (classes, likeness) = (classes.clone(), Likeness::new(classes));
        Symmetry { classes, permutations, tables, likeness, units: 0, least: Vec::new() }
    }

    /// The state that stands for this one and all its images: the least of them. Returns the permutation that leads
    /// to it.
    pub(crate) fn canonicalize(&mut self, system: &mut System, state: &mut Vec<u32>) -> Result<Permutation, Interrupt> {
        self.keep_up(system)?;
        let Symmetry { tables, permutations, least, .. } = self;
        tables.look_at(system, permutations, state)?;
        least.clear();
        least.extend_from_slice(state);
        least.resize(tables.components(), 0);
        let mut by = Permutation::IDENTITY;
        for permutation in permutations.all().skip(1) {
            if lowers(tables, permutation, least) {
                by = permutation;
            }
        }
        std::mem::swap(state, least);
        trim(state);
        Ok(by)
    }

    /// The image of a state under a permutation.
    pub fn image(
        &mut self,
        system: &mut System,
        permutation: Permutation,
        state: &[u32],
    ) -> Result<StateVector, Interrupt> {
        self.keep_up(system)?;
        self.tables.look_at(system, &self.permutations, state)?;
        let mut image: Vec<u32> =
            (0..self.tables.components()).map(|component| self.tables.at(permutation, component)).collect();
        trim(&mut image);
        Ok(StateVector::from_vec(image))
    }

    /// The orbit of a state: each image once, with a permutation that leads to it.
    pub fn images(&mut self, system: &mut System, state: &[u32]) -> Result<Vec<(Permutation, StateVector)>, Interrupt> {
        let mut images = Vec::new();
        let mut known = AHashSet::new();
        for permutation in self.permutations.all() {
            let image = self.image(system, permutation, state)?;
            if known.insert(image.clone()) {
                images.push((permutation, image));
            }
        }
        Ok(images)
    }

    /// Compares all that was learned with its images, and gives each component one.
    pub(crate) fn keep_up(&mut self, system: &mut System) -> Result<(), Interrupt> {
        let Symmetry { permutations, tables, likeness, .. } = self;
        while likeness.edges() < system.learner.automata.edges.len()
            || tables.components() < system.components.len()
            || self.units < system.shared().units()
        {
            likeness.compare(system, permutations, tables)?;
            tables.add_places(system, permutations)?;
            self.units = units_in_order(system, permutations, self.units)?;
        }
        Ok(())
    }

    /// Bytes held by the tables.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.tables.memory_bytes()
    }

    /// The processes that a process is like, itself among them.
    pub(crate) fn like(&self, process: ProcessId) -> impl Iterator<Item = ProcessId> {
        let like = self.classes.like(process);
        like.into_iter().flatten().copied().chain(like.is_none().then_some(process))
    }

    /// The images of an edge under the permutations, itself among them.
    pub(crate) fn images_of_edge(&self, edge: EdgeId) -> Vec<EdgeId> {
        let mut images = vec![edge];
        let mut next = 0;
        while let Some(&image) = images.get(next) {
            let more = self.likeness.images(image).iter().filter(|image| !images.contains(image));
            let more: Vec<EdgeId> = more.copied().collect();
            images.extend(more);
            next += 1;
        }
        images
    }
}

/// Takes an image of the state that is looked at for the least one if it is less.
fn lowers(tables: &Tables, permutation: Permutation, least: &mut [u32]) -> bool {
    let mut is_less = false;
    for (component, least) in least.iter_mut().enumerate() {
        let value = tables.at(permutation, component);
        if !is_less && value > *least {
            return false;
        }
        is_less |= value < *least;
        *least = value;
    }
    is_less
}

/// The units of a process are numbered, and sometimes the lowest comes first: the images of new units have to be in the
/// same order. Returns how many were looked at.
fn units_in_order(system: &System, permutations: &Permutations, looked_at: usize) -> Result<usize, Interrupt> {
    let shared = system.shared();
    let units = shared.units();
    for swap in permutations.swaps() {
        let renaming = Renaming::new(shared, permutations.map(swap.permutation));
        if swap.pair.iter().all(|unit| shared.unit(*unit).parent.is_some()) {
            continue;
        }
        for unit in (looked_at as u32..units as u32).map(UnitId) {
            let of_process = |&other: &UnitId| shared.process_of(other) == shared.process_of(unit);
            let mut earlier = (0..unit.0).map(UnitId).filter(of_process);
            if earlier.any(|earlier| renaming.unit(earlier) > renaming.unit(unit)) {
                return Err(doubtful(swap.pair, "isolated tasks of like processes were met in different orders"));
            }
        }
    }
    Ok(units)
}
