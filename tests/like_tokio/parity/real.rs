//! The cases, compiled against tokio.

pub(crate) use ::{std, tokio};
pub(crate) use ::std::{env, fs};

/// More than the OS keeps for a reader that does not read: 4 MB for the writer, and less for the reader.
pub(crate) const LARGE: usize = 8 << 20;

#[path = "files.rs"]
pub(crate) mod files;
#[path = "io.rs"]
pub(crate) mod io;
#[path = "memory.rs"]
pub(crate) mod memory;
#[path = "sync.rs"]
pub(crate) mod sync;
#[path = "task.rs"]
pub(crate) mod task;
#[path = "tcp.rs"]
pub(crate) mod tcp;
#[path = "time.rs"]
pub(crate) mod time;
#[path = "udp.rs"]
pub(crate) mod udp;
#[path = "unix.rs"]
pub(crate) mod unix;
