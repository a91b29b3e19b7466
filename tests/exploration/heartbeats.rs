//! Beside a process that ticks, or asks itself, for ever, an isolated task that sleeps and panics is found: alone and beside
//! a process of many states that has nothing to do with it, with the audit and without, with the reduction and without.
use netcheck as tokio;
use netcheck::check::{Checker, Search, Udp, Verdict};
use tokio::net::UdpSocket;
use tokio::time::{Duration, sleep, timeout};

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

#[netcheck::process]
async fn reports() {
    let socket = UdpSocket::bind("0.0.0.0:4002").await.unwrap();
    sleep(ms(20)).await;
    let _ = socket.send_to(&[0], "other:4000").await;
    panic!("found");
}

#[netcheck::process]
async fn panics() {
    let _socket = UdpSocket::bind("0.0.0.0:4002").await.unwrap();
    sleep(ms(20)).await;
    panic!("found");
}

async fn heartbeat() {
    let _task = tokio::spawn(reports());
    let _socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    loop {
        sleep(ms(10)).await
    }
}

async fn asks_again() {
    let _task = tokio::spawn(panics());
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    loop {
        let _ = timeout(ms(20), socket.recv(&mut [0; 1])).await;
        socket.send_to(&[0], "127.0.0.1:4000").await.unwrap();
    }
}

async fn other() {
    let _socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
}
async fn dice() -> usize {
    100 * netcheck::choose(0..100).await + netcheck::choose(0..100).await
}

fn verdict(checker: Checker, asks: bool, with_dice: bool) -> Result<Verdict, String> {
    let checked = checker.max_states(100_000).try_check(move |net| {
        if asks {
            net.daemon("p", asks_again);
        } else {
            net.daemon("p", heartbeat);
        }
        net.daemon("other", other);
        if with_dice {
            net.process("dice", dice);
        }
    });
    checked.map(|report| report.verdict()).map_err(|error| error.to_string())
}

#[test]
fn without_reduction() {
    for asks in [false, true] {
        assert_eq!(verdict(Checker::new().reduction(false), asks, false), Ok(Verdict::Violated))
    }
}

#[test]
fn by_default() {
    for asks in [false, true] {
        assert_eq!(verdict(Checker::new(), asks, false), Ok(Verdict::Violated), "asks: {asks}")
    }
}

#[test]
fn without_audit() {
    for asks in [false, true] {
        assert_eq!(verdict(Checker::new().audit(false), asks, false), Ok(Verdict::Violated), "asks: {asks}")
    }
}

#[test]
fn heartbeat_in_a_larger_system() {
    assert_eq!(verdict(Checker::new(), false, true), Ok(Verdict::Violated))
}

#[test]
fn asks_again_in_a_larger_system() {
    assert_eq!(verdict(Checker::new(), true, true), Ok(Verdict::Violated))
}

async fn beacon() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    loop {
        socket.send_to(&[9], "client:4001").await.unwrap();
        sleep(ms(1_000)).await;
    }
}

async fn echo() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut buffer = [0; 1];
    loop {
        let (_, from) = socket.recv_from(&mut buffer).await.unwrap();
        socket.send_to(&buffer, from).await.unwrap();
    }
}

async fn asks(rounds: u8) {
    let socket = UdpSocket::bind("0.0.0.0:4001").await.unwrap();
    for round in 0..rounds {
        socket.send_to(&[round], "echo:4000").await.unwrap();
        let mut buffer = [9; 1];
        while buffer != [round] {
            socket.recv_from(&mut buffer).await.unwrap();
        }
    }
    panic!("found");
}

/// Datagrams that take any time pile up under way, so that each of endlessly many states is covered by the next one. One
/// after so many has its turn all the same, and the bug behind some messages is met.
#[test]
fn beside_datagrams_that_pile_up_a_bug_behind_messages_is_found() {
    for (search, rounds, states_max) in [(Search::Bfs, 3, 700), (Search::Reads, 1, 450), (Search::Reads, 3, 3_500)] {
        let checker = Checker::new().udp(Udp::new().delay(..)).search(search).reduction(false);
        let report = checker.max_states(states_max).check(|net| {
            net.daemon("beacon", beacon);
            net.daemon("echo", echo);
            net.process("client", move || asks(rounds)).after("beacon").after("echo");
        });
        assert_eq!(report.verdict(), Verdict::Violated, "{search:?}, {rounds}: {report}");
    }
}
