//! Events of the network stand in traces as data, and a stored step is found again by them.

use super::{DISORDER, arrivals, connections, datagrams, disorder, found};
use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Counterexample, Crash, Event, Side, Tcp, Udp};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream, UdpSocket};
use tokio::time::sleep;

/// All kinds of events, as JSON calls them.
const KINDS: [&str; 31] = [
    "accepted",
    "arrived",
    "astray",
    "broken",
    "came",
    "connected",
    "crashed",
    "delayed",
    "departed",
    "dialed",
    "duplicated",
    "ended",
    "failed",
    "failed_alone",
    "finished",
    "fired",
    "hung",
    "kept",
    "lost",
    "multiplied",
    "overtook",
    "passed",
    "read",
    "refused",
    "reset",
    "restarted",
    "silenced",
    "unbound",
    "unheard",
    "waits",
    "wrote",
];

/// Fails to compile when there is one more kind: give it a name in `KINDS`, and a counterexample.
fn kind(event: Event) -> &'static str {
    match event {
        Event::Accepted => "accepted",
        Event::Arrived { .. } => "arrived",
        Event::Astray => "astray",
        Event::Broken => "broken",
        Event::Came { .. } => "came",
        Event::Connected => "connected",
        Event::Crashed => "crashed",
        Event::Delayed { .. } => "delayed",
        Event::Departed => "departed",
        Event::Dialed => "dialed",
        Event::Duplicated { .. } => "duplicated",
        Event::Ended => "ended",
        Event::Failed => "failed",
        Event::FailedAlone => "failed_alone",
        Event::Finished => "finished",
        Event::Fired { .. } => "fired",
        Event::Passed { .. } => "passed",
        Event::Hung => "hung",
        Event::Kept => "kept",
        Event::Lost { .. } => "lost",
        Event::Multiplied { .. } => "multiplied",
        Event::Overtook { .. } => "overtook",
        Event::Read { .. } => "read",
        Event::Refused => "refused",
        Event::Reset => "reset",
        Event::Restarted => "restarted",
        Event::Silenced => "silenced",
        Event::Cut => "cut",
        Event::Healed => "healed",
        Event::CutOff => "cut_off",
        Event::Unbound => "unbound",
        Event::Unheard { .. } => "unheard",
        Event::Waits => "waits",
        Event::Wrote { .. } => "wrote",
    }
}

async fn bound(address: &str) -> UdpSocket {
    UdpSocket::bind(address).await.unwrap()
}

/// Sends into the void, then to a socket that looks before it takes.
fn peeked() -> Counterexample {
    found(&Checker::new(), |net| {
        net.daemon("receiver", || async {
            let socket = bound("0.0.0.0:4000").await;
            socket.peek_from(&mut [0; 1]).await.unwrap();
            socket.recv_from(&mut [0; 1]).await.unwrap();
            panic!("it has looked and taken");
        });
        let sender = || async {
            let socket = bound("0.0.0.0:0").await;
            socket.send_to(b"?", "receiver:1").await.unwrap();
            socket.send_to(b"!", "receiver:4000").await.unwrap();
        };
        net.process("sender", sender).after("receiver");
    })
}

/// Says twice that it begins.
fn crashed(crash: Crash) -> Counterexample {
    found(&Checker::new().crash(crash.process("sender")), |net| {
        net.daemon("receiver", || async {
            let socket = bound("0.0.0.0:4000").await;
            for _ in 0..2 {
                socket.recv_from(&mut [0; 1]).await.unwrap();
            }
            panic!("it has begun twice");
        });
        let sender = || async {
            bound("0.0.0.0:0").await.send_to(b"!", "receiver:4000").await.unwrap();
            std::future::pending::<()>().await;
        };
        net.daemon("sender", sender).after("receiver");
    })
}

/// Waits for a datagram that arrived before there was a socket for it.
fn unheard() -> Counterexample {
    found(&Checker::new().udp(Udp::new().delay(..).window(1)), |net| {
        net.process("receiver", || async {
            bound("0.0.0.0:4000").await.recv_from(&mut [0; 1]).await.unwrap();
        });
        net.process("sender", || async {
            bound("0.0.0.0:0").await.send_to(b"!", "receiver:4000").await.unwrap();
        });
    })
}

/// Reads until the end. An error is unexpected, and the end unless it `may_end`.
fn stream(tcp: Tcp, may_end: bool) -> Counterexample {
    found(&Checker::new().tcp(tcp), |net| {
        net.process("server", || async {
            let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
            let (mut stream, _) = listener.accept().await.unwrap();
            while stream.read(&mut [0; 3]).await.is_ok_and(|length| length > 0) {}
        });
        let client = move || async move {
            let mut stream = TcpStream::connect("server:80").await.unwrap();
            if stream.write_all(b"hello").await.is_ok() {
                let _ = stream.shutdown().await;
            }
            let end = stream.read(&mut [0; 8]).await.expect("no error");
            assert!(may_end || end != 0, "the end");
        };
        net.process("client", client).after("server");
    })
}

/// Connects come to a listener that nobody accepts from, until its backlog is full.
fn crowded() -> Counterexample {
    let slow = Tcp::new().delay(Duration::from_millis(1)..=Duration::from_millis(2));
    found(&Checker::new().tcp(slow), |net| {
        net.process("server", || async {
            let socket = TcpSocket::new_v4().unwrap();
            socket.bind("0.0.0.0:80".parse().unwrap()).unwrap();
            let _listener = socket.listen(1).unwrap();
            sleep(Duration::from_millis(10)).await;
            panic!("all connects have come");
        });
        for name in ["one", "two", "three"] {
            net.process(name, || async {
                let _ = TcpStream::connect("server:80").await;
            })
            .after("server");
        }
    })
}

/// A call fails at the instant of a time-out, and what it does about it is not done when the time-out is over.
fn passed() -> Counterexample {
    found(&Checker::new().tcp(Tcp::new().fail_read()), |net| {
        net.daemon("server", || async {
            let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
            let _accepted = listener.accept().await.unwrap();
            pending::<()>().await;
        });
        let client = || async {
            let mut stream = TcpStream::connect("server:80").await.unwrap();
            let is_tidying = Arc::new(AtomicBool::new(false));
            let tidies = Arc::clone(&is_tidying);
            tokio::spawn(async move {
                let _ = stream.read(&mut [0; 1]).await;
                tidies.store(true, Ordering::Relaxed);
                bound("0.0.0.0:4000").await;
                tidies.store(false, Ordering::Relaxed);
            });
            sleep(Duration::from_millis(10)).await;
            assert!(!is_tidying.load(Ordering::Relaxed), "it tidies up");
        };
        net.process("client", client).after("server");
    })
}

fn kinds_in(found: &Counterexample) -> BTreeSet<String> {
    let trace: Value = serde_json::from_str(&found.to_json()).unwrap();
    let events = trace["steps"].as_array().unwrap().iter().filter_map(|step| step["events"].as_array()).flatten();
    events.map(|event| event["event"].as_str().expect("its kind").to_owned()).collect()
}

#[test]
fn each_kind_of_event_stands_in_the_json_of_a_counterexample() {
    let all = [
        disorder(),
        datagrams(Udp::new().loss(), &["a", "b"], &["b"]),
        datagrams(Udp::new().duplication().delay(Duration::ZERO..=Duration::from_millis(1)), &["a"], &["a", "a"]),
        peeked(),
        crashed(Crash::kill()),
        crashed(Crash::power()),
        unheard(),
        found(&Checker::new(), connections),
        stream(Tcp::new(), false),
        stream(Tcp::new().fail_read().side(Side::Server), true),
        stream(Tcp::new().fail_read().transient().side(Side::Client), true),
        stream(Tcp::new().reset().side(Side::Client), true),
        stream(Tcp::new().hang(), true),
        stream(Tcp::new().delays([Duration::from_millis(1), Duration::from_millis(2)]), false),
        crowded(),
        passed(),
    ];
    let written: BTreeSet<String> = all.iter().flat_map(kinds_in).collect();
    assert_eq!(written, KINDS.iter().map(|kind| (*kind).to_owned()).collect());
    let read = all.iter().flat_map(|found| Counterexample::from_json(&found.to_json()).unwrap().steps().to_vec());
    let kinds: BTreeSet<&str> = read.flat_map(|step| step.events).map(|happening| kind(happening.event)).collect();
    assert_eq!(kinds, BTreeSet::from(KINDS));
}

#[test]
fn events_tell_datagrams_with_the_same_content_apart() {
    let found = datagrams(Udp::new().reorder(2), &["a", "a", "b"], &["a", "b", "a"]);
    let arrived = found.steps().iter().flat_map(|step| &step.events).filter_map(|happening| match happening.event {
        Event::Arrived { position } => Some((position, happening.channel.clone().expect("it is a datagram"))),
        _ => None,
    });
    let arrived: Vec<_> = arrived.collect();
    assert!(arrived.iter().all(|(_, channel)| channel.from == "socket 0 of sender"), "{arrived:?}");
    assert_eq!(arrived.iter().map(|(position, _)| *position).collect::<Vec<_>>(), [0, 1, 0]);
}

/// The finding of a replay of `disorder`, once its trace has been changed.
fn replayed(change: impl Fn(&mut Value)) -> Result<Option<String>, String> {
    let mut trace: Value = serde_json::from_str(&disorder().to_json()).unwrap();
    trace["steps"].as_array_mut().unwrap().iter_mut().for_each(change);
    let trace = Counterexample::from_json(&trace.to_string()).unwrap();
    let checker: Checker = trace.faults().expect("it says").parse().unwrap();
    let network: fn(&mut Network) = |net| arrivals(DISORDER.0, DISORDER.1)(net);
    checker.replay(network, &trace).map_err(|error| error.to_string())
}

#[test]
fn a_stored_step_is_found_again_whatever_it_is_called() {
    let found = replayed(|step| {
        for words in ["operation", "outcome", "network", "payload"] {
            step.as_object_mut().unwrap().remove(words);
        }
        step["operation"] = json!("do it");
        step["outcome"] = json!("well");
    });
    assert!(found.unwrap().expect("it happens again").contains("it has arrived so"));
}

#[test]
fn a_stored_step_is_found_again_by_what_was_asked_answered_and_happened() {
    let changes: [fn(&mut Value); 4] = [
        |step| {
            if step["asked"]["call"] == "send" {
                step["asked"]["payload"] = json!("another");
            }
        },
        |step| {
            if step["answered"]["answer"] == "datagram" {
                step["answered"]["from"] = json!("receiver:1");
            }
        },
        |step| {
            let events = step.get_mut("events").and_then(Value::as_array_mut).into_iter().flatten();
            for event in events.filter(|event| event["event"] == "duplicated") {
                event["copy"] = json!(3);
            }
        },
        |step| {
            let events = step.get_mut("events").and_then(Value::as_array_mut).into_iter().flatten();
            for event in events.filter(|event| event["event"] == "overtook") {
                event["datagram"]["payload"] = json!("b");
            }
        },
    ];
    for change in changes {
        let error = replayed(change).expect_err("there is no such step");
        assert!(error.contains("does not fit the program any more"), "{error}");
    }
}

/// Where a datagram stands among those that may still arrive depends on what may happen to them.
#[test]
fn a_trace_fits_a_network_in_which_more_can_happen() {
    let trace = datagrams(Udp::new().loss().reorder(2), &["a", "b", "c"], &["b", "a", "c"]);
    for words in
        ["udp(loss, reorder = 3)", "udp(loss, duplication, reorder = 2)", "udp(loss, reorder = 2), at_most = 3"]
    {
        let checker: Checker = words.parse().unwrap();
        let found = checker.replay(arrivals(&["a", "b", "c"], &["b", "a", "c"]), &trace);
        assert!(found.is_ok_and(|found| found.is_some()), "{words}");
    }
}
