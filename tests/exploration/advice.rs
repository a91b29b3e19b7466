//! Advice of a check that was cut off: a word is tried first, and what saves nothing is not said.

use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Udp, Verdict};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream, UdpSocket};

/// The advice of a check that is cut off.
fn advice(checker: Checker, network: impl FnOnce(&mut Network)) -> Vec<String> {
    let report = checker.check(network);
    assert_eq!(report.verdict(), Verdict::Inconclusive, "{report}");
    report.profile().advice().to_vec()
}

/// Counts seconds, and so never comes back to where it was.
async fn counts_seconds() {
    for second in 0_u64.. {
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(second < u64::MAX);
    }
}

async fn counts_turns() {
    for turn in 0_u64.. {
        tokio::task::yield_now().await;
        assert!(turn < u64::MAX);
    }
}

/// Keeps every datagram of so many bytes, in the order in which they come.
async fn notes_what_comes<const BYTES: usize>() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut came = Vec::new();
    loop {
        let mut datagram = [0; BYTES];
        socket.recv(&mut datagram).await.unwrap();
        came.push(datagram);
    }
}

#[test]
fn a_horizon_is_advised_with_the_states_that_are_left() {
    let advice = advice(Checker::new().max_states(3_000), |net| {
        net.daemon("a", counts_seconds);
        net.daemon("b", counts_seconds);
    });
    let tried = "`duration = 10s` explores the first 10 seconds of the programs' time: the search ends then, with ";
    let states = advice[0].strip_prefix(tried).and_then(|rest| rest.strip_suffix(" states"));
    let states: u64 = states.and_then(|states| states.parse().ok()).unwrap_or_else(|| panic!("{advice:?}"));
    let measured = Checker::new().duration(Duration::from_secs(10)).check(|net| {
        net.daemon("a", counts_seconds);
        net.daemon("b", counts_seconds);
    });
    assert_eq!((measured.verdict(), measured.states() as u64), (Verdict::Verified, states));
}

#[test]
fn a_shorter_horizon_is_advised_where_ten_seconds_are_too_many() {
    async fn throws() {
        let mut thrown = Vec::new();
        loop {
            thrown.push(netcheck::choose(0..20_u8).await);
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
    let advice = advice(Checker::new().max_states(3_000), |net| _ = net.daemon("dice", throws));
    let tried = "`duration = 1s` explores the first second of the programs' time: the search ends then, with ";
    assert!(advice[0].starts_with(tried), "{advice:?}");
}

#[test]
fn what_saves_nothing_is_not_advised() {
    async fn tells(name: &'static str) {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        loop {
            socket.send_to(name.as_bytes(), "log:4000").await.unwrap();
            tokio::task::yield_now().await;
        }
    }
    let advice = advice(Checker::new().max_states(3_000), |net| {
        net.daemon("log", notes_what_comes::<1>);
        // One function, and what they send tells them apart.
        for name in ["a", "b"] {
            net.daemon(name, move || tells(name)).after("log");
        }
    });
    let said = advice.join("\n");
    for word in ["`symmetry", "`duration", "`tasks", "`at_most"] {
        assert!(!said.contains(word), "{word} saves nothing:\n{said}");
    }
    assert!(said.contains("`search = simulate(time = 30)`"), "{said}");
}

#[test]
fn the_order_of_tasks_is_advised_with_how_many_times_fewer_states_there_are() {
    async fn spawns_three() {
        for _ in 0..3 {
            tokio::spawn(counts_turns());
        }
        std::future::pending().await
    }
    let advice = advice(Checker::new().max_states(3_000), |net| _ = net.daemon("three", spawns_three));
    let tried = "\"three\" has up to 3 tasks at a time, in any order: `tasks = fifo`, if tokio's order of one thread is enough: ";
    let fewer = advice[0].strip_prefix(tried).and_then(|rest| rest.split_once(" times fewer states within "));
    let times: f64 = fewer.and_then(|(times, _)| times.parse().ok()).unwrap_or_else(|| panic!("{advice:?}"));
    assert!(times >= 1.5, "{times}");
}

#[test]
fn fewer_faults_are_advised_only_where_some_are_declared() {
    async fn sends() {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        for number in 0_u32.. {
            socket.send_to(&number.to_le_bytes(), "log:4000").await.unwrap();
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
    let report = |checker: Checker| {
        let report = checker.max_states(2_000).check(|net| {
            net.daemon("log", notes_what_comes::<4>);
            net.daemon("sends", sends).after("log");
        });
        assert_eq!(report.verdict(), Verdict::Inconclusive, "{report}");
        report
    };
    let without = report(Checker::new());
    assert!(
        without.limit().is_some_and(|limit| limit.ends_with("raise it, or bound what the programs do")),
        "{without}"
    );
    let with = report(Checker::new().udp(Udp::new().loss()));
    assert!(with.limit().is_some_and(|limit| limit.ends_with("declare fewer faults or smaller bounds")), "{with}");
    let advised = with.profile().advice().iter().find(|advice| advice.contains("`at_most = 2`"));
    assert!(advised.is_some_and(|advice| advice.contains("times fewer states within")), "{with}");
}

/// A connect may not fail before the region of faults begins, and that it begins is seen only behind the connect.
#[test]
fn a_trial_knows_what_the_search_has_learned_of_the_programs() {
    async fn accepts() {
        let listener = TcpListener::bind("0.0.0.0:4000").await.unwrap();
        let _connection = listener.accept().await.unwrap();
        std::future::pending().await
    }
    async fn connects() {
        let mut stream = TcpStream::connect("server:4000").await.expect("nothing fails yet");
        for _ in 0..10 {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        netcheck::faults::scope(async { _ = stream.write_all(b"hello").await }).await;
        for number in 0_u64.. {
            tokio::time::sleep(Duration::from_secs(1)).await;
            std::hint::black_box(number);
        }
    }
    let advice = advice("tcp(open, write), at_most = 1, max_states = 2000".parse().unwrap(), |net| {
        net.daemon("server", accepts);
        net.daemon("client", connects).after("server");
    });
    let advised = advice.iter().find(|advice| advice.contains("`duration = 10s`")).expect("it makes the check end");
    assert!(advised.contains("the search ends then, with ") && !advised.contains("violation"), "{advised}");
}
