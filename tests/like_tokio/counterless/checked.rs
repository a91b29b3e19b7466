//! The sequences, compiled against netcheck's.

pub(crate) use netcheck::tracked::sync;

#[path = "broadcast.rs"]
pub(crate) mod broadcast;
#[path = "mpsc.rs"]
pub(crate) mod mpsc;
#[path = "notify.rs"]
pub(crate) mod notify;
#[path = "watch.rs"]
pub(crate) mod watch;
