//! Emitted values and calls on objects are the program's own: nothing is renamed in them. (With monitors, no processes are taken to be alike.)

use super::operation::Effect;
use crate::world::renaming::Renaming;

pub(crate) fn effect(_renaming: &Renaming<'_>, effect: &mut Effect) {
    match effect {
        Effect::Emit(_) | Effect::Invoke(_) | Effect::Conclude(_) => {}
    }
}
