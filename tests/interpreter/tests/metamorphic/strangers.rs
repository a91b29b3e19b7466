//! Processes that have nothing to do with any other: each ends or may wait for ever, and violates nothing.

use std::fmt::{self, Display};
use std::time::Duration;

use netcheck::Network;
use netcheck::net::UdpSocket;
use netcheck::time::{sleep, timeout};

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stranger {
    /// ends at once
    Idle,
    /// sleeps as long as the random systems do, and between
    Sleeps,
    /// sends to itself and waits for more than it sent
    TalksToItself,
    /// tasks that share memory, and one that outlives its handle
    Spawns,
    /// isolated tasks with timers, joined in the order in which they were spawned
    Isolates,
    /// isolated tasks with timers, and nobody waits for them
    Forgets,
    /// never ends, and has isolated tasks with timers
    WaitsForEver,
    /// waits for an isolated task that never ends
    AwaitsForEver,
    /// goes round for ever
    SleepsForEver,
    /// goes round for ever beside an isolated task that goes round for ever
    SleepForEverTogether,
}

use Stranger::*;

pub const WITHOUT_ISOLATED_TASKS: [Stranger; 5] = [Idle, Sleeps, TalksToItself, Spawns, SleepsForEver];
pub const WITH_ISOLATED_TASKS: [Stranger; 5] = [Isolates, Forgets, WaitsForEver, AwaitsForEver, SleepForEverTogether];

impl Stranger {
    /// Then nothing is a deadlock and no execution has an end.
    pub fn is_endless(self) -> bool {
        matches!(self, SleepsForEver | SleepForEverTogether)
    }

    pub fn register(self, net: &mut Network) {
        let name = "stranger";
        match self {
            Idle => net.process(name, || async {}),
            Sleeps => net.process(name, sleeps),
            TalksToItself => net.process(name, talks_to_itself),
            Spawns => net.process(name, spawns),
            Isolates => net.process(name, isolates),
            Forgets => net.process(name, forgets),
            WaitsForEver => net.daemon(name, waits_for_ever),
            AwaitsForEver => net.daemon(name, awaits_for_ever),
            SleepsForEver => net.daemon(name, || sleeps_for_ever(10)),
            SleepForEverTogether => net.daemon(name, sleep_for_ever_together),
        };
    }
}

impl Display for Stranger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

async fn sleeps() {
    for pause in [5, 5, 10, 10] {
        sleep(ms(pause)).await;
    }
}

async fn talks_to_itself() -> usize {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.expect("the port is free");
    let mut received = 0;
    for _ in 0..2 {
        socket.send_to(&[1], "127.0.0.1:4000").await.expect("a send succeeds");
    }
    while timeout(ms(10), socket.recv(&mut [0; 8])).await.is_ok() {
        received += 1;
    }
    received
}

async fn spawns() {
    let first = netcheck::spawn(sleep(ms(10)));
    drop(netcheck::spawn(sleep(ms(30))));
    let second = netcheck::spawn(async move {
        first.await.expect("it ends");
        netcheck::task::yield_now().await;
    });
    second.await.expect("it ends");
}

#[netcheck::process]
async fn sleeps_once(length_ms: u64) -> u64 {
    sleep(ms(length_ms)).await;
    length_ms
}

#[netcheck::process]
async fn never_ends() {
    std::future::pending::<()>().await;
}

#[netcheck::process]
async fn sleeps_for_ever(length_ms: u64) {
    loop {
        sleep(ms(length_ms)).await;
    }
}

async fn isolates() {
    let tasks = [10, 20, 10].map(|length_ms| netcheck::spawn(sleeps_once(length_ms)));
    for task in tasks {
        task.await.expect("it ends");
    }
}

async fn forgets() {
    drop([10, 30].map(|length_ms| netcheck::spawn(sleeps_once(length_ms))));
    sleep(ms(20)).await;
}

async fn waits_for_ever() {
    let _tasks = [10, 20].map(|length_ms| netcheck::spawn(sleeps_once(length_ms)));
    std::future::pending::<()>().await;
}

async fn awaits_for_ever() {
    let sleeper = netcheck::spawn(sleeps_once(10));
    netcheck::spawn(never_ends()).await.expect("it is not aborted");
    sleeper.await.expect("it ends");
}

#[netcheck::process]
async fn sleep_for_ever_together() {
    drop(netcheck::spawn(sleeps_for_ever(20)));
    sleeps_for_ever(10).await;
}
