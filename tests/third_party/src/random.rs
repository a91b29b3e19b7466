//! Programs that draw random numbers and read clocks, as they come.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the clock and the hasher of std are the subject"
)]

use super::tokio;
use std::time::{Duration, Instant, SystemTime};
use tokio::net::UdpSocket;
use tokio::time::{sleep, timeout};

/// Numbers that a program drew, by each way to draw.
#[allow(dead_code, reason = "only checked")]
pub(crate) async fn draws() -> Vec<String> {
    let mut drawn = Vec::new();
    for _ in 0..2 {
        let mut bytes = [[0; 8]; 3];
        getrandom2::getrandom(&mut bytes[0]).expect("random bytes");
        getrandom3::fill(&mut bytes[1]).expect("random bytes");
        getrandom4::fill(&mut bytes[2]).expect("random bytes");
        drawn.extend(bytes.map(|bytes| u64::from_le_bytes(bytes).to_string()));
        drawn.push(rand8::random::<u64>().to_string());
        drawn.push(rand9::random::<u64>().to_string());
        drawn.push(rand10::random::<u64>().to_string());
        drawn.push(fastrand::u64(..).to_string());
        drawn.push(uuid::Uuid::new_v4().to_string());
        tokio::task::yield_now().await;
    }
    drawn
}

/// Numbers of a program that makes a generator once, and goes on with it.
#[allow(dead_code, reason = "only checked")]
pub(crate) async fn draws_from_one() -> Vec<u64> {
    use rand10::RngExt;
    let mut generator = rand10::rng();
    let mut drawn = Vec::new();
    for _ in 0..3 {
        drawn.push(generator.random());
        tokio::task::yield_now().await;
    }
    drawn
}

/// The dates and times that a program reads around a second of sleep.
#[allow(dead_code, reason = "only checked")]
pub(crate) async fn reads_clocks() -> (Duration, Duration, Duration) {
    let (date, instant) = (SystemTime::now(), Instant::now());
    sleep(Duration::from_secs(1)).await;
    let since_1970 = date.duration_since(SystemTime::UNIX_EPOCH).expect("it is later");
    (since_1970, date.elapsed().expect("time goes on"), instant.elapsed())
}

/// Answers requests for ever.
#[allow(dead_code, reason = "only checked")]
pub(crate) async fn serve(socket: UdpSocket) {
    loop {
        let mut request = [0; 16];
        let (_, client) = socket.recv_from(&mut request).await.expect("a request");
        socket.send_to(&request, client).await.expect("the answer is sent");
    }
}

/// Sends a request with an id of its own, and again after a while that grows and has some jitter; the number of
/// requests, and how long it took.
#[allow(dead_code, reason = "only checked")]
pub(crate) async fn ask_with_jitter(server: &str) -> (usize, Duration) {
    let begin = tokio::time::Instant::now();
    let socket = UdpSocket::bind("0.0.0.0:0").await.expect("a socket");
    let mut asked = std::collections::HashSet::new();
    for attempt in 0..3 {
        let id = uuid::Uuid::new_v4();
        assert!(asked.insert(id), "each id is another one");
        socket.send_to(id.as_bytes(), server).await.expect("the request is sent");
        let mut answer = [0; 16];
        if let Ok(received) = timeout(Duration::from_millis(500), socket.recv(&mut answer)).await {
            assert_eq!(received.expect("an answer"), 16);
            assert!(asked.contains(&uuid::Uuid::from_bytes(answer)), "an answer to a request");
            break;
        }
        sleep(Duration::from_millis((1 << attempt) * 100 + fastrand::u64(..100))).await;
    }
    (asked.len(), begin.elapsed())
}
