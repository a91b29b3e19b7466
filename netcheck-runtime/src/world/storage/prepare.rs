//! Prepares calls on files for the search.

use super::Prepared;
use super::operation::Operation;
use crate::id::UnitId;
use crate::world::system::System;

pub(crate) fn prepare(_system: &mut System, _unit: UnitId, operation: Operation, _execution: u32) -> Prepared {
    Prepared(operation)
}
