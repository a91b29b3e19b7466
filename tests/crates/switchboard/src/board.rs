//! The server and a client.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::net::UdpSocket;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::{mpsc, watch};

/// What a client asks.
#[derive(Debug)]
struct Request {
    number: u8,
    from: SocketAddr,
}

/// A worker has answered; whether it has taken over from the other one.
#[derive(Clone, Debug)]
struct Event {
    took_over: bool,
}

/// What is added to an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Day,
    Night,
}

const WORKERS: usize = 2;

/// Serves for ever: requests go to the workers in turn.
pub async fn serve(socket: UdpSocket) -> io::Result<()> {
    let socket = Arc::new(socket);
    let last = Arc::new(Mutex::new(0));
    let (events, log) = broadcast::channel(4);
    let (mode, _) = watch::channel(Mode::Day);
    let mut queues = Vec::new();
    for worker in 0..WORKERS {
        let (sender, queue) = mpsc::channel(1);
        let (socket, last) = (Arc::clone(&socket), Arc::clone(&last));
        tokio::spawn(work(worker, queue, socket, events.clone(), mode.subscribe(), last));
        queues.push(sender);
    }
    tokio::spawn(oversee(log, mode));
    loop {
        for queue in &queues {
            let mut number = [0];
            let (_, from) = socket.recv_from(&mut number).await?;
            queue.send(Request { number: number[0], from }).await.map_err(|_| io::ErrorKind::BrokenPipe)?;
        }
    }
}

async fn work(
    worker: usize,
    mut queue: mpsc::Receiver<Request>,
    socket: Arc<UdpSocket>,
    events: broadcast::Sender<Event>,
    mut mode: watch::Receiver<Mode>,
    last: Arc<Mutex<usize>>,
) -> io::Result<()> {
    while let Some(Request { number, from }) = queue.recv().await {
        let took_over = {
            let mut last = last.lock().expect("no panic with the lock");
            std::mem::replace(&mut *last, worker) != worker
        };
        let mode = *mode.borrow_and_update();
        socket.send_to(&[number, mode as u8], from).await?;
        // It fails when nobody oversees the workers any more.
        let _ = events.send(Event { took_over });
    }
    Ok(())
}

/// Day and night change whenever a worker takes over.
async fn oversee(mut log: broadcast::Receiver<Event>, mode: watch::Sender<Mode>) {
    loop {
        match log.recv().await {
            Ok(Event { took_over: true }) => {
                mode.send_modify(|mode| *mode = if *mode == Mode::Day { Mode::Night } else { Mode::Day });
            }
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}

/// Asks for ever, and waits for each answer.
pub async fn ask_for_ever(server: &str) -> io::Result<()> {
    let socket = UdpSocket::bind("0.0.0.0:0").await?;
    socket.connect(server).await?;
    let mut number = 0;
    loop {
        socket.send(&[number]).await?;
        let mut answer = [0; 2];
        socket.recv(&mut answer).await?;
        assert_eq!(answer[0], number, "the answer to another request");
        number = 1 - number;
    }
}
