//! Dining philosophers: between any two of them lies one fork, and each needs two to eat.
//!
//! C. A. R. Hoare, *Communicating Sequential Processes* (1985), section 2.5, after E. W. Dijkstra,
//! "Hierarchical ordering of sequential processes" (Acta Informatica 1, 1971). That nobody waits in
//! a circle where all take their forks in one order of all forks: J. W. Havender, "Avoiding deadlock
//! in multitasking systems" (IBM Systems Journal 7, 1968).
//!
//! A fork is a process of its own, and holding one is a connection that it has answered.

use super::verified;
use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Report};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Which fork a philosopher takes first.
#[derive(Clone, Copy, PartialEq)]
pub enum First {
    /// All are left-handed.
    Left,
    /// The one with the lower number, which is on the right of the last philosopher only.
    Lower,
}

/// Lies on the table until somebody takes it, twice.
async fn fork() {
    let table = TcpListener::bind("0.0.0.0:4000").await.unwrap();
    for _ in 0..2 {
        let (mut hand, _) = table.accept().await.unwrap();
        hand.write_all(b"taken").await.unwrap();
        let put_down = hand.read(&mut [0]).await;
        assert_eq!(put_down.unwrap(), 0);
    }
}

async fn philosopher(first: usize, second: usize) -> &'static str {
    let first = take(first).await;
    let second = take(second).await;
    drop((first, second));
    "has eaten"
}

async fn take(fork: usize) -> TcpStream {
    let mut hand = TcpStream::connect(format!("fork-{fork}:4000")).await.unwrap();
    hand.read_exact(&mut [0; 5]).await.unwrap();
    hand
}

pub fn dinner(net: &mut Network, seats: usize, first: First) {
    for seat in 0..seats {
        net.process(format!("fork-{seat}"), fork);
    }
    for seat in 0..seats {
        let (left, right) = (seat, (seat + 1) % seats);
        let swaps = first == First::Lower && right < left;
        let (first, second) = if swaps { (right, left) } else { (left, right) };
        net.process(format!("philosopher-{seat}"), move || philosopher(first, second))
            .after(format!("fork-{left}"))
            .after(format!("fork-{right}"));
    }
}

#[track_caller]
fn all_have_eaten(report: &Report, seats: usize, figures: (usize, u64)) {
    verified(report, figures);
    for seat in 0..seats {
        assert_eq!(report.outputs(&format!("philosopher-{seat}")), [r#""has eaten""#]);
    }
}

#[test]
fn who_takes_the_lower_fork_first_eats() {
    for (seats, figures) in [(3, (337, 371)), (5, (2_234, 2_657)), (7, (12_403, 16_263))] {
        let report = Checker::new().check(|net| dinner(net, seats, First::Lower));
        all_have_eaten(&report, seats, figures);
    }
}

#[test]
fn in_every_order_of_independent_steps_too() {
    for (seats, figures) in [(3, (3_024, 8_794)), (5, (728_048, 3_582_060))] {
        let report = Checker::new().reduction(false).check(|net| dinner(net, seats, First::Lower));
        all_have_eaten(&report, seats, figures);
    }
}

#[netcheck::model_check(expect = deadlock, snapshot)]
fn each_of_five_holds_the_left_fork_and_waits_for_the_right(net: &mut Network) {
    dinner(net, 5, First::Left);
}

#[netcheck::model_check(expect = deadlock)]
fn so_does_each_of_seven(net: &mut Network) {
    dinner(net, 7, First::Left);
}
