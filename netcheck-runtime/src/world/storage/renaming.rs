//! Calls on files and changes of them name no unit: nothing is renamed.

use super::operation::{Effect, Operation};
use crate::world::renaming::Renaming;

pub(crate) fn operation(_renaming: &Renaming<'_>, _operation: &mut Operation) {}

pub(crate) fn effect(_renaming: &Renaming<'_>, _effect: &mut Effect) {}
