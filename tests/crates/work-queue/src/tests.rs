use super::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{Notify, mpsc};
use tokio::time::{sleep, timeout};

const PATIENCE: Duration = Duration::from_secs(60);

/// Runs `count` jobs one at a time, and looks at what is told of them.
async fn one_at_a_time(limit: impl Limit, count: u32) {
    let (submit, jobs) = mpsc::channel(1);
    let (sender, mut events) = mpsc::channel(1);
    let queue = tokio::spawn(run(jobs, limit, sender, |_| tokio::task::yield_now()));
    tokio::spawn(async move {
        for job in 0..count {
            submit.send(job).await.expect("the queue is there");
        }
    });
    let mut running = None;
    let told = async {
        while let Some(event) = events.recv().await {
            match event {
                Event::Waiting(_) => {}
                Event::Started(job) => assert_eq!(running.replace(job), None, "two at a time"),
                Event::Finished(job) => assert_eq!(running.take(), Some(job)),
            }
        }
    };
    timeout(PATIENCE, told).await.expect("a job is never started");
    assert_eq!(queue.await.expect("no panic"), count as usize);
}

#[tokio::test]
async fn jobs_run_one_at_a_time() {
    one_at_a_time(Arc::new(Semaphore::new(1)), 2).await;
}

#[tokio::test]
async fn two_jobs_may_run_at_a_time() {
    let (submit, jobs) = mpsc::channel(2);
    let (sender, _) = mpsc::channel(8);
    for job in [1, 2] {
        submit.send(job).await.expect("there is room");
    }
    drop(submit);
    let work = |_| sleep(Duration::from_secs(1));
    let both = run(jobs, Arc::new(Semaphore::new(2)), sender, work);
    assert_eq!(timeout(Duration::from_millis(1500), both).await.expect("both at once"), 2);
}

/// A limit of one, made by hand.
#[derive(Clone, Default)]
struct Turnstile(Arc<(AtomicUsize, Notify)>);

struct Turn(Turnstile);

impl Limit for Turnstile {
    type Slot = Turn;

    /// Between the look at the counter and the wait for its change, the event may have to wait until
    /// there is room for it.
    async fn slot(&self, job: u32, events: &Sender<Event>) -> Turn {
        let (running, ended) = &*self.0;
        while running.load(Ordering::Relaxed) > 0 {
            tell(events, Event::Waiting(job)).await;
            ended.notified().await;
        }
        running.fetch_add(1, Ordering::Relaxed);
        Turn(self.clone())
    }
}

/// Wakes those who wait by now, where `notify_one` would leave word for who comes next.
impl Drop for Turn {
    fn drop(&mut self) {
        let (running, ended) = &*self.0.0;
        running.fetch_sub(1, Ordering::Relaxed);
        ended.notify_waiters();
    }
}

#[tokio::test]
#[should_panic(expected = "a job is never started")]
async fn a_wake_up_may_come_before_the_wait() {
    one_at_a_time(Turnstile::default(), 2).await;
}
