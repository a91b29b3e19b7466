//! A call may fail at each instant at which time stands, also at those of timers of processes that it never meets again.
use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Report, Search, Tcp, Verdict, ViolationKind};
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Duration, interval, sleep};

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// Waits for a byte that never comes, beside an interval of 20 ms, and counts the ticks in each 10 ms after the read has
/// failed. The counts are 1, 0 and 0 only if a tick comes at the end of the first 10 ms, so that the read has failed 10 ms
/// before a tick, when no timer of this process is due.
async fn counts_ticks() {
    let ticks = Arc::new(AtomicU8::new(0));
    let counted = Arc::clone(&ticks);
    let listener = TcpListener::bind("0.0.0.0:4000").await.unwrap();
    tokio::spawn(async move {
        let mut every = interval(ms(20));
        loop {
            every.tick().await;
            counted.store(1, Ordering::Relaxed);
        }
    });
    let (mut stream, _) = listener.accept().await.unwrap();
    let _ = stream.read(&mut [0; 1]).await;
    let mut counts = [0; 3];
    for count in &mut counts {
        ticks.store(0, Ordering::Relaxed);
        sleep(ms(10)).await;
        *count = ticks.load(Ordering::Relaxed);
    }
    assert_ne!(counts, [1, 0, 0], "it has failed between two ticks");
    pending::<()>().await;
}

/// Waits for a byte that never comes; only if the read fails, it sleeps.
async fn waits() {
    let listener = TcpListener::bind("0.0.0.0:4000").await.unwrap();
    let (mut stream, _) = listener.accept().await.unwrap();
    let _ = stream.read(&mut [0; 1]).await;
    sleep(ms(10)).await;
}

/// Connects, and never touches the connection again.
async fn sleeps_for_ever() {
    let _stream = TcpStream::connect("server:4000").await;
    loop {
        sleep(ms(10)).await;
    }
}

fn each_way(build: impl Fn(&mut Network)) -> [Report; 3] {
    let all = [Checker::new(), Checker::new().search(Search::Dfs), Checker::new().reduction(false)];
    all.map(|checker| checker.tcp(Tcp::new().fail_read()).audit(false).max_states(10_000).check(&build))
}

#[test]
fn a_call_fails_at_the_instant_of_a_timer_of_a_stranger() {
    let reports = each_way(|net| {
        net.daemon("server", counts_ticks);
        net.daemon("client", sleeps_for_ever);
    });
    for report in reports {
        assert_eq!(report.verdict(), Verdict::Violated, "{report}");
        let found = report.counterexample().expect("it is violated");
        assert!(found.message().contains("it has failed between two ticks"), "{found}");
    }
}

#[test]
fn a_process_that_only_a_failure_would_wake_is_deadlocked_beside_the_timers_of_a_stranger() {
    let reports = each_way(|net| {
        net.process("server", waits);
        net.daemon("client", sleeps_for_ever).after("server");
    });
    for report in reports {
        let found = report.counterexample().map(|found| (found.kind(), found.to_string()));
        assert_eq!(report.verdict(), Verdict::Violated, "{report}");
        assert_eq!(found.as_ref().map(|(kind, _)| *kind), Some(ViolationKind::Deadlock), "{found:?}");
    }
}
