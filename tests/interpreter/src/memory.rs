//! Memory that the tasks of one process share.

use std::cell::RefCell;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use netcheck::net::UdpSocket;
use netcheck::task::JoinHandle;
use netcheck::tracked::std::sync::atomic::AtomicBool;
use oracle::language::program::{self, Output, System, Value};

use crate::everyday::{Clock, Shared};
use crate::files::Files;
use crate::machine::{self, Code};
use crate::streams::Streams;
use crate::tasks::{Told, now_or_never, receive_from, try_receive_from};

/// Memory that the tasks of one process share.
pub struct Memory {
    pub system: Arc<System>,
    pub process: usize,
    registers: Registers,
    sockets: RefCell<Vec<Slot>>,
    /// by socket, where the last datagram came from
    pub heard: RefCell<Vec<Option<SocketAddr>>>,
    pub tasks: RefCell<Vec<Task>>,
    drops_sockets: bool,
    pub streams: Streams,
    pub shared: Shared,
    pub files: Files,
    pub mutex: netcheck::tracked::sync::Mutex<()>,
    uses: Uses,
}

thread_local! {
    static OF_THREAD: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// The registers of a process. A third of the systems keeps them in a thread-local, of which each process has its own.
enum Registers {
    Own(RefCell<Vec<u8>>),
    OfThread,
}

impl Registers {
    fn new(system: &System, count: usize) -> Self {
        let registers = match system.to_string().len() % 3 {
            0 => Registers::OfThread,
            _ => Registers::Own(RefCell::default()),
        };
        registers.with(|registers| {
            assert!(registers.is_empty(), "the registers of another run");
            registers.resize(count, 0);
        });
        registers
    }

    fn with<R>(&self, function: impl FnOnce(&mut Vec<u8>) -> R) -> R {
        match self {
            Registers::Own(registers) => function(&mut registers.borrow_mut()),
            Registers::OfThread => OF_THREAD.with_borrow_mut(function),
        }
    }
}

/// Says of every use of what tasks share that it is one, for those that are tracked.
struct Uses {
    registers: Vec<AtomicBool>,
    sockets: Vec<AtomicBool>,
    tasks: Vec<AtomicBool>,
}

impl Uses {
    fn of(process: &program::Process) -> Self {
        let all = |count: usize| (0..count).map(|_| AtomicBool::new(false)).collect();
        Uses { registers: all(process.registers), sockets: all(process.sockets), tasks: all(process.tasks.len()) }
    }
}

#[derive(Clone)]
enum Slot {
    Unbound,
    Binding,
    Bound(Rc<UdpSocket>),
}

/// A socket that a task has in use. Who lets go of it last closes it, and so the end of a use is one, too, in programs
/// that drop sockets.
pub struct Held<'a> {
    memory: &'a Memory,
    index: usize,
    socket: Rc<UdpSocket>,
}

impl Deref for Held<'_> {
    type Target = UdpSocket;

    fn deref(&self) -> &UdpSocket {
        &self.socket
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if self.memory.drops_sockets {
            self.memory.use_socket(self.index);
        }
    }
}

pub enum Task {
    Unspawned,
    Spawned(JoinHandle<()>),
    /// the handle is taken
    Joined,
}

impl Memory {
    pub fn new(system: Arc<System>, process: usize, is_tracked: bool) -> Self {
        let definition = &system.processes[process];
        Memory {
            registers: Registers::new(&system, definition.registers),
            sockets: RefCell::new(vec![Slot::Unbound; definition.sockets]),
            heard: RefCell::new(vec![None; definition.sockets]),
            tasks: RefCell::new(definition.tasks.iter().map(|_| Task::Unspawned).collect()),
            drops_sockets: definition.drops_sockets(),
            streams: Streams::new(definition.listeners, definition.streams),
            files: Files::new(definition.tasks.len()),
            shared: Shared::new(is_tracked, Clock::of(&system, process)),
            mutex: netcheck::tracked::sync::Mutex::new(()),
            uses: Uses::of(definition),
            process,
            system,
        }
    }

    /// The output of the process.
    pub fn output(&self) -> Output {
        let count = self.registers.with(|registers| registers.len());
        let registers = (0..count).map(|register| self.read(register)).collect();
        Output { registers, log: self.streams.log() }
    }

    /// Binds a socket that is not bound; it stays unbound if another one has the port.
    pub async fn bind(&self, socket: usize, port: u16) {
        self.use_socket(socket);
        if !matches!(self.sockets.borrow()[socket], Slot::Unbound) {
            return;
        }
        self.sockets.borrow_mut()[socket] = Slot::Binding;
        let bound = match UdpSocket::bind(("0.0.0.0", port)).await {
            Ok(bound) => Slot::Bound(Rc::new(bound)),
            Err(error) if error.kind() == ErrorKind::AddrInUse => Slot::Unbound,
            Err(error) => panic!("a bind does not fail otherwise: {error}"),
        };
        self.use_socket(socket);
        self.sockets.borrow_mut()[socket] = bound;
    }

    pub fn drop_socket(&self, socket: usize) {
        self.use_socket(socket);
        if matches!(self.sockets.borrow()[socket], Slot::Bound(_)) {
            let dropped = std::mem::replace(&mut self.sockets.borrow_mut()[socket], Slot::Unbound);
            drop(dropped);
        }
    }

    pub fn heard(&self, socket: usize) -> Option<SocketAddr> {
        self.heard.borrow()[socket]
    }

    pub fn socket(&self, socket: usize) -> Option<Held<'_>> {
        self.use_socket(socket);
        match &self.sockets.borrow()[socket] {
            Slot::Bound(bound) => Some(Held { memory: self, index: socket, socket: Rc::clone(bound) }),
            Slot::Unbound | Slot::Binding => None,
        }
    }

    pub async fn receive(&self, index: usize, socket: &UdpSocket) -> u8 {
        let (received, from) = receive_from(socket).await;
        self.use_socket(index);
        self.heard.borrow_mut()[index] = Some(from);
        received
    }

    pub fn try_receive(&self, index: usize, socket: &UdpSocket) -> Option<u8> {
        let received = match index % 2 {
            0 => try_receive_from(socket),
            _ => now_or_never(receive_from(socket)),
        };
        let (received, from) = received?;
        self.heard.borrow_mut()[index] = Some(from);
        Some(received)
    }

    pub fn processes(&self) -> usize {
        self.system.processes.len()
    }

    pub fn is_anonymous(&self) -> bool {
        self.system.network.anonymous
    }

    /// The program of an isolated task, and how many registers and sockets it has.
    pub fn isolated(&self, task: usize) -> Option<(Code, usize, usize)> {
        let process = &self.system.processes[self.process];
        let is_isolated = process.isolated.contains(&task);
        let code = || Arc::new(machine::compile(&process.tasks[task]));
        is_isolated.then(|| (code(), process.registers, process.sockets))
    }

    pub fn take_handle(&self, task: usize) -> Option<JoinHandle<()>> {
        self.use_task(task);
        let task = &mut self.tasks.borrow_mut()[task];
        match std::mem::replace(task, Task::Joined) {
            Task::Spawned(handle) => Some(handle),
            other => {
                *task = other;
                None
            }
        }
    }

    pub fn value(&self, value: Value) -> u8 {
        match value {
            Value::Constant(constant) => constant,
            Value::Register(register) => self.read(register),
        }
    }

    pub fn read(&self, register: usize) -> u8 {
        self.uses.registers[register].load(Ordering::Relaxed);
        self.registers.with(|registers| registers[register])
    }

    pub fn write(&self, register: usize, value: u8) {
        self.uses.registers[register].store(true, Ordering::Relaxed);
        self.registers.with(|registers| registers[register] = value);
    }

    /// As `write`, and tells monitors, if any watch.
    pub fn write_and_tell(&self, register: usize, value: u8) {
        self.write(register, value);
        if self.system.network.watched {
            netcheck::emit!(Told(value));
        }
    }

    pub fn use_socket(&self, socket: usize) {
        self.uses.sockets[socket].store(true, Ordering::Relaxed);
    }

    pub fn use_task(&self, task: usize) {
        self.uses.tasks[task].store(true, Ordering::Relaxed);
    }
}
