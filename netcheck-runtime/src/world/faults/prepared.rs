//! No unit asks anything of fault regions.

/// There is no such operation.
#[derive(Clone, Debug)]
pub(crate) enum Prepared {}
