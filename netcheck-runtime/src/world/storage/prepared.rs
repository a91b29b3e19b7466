//! There are no operations on files: all that a program asks is answered by its own tree.

/// There are no operations on files: all that a program asks is answered by its own tree.
#[derive(Clone, Debug)]
pub enum Prepared {}
