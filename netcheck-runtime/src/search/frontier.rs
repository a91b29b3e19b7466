//! The order of exploration: a strategy is a data structure.

use crate::state::store::StateId;
use std::collections::VecDeque;

/// The order in which states are explored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Search {
    /// Breadth-first: the first violation found is one of the shortest in what is explored.
    #[default]
    Bfs,
    /// Depth-first.
    Dfs,
    /// A random walk that goes back to a random open state where it can't go on. It ends
    /// when everything has been explored, as the others do.
    Random {
        /// The same seed gives the same order.
        seed: u64,
    },
}

/// States that are still to be expanded.
pub(crate) enum Frontier {
    Queue(VecDeque<StateId>),
    Stack(Vec<StateId>),
    Walk { open: Vec<StateId>, fresh: usize, random: u64 },
}

impl Frontier {
    pub(crate) fn new(search: Search) -> Frontier {
        match search {
            Search::Bfs => Frontier::Queue(VecDeque::new()),
            Search::Dfs => Frontier::Stack(Vec::new()),
            Search::Random { seed } => Frontier::Walk { open: Vec::new(), fresh: 0, random: seed },
        }
    }

    /// Adds the new successors of one state, in the order of exploration.
    pub(crate) fn extend(&mut self, successors: &[StateId]) {
        match self {
            Frontier::Queue(queue) => queue.extend(successors),
            Frontier::Stack(stack) => stack.extend(successors.iter().rev()),
            Frontier::Walk { open, fresh, .. } => {
                open.extend(successors);
                *fresh = successors.len();
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Frontier::Queue(queue) => queue.len(),
            Frontier::Stack(open) | Frontier::Walk { open, .. } => open.len(),
        }
    }

    pub(crate) fn pop(&mut self) -> Option<StateId> {
        match self {
            Frontier::Queue(queue) => queue.pop_front(),
            Frontier::Stack(stack) => stack.pop(),
            Frontier::Walk { open, fresh, random } => {
                // On from the last state while that is possible, else from anywhere.
                let from = if *fresh > 0 { open.len() - *fresh } else { 0 };
                *fresh = 0;
                let choices = (open.len() - from) as u64;
                (choices > 0).then(|| open.swap_remove(from + (split_mix(random) % choices) as usize))
            }
        }
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): enough for a walk, and the same on every machine.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
