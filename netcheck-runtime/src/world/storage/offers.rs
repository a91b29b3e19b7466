//! There are no operations on files: all that a program asks is answered by its own tree.

use super::Prepared;
use crate::world::enabled::{Asker, Enabled};
use crate::world::tables::{Lookup, View};

pub(crate) fn offers(
    _view: View<'_>,
    _state: &[u32],
    _asker: Asker,
    prepared: &Prepared,
    _enabled: &mut Enabled,
) -> Lookup<()> {
    match *prepared {}
}
