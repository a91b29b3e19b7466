//! Does what a program says. It is compiled against netcheck and against tokio.

use super::tokio;
use super::{choose, isolated, scope, with};
use crate::program::{
    CANCELLED, ELAPSED, EMPTY, HANDLES, Instruction, REGIONS, REGISTERS, Registers, SOCKETS, Shared, Task, Value, name,
    panic_message,
};
use std::net::SocketAddr;
use std::pin::Pin;
use tokio::net::UdpSocket;
use tokio::task::{JoinError, JoinHandle, JoinSet};
use tokio::time::{Duration, Instant, interval, sleep, sleep_until, timeout};

type Run<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A task's own data.
struct Memory {
    system: Shared,
    process: usize,
    routine: usize,
    registers: Registers,
    handles: [Option<JoinHandle<u8>>; HANDLES],
    set: JoinSet<u8>,
    sockets: [Option<UdpSocket>; SOCKETS],
    /// by socket, where the last datagram came from
    heard: [Option<SocketAddr>; SOCKETS],
}

/// The output of a root.
pub async fn root(system: Shared, process: usize) -> Registers {
    let mut memory = Memory::new(system, process, 0, 0);
    memory.routine().await;
    memory.registers
}

/// The output of any other routine.
pub fn output(system: Shared, process: usize, routine: usize, argument: u8) -> Run<'static, u8> {
    Box::pin(async move { Memory::new(system, process, routine, argument).routine().await })
}

impl Memory {
    fn new(system: Shared, process: usize, routine: usize, argument: u8) -> Self {
        let mut registers = [0; REGISTERS];
        registers[0] = argument;
        Memory {
            system,
            process,
            routine,
            registers,
            handles: Default::default(),
            set: JoinSet::new(),
            sockets: Default::default(),
            heard: Default::default(),
        }
    }

    async fn routine(&mut self) -> u8 {
        let system = self.system.clone();
        let block = &system.0.processes[self.process].routines[self.routine];
        self.block(block).await.unwrap_or(self.registers[0])
    }

    /// The value of a `Return`.
    fn block<'a>(&'a mut self, instructions: &'a [Instruction]) -> Run<'a, Option<u8>> {
        Box::pin(async move {
            for instruction in instructions {
                if let Some(returned) = self.step(instruction).await {
                    return Some(returned);
                }
            }
            None
        })
    }

    async fn step(&mut self, instruction: &Instruction) -> Option<u8> {
        match *instruction {
            Instruction::Sleep { ms } => sleep(milliseconds(ms)).await,
            Instruction::SleepUntil { ms } => sleep_until(Instant::now() + milliseconds(ms)).await,
            Instruction::Every { ms, times, ref body } => {
                let mut interval = interval(milliseconds(ms));
                for _ in 0..times {
                    interval.tick().await;
                    if let Some(returned) = self.block(body).await {
                        return Some(returned);
                    }
                }
            }
            Instruction::Timeout { ms, into, ref body } => match timeout(milliseconds(ms), self.block(body)).await {
                Ok(returned) => return returned,
                Err(_) => self.registers[into] = ELAPSED,
            },
            Instruction::Scope { ref body } => return scope(self.block(body)).await,
            Instruction::With { region, ref body } => {
                let (copies, window) = REGIONS[region];
                let words = format!("udp(copies = {copies:?}, window = {window})");
                return with(&words, self.block(body)).await;
            }
            Instruction::Choose { among, into } => self.registers[into] = choose(among).await,
            Instruction::Set { register, value } => self.registers[register] = self.value(value),
            Instruction::Add { register, value } => {
                self.registers[register] = self.registers[register].wrapping_add(self.value(value));
            }
            Instruction::If { register, equals, ref then, ref otherwise } => {
                let taken = if self.registers[register] == equals { then } else { otherwise };
                return self.block(taken).await;
            }
            Instruction::AssertNot { register, value, line } => {
                if self.registers[register] == value {
                    panic!("{}", panic_message(self.process, self.routine, line, value));
                }
            }
            Instruction::Return { value } => return Some(self.value(value)),
            Instruction::Yield => tokio::task::yield_now().await,
            Instruction::Pending => std::future::pending().await,
            Instruction::Bind { .. }
            | Instruction::Connect { .. }
            | Instruction::Send { .. }
            | Instruction::Reply { .. }
            | Instruction::Recv { .. }
            | Instruction::Close { .. } => self.step_of_socket(instruction).await,
            _ => self.step_of_handle(instruction).await,
        }
        None
    }

    async fn step_of_handle(&mut self, instruction: &Instruction) {
        match *instruction {
            Instruction::Spawn { task, handle } => {
                self.handles[handle] = None;
                let argument = self.value(task.argument);
                let (system, process, routine) = (self.system.clone(), self.process, task.routine);
                self.handles[handle] = Some(match task.isolated {
                    true => tokio::spawn(isolated(system, process, routine, argument)),
                    false => tokio::spawn(output(system, process, routine, argument)),
                });
            }
            Instruction::Await { handle, into, keeps } => {
                let place = &mut self.handles[handle];
                let ended = match (place, keeps) {
                    (None, _) => return,
                    (Some(handle), true) => handle.await,
                    (place, false) => place.take().expect("it is there").await,
                };
                self.handles[handle] = None;
                self.registers[into] = code(ended);
            }
            Instruction::Select { handles, limit_ms, which, into } => self.select(handles, limit_ms, which, into).await,
            Instruction::Abort { handle } => self.handles[handle].iter().for_each(JoinHandle::abort),
            Instruction::IsFinished { handle, into } => {
                if let Some(handle) = &self.handles[handle] {
                    self.registers[into] = handle.is_finished().into();
                }
            }
            Instruction::Detach { handle } => self.handles[handle] = None,
            Instruction::SetSpawn { task: Task { routine, isolated: is_isolated, argument } } => {
                let argument = self.value(argument);
                let (system, process) = (self.system.clone(), self.process);
                match is_isolated {
                    true => self.set.spawn(isolated(system, process, routine, argument)),
                    false => self.set.spawn(output(system, process, routine, argument)),
                };
            }
            Instruction::JoinNext { into } => {
                self.registers[into] = self.set.join_next().await.map_or(EMPTY, code);
            }
            Instruction::AbortAll => self.set.abort_all(),
            Instruction::DropSet => self.set = JoinSet::new(),
            ref other => unreachable!("{other:?} is done elsewhere"),
        }
    }

    async fn select(&mut self, handles: [usize; 2], limit_ms: Option<u16>, which: usize, into: usize) {
        let [one, other] = self.handles.get_disjoint_mut(handles).expect("two of them");
        let (won, written) = match (one, other, limit_ms) {
            (Some(one), Some(other), None) => tokio::select! {
                ended = one => (0, code(ended)),
                ended = other => (1, code(ended)),
            },
            (Some(one), Some(other), Some(ms)) => tokio::select! {
                ended = one => (0, code(ended)),
                ended = other => (1, code(ended)),
                () = sleep(milliseconds(ms)) => (2, ELAPSED),
            },
            (Some(one), None, _) => (0, code(one.await)),
            (None, Some(other), _) => (1, code(other.await)),
            (None, None, _) => return,
        };
        if let Some(&handle) = handles.get(won) {
            self.handles[handle] = None;
        }
        self.registers[which] = won as u8;
        self.registers[into] = written;
    }

    async fn step_of_socket(&mut self, instruction: &Instruction) {
        match *instruction {
            Instruction::Bind { socket, port } => {
                self.sockets[socket] = None;
                self.heard[socket] = None;
                self.sockets[socket] = UdpSocket::bind(("0.0.0.0", port.unwrap_or(0))).await.ok();
            }
            Instruction::Connect { socket, to, port } => {
                if let Some(socket) = &self.sockets[socket] {
                    socket.connect((name(to), port)).await.expect("an address");
                }
            }
            Instruction::Send { socket, to, port, value } => {
                if let Some(socket) = &self.sockets[socket] {
                    socket.send_to(&[self.value(value)], (name(to), port)).await.expect("a send succeeds");
                }
            }
            Instruction::Reply { socket, value } => {
                if let (Some(to), Some(socket)) = (self.heard[socket], &self.sockets[socket]) {
                    socket.send_to(&[self.value(value)], to).await.expect("a send succeeds");
                }
            }
            Instruction::Recv { socket: index, into } => {
                if let Some(socket) = &self.sockets[index] {
                    let mut buffer = [0; 8];
                    let (length, from) = socket.recv_from(&mut buffer).await.expect("a receive succeeds");
                    assert_eq!(length, 1, "a datagram arrives whole");
                    self.heard[index] = Some(from);
                    self.registers[into] = buffer[0];
                }
            }
            Instruction::Close { socket } => {
                self.sockets[socket] = None;
                self.heard[socket] = None;
            }
            ref other => unreachable!("{other:?} is done elsewhere"),
        }
    }

    fn value(&self, value: Value) -> u8 {
        match value {
            Value::Constant(constant) => constant,
            Value::Register(register) => self.registers[register],
        }
    }
}

fn milliseconds(ms: u16) -> Duration {
    Duration::from_millis(ms.into())
}

/// The value that a joiner writes.
fn code(ended: Result<u8, JoinError>) -> u8 {
    ended.unwrap_or(CANCELLED)
}
