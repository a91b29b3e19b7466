//! Fault regions name no unit: nothing is renamed.

use super::operation::Effect;
use crate::world::renaming::Renaming;

pub(crate) fn effect(_renaming: &Renaming<'_>, effect: &mut Effect) {
    match effect {
        Effect::Scope { .. } | Effect::Enter { .. } | Effect::Leave { .. } => {}
    }
}
