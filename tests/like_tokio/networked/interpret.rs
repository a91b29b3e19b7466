//! Does what the tasks of a process say. What is observed is the trace of the process.

use super::super::program::{How, Op, Process, SOCKETS, STREAMS, Source};
use super::super::{Meter, Place};
use super::tokio;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::sync::Notify;
use tokio::time::{Duration, Instant, sleep, timeout, timeout_at};

/// From time to time, the process looks whether nothing happens any more.
const ROUND: Duration = Duration::from_millis(2);

/// Long enough for all that goes on by itself.
const PAUSE: Duration = Duration::from_millis(1);

struct World<M> {
    place: Place,
    meter: M,
    trace: Mutex<Vec<u8>>,
    sockets: Vec<UdpSocket>,
    listener: TcpListener,
    streams: [Mutex<Option<TcpStream>>; STREAMS],
    notify: Notify,
    /// An instant that is over.
    start: Instant,
}

fn open<T>(place: &Mutex<T>) -> MutexGuard<'_, T> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The marks of the tasks, in their order.
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
        start: Instant::now(),
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
            Op::Pause => sleep(PAUSE).await,
            Op::Drain { from: Source::Socket(socket), how } => {
                let socket = &self.sockets[socket];
                let try_once = || {
                    let mut buffer = [0; 8];
                    socket.try_recv_from(&mut buffer).ok().map(|_| 100 + buffer[0])
                };
                let receive = async {
                    let mut buffer = [0; 8];
                    socket.recv_from(&mut buffer).await.expect("a receive succeeds");
                    100 + buffer[0]
                };
                self.drain(how, receive, try_once).await;
            }
            Op::Drain { from: Source::Stream(stream), how } => {
                let taken = open(&self.streams[stream]).take();
                let Some(mut taken) = taken else { return self.mark(4) };
                let mut byte = [0; 1];
                if matches!(how, How::Try | How::TryAll | How::TryInRounds { .. }) {
                    let try_once = || match taken.try_read(&mut byte) {
                        Ok(length) => Some(if length == 0 { 5 } else { 100 + byte[0] }),
                        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => None,
                        Err(error) => Some(failed(error.kind())),
                    };
                    self.drain(how, std::future::pending(), try_once).await;
                } else {
                    let read = async {
                        match taken.read(&mut byte).await {
                            Ok(length) => {
                                if length == 0 {
                                    5
                                } else {
                                    100 + byte[0]
                                }
                            }
                            Err(error) => failed(error.kind()),
                        }
                    };
                    self.drain(how, read, || None).await;
                }
                *open(&self.streams[stream]) = Some(taken);
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

    /// Takes what is there in some way: by a future, or at once.
    async fn drain(&self, how: How, take: impl Future<Output = u8>, mut try_once: impl FnMut() -> Option<u8>) {
        const NOTHING: u8 = 90;
        const NOTIFIED: u8 = 91;
        let mark = match how {
            How::Try => try_once().unwrap_or(NOTHING),
            How::TryAll => {
                for _ in 0..3 {
                    let Some(mark) = try_once() else { break };
                    self.mark(mark);
                }
                NOTHING
            }
            How::TryInRounds { sleeps } => {
                for _ in 0..3 {
                    self.mark(try_once().unwrap_or(NOTHING));
                    self.meter.progress();
                    match sleeps {
                        true => sleep(PAUSE).await,
                        false => tokio::task::yield_now().await,
                    }
                }
                return;
            }
            How::AtMostZero => timeout(Duration::ZERO, take).await.unwrap_or(NOTHING),
            How::UntilPast => timeout_at(self.start, take).await.unwrap_or(NOTHING),
            How::NowOrNever => {
                let mut take = std::pin::pin!(take);
                match take.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                    Poll::Ready(mark) => mark,
                    Poll::Pending => NOTHING,
                }
            }
            How::Biased => tokio::select! {
                biased;
                mark = take => mark,
                () = self.notify.notified() => NOTIFIED,
            },
            How::BesideSocket(other) => {
                let mut buffer = [0; 8];
                tokio::select! {
                    _ = self.sockets[other].recv_from(&mut buffer) => 200 + buffer[0] % 50,
                    mark = take => mark,
                }
            }
        };
        self.mark(mark);
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
