//! Choices as the search keeps them.

use smallvec::SmallVec;

/// A prepared choice.
#[derive(Clone, Debug)]
pub enum Prepared {
    Choose { alternatives: usize },
    Select { candidates: SmallVec<[u8; 8]> },
}
