//! There are no operations on monitors.

/// There are no operations on monitors.
#[derive(Clone, Debug)]
pub enum Prepared {}
