//! A mover that is there in a state, with what the choice of a stubborn set needs to know of it.

use super::bits::Bits;
use super::footprint::{Footprints, Row};
use crate::id::{Mover, NodeId};

/// A mover that is there.
pub(super) struct Live {
    pub(super) mover: Mover,
    pub(super) node: NodeId,
    pub(super) row: Row,
    /// What its steps mind in this state.
    pub(super) depends_on: Bits,
    /// What others have to do before it can move, all of it: a process that starts after others.
    pub(super) needs: Bits,
    /// What may be sent to it.
    pub(super) inlets: Bits,
    /// All of its moves.
    pub(super) moves: usize,
    /// Whether it has one that is no failure.
    pub(super) proceeds: bool,
    /// Whether it is in the middle of a poll that leads nowhere: there is another way to where it goes on.
    pub(super) is_dead_end: bool,
    pub(super) immediate: bool,
    /// Whether it waits for a timer.
    pub(super) timers: bool,
    /// The lowest index of those with which the network connects it.
    pub(super) component: usize,
    /// The lowest index of those with which it shares a clock.
    pub(super) clock: usize,
}

impl Live {
    /// Whether it waits for a timer, or may use one from now on.
    pub(super) fn has_timers(&self, footprints: &Footprints) -> bool {
        self.timers || footprints.has_timers(self.mover.unit, self.row)
    }
}
