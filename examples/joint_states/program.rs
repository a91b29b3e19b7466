//! Clients and servers that take numbers times ten, as one writes them on tokio: the pairs of
//! papers/jpf-jointstates.txt, section 5, its Figures 5 and 6, and processes that are client and
//! server at once.
//!
//! It is compiled twice: `real.rs` gives it tokio, `checked.rs` netcheck under that name.

use super::tokio;
use std::future::ready;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, Notify};
use tokio::time::sleep;

/// The number that a client sends.
const NUMBER: i32 = 4;

/// The time between two attempts to reach a peer that has not started.
const PAUSE: Duration = Duration::from_millis(10);

/// The pairs of the paper's section 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pair {
    /// The server answers ten times the number, and the client takes any answer.
    Dummy,
    /// The client waits for ever after any other answer; the server gives none.
    Lucky,
    /// The same client, and a server that gives one by chance.
    Buggy,
}

/// Answers one client.
pub async fn server(address: String, pair: Pair) {
    let listener = TcpListener::bind(address).await.expect("the server's port is free");
    let (mut stream, _) = listener.accept().await.expect("a client can be accepted");
    let number = stream.read_i32().await.expect("the client sends a number");
    let is_wrong = pair == Pair::Buggy && chance().await;
    let answer = if is_wrong { number } else { 10 * number };
    stream.write_i32(answer).await.expect("the client waits for the answer");
}

/// A coin: which of two branches that are ready is taken is left open by `select!`.
async fn chance() -> bool {
    tokio::select! {
        () = ready(()) => false,
        () = ready(()) => true,
    }
}

/// Sends a number; returns the answer.
pub async fn client(server: String, pair: Pair) -> i32 {
    let answer = ask(&server, NUMBER).await;
    if pair != Pair::Dummy && answer != 10 * NUMBER {
        // The paper's `this.wait()`, in a program without a `notify()`.
        Notify::new().notified().await;
    }
    answer
}

async fn ask(server: &str, number: i32) -> i32 {
    let mut stream = TcpStream::connect(server).await.expect("the server listens");
    stream.write_i32(number).await.expect("a number can be sent");
    stream.read_i32().await.expect("the number is answered")
}

/// The order of a peer's two halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halves {
    /// It answers while it asks.
    AtOnce,
    /// It asks first, and answers afterwards.
    OneByOne,
}

/// A process that is client and server at once: asks each of the other peers, and answers each of them. Returns the
/// answers.
pub async fn peer(address: String, others: Vec<String>, number: i32, halves: Halves) -> Vec<i32> {
    let listener = TcpListener::bind(address).await.expect("the peer's port is free");
    let questions = others.len();
    let asking = tokio::spawn(ask_all(others, number));
    let asked = "each other peer can be asked";
    match halves {
        Halves::OneByOne => {
            let answers = asking.await.expect(asked);
            answer_all(listener, questions).await;
            answers
        }
        Halves::AtOnce => {
            answer_all(listener, questions).await;
            asking.await.expect(asked)
        }
    }
}

/// Answers so many questions.
async fn answer_all(listener: TcpListener, questions: usize) {
    for _ in 0..questions {
        let (mut stream, _) = listener.accept().await.expect("a peer can be accepted");
        let number = stream.read_i32().await.expect("the peer sends a number");
        stream.write_i32(10 * number).await.expect("the peer waits for the answer");
    }
}

isolated! {
    /// Asks each peer in turn, as soon as it has started.
    async fn ask_all(others: Vec<String>, number: i32) -> Vec<i32> {
        let mut answers = Vec::new();
        while let Some(other) = others.get(answers.len()) {
            let mut stream = loop {
                match TcpStream::connect(other).await {
                    Ok(stream) => break stream,
                    Err(error) if error.kind() == ErrorKind::ConnectionRefused => sleep(PAUSE).await,
                    Err(error) => panic!("the peer can't be reached: {error}"),
                }
            };
            stream.write_i32(number).await.expect("a number can be sent");
            let answer = stream.read_i32().await.expect("the number is answered");
            assert_eq!(answer, 10 * number, "the answer is for another question");
            answers.push(answer);
        }
        answers
    }
}

/// The time at which the server of Figures 5 and 6 opens its second port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// With the first one: who connects early has to wait.
    Together,
    /// After a client has come to the first one: who connects early is refused.
    Later,
}

/// Accepts a client on port A, then one on port B, and greets each.
pub async fn two_ports(a: String, b: String, opening: Opening) {
    let at_a = TcpListener::bind(a).await.expect("port A is free");
    let opened = match opening {
        Opening::Together => Some(TcpListener::bind(b.clone()).await.expect("port B is free")),
        Opening::Later => None,
    };
    greet(&at_a).await;
    match opened {
        Some(at_b) => greet(&at_b).await,
        None => greet(&TcpListener::bind(b).await.expect("port B is free")).await,
    }
}

async fn greet(listener: &TcpListener) {
    let (mut stream, _) = listener.accept().await.expect("a client can be accepted");
    stream.write_u8(b'!').await.expect("the client waits for the greeting");
}

/// The client of Figures 5 and 6: two threads, one for each port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// The second thread waits until the first has been greeted, or the other way round.
    OneByOne,
    AtOnce,
}

/// Two threads, each of which connects to a port and waits for its greeting.
pub async fn two_threads(a: String, b: String, threads: Threads) {
    let turn = Arc::new(Mutex::new(()));
    let visiting = [a, b].map(|address| {
        let turn = Arc::clone(&turn);
        tokio::spawn(async move {
            let _turn = match threads {
                Threads::OneByOne => Some(turn.lock().await),
                Threads::AtOnce => None,
            };
            let mut stream = TcpStream::connect(address).await.expect("the port is open");
            stream.read_u8().await.expect("a greeting comes");
        })
    });
    for thread in visiting {
        thread.await.expect("a thread does not panic");
    }
}
