//! Five jobs for real, two at a time: `cargo run -p work-queue`.

use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc};
use tokio::time::sleep;
use work_queue::run;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (submit, jobs) = mpsc::channel(5);
    let (sender, mut events) = mpsc::channel(5);
    for job in 1..=5 {
        submit.send(job).await.expect("there is room");
    }
    drop(submit);
    let work = |job| sleep(Duration::from_millis(100 * u64::from(job)));
    let queue = tokio::spawn(run(jobs, Arc::new(Semaphore::new(2)), sender, work));
    while let Some(event) = events.recv().await {
        println!("{event:?}");
    }
    println!("{} done", queue.await.expect("no panic"));
}
