//! Hosts that give up what is not acknowledged: who is told, when, and who waits for ever.

use crate::checked::checked;
use netcheck as tokio;
use netcheck::check::{Checker, Crash, Partition, Tcp, Udp, Verdict, ViolationKind};
use std::io::ErrorKind;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep, timeout};

const MINUTE: Duration = Duration::from_secs(60);

fn power() -> Checker {
    Checker::new().crash(Crash::power().process("server").stays_down())
}

fn cut() -> Checker {
    Checker::new().partition(Partition::between(["client", "server"]).for_ever())
}

fn retries() -> Tcp {
    Tcp::new().retries(15 * MINUTE)
}

/// Answers each byte, on each connection in a task of its own.
async fn server() {
    let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        tokio::spawn(async move {
            while let Ok(byte) = stream.read_u8().await {
                if stream.write_u8(byte).await.is_err() {
                    break;
                }
            }
        });
    }
}

/// Asks once; the error says in which call it came.
async fn ask() -> Result<u8, (&'static str, ErrorKind)> {
    let told = |call| move |error: std::io::Error| (call, error.kind());
    let mut stream = TcpStream::connect("server:80").await.map_err(told("connect"))?;
    stream.write_u8(7).await.map_err(told("write"))?;
    stream.read_u8().await.map_err(told("read"))
}

fn asking(net: &mut netcheck::Network) {
    net.daemon("server", server);
    net.process("client", ask).after("server");
}

#[test]
fn a_client_of_a_dead_server_is_told_after_the_time() {
    let waits = checked(power(), asking);
    assert_eq!(waits.counterexample().unwrap().kind(), ViolationKind::Deadlock, "{waits}");
    // The answer to a byte that was acknowledged never comes: nobody keeps the connection alive.
    let reads = checked(power().tcp(retries()), asking);
    assert_eq!(reads.counterexample().unwrap().kind(), ViolationKind::Deadlock, "{reads}");
    assert!(reads.counterexample().unwrap().to_string().contains("no power"), "{reads}");
    let report = checked(power().tcp(retries()), |net| {
        net.daemon("server", server);
        net.process("client", || async { timeout(20 * MINUTE, ask()).await.unwrap_or(Ok(0)) }).after("server");
    });
    // A server that is back answers a connect, and bytes that it had not acknowledged, before the time is over.
    let expected = [
        "Err((\"connect\", ConnectionRefused))",
        "Err((\"connect\", TimedOut))",
        "Err((\"read\", ConnectionReset))",
        "Err((\"read\", TimedOut))",
        "Ok(0)",
        "Ok(7)",
    ];
    assert_eq!(report.outputs("client"), expected, "{report}");
    assert_eq!(report.states(), 110);
}

#[test]
fn a_client_behind_a_cut_is_told_after_the_time() {
    let waits = checked(cut(), asking);
    assert_eq!(waits.counterexample().unwrap().kind(), ViolationKind::Deadlock, "{waits}");
    let report = checked(cut().tcp(retries()), |net| {
        net.daemon("server", server);
        net.process("client", || async { timeout(20 * MINUTE, ask()).await.unwrap_or(Ok(0)) }).after("server");
    });
    let expected = ["Err((\"connect\", TimedOut))", "Err((\"read\", TimedOut))", "Ok(0)", "Ok(7)"];
    assert_eq!(report.outputs("client"), expected, "{report}");
    assert_eq!(report.states(), 33);
}

/// How long it takes until the client is told that its byte was lost, with a deadline of its own.
fn told_after(checker: Checker, deadline: Duration) -> Vec<String> {
    let report = checker.check(|net| {
        net.daemon("server", || async {
            let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
            let _accepted = listener.accept().await;
            std::future::pending::<()>().await
        });
        net.process("client", move || async move {
            let connected = timeout(MINUTE, TcpStream::connect("server:80")).await;
            let Ok(Ok(mut stream)) = connected else { return None };
            sleep(MINUTE).await;
            let begun = Instant::now();
            stream.write_u8(1).await.unwrap();
            sleep(3 * MINUTE).await;
            if stream.write_u8(2).await.is_err() {
                return Some((Err("answered"), 3));
            }
            let told = timeout(deadline, stream.read_u8()).await;
            let told = told.map(|read| read.unwrap_err().kind()).map_err(|_| "elapsed");
            Some((told, begun.elapsed().as_secs() / 60))
        })
        .after("server");
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    report.outputs("client").to_vec()
}

#[test]
fn the_time_counts_from_the_first_byte_that_is_not_acknowledged() {
    let dead = Checker::new().tcp(retries()).crash(Crash::power().process("server").stays_down());
    let cut = Checker::new().tcp(retries()).partition(Partition::between(["client", "server"]).for_ever());
    // Nothing is said before the host is silent, or nothing after; or it is silent before the first byte, or before the second one.
    let cut_off = ["None", "Some((Err(\"elapsed\"), 23))", "Some((Ok(TimedOut), 15))", "Some((Ok(TimedOut), 18))"]
        .map(str::to_owned);
    assert_eq!(told_after(cut, 20 * MINUTE), cut_off);
    // A host that is back answers what comes there.
    let mut told = told_after(dead, 20 * MINUTE);
    assert_eq!(told.extract_if(.., |told| told.contains("answered") || told.contains("Reset")).count(), 2);
    assert_eq!(told, cut_off);
}

/// Sends a beat every second until a call fails, and then goes on with another connection: so many connections.
async fn heartbeat(connections: usize) -> Vec<(&'static str, ErrorKind)> {
    let mut errors = Vec::new();
    for _ in 0..connections {
        let mut stream = match TcpStream::connect("server:80").await {
            Ok(stream) => stream,
            Err(error) => {
                errors.push(("connect", error.kind()));
                continue;
            }
        };
        for _ in 0..4 {
            if let Err(error) = stream.write_u8(1).await {
                errors.push(("write", error.kind()));
                break;
            }
            sleep(Duration::from_secs(1)).await;
        }
    }
    errors
}

#[test]
fn a_heartbeat_notices_a_dead_host_after_the_time_and_connects_anew() {
    let outputs = |retries: Duration| {
        let report = checked(power().tcp(Tcp::new().retries(retries)), |net| {
            net.daemon("server", server);
            net.process("client", || heartbeat(2)).after("server");
        });
        (report.outputs("client").to_vec(), report.states())
    };
    let (patient, states) = outputs(MINUTE);
    assert!(!patient.iter().any(|errors| errors.contains("(\"write\", TimedOut)")), "{patient:?}");
    assert_eq!(states, 1_210);
    let (impatient, states) = outputs(Duration::from_secs(2));
    assert_eq!(states, 1_275);
    let then = |next: &str| format!("[(\"write\", TimedOut){next}]");
    // The host is back by then, and serves, or does not listen yet; or it stays down.
    for next in ["", ", (\"connect\", ConnectionRefused)", ", (\"connect\", TimedOut)"] {
        assert!(impatient.contains(&then(next)), "{next}: {impatient:?}");
    }
}

#[test]
fn a_peer_that_is_cut_off_longer_waits_for_ever_unless_it_writes() {
    // The client is told, and gives up the connection; the server reads on after the heal.
    let checker = Checker::new().tcp(retries()).partition(Partition::between(["client", "server"]));
    let report = checked(checker, |net| {
        net.process("server", || async {
            let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
            let (mut stream, _) = listener.accept().await.unwrap();
            timeout(60 * MINUTE, stream.read_u8()).await.map(|read| read.map_err(|error| error.kind()))
        });
        net.process("client", || async {
            let mut stream = TcpStream::connect("server:80").await.map_err(|error| error.kind())?;
            stream.write_u8(1).await.map_err(|error| error.kind())
        })
        .after("server");
    });
    // It ends its stream behind the byte, so that both are given up after it has gone.
    assert_eq!(report.outputs("server"), ["Err(Elapsed(()))", "Ok(Ok(1))"], "{report}");
}

#[test]
fn a_counterexample_says_who_gave_up() {
    let report = power().tcp(retries()).check(|net| {
        net.daemon("server", server);
        net.process("client", || async { timeout(20 * MINUTE, ask()).await.is_ok_and(|asked| asked.is_ok()) })
            .after("server");
        net.finally(|end| end.output("client") != Some("false"));
    });
    insta::assert_snapshot!(report.counterexample().unwrap().to_string());
}

#[test]
fn retries_are_refused_where_waits_are_not_counted() {
    let refused = |checker: Checker| checker.tcp(retries()).try_check(asking).unwrap_err().to_string();
    assert!(
        refused(Checker::new().udp(Udp::new().delay(..))).contains("`tcp(retries)` can't be combined with `delay`")
    );
    assert!(refused(Checker::new().duration(MINUTE)).contains("`duration`"));
}

#[test]
fn nothing_changes_where_nobody_falls_silent() {
    let [with, without] = [Tcp::new(), retries()].map(|tcp| checked(Checker::new().tcp(tcp.split()), asking));
    assert_eq!((with.states(), with.outputs("client")), (without.states(), without.outputs("client")));
}
