//! Runs jobs from a channel, so many at a time, and tells what becomes of them.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(test)]
extern crate netcheck as tokio;

use std::future::Future;
use std::sync::Arc;
use tokio::sync::mpsc::{Receiver, Sender};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;

/// What happens to a job, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It waits until others have ended.
    Waiting(u32),
    /// It runs.
    Started(u32),
    /// It has ended.
    Finished(u32),
}

/// Who limits how many jobs run.
pub trait Limit: Clone + Send + Sync + 'static {
    /// Held while a job runs.
    type Slot: Send;

    /// Waits until one more job may run.
    fn slot(&self, job: u32, events: &Sender<Event>) -> impl Future<Output = Self::Slot> + Send;
}

impl Limit for Arc<Semaphore> {
    type Slot = OwnedSemaphorePermit;

    async fn slot(&self, job: u32, events: &Sender<Event>) -> OwnedSemaphorePermit {
        if let Ok(slot) = Arc::clone(self).try_acquire_owned() {
            return slot;
        }
        tell(events, Event::Waiting(job)).await;
        Arc::clone(self).acquire_owned().await.expect("it is never closed")
    }
}

/// Runs all jobs of a channel until nobody can send any more, and counts them.
pub async fn run<L: Limit, W>(
    mut jobs: Receiver<u32>,
    limit: L,
    events: Sender<Event>,
    work: impl Fn(u32) -> W,
) -> usize
where
    W: Future<Output = ()> + Send + 'static,
{
    let mut running = JoinSet::new();
    while let Some(job) = jobs.recv().await {
        let (limit, events, work) = (limit.clone(), events.clone(), work(job));
        running.spawn(async move {
            let slot = limit.slot(job, &events).await;
            tell(&events, Event::Started(job)).await;
            work.await;
            tell(&events, Event::Finished(job)).await;
            drop(slot);
        });
    }
    let mut count = 0;
    while let Some(ended) = running.join_next().await {
        count += usize::from(ended.is_ok());
    }
    count
}

/// Nobody has to listen.
async fn tell(events: &Sender<Event>, event: Event) {
    let _ = events.send(event).await;
}

#[cfg(test)]
mod tests;
