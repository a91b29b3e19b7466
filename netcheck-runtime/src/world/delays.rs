//! How long packets take, as declared.

use netcheck_models::time::Delay;

/// How long packets take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delays {
    /// Any time of an interval.
    Interval(Delay),
    /// One of these, in nanoseconds.
    Listed(Vec<u64>),
}
