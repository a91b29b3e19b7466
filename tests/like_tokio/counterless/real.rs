//! The sequences, compiled against tokio's types.

pub(crate) use ::tokio::sync;

#[path = "broadcast.rs"]
pub(crate) mod broadcast;
#[path = "mpsc.rs"]
pub(crate) mod mpsc;
#[path = "notify.rs"]
pub(crate) mod notify;
#[path = "watch.rs"]
pub(crate) mod watch;
