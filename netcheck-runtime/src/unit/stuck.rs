//! Polls that do not return.
//!
//! A poll that makes no call is seen by the [watchdog](super::watchdog). One that makes calls is repeated with each answer, so
//! that a loop of calls without an await is a chain of ever longer polls. Most calls have an end of their own: a queue is empty,
//! all choices are made. One that is tried, and has to wait, may be tried again and again; and a clock can be read for ever,
//! though no time passes while a poll runs.

use crate::id::NodeId;
use crate::operation::{Begun, Input, Outcome};
use crate::unit::automaton::{Edge, EdgeId, NodeKind};
use crate::unit::learn::Learner;
use crate::unit::panics::{Cause, Panic};
use smallvec::SmallVec;

/// Tries of one poll that may all be in vain. More sockets than that are seldom tried one after the other.
const TRIES_MAX: usize = 256;

/// Readings of the clock by one poll. Each of them repeats the poll, so that many more would not be of use anyway.
const READINGS_MAX: usize = 1_024;

impl Learner {
    /// The message on a poll that goes on trying or reading the clock, if it has done so too often.
    pub(super) fn goes_on_in_vain(&self, poll: &[(NodeId, Input)]) -> Option<String> {
        if poll.len() <= TRIES_MAX {
            return None;
        }
        let outcomes = || poll.iter().map(|(_, input)| self.automata.outcome(input.outcome));
        let tries_in_vain = outcomes().filter(|outcome| outcome.is_not_yet()).count() > TRIES_MAX;
        let reads_in_vain = outcomes().filter(|outcome| matches!(outcome, Outcome::Time { .. })).count() > READINGS_MAX;
        let (node, input) = *poll.last().filter(|_| tries_in_vain || reads_in_vain)?;
        let (process, line) = self.place_of(node, input.key);
        Some(match tries_in_vain {
            true => format!(
                "a poll of process \"{process}\" has tried {TRIES_MAX} times what was not possible, last at {line}, without an \
                 await in between\n  \
                 a loop that only tries keeps its thread busy, and nothing says when it ends\n  \
                 wait until it is worth to try (`readable().await`), or give way between two tries (`yield_now().await`)"
            ),
            false => format!(
                "a poll of process \"{process}\" has read the clock {READINGS_MAX} times, last at {line}, without an await in \
                 between\n  \
                 no time passes while a poll runs, so a loop that waits for a time never ends\n  \
                 wait for it (`sleep_until(deadline).await`); where the clock is read for many entries, read it once"
            ),
        })
    }

    /// Records a step in which a poll is known not to return.
    pub(super) fn record_stuck(&mut self, node: NodeId, input: Input, message: String) -> EdgeId {
        let panic = Panic { message, location: String::new(), cause: Cause::Stuck };
        let unit = self.automata.node(node).unit;
        let target = self.automata.add_node(unit, Some((node, input)), NodeKind::Panicked(panic), true, Vec::new());
        let (effects, roots) = (Box::default(), SmallVec::new());
        let (event, begun) = (None, Begun::default());
        self.automata.add_edge(Edge { source: node, input, target, effects, roots, event, begun })
    }
}
