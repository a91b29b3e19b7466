//! Calls on files as the search keeps them.

use super::operation::Operation;

/// A prepared call.
#[derive(Clone, Copy, Debug)]
pub struct Prepared(pub(super) Operation);
