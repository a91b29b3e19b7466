//! Dates that programs read.
//!
//! A date is told as an instant is: a local state has how far the dates in its memory lie from each other, from instants, and
//! from now, and not which date it is. So a program whose token expires in an hour comes back to where it was when it has a
//! new one. But of a date programs make other things than of an instant: a number of days, a header, the name of a file. These
//! depend on the date at which the check began, and states would be taken for one that differ by them.
//!
//! So histories in which the date was read are tried with a check that begins at another date, by some weeks, hours,
//! minutes and seconds: the program has to wait for the same after each step, and its memory to have the same image at the
//! end. What it has made of the number of a date shows there: it was sent, written into the memory, or it decided what the
//! program did. If there is a difference, the check begins again with the time since the start in each state. As
//! with everything else that was merged ([`both_ways`](super::both_ways)), the first edges are tried, and later one in many.
//!
//! A future is made on the stack, and its unused bytes hold what lay there: dates that were told, too. No program can read
//! these. So if images differ, those without unread bytes decide.

use crate::id::NodeId;
use crate::operation::Input;
use crate::unit::automaton::{Edge, EdgeId, NodeKind};
use crate::unit::learn::{Diagnostic, Learner};
use std::rc::Rc;
use std::time::Duration;

/// How much later the other check begins: 14 weeks, 4 days, 7 hours, 46 minutes and 47 seconds.
const LATER: Duration = Duration::from_secs(8_840_807);

impl Learner {
    /// Runs the history of an edge in which the date was read in checks that begin at two dates.
    pub(super) fn try_another_date(&mut self, root: NodeId, edge: EdgeId) -> Result<(), Diagnostic> {
        let Edge { source, target, .. } = *self.automata.edge(edge);
        let steps = self.automata.history_with(edge);
        if self.is_same_at_another_date(root, &steps, target)? {
            return Ok(());
        }
        if self.shared.modes.unread.is_none() && netcheck_memory::types::are_known() {
            self.shared.clears.set(true);
            let is_same = self.is_same_at_another_date(root, &steps, target);
            self.shared.clears.set(false);
            if is_same? {
                return Ok(());
            }
        }
        let name = self.shared.unit(self.automata.node(source).unit).name;
        Err(Diagnostic(format!(
            "process \"{name}\" keeps something that depends on the date at which the check begins"
        )))
    }

    /// Whether the memory after a history is the same in checks that begin at two dates.
    fn is_same_at_another_date(
        &mut self,
        root: NodeId,
        steps: &[(NodeId, Input)],
        target: NodeId,
    ) -> Result<bool, Diagnostic> {
        let program = Rc::clone(&self.programs[&root]);
        let is_live = self.automata.node(target).kind == NodeKind::Live;
        let mut images = Vec::new();
        for calendar in [Duration::ZERO, LATER] {
            let polls = self.polls;
            self.shared.calendar.set(calendar);
            let image = self.rebuild(root, &program, steps).map(|run| if is_live { run.image() } else { None });
            self.shared.calendar.set(Duration::ZERO);
            self.merged.pay(self.polls - polls);
            images.push(image?);
        }
        Ok(images[0] == images[1])
    }
}
