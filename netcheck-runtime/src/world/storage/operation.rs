//! Changes of files.

use netcheck_models::storage;

/// A change of the files of a unit's host, or a sync.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Effect(pub storage::Operation);
