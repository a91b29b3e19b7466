//! Changes of files name no unit: nothing is renamed.

use super::operation::{Effect, Operation};
use crate::world::renaming::Renaming;

pub(crate) fn operation(_renaming: &Renaming<'_>, operation: &mut Operation) {
    match *operation {}
}

pub(crate) fn effect(_renaming: &Renaming<'_>, _effect: &mut Effect) {}
