//! Explored graphs, and their strongly connected components.
//!
//! A graph is a list of numbered nodes with labels; it knows neither states nor steps. Reduction and search number the
//! states that they meet, and label each with the data that they need.
//!
//! The search for components is no crate's: that of `petgraph` which takes one pass calls itself for each node, and overflows
//! the stack on a path of a million states.

/// A directed graph whose nodes are numbered from 0 and labelled.
pub(crate) struct Graph<L> {
    nodes: Vec<Node<L>>,
}

struct Node<L> {
    label: L,
    successors: Box<[u32]>,
}

impl<L> Default for Graph<L> {
    fn default() -> Self {
        Graph { nodes: Vec::new() }
    }
}

impl<L: Default> Graph<L> {
    /// Labels a node and sets the nodes that its edges lead to. Nodes that occur only as successors are there, too,
    /// without edges.
    pub(crate) fn set(&mut self, node: usize, label: L, successors: &[u32]) {
        let last = successors.iter().map(|&next| next as usize).fold(node, usize::max);
        if self.nodes.len() <= last {
            self.nodes.resize_with(last + 1, || Node { label: L::default(), successors: Box::default() });
        }
        self.nodes[node] = Node { label, successors: successors.into() };
    }
}

impl<L> Graph<L> {
    /// The label of a node.
    pub(crate) fn label(&self, node: usize) -> &L {
        &self.nodes[node].label
    }

    /// The nodes that the edges of a node lead to.
    pub(crate) fn successors(&self, node: usize) -> &[u32] {
        &self.nodes[node].successors
    }

    /// The strongly connected components that have an edge and that no edge leaves (R. Tarjan,
    /// "Depth-first search and linear graph algorithms", 1972).
    pub(crate) fn terminal_cycles(&self) -> Vec<Vec<usize>> {
        const UNSEEN: u32 = u32::MAX;
        let count = self.nodes.len();
        let (mut number, mut low) = (vec![UNSEEN; count], vec![0u32; count]);
        let mut component = vec![UNSEEN; count];
        let mut open: Vec<usize> = Vec::new();
        let mut components: Vec<Vec<usize>> = Vec::new();
        let mut numbered = 0;
        for root in 0..count {
            if number[root] != UNSEEN {
                continue;
            }
            let mut path: Vec<(usize, usize)> = vec![(root, 0)];
            while let Some(&mut (at, ref mut taken)) = path.last_mut() {
                if *taken == 0 {
                    (number[at], low[at]) = (numbered, numbered);
                    numbered += 1;
                    open.push(at);
                }
                if let Some(&next) = self.successors(at).get(*taken) {
                    *taken += 1;
                    let next = next as usize;
                    if number[next] == UNSEEN {
                        path.push((next, 0));
                    } else if component[next] == UNSEEN {
                        low[at] = low[at].min(number[next]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&(before, _)) = path.last() {
                    low[before] = low[before].min(low[at]);
                }
                if low[at] == number[at] {
                    let from = open.iter().rposition(|&member| member == at).expect("it is open");
                    let members = open.split_off(from);
                    members.iter().for_each(|&member| component[member] = components.len() as u32);
                    components.push(members);
                }
            }
        }
        let is_terminal = |members: &Vec<usize>| {
            let stays = |&next: &u32| component[next as usize] == component[members[0]];
            members.iter().any(|&member| !self.successors(member).is_empty())
                && members.iter().all(|&member| self.successors(member).iter().all(stays))
        };
        components.into_iter().filter(is_terminal).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terminal_cycles(edges: &[&[u32]]) -> Vec<Vec<usize>> {
        let mut graph = Graph::<()>::default();
        edges.iter().enumerate().for_each(|(node, successors)| graph.set(node, (), successors));
        let mut cycles = graph.terminal_cycles();
        cycles.iter_mut().for_each(|cycle| cycle.sort_unstable());
        cycles.sort();
        cycles
    }

    #[test]
    fn a_cycle_that_is_left_is_not_terminal() {
        assert_eq!(terminal_cycles(&[&[1], &[0, 2], &[3], &[2]]), [[2, 3]]);
    }

    #[test]
    fn an_end_is_no_cycle_and_a_loop_of_one_state_is() {
        assert_eq!(terminal_cycles(&[&[1, 2], &[], &[2]]), [[2]]);
    }

    #[test]
    fn several_ways_into_one_cycle_are_one_cycle() {
        assert_eq!(terminal_cycles(&[&[2], &[3], &[3], &[4], &[2, 3]]), [[2, 3, 4]]);
    }

    #[test]
    fn a_node_that_is_only_led_to_has_no_edges() {
        let mut graph = Graph::<u8>::default();
        graph.set(0, 7, &[3]);
        assert_eq!((*graph.label(0), graph.successors(0), graph.successors(3)), (7, &[3][..], &[][..]));
    }

    /// By the definition: the nodes that reach each other, from which no edge leads to another node.
    #[test]
    fn terminal_cycles_are_those_of_the_definition() {
        let reaches = |edges: &[Vec<u32>], from: usize| {
            let mut met: Vec<usize> = Vec::new();
            let mut open: Vec<usize> = edges[from].iter().map(|&next| next as usize).collect();
            while let Some(node) = open.pop() {
                if !met.contains(&node) {
                    met.push(node);
                    open.extend(edges[node].iter().map(|&next| next as usize));
                }
            }
            met
        };
        // All graphs of three nodes.
        for bits in 0..1 << 9 {
            let edges: Vec<Vec<u32>> =
                (0..3).map(|from| (0..3).filter(|to| bits >> (from * 3 + to) & 1 == 1).collect()).collect();
            let mut expected: Vec<Vec<usize>> = Vec::new();
            for node in 0..3 {
                let mut reached = reaches(&edges, node);
                reached.sort_unstable();
                let is_cycle =
                    reached.contains(&node) && reached.iter().all(|&other| reaches(&edges, other).contains(&node));
                if is_cycle && !expected.contains(&reached) {
                    expected.push(reached);
                }
            }
            expected.sort();
            let of: Vec<&[u32]> = edges.iter().map(Vec::as_slice).collect();
            assert_eq!(terminal_cycles(&of), expected, "{edges:?}");
        }
    }
}
