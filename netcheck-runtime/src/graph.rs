//! The strongly connected components of a graph.
//!
//! The search for them is no crate's: that of `petgraph` which takes one pass calls itself for each node, and overflows
//! the stack on a path of a million states.

/// The strongly connected component of each node, as a number, of a graph with `count` nodes (R. Tarjan, "Depth-first
/// search and linear graph algorithms", 1972). An edge lies on a cycle if both of its ends are in one component.
pub(crate) fn strong_components<'a>(count: usize, successors: impl Fn(usize) -> &'a [u32]) -> Vec<u32> {
    const UNSEEN: u32 = u32::MAX;
    let (mut number, mut low) = (vec![UNSEEN; count], vec![0u32; count]);
    let mut component = vec![UNSEEN; count];
    let mut open: Vec<usize> = Vec::new();
    let (mut numbered, mut components) = (0, 0);
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
            if let Some(&next) = successors(at).get(*taken) {
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
                open.drain(from..).for_each(|member| component[member] = components);
                components += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repeated(edges: &[Vec<u32>]) -> Vec<Vec<bool>> {
        let components = strong_components(edges.len(), |node| &edges[node]);
        let stays = |from: usize, to: u32| components[from] == components[to as usize];
        edges.iter().enumerate().map(|(from, to)| to.iter().map(|&to| stays(from, to)).collect()).collect()
    }

    /// By the definition: an edge lies on a cycle if its source can be reached from its target.
    #[test]
    fn edges_within_a_component_are_those_on_cycles() {
        let reaches = |edges: &[Vec<u32>], from: usize, to: usize| {
            let (mut met, mut open) = (vec![false; edges.len()], vec![from]);
            while let Some(node) = open.pop() {
                if !std::mem::replace(&mut met[node], true) {
                    open.extend(edges[node].iter().map(|&next| next as usize));
                }
            }
            met[to]
        };
        // All graphs of three nodes.
        for bits in 0..1 << 9 {
            let edges: Vec<Vec<u32>> =
                (0..3).map(|from| (0..3).filter(|to| bits >> (from * 3 + to) & 1 == 1).collect()).collect();
            let expected: Vec<Vec<bool>> =
                (0..3).map(|from| edges[from].iter().map(|&to| reaches(&edges, to as usize, from)).collect()).collect();
            assert_eq!(repeated(&edges), expected, "{edges:?}");
        }
    }

    #[test]
    fn a_path_of_a_million_nodes_needs_no_stack() {
        let edges: Vec<Vec<u32>> = (1..=1_000_000).map(|next| vec![next % 1_000_000]).collect();
        assert!(repeated(&edges).iter().flatten().all(|&repeats| repeats));
    }
}
