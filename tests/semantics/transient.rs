//! Failures that leave their connection alive (`tcp(…, transient)`).

use netcheck as tokio;
use netcheck::check::{Checker, Tcp, Verdict};
use std::io::ErrorKind;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The outputs of the two processes, in the same way with and without reduction.
fn outputs(tcp: Tcp, at_most: usize, network: impl Fn(&mut netcheck::Network)) -> [Vec<String>; 2] {
    let run = |reduction: bool| {
        let checker = Checker::new().tcp(tcp.clone().transient()).at_most(at_most).reduction(reduction);
        let report = checker.check(&network);
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        ["client", "server"].map(|name| report.outputs(name).to_vec())
    };
    let reduced = run(true);
    assert_eq!(reduced, run(false), "reduced and unreduced");
    reduced
}

/// Writes again what could not be written for want of memory.
async fn write(stream: &mut TcpStream, bytes: &[u8]) -> usize {
    let mut failed = 0;
    while let Err(error) = stream.write_all(bytes).await {
        assert_eq!((error.kind(), error.raw_os_error()), (ErrorKind::OutOfMemory, Some(12)));
        failed += 1;
    }
    failed
}

async fn accept(listener: &TcpListener) -> (TcpStream, usize) {
    let mut failed = 0;
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return (stream, failed),
            Err(error) => assert_eq!(error.kind(), ErrorKind::OutOfMemory),
        }
        failed += 1;
    }
}

/// A client that writes `ab`, and a server that reads to the end; each with the number of its failed calls.
fn network(net: &mut netcheck::Network) {
    net.process("server", || async {
        let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
        let (mut stream, mut failed) = accept(&listener).await;
        let mut all = Vec::new();
        let mut buffer = [0; 4];
        loop {
            match stream.read(&mut buffer).await {
                Ok(0) => break,
                Ok(count) => all.extend_from_slice(&buffer[..count]),
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
                    failed += 1;
                }
            }
        }
        (String::from_utf8(all).unwrap(), failed)
    });
    net.process("client", || async {
        let mut stream = TcpStream::connect("server:80").await.unwrap();
        let failed = write(&mut stream, b"a").await + write(&mut stream, b"b").await;
        let shut = stream.shutdown().await.map_err(|error| error.kind());
        (failed, shut)
    })
    .after("server");
}

#[test]
fn a_failed_write_sends_nothing_and_the_next_one_goes_through() {
    let [client, server] = outputs(Tcp::new().fail_write(), 2, network);
    assert_eq!(client, ["(0, Ok(()))", "(1, Ok(()))", "(2, Ok(()))"]);
    assert_eq!(server, ["(\"ab\", 0)"]);
}

#[test]
fn a_failed_read_takes_nothing_and_a_failed_accept_leaves_the_connection_in_the_queue() {
    let [client, server] = outputs(Tcp::new().fail_read(), 1, network);
    assert_eq!(
        (client, server),
        (vec!["(0, Ok(()))".to_owned()], vec!["(\"ab\", 0)".to_owned(), "(\"ab\", 1)".to_owned()])
    );
    let [_, server] = outputs(Tcp::new().fail_open().side(netcheck::check::Side::Server), 1, network);
    assert_eq!(server, ["(\"ab\", 0)", "(\"ab\", 1)"]);
}

#[test]
fn a_failed_shutdown_does_not_end_the_stream() {
    let [client, server] = outputs(Tcp::new().fail_close(), 1, network);
    assert_eq!(client, ["(0, Err(OutOfMemory))", "(0, Ok(()))"]);
    assert_eq!(server, ["(\"ab\", 0)"], "the client's stream ends when it is dropped");
}
