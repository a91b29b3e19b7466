//! Whether a unit may come back to a local state that it has left.
//!
//! As long as no edge of an automaton closes a cycle, each node has a *rank* that is less than those of its successors. A
//! new edge that does not lead upwards raises what it leads to, and what follows from there. If that comes to the source of
//! the edge, there is a path from its target to its source, so the edge closes a cycle. If there is such a path, it does
//! come there: all ranks on the path are to be greater than that of the source, with which the path ends. Else it ends,
//! because without a cycle no rank exceeds the length of the longest path.

use crate::id::NodeId;
use smallvec::SmallVec;

/// The ranks of the nodes, until an edge closes a cycle.
#[derive(Default)]
pub(super) struct Order {
    ranks: Vec<u32>,
    /// By node: what all edges from it lead to, those among them that end at a call which is tried at once.
    successors: Vec<SmallVec<[NodeId; 2]>>,
    is_cyclic: bool,
}

impl Order {
    /// Whether an edge has closed a cycle.
    pub(super) fn is_cyclic(&self) -> bool {
        self.is_cyclic
    }

    /// Takes in an edge.
    pub(super) fn add(&mut self, source: NodeId, target: NodeId) {
        if self.is_cyclic {
            return;
        }
        let nodes = self.ranks.len().max(1 + source.index().max(target.index()));
        self.ranks.resize(nodes, 0);
        self.successors.resize_with(nodes, SmallVec::new);
        self.successors[source.index()].push(target);
        let mut open: Vec<(NodeId, NodeId)> = vec![(source, target)];
        while let Some((before, node)) = open.pop() {
            let rank = self.ranks[before.index()] + 1;
            if self.ranks[node.index()] >= rank {
                continue;
            }
            if node == source {
                *self = Order { is_cyclic: true, ..Order::default() };
                return;
            }
            self.ranks[node.index()] = rank;
            open.extend(self.successors[node.index()].iter().map(|&next| (node, next)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
                order.add(NodeId(from as u32), NodeId(to as u32));
                assert_eq!(order.is_cyclic(), is_cyclic(nodes, &edges), "{edges:?}");
            }
            cyclic += usize::from(order.is_cyclic());
        }
        assert!((200..1_800).contains(&cyclic), "both are met: {cyclic}");
    }
}
