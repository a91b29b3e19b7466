//! By the length of the way to a state, in which a message that is read is as long as some other steps: see
//! [`Search::Reads`](super::Search::Reads).
//!
//! *Covering states are met in time.* In dense time a state is left out if a larger one covers it that is met before its
//! turn (`reduction/subsumption.rs`). The larger one has more packets under way, and these took steps: a time-out fires,
//! and packets are sent again. So it lies on a longer way, by a *lag* of two steps or more. Let a step lead from a state to
//! a smaller one, and from a state that lags behind to a larger one. If the step is as long as any other, the smaller
//! state has its turn before the larger one is met, and so has all that follows from it: everything is explored once for
//! each set of packets that were sent again, although the largest set would do. If the step is a read, the smaller state
//! waits for [`READ`] units, within which the larger one is met if the lag is shorter. As many packets may be sent again
//! as there are, one time after the other: each such state is covered by the next one, which lags a little more.
//!
//! *No state waits for ever.* Every step has a length, and a state finitely many steps, so there are finitely many ways up
//! to a length. A state has its turn after those on shorter ways alone, which have at most [`READ`] times as many steps as
//! its own. A state that is superseded is stood for by one that was met before its turn, on a way that is longer by
//! [`READ`] at the most; so is that one by the next, and after some of them one has its turn. So a bug behind some steps is
//! met, whatever goes on for ever beside it.

use super::Successor;
use super::ways::Way;
use crate::world::step::Message;

/// The length of a message that is read: more than a time-out and six packets that are sent again take.
const READ: u32 = 8;

/// The length of a way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Reads(u32);

impl Way for Reads {
    fn and(self, step: &Successor) -> Reads {
        Reads(self.0 + if step.message == Some(Message::Read) { READ } else { 1 })
    }
}
