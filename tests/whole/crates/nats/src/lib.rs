//! A small NATS server, and a client of it on async-nats.

use async_nats::{ConnectOptions, Error};
use futures::StreamExt;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;

/// Who receives messages of a subject.
struct Subscription {
    subject: String,
    id: String,
    to: UnboundedSender<Vec<u8>>,
}

type Subscriptions = Arc<Mutex<Vec<Subscription>>>;

const INFO: &[u8] = b"INFO {\"server_id\":\"S\",\"version\":\"2.10.0\",\"max_payload\":1048576}\r\n";

/// Serves on port 4222.
pub async fn server() -> io::Result<()> {
    let listener = TcpListener::bind("0.0.0.0:4222").await?;
    let subscriptions = Subscriptions::default();
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(serve(stream, subscriptions.clone()));
    }
}

/// Reads what a client sends, while another task writes what is sent to it.
async fn serve(stream: TcpStream, subscriptions: Subscriptions) -> io::Result<()> {
    let (reader, writer) = stream.into_split();
    let (to, messages) = unbounded_channel();
    to.send(INFO.to_vec()).expect("a writer");
    tokio::spawn(write(writer, messages));
    let end = read(BufReader::new(reader), &to, &subscriptions).await;
    subscriptions.lock().unwrap().retain(|subscription| !subscription.to.same_channel(&to));
    end
}

async fn read(
    mut reader: BufReader<OwnedReadHalf>,
    to: &UnboundedSender<Vec<u8>>,
    subscriptions: &Subscriptions,
) -> io::Result<()> {
    let mut line = String::new();
    while reader.read_line(&mut line).await? > 0 {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["PING"] => _ = to.send(b"PONG\r\n".to_vec()),
            ["SUB", subject, id] => {
                let (subject, id, to) = (subject.to_owned(), id.to_owned(), to.clone());
                subscriptions.lock().unwrap().push(Subscription { subject, id, to });
            }
            ["PUB", subject, length] => {
                // The payload, and the end of its line.
                let mut payload = vec![0; length.parse::<usize>().map_err(io::Error::other)? + 2];
                reader.read_exact(&mut payload).await?;
                for subscription in subscriptions.lock().unwrap().iter().filter(|to| to.subject == subject) {
                    let head = format!("MSG {subject} {} {length}\r\n", subscription.id);
                    _ = subscription.to.send([head.as_bytes(), &payload].concat());
                }
            }
            _ => {}
        }
        line.clear();
    }
    Ok(())
}

async fn write(mut writer: OwnedWriteHalf, mut messages: UnboundedReceiver<Vec<u8>>) -> io::Result<()> {
    while let Some(message) = messages.recv().await {
        writer.write_all(&message).await?;
    }
    Ok(())
}

/// Publishes a greeting to a subject that it has subscribed to, at most `attempts` times, and returns what comes.
///
/// async-nats connects again and repeats subscriptions, and NATS delivers a message at most once: where none has come
/// for two seconds, none will.
pub async fn greet(greeting: &'static str, attempts: usize) -> Result<String, Error> {
    let client = ConnectOptions::new().retry_on_initial_connect().connect("nats://server:4222").await?;
    let mut greetings = client.subscribe("greetings").await?;
    for _ in 0..attempts {
        client.publish("greetings", greeting.into()).await?;
        if let Ok(Some(message)) = timeout(Duration::from_secs(2), greetings.next()).await {
            return Ok(String::from_utf8(message.payload.into())?);
        }
    }
    Err("no greeting has come".into())
}
