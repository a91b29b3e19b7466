//! Dispatches operations and effects to their kinds, and prepares what units ask for.

use super::enabled::{Asker, Enabled};
use super::kinds::{for_each_kind, for_each_kind_with_operations};
use super::prepared::{Prepared, PreparedCall, PreparedOffer, Waking};
use super::renaming::Renaming;
use super::system::System;
use super::tables::{Lookup, View};
use super::touches::{Touches, When};
use super::{choices, faults, mailboxes, monitors, storage, tasks, tcp, time, udp};
use crate::id::{NodeId, UnitId};
use crate::operation::{BegunCall, Effect, Operation};
use crate::unit::automaton::{Edge, EdgeId};
use std::sync::Arc;

macro_rules! operations {
    ($($Kind:ident: $kind:ident,)*) => {
        impl System {
            /// Prepares an operation of a unit for the search; `execution` numbers the executions of its source line.
            pub(crate) fn prepare(&mut self, unit: UnitId, operation: Operation, execution: u32) -> Prepared {
                match operation {
                    $(Operation::$Kind(operation) => {
                        Prepared::$Kind($kind::prepare::prepare(self, unit, operation, execution))
                    })*
                    Operation::AtOnce { operation, .. } | Operation::Again(operation) => {
                        self.prepare(unit, *operation, execution)
                    }
                }
            }
        }

        impl View<'_> {
            /// Adds a step for every outcome of one operation.
            pub(crate) fn offers(
                self,
                state: &[u32],
                asker: Asker,
                prepared: &Prepared,
                enabled: &mut Enabled,
            ) -> Lookup<()> {
                match prepared {
                    $(Prepared::$Kind(prepared) => $kind::offers::offers(self, state, asker, prepared, enabled),)*
                }
            }

            /// Whether the operation depends, in this state, on the resources that are listed for such states.
            pub(crate) fn is_when(
                self,
                state: &[u32],
                unit: UnitId,
                prepared: &Prepared,
                when: When,
            ) -> Lookup<bool> {
                match prepared {
                    $(Prepared::$Kind(prepared) => $kind::depends::is_when(self, (state, unit), prepared, when),)*
                }
            }
        }

        impl Touches {
            /// Resources that the outcomes of an operation affect and depend on.
            pub(crate) fn operation(&mut self, system: &mut System, unit: UnitId, prepared: &Prepared) {
                match prepared {
                    $(Prepared::$Kind(prepared) => $kind::depends::operation(self, system, unit, prepared),)*
                }
            }
        }

        impl Renaming<'_> {
            /// The operation after the renaming.
            pub(crate) fn operation(&self, operation: &Operation) -> Operation {
                match operation {
                    $(Operation::$Kind(operation) => {
                        let mut renamed = operation.clone();
                        $kind::renaming::operation(self, &mut renamed);
                        Operation::$Kind(renamed)
                    })*
                    Operation::AtOnce { number, operation } => {
                        Operation::AtOnce { number: *number, operation: Box::new(self.operation(operation)) }
                    }
                    Operation::Again(operation) => Operation::Again(Box::new(self.operation(operation))),
                }
            }
        }
    };
}

for_each_kind_with_operations!(operations);

macro_rules! effects {
    ($($Kind:ident: $kind:ident,)*) => {
        impl View<'_> {
            /// Writes the change that an effect makes to its component.
            pub(crate) fn effect(self, unit: UnitId, edge: EdgeId, effect: &Effect, next: &mut Vec<u32>) -> Lookup<()> {
                match effect {
                    $(Effect::$Kind(effect) => $kind::effects::effect(self, (unit, edge), effect, next),)*
                }
            }
        }

        impl Touches {
            /// Resources that an effect affects and depends on.
            pub(crate) fn effect(&mut self, system: &mut System, unit: UnitId, edge: EdgeId, effect: &Effect) {
                match effect {
                    $(Effect::$Kind(effect) => $kind::depends::effect(self, system, (unit, edge), effect),)*
                }
            }
        }

        impl Renaming<'_> {
            /// The effect after the renaming.
            pub(crate) fn effect(&self, effect: &Effect) -> Effect {
                match effect {
                    $(Effect::$Kind(effect) => {
                        let mut renamed = effect.clone();
                        $kind::renaming::effect(self, &mut renamed);
                        Effect::$Kind(renamed)
                    })*
                }
            }
        }
    };
}

for_each_kind!(effects);

impl System {
    /// The prepared offers of a node.
    pub fn prepared_offers(&mut self, node: NodeId) -> Arc<[PreparedOffer]> {
        if let Some(Some(menu)) = self.prepared.get(node.index()) {
            return Arc::clone(menu);
        }
        let unit = self.learner.automata.node(node).unit;
        let offers = self.learner.automata.node(node).offers.clone();
        let menu: Arc<[PreparedOffer]> = offers
            .into_iter()
            .map(|offer| PreparedOffer {
                key: offer.key,
                task: offer.task,
                waking: Waking::of(&offer),
                prepared: self.prepare(unit, offer.operation, offer.execution),
            })
            .collect();
        if self.prepared.len() <= node.index() {
            self.prepared.resize(node.index() + 1, None);
        }
        self.prepared[node.index()] = Some(Arc::clone(&menu));
        menu
    }

    /// Prepares the calls that the step of an edge begins and that the program itself polls.
    pub(super) fn prepare_begun(&mut self, edge: EdgeId) {
        let Edge { source, begun, .. } = self.learner.automata.edge(edge);
        let (unit, calls) = (self.learner.automata.node(*source).unit, begun.calls.clone());
        let prepared = calls.into_iter().map(|BegunCall { number, operation, execution, decided, goes_on }| {
            let prepared = self.prepare(unit, operation, execution);
            PreparedCall { number, decided, goes_on, prepared }
        });
        let prepared = prepared.collect();
        self.begun.insert(edge, prepared);
    }
}
