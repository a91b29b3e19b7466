//! Dense time over TCP: segments take delays of an interval, or listed ones, and arrive in order.

use netcheck::Network;
use netcheck::check::{Checker, Counterexample, Report, Tcp, Udp, Verdict};
use netcheck::io::{AsyncReadExt, AsyncWriteExt};
use netcheck::net::{TcpListener, TcpStream, UdpSocket};
use netcheck::time::{self, Duration, Instant};
use std::future::Future;
use std::io::ErrorKind;
use std::ops::RangeInclusive;

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn within(delays: RangeInclusive<u64>) -> Tcp {
    Tcp::new().delay(ms(*delays.start())..=ms(*delays.end()))
}

fn listed(delays: &[u64]) -> Tcp {
    Tcp::new().delays(delays.iter().copied().map(ms))
}

/// A server with one connection, and its client.
fn pair<S: Future<Output = ()> + 'static, C: Future<Output: std::fmt::Debug> + 'static>(
    tcp: Tcp,
    server: fn(TcpStream) -> S,
    client: fn(TcpStream) -> C,
) -> Report {
    Checker::new().tcp(tcp).check(|net: &mut Network| {
        net.process("server", move || async move {
            let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
            let (stream, _) = listener.accept().await.unwrap();
            server(stream).await;
        });
        net.process("client", move || async move { client(TcpStream::connect("server:80").await.unwrap()).await })
            .after("server");
    })
}

/// The outputs of the client, in executions without a violation.
fn outputs<S: Future<Output = ()> + 'static, C: Future<Output: std::fmt::Debug> + 'static>(
    tcp: Tcp,
    server: fn(TcpStream) -> S,
    client: fn(TcpStream) -> C,
) -> Vec<String> {
    let report = pair(tcp, server, client);
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    report.outputs("client").to_vec()
}

async fn echo(mut stream: TcpStream) {
    let mut byte = [0];
    while stream.read(&mut byte).await.unwrap_or(0) > 0 {
        if stream.write_all(&byte).await.is_err() {
            return;
        }
    }
}

/// Assumes that a request is answered within half a second.
async fn asks(mut stream: TcpStream) {
    stream.write_all(b"?").await.unwrap();
    let answer = time::timeout(ms(500), stream.read_u8()).await;
    answer.expect("the answer comes in time").unwrap();
}

#[test]
fn a_round_trip_fits_into_a_time_out_or_does_not() {
    assert_eq!(pair(within(0..=200), echo, asks).verdict(), Verdict::Verified);
    assert_eq!(pair(within(0..=250), echo, asks).verdict(), Verdict::Violated);
    assert_eq!(pair(within(0..=249), echo, asks).verdict(), Verdict::Verified);
    assert_eq!(pair(listed(&[5, 200]), echo, asks).verdict(), Verdict::Verified);
    assert_eq!(pair(listed(&[5, 300]), echo, asks).verdict(), Verdict::Violated);
    assert_eq!(pair(Tcp::new().delay(ms(1)..), echo, asks).verdict(), Verdict::Violated);
    assert_eq!(pair(Tcp::new().delay(..), echo, asks).verdict(), Verdict::Violated);
    let report = pair(within(0..=600), echo, asks);
    assert_eq!(report.verdict(), Verdict::Violated);
    insta::assert_snapshot!(report.counterexample().unwrap().without_lines());
}

#[test]
fn segments_arrive_in_the_order_in_which_they_were_sent() {
    async fn writes(mut stream: TcpStream) {
        stream.write_all(b"a").await.unwrap();
        time::sleep(ms(10)).await;
        stream.write_all(b"b").await.unwrap();
        let _ = stream.read(&mut [0]).await;
    }
    /// All that arrives, by reads, and that nothing has for 30 ms.
    async fn reads(mut stream: TcpStream) -> Vec<String> {
        let (mut seen, mut buffer) = (Vec::new(), [0; 4]);
        while seen.len() < 2 {
            let read = time::timeout(ms(30), stream.read(&mut buffer)).await;
            seen.push(read.map_or("-".to_owned(), |count| String::from_utf8_lossy(&buffer[..count.unwrap()]).into()));
        }
        seen
    }
    assert_eq!(outputs(within(0..=5), writes, reads), [r#"["a", "b"]"#]);
    // The answer to the connect waits for nothing, but "a" waits for it, and "b" for "a".
    assert_eq!(outputs(within(0..=10), writes, reads), [r#"["a", "b"]"#, r#"["ab", "-"]"#]);
    assert_eq!(outputs(listed(&[5]), writes, reads), [r#"["a", "b"]"#]);
    // Where "a" takes 25 ms and "b" none, "b" waits for "a".
    let found = outputs(listed(&[0, 25]), writes, reads);
    assert_eq!(found, [r#"["a", "-"]"#, r#"["a", "b"]"#, r#"["ab", "-"]"#]);
    assert_eq!(
        outputs(Tcp::new().delay(ms(5)..), writes, reads),
        [r#"["-", "-"]"#, r#"["-", "a"]"#, r#"["-", "ab"]"#, r#"["a", "-"]"#, r#"["a", "b"]"#, r#"["ab", "-"]"#,]
    );
}

#[test]
fn a_connect_takes_one_delay_there_and_one_back() {
    let took = |tcp: Tcp, listens: bool| {
        let report = Checker::new().tcp(tcp).check(move |net: &mut Network| {
            net.process("server", move || async move {
                let listener = if listens { Some(TcpListener::bind("0.0.0.0:80").await.unwrap()) } else { None };
                let begun = Instant::now();
                let Some(listener) = listener else { return (0, time::sleep(ms(1)).await).0 };
                let _stream = listener.accept().await.unwrap();
                begun.elapsed().as_millis()
            });
            net.process("client", || async {
                let begun = Instant::now();
                let connected = TcpStream::connect("server:80").await.map(drop).map_err(|error| error.kind());
                (begun.elapsed().as_millis(), connected)
            })
            .after("server");
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        (report.outputs("server").to_vec(), report.outputs("client").to_vec())
    };
    let (server, client) = took(listed(&[5, 50]), true);
    assert_eq!(server, ["5", "50"]);
    assert_eq!(client, ["(10, Ok(()))", "(100, Ok(()))", "(55, Ok(()))"]);
    let (_, client) = took(listed(&[5, 50]), false);
    assert_eq!(
        client,
        ["(10, Err(ConnectionRefused))", "(100, Err(ConnectionRefused))", "(55, Err(ConnectionRefused))"]
    );
    let (server, client) = took(within(7..=7), true);
    assert_eq!((server, client), (vec!["7".to_owned()], vec!["(14, Ok(()))".to_owned()]));
}

/// Whether a connect ends within so many milliseconds.
async fn connects_within(limit: u64) -> Result<(), ErrorKind> {
    match time::timeout(ms(limit), TcpStream::connect("server:80")).await {
        Ok(connected) => connected.map(drop).map_err(|error| error.kind()),
        Err(_) => Err(ErrorKind::TimedOut),
    }
}

#[test]
fn a_listener_that_is_closed_before_a_connect_arrives_refuses_it() {
    let clients = |tcp: Tcp| {
        let report = Checker::new().tcp(tcp).check(|net: &mut Network| {
            net.process("server", || async {
                let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
                time::sleep(ms(10)).await;
                drop(listener);
            });
            net.process("client", || connects_within(50)).after("server");
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        report.outputs("client").to_vec()
    };
    assert_eq!(clients(within(11..=20)), ["Err(ConnectionRefused)"]);
    assert_eq!(clients(within(0..=4)), ["Ok(())"]);
    assert_eq!(clients(within(11..=26)), ["Err(ConnectionRefused)", "Err(TimedOut)"]);
    // The reset of the closed listener comes behind the answer; at the same instant, the connect may report it.
    assert_eq!(clients(within(0..=9)), ["Err(ConnectionReset)", "Ok(())"]);
}

#[test]
fn the_end_of_a_stream_comes_behind_its_bytes() {
    async fn writes(mut stream: TcpStream) {
        stream.write_all(b"a").await.unwrap();
        stream.shutdown().await.unwrap();
        let _ = stream.read(&mut [0]).await;
    }
    /// The bytes that are there after 20 ms, and then.
    async fn reads(stream: TcpStream) -> [Result<usize, ErrorKind>; 2] {
        time::sleep(ms(20)).await;
        [(); 2].map(|()| stream.try_read(&mut [0; 4]).map_err(|error| error.kind()))
    }
    let [nothing, bytes, all] =
        ["[Err(WouldBlock), Err(WouldBlock)]", "[Ok(1), Err(WouldBlock)]", "[Ok(1), Ok(0)]"].map(str::to_owned);
    assert_eq!(outputs(within(0..=10), writes, reads), std::slice::from_ref(&all));
    let late = outputs(within(0..=30), writes, reads);
    assert!([&nothing, &bytes, &all].into_iter().all(|seen| late.contains(seen)), "{late:?}");
    // Never the end without the bytes, nor before them.
    assert!(late.iter().all(|seen| !seen.contains("[Ok(0)")), "{late:?}");
    assert!(outputs(listed(&[0, 25]), writes, reads).contains(&nothing));
    assert_eq!(outputs(listed(&[25]), writes, reads), [all]);
}

#[test]
fn a_reset_is_under_way_behind_the_bytes_that_were_sent_before_it() {
    async fn resets(mut stream: TcpStream) {
        stream.write_all(b"a").await.unwrap();
        time::sleep(ms(20)).await;
        stream.set_zero_linger().unwrap();
    }
    /// How a write of every 10 ms ends, and a read after the first that fails.
    async fn writes(mut stream: TcpStream) -> (usize, ErrorKind, Result<usize, ErrorKind>) {
        let mut written = 0;
        loop {
            match stream.write(b"x").await {
                Ok(_) => written += 1,
                Err(error) => {
                    let read = stream.read(&mut [0; 4]).await.map_err(|error| error.kind());
                    return (written, error.kind(), read);
                }
            }
            time::sleep(ms(10)).await;
        }
    }
    // The reset comes 20 ms after the answer to the connect, before or after the write of that instant.
    let found = outputs(listed(&[10]), resets, writes);
    assert_eq!(found, ["(2, ConnectionReset, Ok(1))", "(3, ConnectionReset, Ok(1))"]);
    // It comes 5 to 35 ms after that.
    let found = outputs(within(0..=15), resets, writes);
    assert_eq!(found, [1, 2, 3, 4].map(|written| format!("({written}, ConnectionReset, Ok(1))")));
}

#[test]
fn bytes_for_a_closed_end_are_answered_with_a_reset_that_takes_time() {
    async fn closes(_stream: TcpStream) {}
    async fn writes(mut stream: TcpStream) -> (usize, ErrorKind) {
        let mut written = 0;
        loop {
            time::sleep(ms(10)).await;
            match stream.write(b"x").await {
                Ok(_) => written += 1,
                Err(error) => return (written, error.kind()),
            }
        }
    }
    // The first byte is under way for 15 ms, the reset for 15 ms more.
    assert_eq!(outputs(listed(&[15]), closes, writes), ["(3, BrokenPipe)", "(4, BrokenPipe)"]);
    assert_eq!(outputs(within(12..=12), closes, writes), ["(3, BrokenPipe)"]);
}

#[test]
fn streams_and_datagrams_take_delays_of_their_own() {
    let first = |udp: Udp, tcp: Tcp| {
        let report = Checker::new().udp(udp).tcp(tcp).check(|net: &mut Network| {
            net.process("server", || async {
                let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
                let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
                let mut byte = [0];
                netcheck::select! {
                    _ = socket.recv(&mut byte) => "datagram",
                    _ = listener.accept() => "connection",
                }
            });
            net.process("client", || async {
                let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
                socket.send_to(b"!", "server:4000").await.unwrap();
                let _ = TcpStream::connect("server:80").await;
            })
            .after("server");
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        report.outputs("server").to_vec()
    };
    let udp = |delays: RangeInclusive<u64>| Udp::new().delay(ms(*delays.start())..=ms(*delays.end()));
    let [connection, datagram] = ["\"connection\"", "\"datagram\""].map(str::to_owned);
    assert_eq!(first(udp(5..=10), within(0..=4)), std::slice::from_ref(&connection));
    assert_eq!(first(udp(0..=4), within(5..=10)), std::slice::from_ref(&datagram));
    assert_eq!(first(udp(0..=5), within(5..=10)), [connection.clone(), datagram.clone()]);
    assert_eq!(first(Udp::new(), within(1..=10)), [datagram]);
    assert_eq!(first(udp(1..=4), Tcp::new()), [connection]);
}

#[test]
fn a_connect_that_is_given_up_reaches_a_listener_that_finds_it_closed() {
    let report = Checker::new().tcp(within(10..=10)).check(|net: &mut Network| {
        net.process("server", || async {
            let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
            let (mut stream, _) = listener.accept().await.unwrap();
            let begun = Instant::now();
            let read = stream.read(&mut [0]).await.map_err(|error| error.kind());
            (read, begun.elapsed().as_millis())
        });
        net.process("client", || async {
            let connected = connects_within(15).await;
            time::sleep(ms(100)).await;
            connected
        })
        .after("server");
    });
    assert_eq!(report.outputs("client"), ["Err(TimedOut)"]);
    // It was accepted after 10 ms; the end of the stream was sent after 15 ms.
    assert_eq!(report.outputs("server"), ["(Ok(0), 15)"]);
}

#[test]
fn a_counterexample_has_instants_and_is_replayed() {
    let declared = Checker::new().tcp(listed(&[10, 300]));
    let network = |net: &mut Network| {
        net.process("server", || async {
            let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
            echo(listener.accept().await.unwrap().0).await;
        });
        net.process("client", || async { asks(TcpStream::connect("server:80").await.unwrap()).await }).after("server");
    };
    let report = declared.clone().check(network);
    let found = report.counterexample().expect("300 ms there and back are too long");
    let text = found.without_lines();
    assert!(text.contains("took 300ms"), "{text}");
    let read = Counterexample::from_json(&found.to_json()).unwrap();
    assert_eq!(read.without_lines(), text);
    let again = declared.replay(network, &read).unwrap().expect("it is found again");
    assert!(again.contains("the answer comes in time"), "{again}");
}

#[test]
fn an_error_beside_a_violation_that_was_found_does_not_hide_it() {
    // The search ends before a connect succeeds. With fewer faults one does, and then a program reads a time that is no number.
    let report = Checker::new().reduction(false).tcp(within(1..=3).fail_open()).check(|net| {
        net.process("server", || async {
            let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
            listener.accept().await.unwrap();
        });
        net.process("client", || async {
            let mut stream = TcpStream::connect("server:80").await.expect("a connection");
            let asked = Instant::now();
            while matches!(stream.read(&mut [0]).await, Ok(1..)) {}
            asked.elapsed()
        })
        .after("server");
    });
    let counterexample = report.counterexample().expect("the connect may fail").to_string();
    assert!(counterexample.contains("a connection"), "{counterexample}");
    assert!(counterexample.contains("given up at an error: client reads the time at"), "{counterexample}");
}
