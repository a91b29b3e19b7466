//! TCP between processes: streams, backlogs, failures.

use netcheck as tokio;
use netcheck::check::{Checker, Deadlocks, Identity, Report, Side, Tcp, Udp, Verdict, ViolationKind};
use std::future::Future;
use std::io;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};

async fn server() -> io::Result<Vec<u8>> {
    let listener = TcpListener::bind("0.0.0.0:80").await?;
    let (mut stream, _) = listener.accept().await?;
    let mut request = Vec::new();
    stream.read_to_end(&mut request).await?;
    stream.write_all(&request).await?;
    Ok(request)
}

async fn client() -> io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect("server:80").await?;
    stream.write_all(b"ab").await?;
    stream.write_all(b"c").await?;
    stream.shutdown().await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    Ok(answer)
}

fn both(checker: Checker) -> Report {
    checker.check(|net| {
        net.process("server", || async { server().await.map_err(|error| error.kind()) });
        net.process("client", || async { client().await.map_err(|error| error.kind()) }).after("server");
    })
}

#[test]
fn a_request_is_answered() {
    for (reduction, states) in [(true, 22), (false, 26)] {
        let report = both(Checker::new().identity(Identity::History).reduction(reduction));
        assert_eq!(report.verdict(), Verdict::Verified);
        assert_eq!(report.outputs("client"), ["Ok([97, 98, 99])"]);
        assert_eq!(report.states(), states);
    }
}

#[test]
fn every_failure_shows_as_the_error_that_linux_gives() {
    for reduction in [true, false] {
        let tcp = Tcp::new().fail_open().fail_close().fail_read().fail_write().reset().hang().split();
        // A connect that is never answered leaves its client stuck, which is no violation by the paper's rule.
        let report = both(Checker::new().tcp(tcp).reduction(reduction).deadlocks(Deadlocks::Paper));
        assert_eq!(report.verdict(), Verdict::Verified);
        let read = ["Ok([97, 98, 99])", "Ok([97, 98])", "Ok([97])", "Ok([])"];
        let failed = ["Err(BrokenPipe)", "Err(ConnectionReset)", "Err(NotConnected)", "Err(TimedOut)"];
        assert_eq!(report.outputs("client"), [failed, read].concat());
        let served =
            ["Err(BrokenPipe)", "Err(ConnectionAborted)", "Err(ConnectionReset)", "Ok([97, 98, 99])", "Ok([])"];
        assert_eq!(report.outputs("server"), served);
    }
}

#[netcheck::process]
async fn worker(mut stream: TcpStream) -> Result<(), io::ErrorKind> {
    let mut buffer = [0; 8];
    loop {
        let count = stream.read(&mut buffer).await.map_err(|error| error.kind())?;
        if count == 0 {
            return Ok(());
        }
        stream.write_all(&buffer[..count]).await.map_err(|error| error.kind())?;
    }
}

async fn serve(clients: usize) {
    let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
    let mut workers = Vec::new();
    for _ in 0..clients {
        if let Ok((stream, _)) = listener.accept().await {
            workers.push(tokio::spawn(worker(stream)));
        }
    }
    for worker in workers {
        let _ = worker.await.unwrap();
    }
}

async fn ask() -> io::Result<usize> {
    let mut stream = TcpStream::connect("server:80").await?;
    let mut answered = 0;
    for _ in 0..3 {
        stream.write_all(b"x").await?;
    }
    let mut buffer = [0; 8];
    while answered < 3 {
        let count = stream.read(&mut buffer).await?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        answered += count;
    }
    Ok(answered)
}

#[test]
fn workers_of_their_own_serve_clients() {
    let faults_and_states = [(0, 772, 6_095), (1, 8_949, 24_884), (9, 16_038, 41_032)];
    for (faults, reduced, full) in faults_and_states {
        for (reduction, states) in [(true, reduced), (false, full)] {
            let tcp = Tcp::new().fail_open().fail_read().fail_write().fail_close();
            let checker = Checker::new().identity(Identity::History).tcp(tcp).at_most(faults).reduction(reduction);
            let report = checker.check(|net| {
                net.process("server", || serve(2));
                for client in ["a", "b"] {
                    net.process(client, || async { ask().await.map_err(|error| error.kind()) }).after("server");
                }
            });
            assert_eq!(report.verdict(), Verdict::Verified);
            let failed = ["Err(BrokenPipe)", "Err(ConnectionReset)", "Err(TimedOut)", "Err(UnexpectedEof)", "Ok(3)"];
            let expected = if faults == 0 { &failed[4..] } else { &failed };
            assert_eq!(report.outputs("a"), expected);
            assert_eq!(report.states(), states, "{faults} faults, reduction: {reduction}");
        }
    }
}

/// A process that listens, and one that connects to it.
fn pair<S, C>(
    checker: Checker,
    server: impl Fn(TcpStream) -> S + Clone + Send + Sync + 'static,
    client: impl Fn(TcpStream) -> C + Clone + Send + Sync + 'static,
) -> Report
where
    S: Future<Output: std::fmt::Debug + 'static> + 'static,
    C: Future<Output: std::fmt::Debug + 'static> + 'static,
{
    checker.check(move |net| {
        net.process("server", move || {
            let server = server.clone();
            async move {
                let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
                let (stream, _) = listener.accept().await.map_err(|error| error.kind())?;
                Ok::<_, io::ErrorKind>(server(stream).await)
            }
        });
        net.process("client", move || {
            let client = client.clone();
            async move {
                let stream = TcpStream::connect("server:80").await.map_err(|error| error.kind())?;
                Ok::<_, io::ErrorKind>(client(stream).await)
            }
        })
        .after("server");
    })
}

#[test]
fn two_peers_that_only_write_wait_for_each_other() {
    async fn write(mut stream: TcpStream) -> io::Result<()> {
        stream.write_all(b"hello").await?;
        stream.write_all(b"hello").await
    }
    let report = pair(Checker::new().tcp(Tcp::new().buffer(8)), write, write);
    let counterexample = report.counterexample().expect("both buffers are full");
    assert_eq!(counterexample.kind(), ViolationKind::Deadlock);
    let line = line!() - 5;
    let expected = format!(
        "nothing can happen any more\n  \
         server waits for write \"lo\" (with client:49168) at tests/semantics/tcp.rs:{line}\n  \
         client waits for write \"lo\" (to server:80) at tests/semantics/tcp.rs:{line}\n  \
         probably to blame: server and client, which wait for each other"
    );
    assert_eq!(counterexample.message(), expected);
    assert_eq!(pair(Checker::new().tcp(Tcp::new().buffer(10)), write, write).verdict(), Verdict::Verified);
}

/// Time passes only when nothing else can happen: what is left of a write can be read at once.
#[test]
fn a_timer_fires_between_two_parts_of_one_write_only_with_delay() {
    async fn sends() {
        let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(b"ab").await.unwrap();
        let _ = stream.read(&mut [0]).await;
    }
    /// The byte after a read of two bytes that an interval cancelled.
    async fn reads() -> Option<char> {
        let mut stream = TcpStream::connect("server:80").await.unwrap();
        let mut beat = tokio::time::interval(Duration::from_secs(1));
        beat.tick().await;
        let mut frame = [0; 2];
        tokio::select! {
            read = stream.read_exact(&mut frame) => { read.unwrap(); None }
            _ = beat.tick() => Some(stream.read_u8().await.unwrap().into()),
        }
    }
    let outputs = |split: bool, delay: bool| {
        let tcp = if split { Tcp::new().split() } else { Tcp::new() };
        let tcp = if delay { tcp.delay(..) } else { tcp };
        let report = Checker::new().tcp(tcp).check(|net| {
            net.process("server", sends);
            net.process("client", reads).after("server");
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        report.outputs("client").to_vec()
    };
    assert_eq!(outputs(true, false), ["None"]);
    assert_eq!(outputs(false, true), ["None", "Some('a')"]);
    assert_eq!(outputs(true, true), ["None", "Some('a')", "Some('b')"]);
}

#[test]
fn a_frame_that_is_read_in_one_piece_is_a_bug_that_split_finds() {
    async fn send(mut stream: TcpStream) {
        stream.write_all(b"frame").await.unwrap();
    }
    async fn receive(mut stream: TcpStream) {
        let mut buffer = [0; 5];
        let count = stream.read(&mut buffer).await.unwrap();
        assert_eq!(&buffer[..count], b"frame");
    }
    async fn receive_all(mut stream: TcpStream) {
        let mut buffer = [0; 5];
        stream.read_exact(&mut buffer).await.unwrap();
        assert_eq!(&buffer, b"frame");
    }
    let split = || Checker::new().tcp(Tcp::new().split());
    assert_eq!(pair(Checker::new(), send, receive).verdict(), Verdict::Verified);
    let report = pair(split(), send, receive);
    assert_eq!(report.counterexample().map(|found| found.kind()), Some(ViolationKind::Panic));
    assert_eq!(pair(split(), send, receive_all).verdict(), Verdict::Verified);
}

#[test]
fn a_connect_that_never_answers_is_left_by_a_time_out_only() {
    async fn patient() -> io::Result<()> {
        TcpStream::connect("server:80").await.map(|_| ())
    }
    async fn impatient() -> Result<(), &'static str> {
        match tokio::time::timeout(Duration::from_secs(1), patient()).await {
            Ok(connected) => connected.map_err(|_| "refused"),
            Err(_) => Err("too late"),
        }
    }
    async fn listen_for_a_second() {
        let _listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
    let hang = || Checker::new().tcp(Tcp::new().hang());
    let report = hang().check(|net| {
        net.process("server", listen_for_a_second);
        net.process("client", || async { impatient().await }).after("server");
    });
    assert_eq!(
        (report.verdict(), report.outputs("client")),
        (Verdict::Verified, &["Err(\"too late\")", "Ok(())"].map(String::from)[..])
    );
    let report = hang().check(|net| {
        net.process("server", listen_for_a_second);
        net.process("client", || async { patient().await.is_ok() }).after("server");
    });
    let counterexample = report.counterexample().expect("the client waits for ever");
    assert_eq!(counterexample.kind(), ViolationKind::Deadlock);
    assert!(counterexample.to_string().contains("never answer connect server:80 of client"), "{counterexample}");
}

#[test]
fn connecting_before_anybody_listens_is_a_race_that_is_explored() {
    let report = Checker::new().check(|net| {
        net.process("server", || async { server().await.is_ok() });
        net.process("client", || async { client().await.map_err(|error| error.kind()) });
    });
    // Refused, the server waits for a next client.
    assert_eq!(report.verdict(), Verdict::Verified);
    assert_eq!(report.outputs("client"), ["Err(ConnectionRefused)", "Ok([97, 98, 99])"]);
    assert_eq!(report.suppressed_deadlocks(), 1);
}

#[test]
fn who_waits_for_a_next_client_is_not_deadlocked_but_who_waits_for_a_worker_is() {
    async fn silent(mut stream: TcpStream) -> io::Result<usize> {
        stream.read(&mut [0; 8]).await
    }
    // Neither says anything: true, since nobody accepts (papers/tcp-transmission-failures.txt section 4.2).
    let report = pair(Checker::new(), silent, silent);
    assert_eq!(report.counterexample().map(|found| found.kind()), Some(ViolationKind::Deadlock));
    // A second client could still come: spurious in the paper (section 4.1), but the first one is stuck.
    let verdicts = [(Deadlocks::Paper, (Verdict::Verified, 1)), (Deadlocks::EachProcess, (Verdict::Violated, 0))];
    for (reduction, (deadlocks, verdict)) in [true, false].into_iter().flat_map(|on| verdicts.map(|each| (on, each))) {
        let report = Checker::new().reduction(reduction).deadlocks(deadlocks).check(|net| {
            net.process("server", || async {
                let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
                let first = listener.accept().await;
                let second = listener.accept().await;
                (first.is_ok(), second.is_ok())
            });
            net.process("client", || async { silent(TcpStream::connect("server:80").await.unwrap()).await.is_ok() })
                .after("server");
        });
        // Where the server is a part of its own, it waits for a next client by itself.
        let suppressed = if deadlocks == Deadlocks::Paper { report.suppressed_deadlocks() } else { verdict.1 };
        assert_eq!((report.verdict(), suppressed), verdict);
    }
}

#[test]
fn a_daemon_in_accept_makes_others_wait_for_a_next_client_in_the_paper_only() {
    let verdicts = [(Deadlocks::Paper, (Verdict::Verified, 1)), (Deadlocks::EachProcess, (Verdict::Violated, 0))];
    for (deadlocks, verdict) in verdicts {
        let report = Checker::new().deadlocks(deadlocks).check(|net| {
            net.daemon("server", || async {
                let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
                loop {
                    let _ = listener.accept().await;
                }
            });
            net.process("lonely", std::future::pending::<()>);
        });
        assert_eq!((report.verdict(), report.suppressed_deadlocks()), verdict);
    }
}

#[test]
fn what_a_daemon_holds_that_waits_for_ever_stays_open() {
    async fn hold(accepts: bool) {
        let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
        let _stream = if accepts { Some(listener.accept().await.unwrap()) } else { None };
        std::future::pending().await
    }
    async fn write_and_read() -> (bool, bool, bool) {
        let mut stream = TcpStream::connect("server:80").await.unwrap();
        let written = stream.write_all(b"a").await.is_ok() && stream.write_all(b"b").await.is_ok();
        let read = tokio::time::timeout(Duration::from_secs(1), stream.read(&mut [0; 4])).await;
        (written, read.is_err(), stream.write_all(b"c").await.is_ok())
    }
    for (accepts, reduction) in [(false, false), (false, true), (true, false), (true, true)] {
        let report = Checker::new().reduction(reduction).check(|net| {
            net.daemon("server", move || hold(accepts));
            net.process("client", write_and_read).after("server");
        });
        assert_eq!(report.outputs("client"), ["(true, true, true)"], "accepts: {accepts}, reduction: {reduction}");
    }
}

#[test]
fn a_listener_that_closes_resets_who_waits_in_its_backlog_sooner_or_later() {
    for reduction in [true, false] {
        let report = Checker::new().reduction(reduction).check(|net| {
            net.process("server", || async {
                let _listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
                netcheck::choose(0..2).await
            });
            net.process("client", || async {
                let mut stream = TcpStream::connect("server:80").await.map_err(|error| error.kind())?;
                stream.write_all(b"abc").await.map_err(|error| error.kind())
            });
        });
        let seen = ["Err(ConnectionRefused)", "Err(ConnectionReset)", "Ok(())"];
        assert_eq!(report.outputs("client"), seen, "reduction: {reduction}");
    }
}

#[test]
fn bytes_can_be_read_before_more_are_written_or_together_with_them() {
    async fn write_twice(mut stream: TcpStream) {
        stream.write_all(b"a").await.unwrap();
        stream.write_all(b"b").await.unwrap();
    }
    async fn count_reads(mut stream: TcpStream) -> usize {
        let mut reads = 0;
        while stream.read(&mut [0; 4]).await.unwrap() > 0 {
            reads += 1;
        }
        reads
    }
    for reduction in [true, false] {
        let report = pair(Checker::new().reduction(reduction), count_reads, write_twice);
        assert_eq!(report.outputs("server"), ["Ok(1)", "Ok(2)"], "reduction: {reduction}");
    }
}

#[test]
fn a_read_that_is_given_up_waits_for_nothing() {
    async fn write_late(mut stream: TcpStream) {
        tokio::time::sleep(Duration::from_secs(2)).await;
        stream.write_all(b"abc").await.unwrap();
    }
    async fn give_up_and_try(mut stream: TcpStream) -> bool {
        let early = tokio::time::timeout(Duration::from_secs(1), stream.read(&mut [0; 4])).await.is_ok();
        tokio::time::sleep(Duration::from_secs(2)).await;
        !early && stream.try_read(&mut [0; 4]).is_ok()
    }
    assert_eq!(pair(Checker::new(), give_up_and_try, write_late).outputs("server"), ["Ok(true)"]);
}

/// The outputs of the client of a server that answers, under limited failures.
fn limited(tcp: Tcp) -> Vec<String> {
    let report = both(Checker::new().tcp(tcp));
    assert_eq!(report.verdict(), Verdict::Verified);
    [report.outputs("client"), report.outputs("server")].concat()
}

#[test]
fn failures_are_limited_to_processes_sides_and_executions() {
    let answered = "Ok([97, 98, 99])";
    // The server reads what there was, and cannot answer it.
    let at_the_client = ["Err(BrokenPipe)", answered, "Err(BrokenPipe)", answered, "Ok([])"];
    let writes = || Tcp::new().fail_write();
    assert_eq!(limited(writes().process("client")), at_the_client);
    assert_eq!(limited(writes().side(Side::Client)), at_the_client);
    // The server's write fails: it has read everything, and the client sees the end.
    let at_the_server = [answered, "Ok([])", "Err(BrokenPipe)", answered];
    assert_eq!(limited(writes().process("server")), at_the_server);
    assert_eq!(limited(writes().side(Side::Server)), at_the_server);
    assert_eq!(limited(writes().process("client").side(Side::Server)), [answered, answered]);

    async fn count(mut stream: TcpStream) -> usize {
        let mut sent = 0;
        for _ in 0..4 {
            match stream.write_all(b"x").await {
                Ok(()) => sent += 1,
                Err(_) => break,
            }
        }
        sent
    }
    async fn drain(mut stream: TcpStream) {
        let _ = stream.read_to_end(&mut Vec::new()).await;
    }
    let sent = |tcp: Tcp| pair(Checker::new().tcp(tcp), drain, count).outputs("client").to_vec();
    assert_eq!(sent(writes()), ["Ok(0)", "Ok(1)", "Ok(2)", "Ok(3)", "Ok(4)"]);
    assert_eq!(sent(writes().first(2)), ["Ok(0)", "Ok(1)", "Ok(4)"]);
}

#[test]
fn udp_and_tcp_fail_in_one_program() {
    async fn both_ways() -> (bool, bool) {
        let socket = UdpSocket::bind("0.0.0.0:9").await.unwrap();
        let mut stream = TcpStream::connect("server:80").await.unwrap();
        let heard = tokio::time::timeout(Duration::from_secs(1), socket.recv(&mut [0; 4])).await.is_ok();
        let read = stream.read(&mut [0; 4]).await.is_ok_and(|count| count > 0);
        (heard, read)
    }
    async fn answer() {
        let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
        let (mut stream, peer) = listener.accept().await.unwrap();
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        socket.send_to(b"ping", (peer.ip(), 9)).await.unwrap();
        let _ = stream.write_all(b"pong").await;
    }
    let outcomes = |faults: usize| {
        let mut seen = Vec::new();
        for reduction in [true, false] {
            let checker = Checker::new().udp(Udp::new().loss()).tcp(Tcp::new().fail_write()).at_most(faults);
            let report = checker.reduction(reduction).check(|net| {
                net.process("server", answer);
                net.process("client", both_ways).after("server");
            });
            assert_eq!(report.verdict(), Verdict::Verified);
            seen.push(report.outputs("client").to_vec());
        }
        assert_eq!(seen[0], seen[1]);
        seen.remove(0)
    };
    assert_eq!(outcomes(0), ["(true, true)"]);
    assert_eq!(outcomes(1), ["(false, true)", "(true, false)", "(true, true)"]);
    assert_eq!(outcomes(2), ["(false, false)", "(false, true)", "(true, false)", "(true, true)"]);
}

/// Each word of the attribute finds something that is not found without it.
mod words {
    use super::{client, server};
    use netcheck::io::{AsyncReadExt, AsyncWriteExt, ErrorKind};
    use netcheck::net::{TcpListener, TcpStream};
    use netcheck::time::{Duration, sleep};
    use netcheck::{Network, model_check};

    /// Panics if the client ends with `kind`.
    fn the_client_never_meets(net: &mut Network, kind: ErrorKind) {
        net.process("server", || async { server().await.map_err(|error| error.kind()) });
        net.process("client", move || async move {
            assert_ne!(client().await.map_err(|error| error.kind()), Err(kind));
        })
        .after("server");
    }

    #[model_check(tcp(open), at_most = 1, expect = panic)]
    fn with_open_a_connect_times_out(net: &mut Network) {
        the_client_never_meets(net, ErrorKind::TimedOut);
    }

    #[model_check(tcp(close, read, write, reset), at_most = 1)]
    fn without_open_no_connect_times_out(net: &mut Network) {
        the_client_never_meets(net, ErrorKind::TimedOut);
    }

    #[model_check(tcp(close), at_most = 1, expect = panic)]
    fn with_close_a_shutdown_fails(net: &mut Network) {
        the_client_never_meets(net, ErrorKind::NotConnected);
    }

    #[model_check(tcp(open, read, write, reset), at_most = 1)]
    fn without_close_no_shutdown_fails(net: &mut Network) {
        the_client_never_meets(net, ErrorKind::NotConnected);
    }

    #[model_check(tcp(read), at_most = 1, expect = panic)]
    fn with_read_a_read_fails(net: &mut Network) {
        the_client_never_meets(net, ErrorKind::ConnectionReset);
    }

    #[model_check(tcp(close, write), at_most = 1)]
    fn without_read_no_read_fails(net: &mut Network) {
        the_client_never_meets(net, ErrorKind::ConnectionReset);
    }

    #[model_check(tcp(write), at_most = 1, expect = panic)]
    fn with_write_a_write_fails(net: &mut Network) {
        the_client_never_meets(net, ErrorKind::BrokenPipe);
    }

    #[model_check(tcp(open), at_most = 1)]
    fn without_write_no_write_fails(net: &mut Network) {
        the_client_never_meets(net, ErrorKind::BrokenPipe);
    }

    /// A server that accepts nobody, and outlasts the client.
    fn listener(net: &mut Network) {
        net.process("server", || async {
            let _listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
            sleep(Duration::from_secs(1)).await;
        });
    }

    /// Only `reset` fails a write with this error: the server does not read.
    fn no_write_is_reset(net: &mut Network) {
        listener(net);
        net.process("client", || async {
            let Ok(mut stream) = TcpStream::connect("server:80").await else { return };
            let error = stream.write_all(b"x").await.err().map(|error| error.kind());
            assert_ne!(error, Some(ErrorKind::ConnectionReset));
        })
        .after("server");
    }

    #[model_check(tcp(reset), at_most = 1, expect = panic)]
    fn with_reset_a_write_is_reset(net: &mut Network) {
        no_write_is_reset(net);
    }

    #[model_check(tcp(open, close, read, write), at_most = 1)]
    fn without_reset_no_write_is_reset(net: &mut Network) {
        no_write_is_reset(net);
    }

    fn connects_twice(net: &mut Network) {
        listener(net);
        net.process("client", || async {
            let first = TcpStream::connect("server:80").await;
            let second = TcpStream::connect("server:80").await;
            assert!(first.is_ok() || second.is_ok());
        })
        .after("server");
    }

    #[model_check(tcp(hang), at_most = 1, expect = deadlock)]
    fn with_hang_a_connect_never_answers(net: &mut Network) {
        connects_twice(net);
    }

    #[model_check(tcp(open, close, read, write, reset), at_most = 1)]
    fn at_most_one_connect_fails(net: &mut Network) {
        connects_twice(net);
    }

    #[model_check(tcp(open), at_most = 2, expect = panic)]
    fn at_most_two_connects_fail(net: &mut Network) {
        connects_twice(net);
    }

    /// A frame of two bytes is read at once; each direction of a connection must hold it.
    fn frame_in_one_piece(net: &mut Network) {
        net.process("server", || async {
            let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
            let (mut stream, _) = listener.accept().await.unwrap();
            assert_eq!(stream.read(&mut [0; 2]).await.unwrap(), 2);
        });
        net.process("client", || async {
            TcpStream::connect("server:80").await.unwrap().write_all(b"ab").await.unwrap();
        })
        .after("server");
    }

    #[model_check(tcp(split), at_most = 1, expect = panic)]
    fn with_split_a_frame_comes_in_pieces(net: &mut Network) {
        frame_in_one_piece(net);
    }

    #[model_check(tcp(buffer = 1), at_most = 1, expect = panic)]
    fn with_a_small_buffer_a_frame_comes_in_pieces(net: &mut Network) {
        frame_in_one_piece(net);
    }

    #[model_check(tcp(buffer = 2), at_most = 1)]
    fn without_split_a_frame_that_fits_comes_whole(net: &mut Network) {
        frame_in_one_piece(net);
    }

    #[model_check(tcp(write, process = "client", side = client), at_most = 1, expect = panic)]
    fn limited_to_the_client_its_write_fails(net: &mut Network) {
        the_client_never_meets(net, ErrorKind::BrokenPipe);
    }

    #[model_check(tcp(write, processes = ["server", "client"]), at_most = 1, expect = panic)]
    fn limited_to_both_the_write_of_the_client_fails(net: &mut Network) {
        the_client_never_meets(net, ErrorKind::BrokenPipe);
    }

    #[model_check(tcp(write, process = "server"), at_most = 1)]
    fn limited_to_the_server_the_write_of_the_client_does_not_fail(net: &mut Network) {
        the_client_never_meets(net, ErrorKind::BrokenPipe);
    }

    #[model_check(tcp(write, side = server), at_most = 1)]
    fn limited_to_accepted_streams_the_write_of_the_client_does_not_fail(net: &mut Network) {
        the_client_never_meets(net, ErrorKind::BrokenPipe);
    }

    fn only_the_first_write_fails(net: &mut Network) {
        listener(net);
        net.process("client", || async {
            let mut stream = TcpStream::connect("server:80").await.unwrap();
            for written in 0..3 {
                if stream.write_all(b"x").await.is_err() {
                    assert_eq!(written, 0);
                    break;
                }
            }
        })
        .after("server");
    }

    #[model_check(tcp(write, first = 1), at_most = 1)]
    fn limited_to_the_first_execution_no_other_write_fails(net: &mut Network) {
        only_the_first_write_fails(net);
    }

    #[model_check(tcp(write, first = 2), at_most = 1, expect = panic)]
    fn limited_to_two_executions_the_second_write_fails(net: &mut Network) {
        only_the_first_write_fails(net);
    }
}

#[test]
fn of_http_the_first_line_is_shown() {
    let report = Checker::new().check(|net| {
        net.process("server", || async {
            let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.read_exact(&mut [0; 18]).await.unwrap();
            panic!("no such page");
        });
        net.process("client", || async {
            let mut stream = TcpStream::connect("server:80").await.unwrap();
            stream.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
            let _ = stream.read(&mut [0; 1]).await;
        })
        .after("server");
    });
    let text = report.counterexample().unwrap().to_string();
    assert!(text.contains(r#"write "GET / HTTP/1.1"… (18 bytes) (to server:80)"#), "{text}");
}

/// A write takes no more at once than its stream does, whatever the program has left to write: so the bytes that a
/// check holds do not grow with the square of what is sent.
#[test]
fn a_large_body_is_written_in_pieces() {
    let report = |bytes: usize| {
        let report = Checker::new().check(move |net| {
            net.process("server", move || async move {
                let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
                let (mut stream, _) = listener.accept().await.unwrap();
                let (mut buffer, mut read) = (vec![0; 65_536], 0);
                while read < bytes {
                    read += stream.read(&mut buffer).await.unwrap();
                }
                read
            });
            net.process("client", move || async move {
                let mut stream = TcpStream::connect("server:80").await.unwrap();
                stream.write_all(&vec![0; bytes]).await.unwrap();
            })
            .after("server");
        });
        assert_eq!(report.outputs("server"), [bytes.to_string()]);
        report
    };
    let states = [1, 2, 4, 16].map(|pieces| report(pieces * 65_536).states());
    assert_eq!(states, [9, 11, 15, 39]);
}

/// A closed end takes as much at once as an open one.
#[test]
fn a_write_to_a_closed_end_takes_a_buffer_full() {
    let report = Checker::new().tcp(Tcp::new().buffer(4)).check(|net| {
        net.process("server", || async {
            let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
            drop(listener.accept().await.unwrap());
        });
        net.process("client", || async {
            let mut stream = TcpStream::connect("server:80").await.unwrap();
            let _ = stream.read(&mut [0; 1]).await;
            stream.write(b"abcdef").await.map_err(|error| error.kind())
        })
        .after("server");
    });
    assert_eq!(report.outputs("client"), ["Ok(4)"]);
}
