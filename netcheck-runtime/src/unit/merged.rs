//! Histories that were taken to lead to one local state, and which of them are tried.
//!
//! A history is run from its beginning, so that one try costs as many polls as the history has steps, and the tries of a
//! chain of n local states would cost n² polls. But they need not be many: a history that is run tells of all steps on
//! its way. So all tries together may cost a share of what learning costs. On a chain the next try is then made when the
//! chain is longer by a fixed factor: each step is tried, but those at the end of the longest history, and the polls grow
//! with the states. A try is made as soon as the ones before are paid for, whatever it costs itself: else long
//! histories would always come off worse than short ones.

use crate::id::NodeId;
use crate::operation::Input;
use crate::unit::automaton::Automata;
use crate::unit::generator::Generator;
use ahash::AHashMap;

/// The steps of a history that is tried, from which on it is the recorded one.
const WAY_STEPS_MAX: usize = 64;

/// Polls that the tries may cost in any case.
const POLLS_MIN: u64 = 512;

/// Other polls, for each of which they may cost one.
const POLLS_OF_OTHERS: u64 = 2;

/// Histories that were merged: taken to lead to the same node as earlier ones.
#[derive(Default)]
pub(super) struct Merged {
    /// For each node, the last step by which another history reached it.
    arrivals: AHashMap<NodeId, (NodeId, Input)>,
    learned: Samples,
    loops: Samples,
    set_back: Samples,
    dates: Samples,
    /// Polls of all tries so far.
    polls: u64,
    ways: u64,
    turns: Generator,
}

impl Merged {
    pub(super) fn add(&mut self, node: NodeId, source: NodeId, input: Input) {
        self.arrivals.insert(node, (source, input));
    }

    /// Whether no history was merged yet.
    pub(super) fn is_empty(&self) -> bool {
        self.arrivals.is_empty()
    }

    pub(super) fn arrival(&self, node: NodeId) -> Option<(NodeId, Input)> {
        self.arrivals.get(&node).copied()
    }

    /// A history that leads to a node. At each node with several histories it goes on, backwards, with the last one that
    /// was found, and every other time with any of them: what a program keeps elsewhere than in its memory may take
    /// several such steps to show.
    pub(super) fn another_way(&mut self, automata: &Automata, node: NodeId) -> Vec<(NodeId, Input)> {
        let mut steps = Vec::new();
        self.ways += 1;
        let takes_any = self.ways.is_multiple_of(2);
        let mut at = node;
        while let Some(recorded) = automata.node(at).from {
            // In a loop there are ways of any length.
            let takes_other = steps.len() < WAY_STEPS_MAX && !(takes_any && self.turns.next().is_multiple_of(2));
            let step = self.arrival(at).filter(|_| takes_other).unwrap_or(recorded);
            steps.push(step);
            at = step.0;
        }
        steps.reverse();
        steps
    }

    /// Whether an edge is due for a test; `polls`: all polls so far.
    pub(super) fn is_due(&mut self, polls: u64) -> bool {
        self.can_pay(polls) && self.learned.is_due()
    }

    /// Whether a step that may close a loop is due for a test.
    pub(super) fn is_loop_due(&mut self, polls: u64) -> bool {
        self.can_pay(polls) && self.loops.is_due()
    }

    /// Whether another history may be tried.
    pub(super) fn can_pay(&self, polls: u64) -> bool {
        !self.is_empty() && self.is_paid_for(polls)
    }

    /// Whether a node to which a run was set back is due for a test.
    pub(super) fn is_set_back_due(&mut self, polls: u64) -> bool {
        self.is_paid_for(polls) && self.set_back.is_due()
    }

    /// Whether an edge of a run that has read the date is due for a test.
    pub(super) fn is_date_due(&mut self, polls: u64) -> bool {
        self.is_paid_for(polls) && self.dates.is_due()
    }

    fn is_paid_for(&self, polls: u64) -> bool {
        self.polls <= POLLS_MIN + (polls - self.polls) / POLLS_OF_OTHERS
    }

    /// Notes what a try has cost.
    pub(super) fn pay(&mut self, polls: u64) {
        self.polls += polls;
    }

    /// A number below `bound`.
    pub(super) fn draw(&mut self, bound: usize) -> usize {
        ((u128::from(self.turns.next()) * bound as u128) >> 64) as usize
    }
}

/// Counts occasions: at first each is a sample, later only one in many.
#[derive(Default)]
pub(super) struct Samples(u32);

impl Samples {
    const ALL_AT_FIRST: u32 = 200;
    const ONE_IN: u32 = 32;

    pub(super) fn is_due(&mut self) -> bool {
        self.0 += 1;
        self.0 <= Self::ALL_AT_FIRST || self.0.is_multiple_of(Self::ONE_IN)
    }
}
