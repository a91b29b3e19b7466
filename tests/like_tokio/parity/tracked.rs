//! The cases of memory that tasks share, compiled against what netcheck tracks.

pub(crate) use netcheck::tracked::{self as tokio, std};

#[path = "memory.rs"]
pub(crate) mod memory;
#[path = "sync.rs"]
pub(crate) mod sync;
