//! The footprint of one mover from one local state on.

use super::bits::Bits;
use crate::id::ProcessId;
use crate::operation::OperationKey;
use crate::world::touches::When;
use smallvec::SmallVec;

/// A footprint's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Row(pub(super) u32);

/// The resources that one mover is known to touch from one local state on.
#[derive(Clone, Default)]
pub(crate) struct Footprint {
    /// The resources that the next steps depend on; for a tracked task, those that its offers depend on.
    pub(crate) depends_on: Bits,
    /// The resources that these steps, and all that can follow them, affect.
    pub(crate) future_affects: Bits,
    /// The resources that these steps, and all that can follow them, depend on.
    pub(crate) future_depends_on: Bits,
    /// The ends that these steps wait for one at a time, with nothing else.
    pub(crate) future_waits: Bits,
    /// All else that these steps see: the moment at which it happens makes a difference.
    pub(crate) future_races: Bits,
    /// The resources that an offer depends on besides, in some states.
    pub(crate) sometimes: Vec<(OperationKey, When, Bits)>,
    /// The resources that can wake a task that waits for others.
    pub(crate) woken_by: Bits,
    /// The footprints whose steps may lead to this one.
    pub(super) before: SmallVec<[Row; 2]>,
    /// Whether the choice of a stubborn set has relied on it.
    pub(super) consulted: bool,
    /// The process of a unit of which this is the first footprint.
    pub(super) first_of: Option<ProcessId>,
}

/// The resources that steps, and all that can follow them, touch.
pub(super) struct Future {
    pub(super) affects: Bits,
    pub(super) depends_on: Bits,
    pub(super) waits: Bits,
    pub(super) races: Bits,
}

impl Footprint {
    pub(super) fn future(&self) -> Future {
        Future {
            affects: self.future_affects.clone(),
            depends_on: self.future_depends_on.clone(),
            waits: self.future_waits.clone(),
            races: self.future_races.clone(),
        }
    }

    /// Adds resources that an offer depends on in some states; without an offer, in every state. Says whether it has grown.
    pub(super) fn depend_sometimes(&mut self, offer: Option<(OperationKey, When)>, depends_on: &Bits) -> bool {
        let Some((key, when)) = offer else { return self.depends_on.union_with(depends_on) };
        let sometimes = (key, when, depends_on.clone());
        let is_new = !self.sometimes.contains(&sometimes);
        if is_new {
            self.sometimes.push(sometimes);
        }
        is_new
    }

    /// Adds to the future; says whether it has grown.
    pub(super) fn extend(&mut self, future: &Future) -> bool {
        // Not short-circuited: all have to grow.
        self.future_affects.union_with(&future.affects)
            | self.future_depends_on.union_with(&future.depends_on)
            | self.future_waits.union_with(&future.waits)
            | self.future_races.union_with(&future.races)
    }
}
