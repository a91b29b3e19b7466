//! Emitted values are the program's own: nothing is renamed in them. (With monitors, no processes are taken to be alike.)

use super::operation::{Effect, Operation};
use crate::world::renaming::Renaming;

pub(crate) fn operation(_renaming: &Renaming<'_>, operation: &mut Operation) {
    match *operation {}
}

pub(crate) fn effect(_renaming: &Renaming<'_>, effect: &mut Effect) {
    match effect {
        Effect::Emit(_) => {}
    }
}
