//! Tests as people write them for tokio: sockets on localhost, tasks, time-outs.

use super::tokio;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(5);

async fn echo(socket: UdpSocket) -> io::Result<()> {
    let mut buffer = [0; 64];
    loop {
        let (length, from) = socket.recv_from(&mut buffer).await?;
        socket.send_to(&buffer[..length], from).await?;
    }
}

#[tokio::test]
async fn a_datagram_is_echoed() {
    let server = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let address = server.local_addr().unwrap();
    tokio::spawn(echo(server));

    let client = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    client.connect(address).await.unwrap();
    client.send(b"ping").await.unwrap();
    let mut buffer = [0; 64];
    let length = timeout(PATIENCE, client.recv(&mut buffer)).await.expect("an answer").unwrap();
    assert_eq!(&buffer[..length], b"ping");
}

/// Answers each line with its length, and tells how many there were.
async fn count_lines(stream: TcpStream) -> io::Result<usize> {
    let (reader, mut writer) = stream.into_split();
    let mut lines = BufReader::new(reader).lines();
    let mut count = 0;
    while let Some(line) = lines.next_line().await? {
        writer.write_all(format!("{}\n", line.len()).as_bytes()).await?;
        count += 1;
    }
    Ok(count)
}

async fn ask(address: SocketAddr, question: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(question.as_bytes()).await?;
    stream.shutdown().await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_line_is_answered() -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    let server = tokio::spawn(async move {
        let (stream, _) = listener.accept().await?;
        count_lines(stream).await
    });
    assert_eq!(ask(address, "one\nthree\n").await?, "3\n5\n");
    assert_eq!(server.await.expect("no panic")?, 2);
    Ok(())
}

#[tokio::test]
async fn a_server_serves_until_it_is_told_to_stop() -> Result<(), Box<dyn std::error::Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let served = Arc::new(Mutex::new(0));
    let (stop, mut stopped) = oneshot::channel::<()>();
    let counter = Arc::clone(&served);
    let server = tokio::spawn(async move {
        loop {
            tokio::select! {
                accepted = listener.accept() => {
                    let (mut stream, _) = accepted?;
                    *counter.lock().await += 1;
                    stream.write_all(b"hello").await?;
                }
                _ = &mut stopped => return Ok::<_, io::Error>(()),
                _ = tokio::signal::ctrl_c() => return Ok(()),
            }
        }
    });
    assert_eq!(ask(address, "").await?, "hello");
    assert_eq!(ask(address, "").await?, "hello");
    stop.send(()).expect("the server is there");
    server.await??;
    assert_eq!(*served.lock().await, 2);
    Ok(())
}

#[tokio::test]
async fn everybody_is_answered() {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    let server = tokio::spawn(echo(socket));
    let mut clients = JoinSet::new();
    for name in ["ann", "bob"] {
        clients.spawn(async move {
            let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
            socket.send_to(name.as_bytes(), address).await.unwrap();
            let mut answer = [0; 3];
            timeout(PATIENCE, socket.recv(&mut answer)).await.expect("an answer").unwrap();
            assert_eq!(&answer, name.as_bytes());
        });
    }
    while let Some(client) = clients.join_next().await {
        client.expect("no panic");
    }
    server.abort();
    assert!(server.await.expect_err("it would never end").is_cancelled());
}

#[tokio::test]
async fn silence_is_met_with_a_time_out() {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let heard = timeout(Duration::from_millis(20), socket.recv(&mut [0; 8])).await;
    assert!(heard.is_err());
}

#[tokio::test]
async fn messages_of_tasks_arrive() {
    let (sender, mut receiver) = mpsc::channel(1);
    for number in [1, 2] {
        let sender = sender.clone();
        tokio::runtime::Handle::current().spawn(async move { sender.send(number).await });
    }
    drop(sender);
    let mut sum = 0;
    while let Some(number) = receiver.recv().await {
        sum += number;
    }
    assert_eq!(sum, 3);
}

/// Nobody listens: the port was taken and given back.
#[tokio::test]
#[should_panic(expected = "ConnectionRefused")]
async fn a_connection_that_nobody_wants_is_refused() {
    let address = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    TcpStream::connect(address).await.unwrap();
}

#[tokio::test]
#[cfg(any())]
async fn what_is_configured_away_is_not_compiled() {
    not_even_this();
}
