//! tokio's own channels, with a note in the check of where they are made: they count on, and the profile of a check that is
//! too big says so. A channel that is made by `Sender::new` is not noted.

use crate::unit::poll::context;
use std::panic::Location;

pub mod mpsc {
    //! `tokio::sync::mpsc`.

    #[doc(no_inline)]
    pub use tokio::sync::mpsc::*;

    /// As tokio's.
    ///
    /// # Panics
    /// If `buffer` is 0 or larger than a semaphore can be.
    #[track_caller]
    pub fn channel<T>(buffer: usize) -> (Sender<T>, Receiver<T>) {
        super::note();
        tokio::sync::mpsc::channel(buffer)
    }

    /// As tokio's.
    #[track_caller]
    pub fn unbounded_channel<T>() -> (UnboundedSender<T>, UnboundedReceiver<T>) {
        super::note();
        tokio::sync::mpsc::unbounded_channel()
    }
}

pub mod broadcast {
    //! `tokio::sync::broadcast`.

    #[doc(no_inline)]
    pub use tokio::sync::broadcast::*;

    /// As tokio's.
    ///
    /// # Panics
    /// If `capacity` is 0 or more than half of `usize::MAX`.
    #[track_caller]
    pub fn channel<T: Clone>(capacity: usize) -> (Sender<T>, Receiver<T>) {
        super::note();
        tokio::sync::broadcast::channel(capacity)
    }
}

pub mod watch {
    //! `tokio::sync::watch`.

    #[doc(no_inline)]
    pub use tokio::sync::watch::*;

    /// As tokio's.
    #[track_caller]
    pub fn channel<T>(init: T) -> (Sender<T>, Receiver<T>) {
        super::note();
        tokio::sync::watch::channel(init)
    }
}

#[track_caller]
fn note() {
    if let Some(context) = context::try_current() {
        context.note_channel(Location::caller());
    }
}
