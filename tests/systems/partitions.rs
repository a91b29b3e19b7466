//! A lock with a lease whose holder is cut off: its write comes late, when another one holds the lock.
//!
//! The lock server gives the lock to somebody else when a lease is over, which the holder does not notice while it writes. The
//! OS keeps what was written before the cut, and sends it when the cut heals. A store that refuses numbers of older leases
//! (fencing tokens) is safe.

use crate::counted::is_verified_within;
use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Partition, Report, ViolationKind};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::time::timeout;

const LEASE: Duration = Duration::from_secs(2);

/// Gives the lock to whoever asks, with the next number, until it is given back or the lease is over.
async fn lock() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut number = 0;
    loop {
        let (_, holder) = socket.recv_from(&mut [0]).await.unwrap();
        number += 1;
        socket.send_to(&[number], holder).await.unwrap();
        // It waits for `done`, if the lease is not over before.
        let _ = timeout(LEASE, socket.recv_from(&mut [0])).await;
    }
}

/// Writes the number of its lease.
async fn writer() {
    let mut store = TcpStream::connect("store:80").await.unwrap();
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.connect("lock:4000").await.unwrap();
    socket.send(b"?").await.unwrap();
    let mut number = [0];
    if timeout(3 * LEASE, socket.recv(&mut number)).await.is_ok() {
        store.write_all(&number).await.unwrap();
        // The store has it before the lock is given back.
        if timeout(LEASE, store.read(&mut [0])).await.is_ok() {
            socket.send(b"!").await.unwrap();
        }
    }
}

/// Keeps what it is told by two writers.
async fn store(refuses_older: bool) -> Vec<u8> {
    let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
    let (mut one, _) = listener.accept().await.unwrap();
    let (mut other, _) = listener.accept().await.unwrap();
    let mut stored: Vec<u8> = Vec::new();
    let (mut reads_one, mut reads_other) = (true, true);
    while reads_one || reads_other {
        let (stream, reads, byte) = tokio::select! {
            byte = one.read_u8(), if reads_one => (&mut one, &mut reads_one, byte),
            byte = other.read_u8(), if reads_other => (&mut other, &mut reads_other, byte),
        };
        let Ok(number) = byte else {
            *reads = false;
            continue;
        };
        if stored.last().is_none_or(|last| *last < number) || !refuses_older {
            stored.push(number);
        }
        let _ = stream.write_all(b".").await;
    }
    assert!(stored.is_sorted(), "the write of an old lease comes last: {stored:?}");
    stored
}

fn check(partition: Option<Partition>, refuses_older: bool) -> Report {
    let checker = partition.into_iter().fold(Checker::new(), Checker::partition);
    checker.check(|net: &mut Network| {
        net.process("store", move || store(refuses_older));
        net.daemon("lock", lock);
        net.process("one", writer).after("store").after("lock");
        net.process("other", writer).after("store").after("lock");
    })
}

#[test]
fn a_holder_that_is_cut_off_writes_when_its_lease_is_over() {
    let report = check(None, false);
    is_verified_within(500, &report);
    let report = check(Some(Partition::isolate("one")), false);
    let found = report.counterexample().unwrap_or_else(|| panic!("{report}"));
    assert_eq!(found.kind(), ViolationKind::Panic);
    assert!(found.message().contains("the write of an old lease comes last: [2, 1]"), "{report}");
    let text = found.to_string();
    assert!(text.contains("cut one | store, lock, other") && text.contains("heal one | store, lock, other"), "{text}");
}

#[test]
fn a_store_that_refuses_older_numbers_is_safe() {
    let report = check(Some(Partition::isolate("one")), true);
    is_verified_within(3_000, &report);
    assert_eq!(report.outputs("store"), ["[1, 2]", "[1]", "[2]", "[]"]);
}
