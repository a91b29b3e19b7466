//! Does what the tasks of a process say. What is observed is the trace of the process.

use super::super::program::{Op, Process, SOCKETS, STREAMS};
use super::super::{Meter, Place};
use super::tokio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::sync::Notify;
use tokio::time::{Duration, sleep};

/// From time to time, the process looks whether nothing happens any more.
const ROUND: Duration = Duration::from_millis(2);

struct World<M> {
    place: Place,
    meter: M,
    trace: Mutex<Vec<u8>>,
    sockets: Vec<UdpSocket>,
    listener: TcpListener,
    streams: [Mutex<Option<TcpStream>>; STREAMS],
    notify: Notify,
}

fn open<T>(place: &Mutex<T>) -> MutexGuard<'_, T> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the tasks have marked, in this order.
pub(crate) async fn trace<M: Meter>(process: Process, place: Place, meter: M) -> Vec<u8> {
    let mut sockets = Vec::new();
    for socket in 0..SOCKETS {
        sockets.push(UdpSocket::bind(place.socket(socket)).await.expect("the port is free"));
    }
    let listener = TcpListener::bind(place.listener()).await.expect("the port is free");
    let world = World {
        place,
        meter,
        trace: Mutex::default(),
        sockets,
        listener,
        streams: Default::default(),
        notify: Notify::new(),
    };
    let world = Arc::new(world);
    for ops in process {
        let world = Arc::clone(&world);
        tokio::spawn(async move {
            for op in ops {
                world.step(op).await;
                world.meter.progress();
            }
        });
    }
    loop {
        sleep(ROUND).await;
        if world.meter.is_over() {
            return std::mem::take(&mut *open(&world.trace));
        }
    }
}

impl<M: Meter> World<M> {
    fn mark(&self, mark: u8) {
        open(&self.trace).push(mark);
    }

    async fn step(&self, op: Op) {
        match op {
            Op::Mark(mark) => self.mark(mark),
            Op::Yield => tokio::task::yield_now().await,
            Op::NotifyOne => self.notify.notify_one(),
            Op::Notified => {
                self.notify.notified().await;
                self.mark(1);
            }
            Op::Send { from, to: (process, socket), value } => {
                let to = self.place.socket_of(process, socket);
                self.sockets[from].send_to(&[value], to).await.expect("a send succeeds");
            }
            Op::Receive(socket) => {
                let mut buffer = [0; 8];
                self.sockets[socket].recv_from(&mut buffer).await.expect("a receive succeeds");
                self.mark(100 + buffer[0]);
            }
            Op::Connect { stream, process } => match TcpStream::connect(self.place.listener_of(process)).await {
                Ok(connected) => {
                    self.mark(9);
                    *open(&self.streams[stream]) = Some(connected);
                }
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => self.mark(10),
                Err(_) => self.mark(2),
            },
            Op::Accept(stream) => {
                let (accepted, _) = self.listener.accept().await.expect("nothing fails");
                self.mark(3);
                *open(&self.streams[stream]) = Some(accepted);
            }
            Op::Close(stream) => drop(open(&self.streams[stream]).take()),
            Op::Read(stream) | Op::Write { stream, .. } => {
                let taken = open(&self.streams[stream]).take();
                let Some(mut taken) = taken else { return self.mark(4) };
                self.transfer(&mut taken, op).await;
                *open(&self.streams[stream]) = Some(taken);
            }
        }
    }

    async fn transfer(&self, stream: &mut TcpStream, op: Op) {
        if let Op::Write { value, .. } = op {
            if let Err(error) = stream.write_all(&[value]).await {
                self.mark(failed(error.kind()));
            }
            return;
        }
        let mut byte = [0; 1];
        match stream.read(&mut byte).await {
            Ok(length) => self.mark(if length == 0 { 5 } else { 100 + byte[0] }),
            Err(error) => self.mark(failed(error.kind())),
        }
    }
}

fn failed(kind: std::io::ErrorKind) -> u8 {
    match kind {
        std::io::ErrorKind::ConnectionReset => 6,
        std::io::ErrorKind::BrokenPipe => 7,
        _ => 8,
    }
}
