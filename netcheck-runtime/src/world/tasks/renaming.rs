//! Renames operations on tasks and effects.

use super::operation::{Effect, Operation};
use crate::world::renaming::Renaming;

pub(crate) fn operation(renaming: &Renaming<'_>, operation: &mut Operation) {
    match operation {
        Operation::Start | Operation::Restart | Operation::Run(_) | Operation::Cancel | Operation::Crash => {}
        Operation::Join { child, .. } | Operation::IsEnded { child } => *child = renaming.unit(*child),
    }
}

pub(crate) fn effect(renaming: &Renaming<'_>, effect: &mut Effect) {
    match effect {
        Effect::Spawn { child, handles, streams } => {
            *child = renaming.unit(*child);
            handles.iter_mut().for_each(|socket| *socket = renaming.socket(*socket));
            streams.iter_mut().for_each(|stream| *stream = renaming.stream(*stream));
        }
        Effect::Abort { child } | Effect::Detach { child } => *child = renaming.unit(*child),
        Effect::Crash { next } => *next = next.map(|next| renaming.unit(next)),
    }
}
