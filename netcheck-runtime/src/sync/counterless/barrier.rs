//! `Barrier`, without the number of the round.

use super::{Notify, lock};
use std::sync::Mutex;

/// As tokio's.
#[derive(Debug)]
pub struct Barrier {
    size: usize,
    /// The tasks that have come to the barrier in this round.
    arrived: Mutex<usize>,
    opened: Notify,
}

/// As tokio's.
#[derive(Clone, Debug)]
pub struct BarrierWaitResult(bool);

impl Barrier {
    /// As tokio's.
    pub fn new(n: usize) -> Self {
        Barrier { size: n.max(1), arrived: Mutex::new(0), opened: Notify::new() }
    }

    /// As tokio's. A task that does not wait any more has come nevertheless.
    pub async fn wait(&self) -> BarrierWaitResult {
        let opened = {
            let mut arrived = lock(&self.arrived);
            *arrived += 1;
            if *arrived == self.size {
                *arrived = 0;
                drop(arrived);
                self.opened.notify_waiters();
                return BarrierWaitResult(true);
            }
            self.opened.notified()
        };
        opened.await;
        BarrierWaitResult(false)
    }
}

impl BarrierWaitResult {
    /// As tokio's.
    #[must_use]
    pub fn is_leader(&self) -> bool {
        self.0
    }
}
