//! The order of exploration: a strategy is a data structure.
//!
//! A frontier is told of the successors of the state that was popped last, and says which state comes next. It knows
//! neither steps nor the network. Every frontier gives each state once, and all states in the end.
//!
//! - `open`: open states, any of which can be drawn;
//! - `passed`: the steps of expanded states;
//! - `walk`: random walks, one after the other;
//! - `priorities`: random priorities of units, for walks;
//! - `ways`: by the best ways to open states, as an order sees them;
//! - `faults`: by the number of faults on the way;
//! - `reads`: by the length of the way, in which a read is long;
//! - `joint`: by the number of messages on the way;
//! - `network_states`: depth-first by states of the network;
//! - `retransmissions`: by the number of datagrams that have arrived more often than enough;
//! - `best`: by a score.

mod best;
mod faults;
mod joint;
pub(super) mod length;
mod network_states;
mod open;
mod passed;
mod priorities;
mod reads;
mod retransmissions;
mod walk;
mod ways;

use crate::id::{NodeId, UnitId};
use crate::world::step::{Delivered, Message};
use crate::world::store::StateId;
use best::Best;
use faults::Faults;
use joint::Joint;
use network_states::NetworkStates;
use reads::Reads;
use retransmissions::Retransmissions;
use std::collections::VecDeque;
use walk::Walks;
use ways::Ways;

/// The order in which states are explored. All of them explore everything in the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Search {
    /// Breadth-first: the first violation found is one of the shortest in what is explored.
    #[default]
    Bfs,
    /// Depth-first.
    Dfs,
    /// Iterative deepening by faults: all that can be reached without a fault, then all with one, and so on; with
    /// as many faults, breadth-first. So the first violation found is one with the fewest faults, and of these one
    /// of the shortest. (A reduced search may pass by some and believe a later one. The counterexample has the fewest
    /// whatever the order is, unless it says that the search for it was given up.)
    /// `Checker::at_most` says what a fault is.
    ///
    /// No state is explored twice for that. One that is met again on a way with fewer faults, before its turn
    /// has come, is moved forward; once it has, there is no such way left. (That is 0-1 breadth-first search,
    /// where a step may also have several faults: Dijkstra's algorithm by faults, then steps.)
    ///
    /// Without `at_most` a state does not remember which faults have been counted, so a packet that is overtaken
    /// and then lost may count as two. With `subsumption`, a state may be left out for one with more faults.
    Faults,
    /// By length, where a message that is read (a datagram that is received, bytes that are read from a TCP stream) is as
    /// long as eight other steps. It is the order in dense time (`delay`), unless another one is asked for.
    ///
    /// In dense time a state is left out if a larger one covers it, with more packets under way. Packets that are sent again
    /// take steps, so the larger state lies on a longer way. As reads are put off, it is met before the smaller one has
    /// had its turn; breadth-first it is met afterwards, and all that follows is explored again. (A transfer of three
    /// packets by TFTP, each of which may be sent again twice: 3,389 states in place of 313,456.)
    ///
    /// No state waits for ever, whatever goes on beside it: with n steps on the way to it, it has its turn before those with
    /// more than 8n. In dense time a state that covers it may have a turn in its place, which is not much later.
    Reads,
    /// By joint-state depth (D. Lakatos, "Jointstates", 2014): all that can be reached before any message is written or
    /// read, then all with one message, and so on. A *joint state* is one that a message leads to: a datagram that is
    /// sent or received, bytes that are written to or read from a TCP stream. Of the joint states with as many messages
    /// on their way, those after a write come before those after a read, in the order in which they were met; from each
    /// of them the search goes depth-first up to the next messages. So the first violation found is one with the fewest
    /// messages. (A reduced search may pass by some, as with [`Search::Faults`]. The counterexample is then made the
    /// least one, as with every order, and may have more of them.)
    ///
    /// Everything is explored in the end. Each state that is met is open until its turn comes: on the stack of the
    /// depth-first part, or in the queue of its number of messages; the search ends only when both are empty. No state
    /// waits for ever: a queue's turn comes when the stack and the queues before it are empty, and they are fed by the
    /// states with as many messages or fewer. (If these are endlessly many, so that no other order could explore them
    /// all, the search stays with them until a limit; breadth-first does not.) A state that is met again on a way
    /// with fewer messages, before its turn has come, is moved forward; after it there is no such way left, because no
    /// step takes a message away.
    ///
    /// To connect, to accept, to shut down, the end of a stream, a call that fails, a datagram that is lost and one that
    /// is peeked at a second time are no messages.
    Joint,
    /// Depth-first, but a state whose *network* is known waits until no other state is left (W. Sun, L. Xu, S. Elbaum,
    /// "Improving the cost-effectiveness of symbolic testing techniques for transport protocol implementations under
    /// packet dynamics", ISSTA 2017, section 4.2: network state based priority). What the network does next depends on
    /// what is under way; so of all the states with one network, the first one to have its turn goes ahead.
    ///
    /// The network of a state is all of it but the local states of the programs: datagrams under way and in buffers,
    /// sockets, connections, armed timers, the faults that were used, and where the monitors are. (The paper takes for
    /// the programs what its protocol automaton says of them; here that is a monitor. Without one, programs whose
    /// network is the same are told apart by nothing.) With `delay`, it counts which timers and datagrams are under way,
    /// and not when they are due.
    NetworkStates {
        /// With `Some(n)`, as [`Search::Retransmissions`]; and of the states with as many repetitions, those with a
        /// known network wait for the others (the paper's NSPR).
        retransmissions: Option<usize>,
    },
    /// Executions in which no datagram arrives more than `arrivals` times first, then those with one such *repetition*,
    /// and so on; with as many of them, depth-first (section 4.1 of the same paper: packet retransmission based
    /// priority, PR). Protocols send the same datagram again until it is answered, and mostly treat its third arrival as
    /// its second.
    ///
    /// Datagrams are the same if they are equal and were sent by one socket to one address. In the paper the delays of
    /// the first `arrivals` of them are free, and the later ones are lost. Which of several equal datagrams arrives is
    /// nothing that a program can see, so here arrivals are counted: an execution in which the third copy arrives, and
    /// two before it do not, is one of the first two copies if these may be so late. Copies that the network makes count
    /// as well. Bytes of TCP streams are never repetitions: TCP hides what it sends again.
    ///
    /// The arrivals are those on the way on which a state was met first, or on a later one with fewer repetitions that
    /// was met before the state's turn came. So an execution may come later than its own repetitions say, because the
    /// way that was kept has other arrivals.
    Retransmissions {
        /// How often a datagram arrives without being a repetition; 0 is taken for 1.
        arrivals: usize,
    },
    /// Whole random walks from the start, to find bugs that lie deep. A walk passes through states that were explored
    /// before, so that its first steps are as random as those of the first walk, and goes on to the end of the execution.
    ///
    /// In half of the walks each unit that can move is as probable; the others take the step whose unit comes to the local
    /// state that was seen least often. In half of both, faults are seldom. Programs may go on for ever, so a walk is cut off
    /// after 200 steps, every other one after 400, every fourth one after 800, and so on. Where a walk comes to nothing new, the next one begins at a random
    /// state that is still to be explored: everything is explored in the end. That the steps of all explored states are
    /// kept takes about twice the memory of another order.
    ///
    /// With the reduction, a property of the end is judged as soon as an end is met that is one of the full semantics; the
    /// other orders judge them when all is explored.
    Random {
        /// The same seed gives the same order.
        seed: u64,
    },
    /// Walks by random priorities: probabilistic concurrency testing (S. Burckhardt, P. Kothari, M. Musuvathi,
    /// S. Nagarakatte, "A randomized scheduler with probabilistic guarantees of finding bugs", ASPLOS 2010).
    ///
    /// In each walk every process, every isolated task and the network has a random priority. The one with the highest
    /// priority that can move does; its outcome is random. After each of `depth - 1` random steps, the one that has
    /// just moved falls below all others. The next walk has fresh priorities. Walks begin and end as those of
    /// [`Search::Random`] do.
    ///
    /// The paper's guarantee, as far as it holds here: with `reduction(false)`, each walk that begins at the start is one of its
    /// executions, with the steps of the longest walk so far for the number of steps k (128 before the first one). So it
    /// shows a bug that takes `depth` ordering constraints between n units with a probability of at least
    /// 1/(n · k^(depth - 1)), given that the outcomes are those that the bug needs, and that the execution has at most k
    /// steps. What does not: with the reduction, a unit outside of the stubborn set can't move, whatever its priority; a
    /// walk that was cut off, or began in the middle because the one before came to nothing new, is no such execution.
    /// Everything is explored in the end in any case.
    Pct {
        /// The same seed gives the same order.
        seed: u64,
        /// How many ordering constraints the bugs need that are to be found first; 0 is taken for 1.
        depth: usize,
    },
}

impl Search {
    /// Whether the order is for finding bugs early.
    pub fn hunts(self) -> bool {
        matches!(self, Search::Random { .. } | Search::Pct { .. })
    }

    /// The order for another round: what this one has come to need not come first again.
    pub fn again(self) -> Search {
        let another = |seed| Random::new(seed).next();
        match self {
            Search::Random { seed } => Search::Random { seed: another(seed) },
            Search::Pct { seed, depth } => Search::Pct { seed: another(seed), depth },
            _ => self,
        }
    }
}

/// A successor of the state that was popped last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Successor {
    pub(crate) state: StateId,
    /// Not met before. Only new states are open; others may have been expanded.
    pub(crate) is_new: bool,
    /// The unit that moves; `None` is the network.
    pub(crate) unit: Option<UnitId>,
    /// The local state of that unit after the step.
    pub(crate) local: Option<NodeId>,
    /// The faults of the step.
    pub(crate) faults: u32,
    /// Whether something goes wrong: a fault, a failure, or the loss of all that is in flight.
    pub(crate) is_fault: bool,
    /// Whether the step writes or reads a message.
    pub(crate) message: Option<Message>,
    /// The score, for `best`.
    pub(crate) score: i64,
    /// The number of the state's network, for `network_states`.
    pub(crate) network: u64,
    /// The datagram that the step delivers, for `retransmissions`.
    pub(crate) delivered: Option<Delivered>,
}

/// States that are still to be expanded.
pub(crate) enum Frontier {
    Queue(VecDeque<StateId>),
    Stack(Vec<StateId>),
    Walks(Box<Walks>),
    Faults(Ways<Faults>),
    Reads(Ways<Reads>),
    Joint(Joint),
    NetworkStates(NetworkStates),
    Retransmissions(Retransmissions),
    Best(Best),
}

impl Frontier {
    /// With the first state.
    pub(crate) fn new(search: Search, first: StateId) -> Frontier {
        match search {
            Search::Bfs => Frontier::Queue(VecDeque::from([first])),
            Search::Dfs => Frontier::Stack(vec![first]),
            Search::Faults => Frontier::Faults(Ways::new(first)),
            Search::Reads => Frontier::Reads(Ways::new(first)),
            Search::Joint => Frontier::Joint(Joint::new(first)),
            Search::NetworkStates { retransmissions: None } => Frontier::NetworkStates(NetworkStates::new(first)),
            Search::NetworkStates { retransmissions: Some(arrivals) } => {
                Frontier::Retransmissions(Retransmissions::new(arrivals, true, first))
            }
            Search::Retransmissions { arrivals } => {
                Frontier::Retransmissions(Retransmissions::new(arrivals, false, first))
            }
            Search::Random { seed } => Frontier::Walks(Box::new(Walks::new(seed, None, first))),
            Search::Pct { seed, depth } => Frontier::Walks(Box::new(Walks::new(seed, Some(depth), first))),
        }
    }

    /// By scores, with the first state.
    pub(crate) fn best(first: StateId) -> Frontier {
        Frontier::Best(Best::new(first))
    }

    /// Adds the successors of the state that was popped last, in the order of exploration.
    pub(crate) fn extend(&mut self, successors: &[Successor]) {
        let new = successors.iter().filter(|successor| successor.is_new).map(|successor| successor.state);
        match self {
            Frontier::Queue(queue) => queue.extend(new),
            Frontier::Stack(stack) => stack.extend(new.rev()),
            Frontier::Walks(walks) => walks.extend(successors),
            Frontier::Faults(ways) => ways.extend(successors),
            Frontier::Reads(ways) => ways.extend(successors),
            Frontier::Joint(joint) => joint.extend(successors),
            Frontier::NetworkStates(states) => states.extend(successors),
            Frontier::Retransmissions(ways) => ways.extend(successors),
            Frontier::Best(best) => best.extend(successors),
        }
    }

    pub(crate) fn pop(&mut self) -> Option<StateId> {
        match self {
            Frontier::Queue(queue) => queue.pop_front(),
            Frontier::Stack(stack) => stack.pop(),
            Frontier::Walks(walks) => walks.pop(),
            Frontier::Faults(ways) => ways.pop(),
            Frontier::Reads(ways) => ways.pop(),
            Frontier::Joint(joint) => joint.pop(),
            Frontier::NetworkStates(states) => states.pop(),
            Frontier::Retransmissions(ways) => ways.pop(),
            Frontier::Best(best) => best.pop(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Frontier::Queue(queue) => queue.len(),
            Frontier::Stack(stack) => stack.len(),
            Frontier::Walks(walks) => walks.len(),
            Frontier::Faults(ways) => ways.len(),
            Frontier::Reads(ways) => ways.len(),
            Frontier::Joint(joint) => joint.len(),
            Frontier::NetworkStates(states) => states.len(),
            Frontier::Retransmissions(ways) => ways.len(),
            Frontier::Best(best) => best.len(),
        }
    }

    /// The states that come next, up to `count` of them, unless better ones are met before. A frontier whose next state
    /// is mostly a successor of the last one gives none.
    pub(crate) fn coming(&self, count: usize) -> Vec<StateId> {
        match self {
            Frontier::Queue(queue) => queue.iter().take(count).copied().collect(),
            Frontier::Faults(ways) => ways.coming().take(count).collect(),
            Frontier::Reads(ways) => ways.coming().take(count).collect(),
            Frontier::Stack(_)
            | Frontier::Walks(_)
            | Frontier::Joint(_)
            | Frontier::NetworkStates(_)
            | Frontier::Retransmissions(_)
            | Frontier::Best(_) => Vec::new(),
        }
    }

    /// Bytes for each open state.
    fn state_bytes(&self) -> usize {
        match self {
            Frontier::Queue(_) | Frontier::Stack(_) => size_of::<StateId>(),
            Frontier::Walks(_) => Walks::STATE_BYTES,
            Frontier::Faults(_) => Ways::<Faults>::STATE_BYTES,
            Frontier::Reads(_) => Ways::<Reads>::STATE_BYTES,
            Frontier::Joint(_) => Joint::STATE_BYTES,
            Frontier::NetworkStates(_) => NetworkStates::STATE_BYTES,
            Frontier::Retransmissions(_) => Retransmissions::STATE_BYTES,
            Frontier::Best(_) => Best::STATE_BYTES,
        }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let passed = match self {
            Frontier::Walks(walks) => walks.memory_bytes(),
            _ => 0,
        };
        self.len() * self.state_bytes() + passed
    }

    /// Whether successors that have been met before count as well.
    pub(crate) fn looks_back(&self) -> bool {
        matches!(
            self,
            Frontier::Walks(_)
                | Frontier::Faults(_)
                | Frontier::Reads(_)
                | Frontier::Joint(_)
                | Frontier::Retransmissions(_)
        )
    }

    /// Whether an open state is better reached by this step of the state that was popped last.
    pub(crate) fn prefers(&self, successor: &Successor) -> bool {
        match self {
            Frontier::Faults(ways) => ways.prefers(successor),
            Frontier::Reads(ways) => ways.prefers(successor),
            Frontier::Joint(joint) => joint.prefers(successor),
            Frontier::Retransmissions(ways) => ways.prefers(successor),
            _ => false,
        }
    }

    /// Whether a violation counts only when its state's turn has come, because a better one may come before.
    pub(crate) fn judges_in_turn(&self) -> bool {
        matches!(self, Frontier::Faults(_) | Frontier::Joint(_))
    }

    /// The faults on the way to the state that was popped last, for frontiers that count them.
    pub(crate) fn faults(&self) -> u32 {
        match self {
            Frontier::Faults(ways) => ways.here().faults,
            Frontier::Best(best) => best.here(),
            _ => 0,
        }
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): enough for a walk, and the same on every machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

#[cfg(test)]
mod tests;
