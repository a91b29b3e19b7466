//! The visited states by their classes.

use super::Bisimulation;
use crate::id::{NodeId, OutcomeId, ProcessId};
use crate::operation::OperationKey;
use crate::unit::automaton::EdgeId;
use crate::world::components::{Component, StateVector};
use crate::world::store::{StateId, Store};
use crate::world::system::System;
use crate::world::udp::classes::LinkClasses;
use ahash::{AHashMap, AHashSet};
use std::sync::Arc;

/// The visited states by their classes.
pub(crate) struct Quotient {
    bisimulation: Arc<Bisimulation>,
    /// By component.
    places: Vec<Place>,
    links: LinkClasses,
    visited: AHashMap<StateVector, StateId>,
    /// The classes of the steps that were taken, at the end.
    taken: AHashSet<StepClass>,
}

/// The class of a step: the representatives of its local state and its outcome.
type StepClass = (NodeId, OperationKey, OutcomeId);

/// What a component holds, as far as classes are concerned.
#[derive(Clone, Copy)]
enum Place {
    Node,
    /// Datagrams to sockets of this process.
    Channel(ProcessId),
    Other,
}

impl Quotient {
    /// Nothing has been visited.
    pub(crate) fn new(bisimulation: Arc<Bisimulation>) -> Quotient {
        let (places, visited, taken) = Default::default();
        Quotient { bisimulation, places, links: LinkClasses::new(), visited, taken }
    }

    /// The visited state of the same class, if there is one.
    pub(crate) fn find(&mut self, system: &System, state: &[u32]) -> Option<StateId> {
        let class = self.class_of(system, state);
        self.visited.get(&class).copied()
    }

    /// A state was visited.
    pub(crate) fn add(&mut self, system: &System, state: &[u32], id: StateId) {
        let class = self.class_of(system, state);
        self.visited.entry(class).or_insert(id);
    }

    /// Bytes held for the classes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.visited.capacity() * (size_of::<(StateVector, StateId)>() + 1)
    }

    /// How many classes the states of an exact store belong to.
    pub(super) fn count(mut self, system: &System, store: &Store) -> usize {
        let mut state = Vec::new();
        let mut classes: AHashSet<StateVector> = AHashSet::new();
        for id in store.ids() {
            store.look_at(id, &mut state);
            classes.insert(self.class_of(system, &state));
        }
        classes.len()
    }

    /// The search is over: the classes that are known by now, and the steps that were taken.
    pub(crate) fn end(&mut self, system: &System, classes: Arc<Bisimulation>, edges: impl Iterator<Item = EdgeId>) {
        self.bisimulation = classes;
        self.taken = edges.map(|edge| self.class_of_step(system, edge)).collect();
    }

    /// Whether a step of the same class was taken.
    pub(crate) fn has_taken(&self, system: &System, edge: EdgeId) -> bool {
        self.taken.contains(&self.class_of_step(system, edge))
    }

    fn class_of_step(&self, system: &System, edge: EdgeId) -> StepClass {
        let edge = system.learner.automata.edge(edge);
        let process = system.process_of(system.learner.automata.node(edge.source).unit);
        let outcome = self.bisimulation.datagram(process, edge.input.outcome);
        (self.bisimulation.node(edge.source), edge.input.key, outcome)
    }

    /// The state with the representatives of its local states and datagrams.
    fn class_of(&mut self, system: &System, state: &[u32]) -> StateVector {
        for (_, component) in system.components.iter().skip(self.places.len()) {
            self.places.push(match component {
                Component::Unit(_) => Place::Node,
                Component::Channel { to, .. } => Place::Channel(system.process_of(to.unit)),
                _ => Place::Other,
            });
        }
        let mut class = StateVector::from_slice(state);
        for (value, &place) in class.iter_mut().zip(&self.places) {
            *value = match place {
                Place::Node => self.bisimulation.node(NodeId(*value)).0,
                Place::Channel(process) if *value != 0 => {
                    let class = |datagram| self.bisimulation.datagram(process, datagram);
                    self.links.of(system, (process, *value), class)
                }
                Place::Channel(_) | Place::Other => *value,
            };
        }
        class
    }
}
