//! Bisimulation: states that no receiver can tell apart are visited once.
//!
//! Where programs do not look at what they are given, states differ only in the bytes of datagrams under way, and in what
//! local states keep of them. Two datagrams are *alike* for a process if each of its local states that may be given them takes
//! steps with the same effects to like local states; two local states are alike if they wait for the same, and take such
//! steps with like outcomes. These classes are found by splitting coarse ones (R. Paige, R. Tarjan, "Three partition refinement
//! algorithms", 1987). A state is not explored if one was visited that has a like local state of each unit, like datagrams in
//! the same order in each channel, and is equal in all else. What is visited are states as they were reached, never
//! representatives: each way to one is an execution, with the datagrams that were really sent.
//!
//! - [`partition`]: the classes, as far as automata are known; [`quotient`]: the visited states by their classes.
//!
//! # Why it is sound
//!
//! 1. *Like states offer the same steps.* The world looks at what units wait for, and never into a datagram: a link with
//!    other packets allows the same deliveries of them (`Link::renumbered`). A start that waits for a process asks whether it has
//!    waited, which is the same in a class.
//! 2. *Their steps lead to like states.* The effects of like steps are equal, so they write the same to the world, make the
//!    same claims and tell the same events. A panic, and each output, is a class of its own.
//! 3. *Classes are closed.* Where a step is known of one member of a class, it is learned of all of them, and of all like
//!    outcomes, until nothing is missing. So what lies behind an edge that no visited state takes is compared as well.
//! 4. *What is put off is put off alike.* Steps that are known of no member were put off. Footprints are read off known edges,
//!    which members have in common, so a stubborn set of a visited state is one of all like states: the visited states are the
//!    classes of a reduced graph of the full space.
//! 5. *No step is put off for ever.* A cycle of classes need not be one of states, so the proviso reads off the automata of
//!    classes which steps lie on a cycle (`repeats`). It leads on and on through finitely many local states, since classes are
//!    closed: where no automaton has a cycle, there is none of classes.
//! 6. *It is relied on as footprints are.* A round merges what was alike at its beginning; later nodes stand for themselves. At
//!    its end the classes are closed over all that is known by then. If they tell apart what was merged, another round
//!    follows.
//!
//! A part is left out only for one of the same units, and has the same ends. A state that covers a visited one by subsumption
//! covers the like ones.
//!
//! That members of a class are as many steps from the start, and like datagrams equally long and from one address, is no condition:
//! without it, more would have to be learned that no execution comes to.
//!
//! # What is in doubt
//!
//! To close a class, a program may be given a datagram where no execution gives it. No finding is made of that; a process
//! that differs from run to run then is left out. Where too much would have to be learned (of a program that keeps all that it
//! has been given), nothing is merged. A poll that does not return costs its time.
//!
//! Nothing is merged where the argument does not hold, or was not made: with monitors, which may look into datagrams;
//! where units are renamed (symmetry); in dense time, where channels are sorted by what they hold; with a budget of faults, of which
//! equal deliveries may take more or less, and with crashes, after which programs begin anew; with limits on the steps or messages
//! on a way, and in orders other than breadth-first and depth-first, which weigh ways (but for that of subsumption, which prefers
//! fewer faults in vain as it is); where only fingerprints are kept; with tracked tasks, whose events are told apart; with
//! real peers; where programs read the time, and so for local states that hold an instant, or have files, which the end shows.
//! Datagrams that were peeked at, and those to an
//! address without a socket, are told apart, and so are the bytes of streams.

mod partition;
mod quotient;

pub(crate) use quotient::Quotient;

use crate::id::{NodeId, OutcomeId, ProcessId};
use crate::sorted::SortedSet;
use crate::world::store::Store;
use crate::world::system::{Interrupt, System};
use ahash::AHashMap;
use partition::{Missing, Partition};
use std::sync::Arc;

/// Polls that closing classes may cost in any case; where the search has cost more, as many.
const POLLS_MIN: u64 = 20_000;

/// Classes of local states, and of datagrams by the process that receives them.
#[derive(Debug, Default)]
pub(crate) struct Bisimulation {
    /// By node: the first one of its class. Later nodes stand for themselves.
    nodes: Vec<NodeId>,
    /// Likewise; others stand for themselves.
    datagrams: AHashMap<(ProcessId, OutcomeId), OutcomeId>,
}

impl Bisimulation {
    /// The local state that stands for another one.
    pub(crate) fn node(&self, node: NodeId) -> NodeId {
        self.nodes.get(node.index()).copied().unwrap_or(node)
    }

    /// The outcome that stands for another one, if that is a datagram.
    fn datagram(&self, process: ProcessId, outcome: OutcomeId) -> OutcomeId {
        self.datagrams.get(&(process, outcome)).copied().unwrap_or(outcome)
    }

    /// Whether each stands for itself.
    fn is_trivial(&self) -> bool {
        let is_first = |(node, &first): (NodeId, &NodeId)| node == first;
        (0..).map(NodeId).zip(&self.nodes).all(is_first) && self.datagrams.iter().all(|((_, it), first)| it == first)
    }

    /// Whether whatever is of one class of another bisimulation is of one class here.
    fn includes(&self, finer: &Bisimulation) -> bool {
        let mut nodes = (0..).map(NodeId).zip(&finer.nodes);
        let mut datagrams = finer.datagrams.iter();
        nodes.all(|(node, &first)| self.node(node) == self.node(first))
            && datagrams.all(|(&(process, it), &first)| self.datagram(process, it) == self.datagram(process, first))
    }
}

/// The use of bisimulation in a search, over its rounds.
pub(crate) struct Merging {
    /// The classes of this round.
    pub(crate) used: Option<Arc<Bisimulation>>,
    /// So many visited states let the search look for larger classes.
    due_at: usize,
    /// Whether it is enough if two visited states are alike.
    is_eager: bool,
    /// Processes that have differed from run to run.
    left_out: SortedSet<ProcessId>,
    /// The polls that closing classes has cost.
    polls: u64,
}

impl Merging {
    /// Nothing is merged before so many states; with 0, whatever can be.
    pub(crate) fn after(states: usize) -> Merging {
        Merging { used: None, due_at: states, is_eager: states == 0, left_out: SortedSet::new(), polls: 0 }
    }

    /// Whether the search has come to so many states that it is worth to look for larger classes.
    pub(crate) fn is_due(&self, states: usize) -> bool {
        states >= self.due_at
    }

    /// A round is over. Says whether it has merged what is not known to be alike, or another one merges more.
    pub(crate) fn end_round(&mut self, system: &mut System, store: &Store) -> Result<bool, Interrupt> {
        if self.is_eager { self.finds_more(system, store) } else { self.is_refuted(system) }
    }

    /// Looks for classes of which there are half as many as visited states, or fewer. Says whether it has found some, or
    /// has refuted those of this round; then the next round uses what is known now.
    pub(crate) fn finds_more(&mut self, system: &mut System, store: &Store) -> Result<bool, Interrupt> {
        self.due_at = store.len().saturating_mul(2);
        if self.is_refuted(system)? {
            return Ok(true);
        }
        let found = match &self.used {
            // They were closed just now.
            Some(used) => Arc::clone(used),
            None => {
                // What is learned only tells more states apart.
                let at_best = Arc::new(Partition::of(system, &self.left_out).into_found());
                if self.is_spent(system) || !self.is_worth_it(system, store, &at_best) {
                    return Ok(false);
                }
                self.close(system)?
            }
        };
        let is_worth_it = self.is_worth_it(system, store, &found);
        if is_worth_it {
            self.used = Some(found);
        }
        Ok(is_worth_it)
    }

    /// Whether merging by some classes leaves few enough of the visited states.
    fn is_worth_it(&self, system: &System, store: &Store, found: &Arc<Bisimulation>) -> bool {
        if found.is_trivial() {
            return false;
        }
        let classes = Quotient::new(Arc::clone(found)).count(system, store);
        2 * classes <= store.len() || self.is_eager && classes < store.len()
    }

    /// Whether closing classes has cost as much as it may.
    fn is_spent(&self, system: &System) -> bool {
        self.polls > POLLS_MIN.max(system.learner.polls - self.polls)
    }

    /// Whether a round has merged what is not known to be alike; the next one uses what is known now.
    fn is_refuted(&mut self, system: &mut System) -> Result<bool, Interrupt> {
        let Some(used) = self.used.take() else { return Ok(false) };
        let now = self.close(system)?;
        let is_refuted = !now.includes(&used);
        self.used = Some(now);
        Ok(is_refuted)
    }

    /// Classes all of whose members have the same steps. What is not known of their steps is learned; if that costs too much,
    /// each stands for itself.
    fn close(&mut self, system: &mut System) -> Result<Arc<Bisimulation>, Interrupt> {
        loop {
            if self.is_spent(system) {
                return Ok(Arc::default());
            }
            let partition = Partition::of(system, &self.left_out);
            let missing = partition.missing();
            if missing.is_empty() {
                return Ok(Arc::new(partition.into_found()));
            }
            for step in missing {
                if !self.left_out.contains(&step.process) && !self.is_spent(system) {
                    self.learn(system, step)?;
                }
            }
        }
    }

    fn learn(
        &mut self,
        system: &mut System,
        Missing { process, node, input, attempt }: Missing,
    ) -> Result<(), Interrupt> {
        let before = system.learner.polls;
        let edge = match (attempt, system.learner.automata.find(node, input)) {
            (Some(number), Some(edge)) => system.attempt(edge, number),
            _ => system.edge(node, input),
        };
        self.polls += system.learner.polls - before;
        match edge {
            // The input may be one that no execution gives it.
            Err(Interrupt::Diagnostic(_)) => _ = self.left_out.insert(process),
            edge => _ = edge?,
        }
        Ok(())
    }
}
