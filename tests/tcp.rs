//! TCP between processes: streams, backlogs, failures.

use netcheck as tokio;
use netcheck::check::{Checker, Report, Tcp, Verdict};
use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

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
    for (reduction, states) in [(true, 21), (false, 24)] {
        let report = both(Checker::new().reduction(reduction));
        assert_eq!(report.verdict(), Verdict::Verified);
        assert_eq!(report.outputs("client"), ["Ok([97, 98, 99])"]);
        assert_eq!(report.states(), states);
    }
}

#[test]
fn every_failure_shows_as_the_error_that_linux_gives() {
    for reduction in [true, false] {
        let tcp = Tcp::new().fail_open().fail_close().fail_read().fail_write().reset().hang().split();
        let report = both(Checker::new().tcp(tcp).reduction(reduction));
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
    let faults_and_states = [(0, 664, 5_971), (1, 5_067, 24_504), (9, 9_494, 40_475)];
    for (faults, reduced, full) in faults_and_states {
        for (reduction, states) in [(true, reduced), (false, full)] {
            let tcp = Tcp::new().fail_open().fail_read().fail_write().fail_close();
            let report = Checker::new().tcp(tcp).at_most(faults).reduction(reduction).check(|net| {
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
