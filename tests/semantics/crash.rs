//! Processes that crash and start again: what is left of them, and what others see.

use crate::checked::checked;
use crate::counting::{ask, counter};
use netcheck as tokio;
use netcheck::check::{Checker, Crash, Tcp, Udp, Verdict, ViolationKind};
use netcheck::program::std::fs;
use std::collections::BTreeSet;
use std::future::pending;
use std::io::ErrorKind;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::time::timeout;

fn killed() -> Checker {
    Checker::new().crash(Crash::kill().process("server"))
}

fn counting(net: &mut netcheck::Network) {
    net.daemon("server", counter);
    net.process("client", || ask(2)).after("server");
}

#[test]
fn a_process_forgets_all_and_starts_again() {
    let without = checked(Checker::new(), counting);
    assert_eq!(without.outputs("client"), ["[1, 2]"]);
    let report = checked(killed(), counting);
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    // It crashes not at all, or while it holds a request, or between two of them: then it counts anew.
    assert_eq!(report.outputs("client"), ["[0, 0]", "[0, 1]", "[1, 0]", "[1, 1]", "[1, 2]"]);
    assert_eq!((without.states(), report.states()), (15, 102));
}

#[test]
fn a_process_may_crash_several_times() {
    let twice = Checker::new().crash(Crash::kill().process("server").times(2));
    let [once, twice] = [killed(), twice].map(|checker| {
        checked(checker, |net| {
            net.daemon("server", counter);
            net.process("client", || ask(3)).after("server");
        })
    });
    let all_anew = "[1, 1, 1]".to_owned();
    assert!(!once.outputs("client").contains(&all_anew) && twice.outputs("client").contains(&all_anew));
}

#[test]
fn a_crash_is_a_fault() {
    let both = || Checker::new().crash(Crash::kill()).tcp(Tcp::new().fail_open());
    let [one, two] = [1, 2].map(|at_most| {
        checked(both().at_most(at_most), |net| {
            net.daemon("server", counter);
            net.process("client", || async {
                let connected = TcpStream::connect("server:80").await;
                (connected.unwrap_err().kind() == ErrorKind::TimedOut, ask(2).await)
            });
        })
    });
    // The connect fails, and the server crashes between the two requests.
    let both = "(true, [1, 1])".to_owned();
    assert!(!one.outputs("client").contains(&both) && two.outputs("client").contains(&both), "{two}");
    let anew = "(false, [1, 1])".to_owned();
    assert!(one.outputs("client").contains(&anew), "{one}");
}

#[test]
fn a_process_that_stays_down_is_no_deadlock() {
    let ends = Arc::new(Mutex::new(BTreeSet::new()));
    let checker = Checker::new().crash(Crash::kill().stays_down());
    let seen = Arc::clone(&ends);
    let report = checker.check(|net| {
        net.process("server", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            socket.recv_from(&mut [0]).await.unwrap();
        });
        net.process("client", || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            socket.send_to(b"?", "server:4000").await.unwrap();
        })
        .after("server");
        net.finally(move |end| {
            let of = |name: &str| (end.output(name).is_some(), end.has_crashed(name));
            seen.lock().unwrap().insert((of("server"), of("client")));
        });
    });
    // A server that has crashed and started again waits for a request that never comes.
    assert_eq!(report.counterexample().unwrap().kind(), ViolationKind::Deadlock, "{report}");
    let report = checked(Checker::new().crash(Crash::kill().process("server").stays_down()), |net| {
        net.process("server", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            timeout(Duration::from_secs(1), socket.recv_from(&mut [0])).await.is_ok()
        });
        net.process("client", || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            socket.send_to(b"?", "server:4000").await.unwrap();
        })
        .after("server");
        net.finally(|end| assert!(end.output("server").is_some() != end.has_crashed("server"), "{end}"));
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}

/// Echoes on each connection, in a task of its own.
async fn echo() {
    let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        tokio::spawn(async move {
            let mut bytes = [0; 4];
            while let Ok(count @ 1..) = stream.read(&mut bytes).await {
                if stream.write_all(&bytes[..count]).await.is_err() {
                    break;
                }
            }
        });
    }
}

#[test]
fn a_peer_sees_the_end_of_the_stream_a_reset_or_a_refusal() {
    let report = checked(killed(), |net| {
        net.daemon("server", echo);
        net.process("client", || async {
            let mut stream = TcpStream::connect("server:80").await.map_err(|error| ("connect", error.kind()))?;
            stream.write_all(b"ask").await.map_err(|error| ("write", error.kind()))?;
            stream.read(&mut [0; 4]).await.map_err(|error| ("read", error.kind()))
        })
        .after("server");
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    let all: BTreeSet<&str> = report.outputs("client").iter().map(String::as_str).collect();
    let known = [
        "Ok(3)",
        // The server has read the request, and died before it answered; or before the request was sent.
        "Ok(0)",
        // It is not up again.
        "Err((\"connect\", ConnectionRefused))",
        // The request was in its buffer.
        "Err((\"read\", ConnectionReset))",
        // The connection was in its backlog, and reset: the connect, the write or the read reports it.
        "Err((\"connect\", ConnectionReset))",
        "Err((\"write\", ConnectionReset))",
        "Err((\"write\", BrokenPipe))",
        "Err((\"read\", BrokenPipe))",
    ];
    assert!(all.iter().all(|output| known.contains(output)), "{all:?}");
    for certain in &known[..4] {
        assert!(all.contains(certain), "{certain} is not among {all:?}");
    }
}

#[test]
fn no_destructor_has_an_effect() {
    struct Farewell(UdpSocket);
    impl Drop for Farewell {
        fn drop(&mut self) {
            let _ = self.0.try_send_to(b"bye", "10.0.0.2:4000".parse().unwrap());
        }
    }
    let report = checked(Checker::new().crash(Crash::kill().process("client").stays_down()), |net| {
        net.process("client", || async {
            let farewell = Farewell(UdpSocket::bind("0.0.0.0:0").await.unwrap());
            tokio::time::sleep(Duration::from_secs(1)).await;
            std::mem::forget(farewell);
        });
        net.process("server", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            timeout(Duration::from_secs(9), socket.recv(&mut [0; 4])).await.is_err()
        });
    });
    assert_eq!(report.outputs("server"), ["true"], "{report}");
}

#[netcheck::process]
async fn answering(port: u16) {
    let socket = UdpSocket::bind(("0.0.0.0", port)).await.unwrap();
    loop {
        let (_, from) = socket.recv_from(&mut [0]).await.unwrap();
        socket.send_to(b"!", from).await.unwrap();
    }
}

#[test]
fn isolated_tasks_end_with_their_process() {
    let report = checked(Checker::new().crash(Crash::kill().process("server").stays_down()), |net| {
        net.daemon("server", || async {
            tokio::spawn(answering(4000));
            pending::<()>().await;
        });
        net.process("client", || ask(2)).after("server");
    });
    // The task may bind its socket after the first request.
    assert_eq!(report.outputs("client"), ["[0, 0]", "[0, 33]", "[33, 0]", "[33, 33]"], "{report}");
}

#[test]
fn a_restart_comes_at_any_time_and_at_last() {
    // The server is up again before the client gives up, or after it.
    let report = checked(killed(), |net| {
        net.daemon("server", counter);
        net.process("client", || async {
            let mut tries = 0;
            while ask(1).await == [0] {
                tries += 1;
                if tries == 3 {
                    return "never".to_owned();
                }
            }
            format!("after {tries}")
        })
        .after("server");
    });
    assert_eq!(report.outputs("client"), [r#""after 0""#, r#""after 1""#, r#""after 2""#, r#""never""#]);
    // Nothing else can happen any more: then it comes.
    let waits = checked(killed(), |net| {
        net.process("server", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            let (_, from) = socket.recv_from(&mut [0]).await.unwrap();
            socket.send_to(b"!", from).await.unwrap();
        });
        net.process("client", || async { while ask(1).await == [0] {} }).after("server");
    });
    assert!(waits.outputs("server").contains(&"()".to_owned()), "{waits}");
}

#[test]
fn there_are_no_crashes_outside_of_fault_scopes() {
    let report = checked(killed(), |net| {
        net.daemon("server", counter);
        net.process("client", || async {
            let before = ask(1).await;
            let within = netcheck::faults::scope(ask(1)).await;
            (before, within)
        })
        .after("server");
    });
    // The server itself is in no region.
    assert_eq!(report.outputs("client"), ["([1], [2])"], "{report}");
}

#[test]
fn unknown_and_external_processes_do_not_crash() {
    let unknown = Checker::new().crash(Crash::kill().process("sever"));
    let error = unknown.try_check(counting).unwrap_err().to_string();
    assert!(error.contains("sever") && error.contains("crash(process = …)"), "{error}");
}

/// What a client without time-outs sees of a server that loses its power.
async fn two_requests() -> Result<Vec<usize>, (&'static str, ErrorKind)> {
    let mut stream = TcpStream::connect("server:80").await.map_err(|error| ("connect", error.kind()))?;
    let mut answers = Vec::new();
    for _ in 0..2 {
        stream.write_all(b"ask").await.map_err(|error| ("write", error.kind()))?;
        answers.push(stream.read(&mut [0; 4]).await.map_err(|error| ("read", error.kind()))?);
    }
    Ok(answers)
}

#[test]
fn nobody_is_told_of_a_power_failure() {
    let power = || Checker::new().crash(Crash::power().process("server"));
    let waits = checked(power(), |net| {
        net.daemon("server", echo);
        net.process("client", two_requests).after("server");
    });
    // The answer is lost, and the client waits for it.
    assert_eq!(waits.counterexample().unwrap().kind(), ViolationKind::Deadlock, "{waits}");
    let patient = checked(power(), |net| {
        net.daemon("server", echo);
        net.process("client", || timeout(Duration::from_secs(9), two_requests())).after("server");
    });
    let all: BTreeSet<&str> = patient.outputs("client").iter().map(String::as_str).collect();
    let expected = [
        "Err(Elapsed(()))",
        // It is back, and does not listen yet.
        r#"Ok(Err(("connect", ConnectionRefused)))"#,
        r#"Ok(Err(("read", ConnectionReset)))"#,
        "Ok(Ok([3, 3]))",
    ];
    assert_eq!(all, BTreeSet::from(expected), "no end of the stream");
}

/// The numbers that come to port 4000, until it is silent for so long.
async fn heard(patience: Duration) -> Vec<u8> {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let (mut all, mut number) = (Vec::new(), [0]);
    while timeout(patience, socket.recv(&mut number)).await.is_ok() {
        all.push(number[0]);
    }
    all
}

/// Sends the client two numbers, and goes on for ever.
async fn sends_two() {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    for number in 1..=2 {
        socket.send_to(&[number], "client:4000").await.unwrap();
    }
    pending::<()>().await;
}

#[test]
fn last_datagrams_are_lost_with_the_power_of_their_sender() {
    let report = checked(Checker::new().crash(Crash::power().process("server").stays_down()), |net| {
        net.daemon("server", sends_two).after("client");
        net.process("client", || heard(Duration::from_secs(1)));
    });
    // Never a second one without its first.
    let expected = ["[1, 1, 2, 2]", "[1, 1, 2]", "[1, 2, 1, 2]", "[1, 2, 1]", "[1, 2]", "[1]", "[]"];
    assert_eq!(report.outputs("client"), expected, "{report}");
}

/// A receive depends on the power failure of the sender as long as the datagram is under way: the one to the helper is lost, and
/// the one that was sent later to the client is not. (A process that starts again and sends to the helper once more would be met
/// by the receive anyhow.)
#[test]
fn a_datagram_is_lost_with_the_power_after_a_later_one_was_sent_elsewhere() {
    let checker = Checker::new().crash(Crash::power().process("server").stays_down());
    let report = checked(checker, |net| {
        net.process("client", || heard(Duration::from_secs(5)));
        net.daemon("helper", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            if timeout(Duration::from_secs(1), socket.recv(&mut [0])).await.is_err() {
                socket.send_to(&[9], "client:4000").await.unwrap();
            }
        });
        net.daemon("server", || async {
            // In the first poll, before which no process crashes.
            if fs::read("begun").is_err() {
                fs::File::create("begun").unwrap().sync_all().unwrap();
                fs::File::open(".").unwrap().sync_all().unwrap();
            } else {
                return;
            }
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            socket.send_to(&[0], "helper:4000").await.unwrap();
            socket.send_to(&[1], "client:4000").await.unwrap();
            pending::<()>().await;
        })
        .after("client")
        .after("helper");
    });
    assert!(report.outputs("client").iter().any(|heard| heard == "[1, 9]"), "{report}");
}

/// A power failure depends on the receives of datagrams of which something else is under way: one copy has arrived, the other is
/// lost, and nothing is in the file yet.
#[test]
fn a_copy_is_lost_with_the_power_where_another_has_arrived() {
    let checker = Checker::new().udp(Udp::new().copies([2])).crash(Crash::power().process("server"));
    let report = checked(checker, |net| {
        net.process("client", || heard(Duration::from_secs(5)));
        net.daemon("server", || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            if let Ok(begun) = netcheck::fs::read("begun").await {
                socket.send_to(&[7 + u8::from(!begun.is_empty())], "client:4000").await.unwrap();
                return;
            }
            let mut file = netcheck::fs::File::create("begun").await.unwrap();
            file.sync_all().await.unwrap();
            netcheck::fs::File::open(".").await.unwrap().sync_all().await.unwrap();
            socket.send_to(&[1], "client:4000").await.unwrap();
            file.write_all(b"sent").await.unwrap();
            file.sync_all().await.unwrap();
            pending::<()>().await;
        })
        .after("client");
    });
    assert!(report.outputs("client").iter().any(|heard| heard == "[1, 7, 7]"), "{report}");
}

#[test]
fn a_connect_waits_until_a_silent_host_is_back() {
    let report = checked(Checker::new().crash(Crash::power().process("server")), |net| {
        net.daemon("server", || async {
            let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
            loop {
                let _accepted = listener.accept().await;
            }
        });
        net.process("client", || async {
            let connected = timeout(Duration::from_secs(1), TcpStream::connect("server:80")).await;
            connected.map(|connected| connected.map(drop).map_err(|error| error.kind()))
        })
        .after("server");
    });
    // It is refused by a host that is back, before the server listens again.
    let expected = ["Err(Elapsed(()))", "Ok(Err(ConnectionRefused))", "Ok(Ok(()))"];
    assert_eq!(report.outputs("client"), expected, "{report}");
}

/// In dense time bytes that were sent have left their host: they arrive, whatever becomes of that.
#[test]
fn bytes_that_take_a_time_arrive_in_spite_of_a_power_failure() {
    const MS: Duration = Duration::from_millis(1);
    let delays = Tcp::new().delay(10 * MS..=20 * MS);
    let checker = Checker::new().tcp(delays).crash(Crash::power().process("server").down(50 * MS..=60 * MS));
    let report = checked(checker, |net| {
        net.daemon("server", || async {
            let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.write_all(b"a").await.unwrap();
            tokio::time::sleep(MS).await;
            let _ = stream.write_all(b"b").await;
            pending::<()>().await
        });
        net.process("client", || async {
            let Ok(mut stream) = TcpStream::connect("server:80").await else { return "refused".to_owned() };
            let mut heard = String::new();
            while let Ok(Ok(letter)) = timeout(200 * MS, stream.read_u8()).await {
                heard.push(letter.into());
            }
            // The host that is back answers bytes that are sent now.
            let _ = stream.write_u8(0).await;
            let asked = timeout(200 * MS, stream.read_u8()).await;
            let told = asked.map(|read| read.map_err(|error| error.kind()));
            format!("{heard} {told:?}")
        })
        .after("server");
    });
    let expected = [
        " Ok(Err(ConnectionReset))",
        "a Ok(Err(ConnectionReset))",
        "ab Err(Elapsed(()))",
        "ab Ok(Err(ConnectionReset))",
        "refused",
    ];
    assert_eq!(report.outputs("client"), expected.map(|heard| format!("{heard:?}")), "{report}");
}

/// In dense time a datagram that was sent has left its host: it arrives, whatever becomes of that.
#[test]
fn a_datagram_that_takes_a_time_arrives_in_spite_of_a_power_failure() {
    let delays = Udp::new().delay(Duration::from_millis(10)..=Duration::from_millis(20));
    let report = checked(Checker::new().udp(delays).crash(Crash::power().process("server").stays_down()), |net| {
        net.process("client", || heard(Duration::from_millis(100)));
        net.daemon("server", sends_two).after("client");
    });
    let outputs = report.outputs("client");
    assert!(!outputs.contains(&"[2]".to_owned()), "{outputs:?}");
    assert!(["[1, 2]", "[2, 1]", "[1]", "[]"].iter().all(|all| outputs.contains(&(*all).to_owned())), "{outputs:?}");
}

/// A server that is down for a declared time, of a client that asks until it is answered: how often it asked.
fn asked_until_it_is_back(down: impl std::ops::RangeBounds<Duration>) -> Vec<String> {
    let delays = Udp::new().delay(Duration::ZERO..=Duration::from_millis(10));
    let report = checked(Checker::new().udp(delays).crash(Crash::kill().process("server").down(down)), |net| {
        net.daemon("server", counter);
        net.process("client", || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            socket.connect("server:4000").await.unwrap();
            for asked in 1..=4 {
                socket.send(b"?").await.unwrap();
                if timeout(Duration::from_millis(100), socket.recv(&mut [0])).await.is_ok() {
                    return asked;
                }
            }
            0
        })
        .after("server");
    });
    report.outputs("client").to_vec()
}

#[test]
fn a_process_is_down_for_a_declared_time() {
    let ms = Duration::from_millis;
    // The first question, or its answer, goes with the crash at the least.
    assert_eq!(asked_until_it_is_back(ms(0)..=ms(50)), ["1", "2"]);
    assert_eq!(asked_until_it_is_back(ms(150)..=ms(150)), ["1", "3"]);
    assert_eq!(asked_until_it_is_back(ms(210)..=ms(250)), ["1", "3", "4"]);
    assert_eq!(asked_until_it_is_back(ms(1000)..), ["0", "1"]);
}

#[test]
fn a_time_to_be_down_needs_dense_time() {
    let error = Checker::new().crash(Crash::kill().down(Duration::ZERO..)).try_check(counting).unwrap_err().to_string();
    assert!(error.contains("crash(down = …)") && error.contains("udp(delay)"), "{error}");
}

/// A datagram that is under way to a process that crashes comes to whoever is bound to the port when it arrives, also where packets
/// take any time in their order.
#[test]
fn a_datagram_outlives_the_process_that_it_is_for() {
    for udp in [Udp::new().delay(..), Udp::new().delay(..).window(1)] {
        let report = checked(Checker::new().udp(udp).crash(Crash::kill().process("server")), |net| {
            net.daemon("server", || async {
                let has_heard = fs::read("heard").is_ok();
                let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
                let mut number = [0];
                if has_heard {
                    let other = timeout(Duration::from_secs(1), socket.recv(&mut number)).await;
                    return other.is_ok_and(|_| number == [2]);
                }
                while number != [1] {
                    socket.recv(&mut number).await.unwrap();
                }
                fs::write("heard", "").unwrap();
                pending().await
            });
            net.process("client", || async {
                let first = UdpSocket::bind("0.0.0.0:0").await.unwrap();
                let second = UdpSocket::bind("0.0.0.0:0").await.unwrap();
                first.send_to(&[2], "server:4000").await.unwrap();
                second.send_to(&[1], "server:4000").await.unwrap();
            })
            .after("server");
        });
        assert_eq!(report.outputs("server"), ["false", "true"], "{report}");
    }
}

#[test]
fn time_that_passes_before_a_process_starts_again_changes_no_instant() {
    // The sleeper reads the clock, and holds no instant while it sleeps; the server may start again at any time meanwhile.
    let report = checked(killed(), |net| {
        net.daemon("server", async || {
            let socket = UdpSocket::bind("0.0.0.0:4001").await.unwrap();
            socket.recv(&mut [0]).await.unwrap();
        });
        net.process("client", async || {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            socket.send_to(b"?", "server:4001").await.unwrap();
            tokio::time::sleep_until(tokio::time::Instant::now() + Duration::from_millis(10)).await;
        });
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}
