//! A live mover of a state, with what the choice of a stubborn set needs to know of it.

use super::bits::Bits;
use super::footprint::{Footprints, Row};
use crate::id::{Mover, NodeId};

/// A live mover.
pub(super) struct Live {
    pub(super) mover: Mover,
    pub(super) node: NodeId,
    pub(super) row: Row,
    /// The resources that its steps depend on in this state.
    pub(super) depends_on: Bits,
    /// The resources all of which others have to affect before it can move: for a process that starts after others.
    pub(super) needs: Bits,
    /// The arrivals at its ports, and what is under way: see [`Footprints::inlets`] and [`Footprints::under_way`].
    pub(super) inlets: Bits,
    /// The number of its moves.
    pub(super) moves: usize,
    /// Whether one of them holds others up: it is no failure, and may not take any time.
    pub(super) proceeds: bool,
    /// Whether it waits for the start after a crash.
    pub(super) starts_again: bool,
    /// Whether it is in the middle of a poll that leads nowhere: it goes on by another path.
    pub(super) is_dead_end: bool,
    /// Whether it waits for a timer.
    pub(super) timers: bool,
    /// The representative of its connected component (union-find, the lowest index).
    pub(super) component: usize,
    /// The representative of the movers that share its clock (likewise).
    pub(super) clock: usize,
    /// The representative of those that would if no call failed, and no link was cut, at the instants of others' timers
    /// ([`failures`](super::failures)).
    pub(super) own_clock: usize,
}

impl Live {
    /// Whether it waits for a timer, or may use one from now on.
    pub(super) fn has_timers(&self, footprints: &Footprints) -> bool {
        self.timers || footprints.has_timers(self.mover.unit, self.row)
    }
}
