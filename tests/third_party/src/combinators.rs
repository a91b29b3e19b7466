//! Programs with combinators of `futures`, which give the futures that they poll wakers of their own.

use super::tokio;
use futures::FutureExt;
use futures::stream::{FuturesUnordered, StreamExt};
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};

/// In the order in which they end.
pub(crate) async fn sleeps_end_in_turn() -> Vec<u64> {
    let sleeps = [60, 5, 30].map(|milliseconds| async move {
        sleep(Duration::from_millis(milliseconds)).await;
        milliseconds
    });
    let unordered: FuturesUnordered<_> = sleeps.into_iter().collect();
    unordered.collect().await
}

pub(crate) async fn a_task_runs_while_sleeps_end() -> (Vec<u64>, u64) {
    let (sender, receiver) = oneshot::channel();
    let sleeps: FuturesUnordered<_> = [1, 2]
        .into_iter()
        .map(|seconds| async move {
            sleep(Duration::from_secs(seconds)).await;
            seconds
        })
        .collect();
    tokio::spawn(async move { sender.send(3).expect("it is received") });
    let slept = sleeps.collect().await;
    (slept, receiver.await.expect("it is sent"))
}

/// Catches panics of the program, and none of a check.
pub(crate) async fn panics_are_caught() -> (Option<u64>, bool) {
    let start = Instant::now();
    let slept = AssertUnwindSafe(async {
        sleep(Duration::from_secs(1)).await;
        start.elapsed().as_secs()
    });
    let panics = async { panic!("of the program") };
    (slept.catch_unwind().await.ok(), AssertUnwindSafe(panics).catch_unwind().await.is_err())
}

/// A future that loses a `select!` goes on if it is polled again.
pub(crate) async fn read_beside_a_timer(listener: TcpListener) -> usize {
    let (stream, _) = listener.accept().await.expect("nothing fails");
    let soon = sleep(Duration::from_millis(20));
    tokio::pin!(soon);
    let mut reads = FuturesUnordered::new();
    reads.push(async move {
        let (mut stream, mut buffer) = (stream, [0; 4]);
        tokio::io::AsyncReadExt::read(&mut stream, &mut buffer).await.expect("nothing fails")
    });
    let mut passed = false;
    loop {
        tokio::select! {
            Some(count) = reads.next() => return count,
            () = &mut soon, if !passed => passed = true,
        }
    }
}

pub(crate) async fn write_late(server: &str) {
    let mut stream = TcpStream::connect(server).await.expect("nothing fails");
    sleep(Duration::from_millis(40)).await;
    tokio::io::AsyncWriteExt::write_all(&mut stream, b"abc").await.expect("nothing fails");
}
