//! There are no operations on fault regions.

/// There are no operations on fault regions.
#[derive(Clone, Debug)]
pub enum Prepared {}
