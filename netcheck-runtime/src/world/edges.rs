//! The edge of a program that is told an outcome: known, missing, or postponed.

use crate::id::NodeId;
use crate::operation::Input;
use crate::unit::automaton::EdgeId;
use crate::world::tables::{Lookup, Missing, View};

impl View<'_> {
    /// A view in which what a program does is looked up where it is known, and postponed elsewhere: a step of which it is
    /// not known yet whether the program refuses it is among the others. Such a step may hide steps that come only if there
    /// is no other, and once it has been learned they are seen; it shows none that are not possible.
    pub(crate) fn postponing(self) -> Self {
        View { postpones: true, ..self }
    }

    pub(super) fn edge(self, node: NodeId, input: Input) -> Lookup<EdgeId> {
        match self.automata.find(node, input) {
            Some(edge) => Ok(edge),
            None if self.postpones => Ok(EdgeId::POSTPONED),
            None => Err(Missing::Edge(node, input).into()),
        }
    }

    /// Whether it is known that the program refuses a step.
    pub(super) fn is_refused(self, edge: EdgeId) -> bool {
        edge != EdgeId::POSTPONED && self.automata.edge(edge).is_refused()
    }
}
