//! Whether a unit may come back to a local state that it has left.
//!
//! As long as no edge of an automaton closes a cycle, each node has a *rank* that is less than those of its successors. A
//! new edge that does not lead upwards raises what it leads to, and what follows from there. If that comes to the source of
//! the edge, there is a path from its target to its source, so the edge closes a cycle. If there is such a path, it does
//! come there: all ranks on the path are to be greater than that of the source, with which the path ends. Else it ends,
//! because without a cycle no rank exceeds the length of the longest path.

use crate::id::NodeId;
use crate::unit::automaton::{Automata, EdgeId};

/// The ranks of the nodes, until an edge closes a cycle.
#[derive(Default)]
pub(super) struct Order {
    ranks: Vec<u32>,
    is_cyclic: bool,
}

impl Order {
    /// Whether an edge has closed a cycle.
    pub(super) fn is_cyclic(&self) -> bool {
        self.is_cyclic
    }

    /// Takes in an edge, after all edges that were learned before it.
    pub(super) fn add(&mut self, automata: &Automata, edge: EdgeId) {
        if self.is_cyclic {
            return;
        }
        self.ranks.resize(automata.nodes.len(), 0);
        let ends = |edge: EdgeId| (automata.edge(edge).source, automata.edge(edge).target);
        let (source, _) = ends(edge);
        let mut open: Vec<(NodeId, NodeId)> = vec![ends(edge)];
        while let Some((before, node)) = open.pop() {
            let rank = self.ranks[before.index()] + 1;
            if self.ranks[node.index()] >= rank {
                continue;
            }
            if node == source {
                self.is_cyclic = true;
                return;
            }
            self.ranks[node.index()] = rank;
            open.extend(automata.edges_of(node).map(ends));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{OutcomeId, UnitId};
    use crate::operation::{Input, OperationKey};
    use crate::unit::automaton::{Edge, NodeKind};
    use crate::unit::generator::Generator;

    /// The definition, by a search from each node.
    fn is_cyclic(nodes: usize, edges: &[(usize, usize)]) -> bool {
        (0..nodes).any(|start| {
            let mut reached = vec![false; nodes];
            let mut open = vec![start];
            while let Some(node) = open.pop() {
                for &(_, to) in edges.iter().filter(|(from, _)| *from == node) {
                    if !std::mem::replace(&mut reached[to], true) {
                        open.push(to);
                    }
                }
            }
            reached[start]
        })
    }

    #[test]
    fn a_cycle_is_found_by_the_edge_that_closes_it() {
        let mut random = Generator::default();
        let mut cyclic = 0;
        for nodes in (2..10).cycle().take(2_000) {
            let mut automata = Automata::new();
            let ids: Vec<NodeId> =
                (0..nodes).map(|_| automata.add_node(UnitId(0), None, NodeKind::Live, false, Vec::new())).collect();
            let mut order = Order::default();
            let mut edges = Vec::new();
            for _ in 0..2 * nodes {
                let [from, to] = [(); 2].map(|()| (random.next() >> 32) as usize % nodes);
                // Mostly forwards, so that many orders are made before there is a cycle.
                let (from, to) = if random.next() >> 60 == 0 { (from, to) } else { (from.min(to), from.max(to)) };
                if from == to && nodes > 4 {
                    continue;
                }
                edges.push((from, to));
                let input = Input { key: OperationKey::START, outcome: OutcomeId(edges.len() as u32) };
                let edge = Edge {
                    source: ids[from],
                    input,
                    target: ids[to],
                    effects: Box::default(),
                    roots: Default::default(),
                    event: None,
                    begun: Default::default(),
                };
                let edge = automata.add_edge(edge);
                order.add(&automata, edge);
                assert_eq!(order.is_cyclic(), is_cyclic(nodes, &edges), "{edges:?}");
            }
            cyclic += usize::from(order.is_cyclic());
        }
        assert!((200..1_800).contains(&cyclic), "both are met: {cyclic}");
    }
}
