//! The branches of unbiased `select!`s in which an operation is polled.

use smallvec::SmallVec;

/// Branches of `select!`s whose order is open, by the numbers of the `select!`s.
pub(super) type Branches = SmallVec<[(u32, usize); 2]>;

/// Whether the order in which two futures are polled is that of the branches of a `select!`, and open.
pub(super) fn are_unordered(one: &Branches, other: &Branches) -> bool {
    one.iter().any(|(select, branch)| other.iter().any(|(of, another)| of == select && another != branch))
}
