//! The tasks of a process: an interpreter of their instructions on netcheck's types.

use std::future::Future;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use netcheck::net::UdpSocket;
use oracle::language::program::{self, ELAPSED, FAILED, Instruction, Output, System, panic_message};

use crate::machine;
use crate::memory::{Memory, Task};

/// A value that a program tells monitors.
#[derive(Clone, Copy, Debug, netcheck::Isolated)]
pub struct Told(pub u8);

pub(crate) async fn root(system: Arc<System>, process: usize, is_tracked: bool) -> Output {
    let memory = Rc::new(Memory::new(system, process, is_tracked));
    task(Rc::clone(&memory), 0).await;
    memory.output()
}

async fn task(memory: Rc<Memory>, task: usize) {
    let system = Arc::clone(&memory.system);
    block(&memory, &system.processes[memory.process].tasks[task]).await;
}

enum Flow {
    Continue,
    End,
}

fn block<'a>(memory: &'a Rc<Memory>, instructions: &'a [Instruction]) -> Pin<Box<dyn Future<Output = Flow> + 'a>> {
    Box::pin(async move {
        for instruction in instructions {
            if let Flow::End = step(memory, instruction).await {
                return Flow::End;
            }
        }
        Flow::Continue
    })
}

async fn step(memory: &Rc<Memory>, instruction: &Instruction) -> Flow {
    match *instruction {
        Instruction::Bind { socket, port } => memory.bind(socket, port).await,
        Instruction::Send { socket, to, port, value } => {
            if let Some(socket) = memory.socket(socket) {
                let payload = [memory.value(value)];
                let destination = format!("{}:{port}", program::name(to));
                let sent = socket.send_to(&payload, &destination).await.expect("a send succeeds");
                assert_eq!(sent, 1, "the whole datagram is sent");
            }
        }
        Instruction::Reply { socket: index, value } => {
            let to = memory.heard.borrow()[index];
            if let (Some(socket), Some(to)) = (memory.socket(index), to) {
                socket.send_to(&[memory.value(value)], to).await.expect("a send succeeds");
            }
        }
        Instruction::Recv { socket: index, into } => {
            if let Some(socket) = memory.socket(index) {
                let received = memory.receive(index, &socket).await;
                memory.write(into, received);
            }
        }
        Instruction::RecvTimeout { socket: index, ms, into } => {
            if let Some(socket) = memory.socket(index) {
                let limit = Duration::from_millis(u64::from(ms));
                let received = netcheck::time::timeout(limit, memory.receive(index, &socket)).await;
                memory.write(into, received.unwrap_or(ELAPSED));
            }
        }
        Instruction::TryReceive { socket: index, into } => {
            if let Some(socket) = memory.socket(index) {
                let received = memory.try_receive(index, &socket);
                memory.write(into, received.unwrap_or(FAILED));
            }
        }
        Instruction::Select { sockets: [one, other], into } => match (memory.socket(one), memory.socket(other)) {
            (Some(first), Some(second)) => {
                let received = netcheck::select! {
                    received = memory.receive(one, &first) => received,
                    received = memory.receive(other, &second) => received,
                };
                memory.write(into, received);
            }
            (Some(only), None) => {
                let received = memory.receive(one, &only).await;
                memory.write(into, received);
            }
            (None, Some(only)) => {
                let received = memory.receive(other, &only).await;
                memory.write(into, received);
            }
            (None, None) => {}
        },
        Instruction::Sleep { ms } => netcheck::time::sleep(Duration::from_millis(u64::from(ms))).await,
        Instruction::Choose { among, into } => {
            let chosen = netcheck::choose(0..among).await;
            memory.write(into, chosen as u8);
        }
        Instruction::Set { register, value } => memory.write_and_tell(register, memory.value(value)),
        Instruction::Add { register, value } => {
            memory.write_and_tell(register, memory.read(register).wrapping_add(memory.value(value)));
        }
        Instruction::If { register, equals, ref then, ref otherwise } => {
            let taken = if memory.read(register) == equals { then } else { otherwise };
            return block(memory, taken).await;
        }
        Instruction::Repeat { times, ref body } => {
            for _ in 0..times {
                if let Flow::End = block(memory, body).await {
                    return Flow::End;
                }
            }
        }
        Instruction::Until { register, equals, ref body } => {
            while memory.read(register) != equals {
                if let Flow::End = block(memory, body).await {
                    return Flow::End;
                }
            }
        }
        Instruction::Forever { ref body } => loop {
            if let Flow::End = block(memory, body).await {
                return Flow::End;
            }
        },
        Instruction::Spawn { task: spawned } => {
            memory.use_task(spawned);
            let mut tasks = memory.tasks.borrow_mut();
            if matches!(tasks[spawned], Task::Unspawned) {
                tasks[spawned] = Task::Spawned(match memory.isolated(spawned) {
                    Some((code, registers, sockets)) => netcheck::spawn(machine::isolated(code, registers, sockets)),
                    None => netcheck::spawn(task(Rc::clone(memory), spawned)),
                });
            }
        }
        Instruction::Join { task } => {
            if let Some(handle) = memory.take_handle(task) {
                // an error says that it was aborted
                let _ = handle.await;
            }
        }
        Instruction::JoinTimeout { task, ms, into } => {
            if let Some(handle) = memory.take_handle(task) {
                let limit = Duration::from_millis(u64::from(ms));
                if netcheck::time::timeout(limit, handle).await.is_err() {
                    memory.write(into, ELAPSED);
                }
            }
        }
        Instruction::Abort { task } => {
            memory.use_task(task);
            if let Task::Spawned(handle) = &memory.tasks.borrow()[task] {
                handle.abort();
            }
        }
        Instruction::Locked { ref body } => {
            let _guard = memory.mutex.lock().await;
            return block(memory, body).await;
        }
        Instruction::Listen { .. }
        | Instruction::Accept { .. }
        | Instruction::SelectAccept { .. }
        | Instruction::Connect { .. }
        | Instruction::Write { .. }
        | Instruction::Read { .. }
        | Instruction::SelectRead { .. }
        | Instruction::TryRead { .. }
        | Instruction::TryWrite { .. }
        | Instruction::Shutdown { .. }
        | Instruction::ZeroLinger { .. }
        | Instruction::DropStream { .. }
        | Instruction::DropListener { .. } => crate::streams::step(memory, &memory.streams, instruction).await,
        Instruction::File(call) => crate::files::step(memory, call).await,
        Instruction::Everyday(word) => crate::everyday::step(memory, word).await,
        Instruction::Yield => netcheck::task::yield_now().await,
        Instruction::AssertNot { register, value } => {
            if memory.read(register) == value {
                panic!("{}", panic_message(register, value));
            }
        }
        Instruction::End => return Flow::End,
    }
    Flow::Continue
}

pub async fn receive_from(socket: &UdpSocket) -> (u8, SocketAddr) {
    let mut buffer = [0; 8];
    let (length, from) = socket.recv_from(&mut buffer).await.expect("a receive succeeds");
    assert_eq!(length, 1, "a datagram arrives whole");
    (buffer[0], from)
}

/// The output of a future that is ready in its first poll.
pub fn now_or_never<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}

/// Nothing if nothing is there, as far as the call sees.
pub fn try_receive_from(socket: &UdpSocket) -> Option<(u8, SocketAddr)> {
    let mut buffer = [0; 8];
    match socket.try_recv_from(&mut buffer) {
        Ok((length, from)) => {
            assert_eq!(length, 1, "a datagram arrives whole");
            Some((buffer[0], from))
        }
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::WouldBlock, "a receive does not fail otherwise");
            None
        }
    }
}
