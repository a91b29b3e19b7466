//! The cases, compiled against netcheck.

pub(crate) use ::std;
pub(crate) use netcheck as tokio;
pub(crate) use netcheck::program::std::{env, fs};

/// More than a check keeps for a reader that does not read. Each state has the image of it.
pub(crate) const LARGE: usize = 1 << 20;

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
