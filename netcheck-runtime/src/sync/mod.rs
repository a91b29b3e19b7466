//! What tasks share, tracked.

pub(crate) mod object;
