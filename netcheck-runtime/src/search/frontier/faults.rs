//! By the number of faults on the way to a state, then by the number of steps: see
//! [`Search::Faults`](super::Search::Faults).

use super::Successor;
use super::ways::Way;

/// The faults and the steps on a way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Faults {
    pub(super) faults: u32,
    steps: u32,
}

impl Way for Faults {
    fn and(self, step: &Successor) -> Faults {
        Faults { faults: self.faults + step.faults, steps: self.steps + 1 }
    }
}
