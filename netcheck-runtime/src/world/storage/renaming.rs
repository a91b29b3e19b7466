//! Changes of files name no unit: nothing is renamed.

use super::operation::Effect;
use crate::world::renaming::Renaming;

pub(crate) fn effect(_renaming: &Renaming<'_>, _effect: &mut Effect) {}
