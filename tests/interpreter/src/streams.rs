//! Listeners and streams of the systems that the engine runs, on netcheck's own types.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use netcheck::io::{AsyncRead, AsyncWrite, ReadBuf};
use netcheck::net::{TcpListener, TcpSocket, TcpStream, lookup_host};
use netcheck::tracked::std::sync::atomic::AtomicBool;

use crate::memory::Memory;
use crate::tasks::now_or_never;
use oracle::language::program::{self, Event, Instruction};

/// Streams that the tasks of one process share.
pub struct Streams {
    listeners: RefCell<Vec<Slot<TcpListener>>>,
    streams: RefCell<Vec<Slot<Stream>>>,
    log: RefCell<Vec<Event>>,
    /// says of each use that it is one, for tasks that are tracked
    uses: AtomicBool,
}

enum Slot<T> {
    Closed,
    Opening,
    Open(Rc<T>),
}

struct Stream {
    stream: RefCell<TcpStream>,
    is_read: Cell<bool>,
    is_written: Cell<bool>,
    /// says of each end of a use that it is one
    uses: AtomicBool,
}

impl Streams {
    pub fn new(listeners: usize, streams: usize) -> Self {
        Streams {
            listeners: RefCell::new((0..listeners).map(|_| Slot::Closed).collect()),
            streams: RefCell::new((0..streams).map(|_| Slot::Closed).collect()),
            log: RefCell::default(),
            uses: AtomicBool::new(false),
        }
    }

    pub fn log(&self) -> Vec<Event> {
        self.use_them();
        self.log.borrow().clone()
    }

    fn use_them(&self) {
        self.uses.store(true, Ordering::Relaxed);
    }

    /// A stream and the process that connected, put into its place; by one of several listeners.
    fn accepted(
        &self,
        memory: &Memory,
        stream: usize,
        accepted: Option<io::Result<(TcpStream, usize)>>,
        by: Option<usize>,
    ) -> Event {
        let mut from = None;
        let accepted = accepted.map(|accepted| {
            accepted.map(|(stream, process)| {
                from = Some(if memory.is_anonymous() { 0 } else { process });
                stream
            })
        });
        opened(&self.streams, stream, accepted, |()| {
            let from = from.expect("it succeeded");
            by.map_or(Event::Accepted { from }, |listener| Event::AcceptedBy { listener, from })
        })
    }

    fn to_read(&self, stream: usize) -> Option<InUse> {
        InUse::of(self.streams.borrow()[stream].value()?, |stream| &stream.is_read)
    }

    fn to_write(&self, stream: usize) -> Option<InUse> {
        InUse::of(self.streams.borrow()[stream].value()?, |stream| &stream.is_written)
    }
}

/// A stream that one task reads from or writes to.
struct InUse {
    stream: Rc<Stream>,
    way: fn(&Stream) -> &Cell<bool>,
}

impl InUse {
    fn of(stream: Rc<Stream>, way: fn(&Stream) -> &Cell<bool>) -> Option<Self> {
        stream.uses.store(true, Ordering::Relaxed);
        let is_free = !way(&stream).replace(true);
        is_free.then(|| InUse { stream, way })
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        self.stream.uses.store(true, Ordering::Relaxed);
        (self.way)(&self.stream).set(false);
    }
}

impl<T> Slot<T> {
    fn value(&self) -> Option<Rc<T>> {
        match self {
            Slot::Open(value) => Some(Rc::clone(value)),
            Slot::Closed | Slot::Opening => None,
        }
    }

    fn close(&mut self) -> Option<Rc<T>> {
        let open = self.value()?;
        *self = Slot::Closed;
        Some(open)
    }

    /// The place is taken by what is about to be opened.
    fn begin(&mut self) -> bool {
        let is_closed = matches!(self, Slot::Closed);
        if is_closed {
            *self = Slot::Opening;
        }
        is_closed
    }

    fn end(&mut self, opened: Option<T>) {
        *self = opened.map_or(Slot::Closed, |opened| Slot::Open(Rc::new(opened)));
    }
}

pub async fn step(memory: &Memory, streams: &Streams, instruction: &Instruction) {
    streams.use_them();
    let Some((event, into)) = event(memory, streams, instruction).await else { return };
    streams.use_them();
    memory.write(into, event.code());
    if !memory.system.processes[memory.process].without_log {
        streams.log.borrow_mut().push(event);
    }
}

/// The event and the register for it, unless nothing happened.
async fn event(memory: &Memory, streams: &Streams, instruction: &Instruction) -> Option<(Event, usize)> {
    match *instruction {
        Instruction::Listen { listener, port, backlog, into } => {
            if !streams.listeners.borrow_mut()[listener].begin() {
                return None;
            }
            let listening = listen(port, backlog).await;
            Some((opened(&streams.listeners, listener, Some(listening), |_| Event::Listening), into))
        }
        Instruction::Accept { listener, stream, limit_ms, into } => {
            let listener = streams.listeners.borrow()[listener].value()?;
            if !streams.streams.borrow_mut()[stream].begin() {
                return None;
            }
            let accepted = within(limit_ms, accept(&listener, memory.processes())).await;
            let event = streams.accepted(memory, stream, accepted, None);
            Some((event, into))
        }
        Instruction::SelectAccept { listeners: [first, second], stream, into } => {
            let [one, other] = [first, second].map(|listener| streams.listeners.borrow()[listener].value());
            if one.is_none() && other.is_none() || !streams.streams.borrow_mut()[stream].begin() {
                return None;
            }
            let (listener, accepted) = match (one, other) {
                (Some(one), Some(other)) => netcheck::select! {
                    accepted = accept(&one, memory.processes()) => (first, accepted),
                    accepted = accept(&other, memory.processes()) => (second, accepted),
                },
                (Some(only), None) => (first, accept(&only, memory.processes()).await),
                (None, Some(only)) => (second, accept(&only, memory.processes()).await),
                (None, None) => unreachable!("looked at above"),
            };
            Some((streams.accepted(memory, stream, Some(accepted), Some(listener)), into))
        }
        Instruction::Connect { stream, to, port, limit_ms, into } => {
            if !streams.streams.borrow_mut()[stream].begin() {
                return None;
            }
            let connected = within(limit_ms, connect(to, port)).await;
            Some((opened(&streams.streams, stream, connected, |_| Event::Connected), into))
        }
        Instruction::Write { stream, value, length, limit_ms, into } => {
            let stream = streams.to_write(stream)?;
            let bytes = program::payload(memory.value(value), length);
            Some((outcome(within(limit_ms, write(&stream, &bytes)).await, Event::Wrote), into))
        }
        Instruction::TryWrite { stream, value, length, into } => {
            let stream = streams.to_write(stream)?;
            let bytes = program::payload(memory.value(value), length);
            let written = stream.stream.stream.borrow().try_write(&bytes);
            Some((outcome(Some(written), Event::Wrote), into))
        }
        Instruction::Shutdown { stream, into } => {
            let stream = streams.to_write(stream)?;
            Some((outcome(Some(shut_down(&stream).await), |()| Event::ShutDown), into))
        }
        Instruction::Read { stream, bytes_max, limit_ms, into } => {
            let stream = streams.to_read(stream)?;
            Some((outcome(within(limit_ms, read(&stream, bytes_max)).await, received), into))
        }
        Instruction::SelectRead { streams: [first, second], bytes_max, into } => {
            let read = match (streams.to_read(first), streams.to_read(second)) {
                (Some(first), Some(second)) => netcheck::select! {
                    read = read(&first, bytes_max) => read,
                    read = read(&second, bytes_max) => read,
                },
                (Some(only), None) | (None, Some(only)) => read(&only, bytes_max).await,
                (None, None) => return None,
            };
            Some((outcome(Some(read), received), into))
        }
        Instruction::TryRead { stream, bytes_max, into } => {
            let stream = streams.to_read(stream)?;
            let read = match bytes_max {
                2 => {
                    let mut buffer = vec![0; bytes_max];
                    let read = stream.stream.stream.borrow().try_read(&mut buffer);
                    read.map(|length| buffer[..length].to_vec())
                }
                _ => read_now_or_never(&stream, bytes_max),
            };
            Some((outcome(Some(read), received), into))
        }
        Instruction::ZeroLinger { stream } => {
            let stream = streams.streams.borrow()[stream].value()?;
            stream.stream.borrow().set_zero_linger().expect("it is open");
            None
        }
        Instruction::DropStream { stream } => {
            let dropped = streams.streams.borrow_mut()[stream].close();
            drop(dropped);
            None
        }
        Instruction::DropListener { listener } => {
            let dropped = streams.listeners.borrow_mut()[listener].close();
            drop(dropped);
            None
        }
        _ => unreachable!("not about listeners or streams"),
    }
}

async fn within<T>(limit_ms: Option<u16>, operation: impl Future<Output = T>) -> Option<T> {
    match limit_ms {
        None => Some(operation.await),
        Some(ms) => netcheck::time::timeout(Duration::from_millis(u64::from(ms)), operation).await.ok(),
    }
}

/// Polls a read once. Failures are counted by source line, and this one is not that of a read that waits.
fn read_now_or_never(stream: &InUse, bytes_max: usize) -> io::Result<Vec<u8>> {
    let mut buffer = vec![0; bytes_max];
    let mut buffer = ReadBuf::new(&mut buffer);
    let read = poll_fn(|cx| Pin::new(&mut *stream.stream.stream.borrow_mut()).poll_read(cx, &mut buffer));
    now_or_never(read).unwrap_or_else(|| Err(io::ErrorKind::WouldBlock.into()))?;
    Ok(buffer.filled().to_vec())
}

/// `None` says that the time was up.
fn outcome<T>(result: Option<io::Result<T>>, event: impl FnOnce(T) -> Event) -> Event {
    match result {
        None => Event::Elapsed,
        Some(Ok(value)) => event(value),
        Some(Err(error)) => Event::Failed(error.kind()),
    }
}

fn received(bytes: Vec<u8>) -> Event {
    if bytes.is_empty() { Event::End } else { Event::Read(bytes) }
}

/// Puts what was opened into its place.
fn opened<T, O: Into<T>>(
    slots: &RefCell<Vec<Slot<T>>>,
    slot: usize,
    result: Option<io::Result<O>>,
    event: impl FnOnce(()) -> Event,
) -> Event {
    let mut value = None;
    let event = outcome(result, |opened| {
        value = Some(opened.into());
        event(())
    });
    slots.borrow_mut()[slot].end(value);
    event
}

impl From<TcpStream> for Stream {
    fn from(stream: TcpStream) -> Self {
        Stream {
            stream: RefCell::new(stream),
            is_read: Cell::new(false),
            is_written: Cell::new(false),
            uses: AtomicBool::new(false),
        }
    }
}

async fn listen(port: u16, backlog: Option<usize>) -> io::Result<TcpListener> {
    let Some(backlog) = backlog else { return TcpListener::bind(("0.0.0.0", port)).await };
    let socket = TcpSocket::new_v4()?;
    socket.bind(([0, 0, 0, 0], port).into())?;
    socket.listen(backlog as u32)
}

/// The stream and the process that connected.
async fn accept(listener: &TcpListener, processes: usize) -> io::Result<(TcpStream, usize)> {
    let (stream, peer) = listener.accept().await?;
    for process in 0..processes {
        let mut addresses = lookup_host((program::name(process), 0)).await?;
        if addresses.any(|address| address.ip() == peer.ip()) {
            return Ok((stream, process));
        }
    }
    unreachable!("{peer} is no process")
}

async fn connect(to: usize, port: u16) -> io::Result<TcpStream> {
    TcpStream::connect((program::name(to), port)).await
}

async fn read(stream: &InUse, bytes_max: usize) -> io::Result<Vec<u8>> {
    let mut buffer = vec![0; bytes_max];
    let mut buffer = ReadBuf::new(&mut buffer);
    poll_fn(|cx| Pin::new(&mut *stream.stream.stream.borrow_mut()).poll_read(cx, &mut buffer)).await?;
    Ok(buffer.filled().to_vec())
}

async fn write(stream: &InUse, bytes: &[u8]) -> io::Result<usize> {
    poll_fn(|cx| Pin::new(&mut *stream.stream.stream.borrow_mut()).poll_write(cx, bytes)).await
}

async fn shut_down(stream: &InUse) -> io::Result<()> {
    poll_fn(|cx| Pin::new(&mut *stream.stream.stream.borrow_mut()).poll_shutdown(cx)).await
}
