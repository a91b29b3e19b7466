//! Timers have the same numbers in like units: nothing is renamed.

use super::operation::{Effect, Operation};
use crate::world::renaming::Renaming;

pub(crate) fn operation(_renaming: &Renaming<'_>, operation: &mut Operation) {
    match operation {
        Operation::Timer { .. } | Operation::Try { .. } | Operation::Clock { .. } | Operation::Deadline { .. } => {}
        // Dense time has no symmetry.
        Operation::Compare { .. } | Operation::Distance { .. } => {}
    }
}

pub(crate) fn effect(_renaming: &Renaming<'_>, effect: &mut Effect) {
    match effect {
        Effect::Arm { .. } | Effect::ArmAt { .. } | Effect::Rearm { .. } => {}
        Effect::Await { .. } | Effect::Disarm { .. } | Effect::Latest { .. } => {}
        Effect::Marks { .. } | Effect::Reach { .. } | Effect::Number => {}
    }
}
