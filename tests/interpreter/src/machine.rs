//! Tasks as flat programs that loops of annotated functions run, and so with captured loops, or as isolated tasks.
//!
//! All that a task knows is in the variables of those functions: the next instruction, registers, counters and
//! sockets. A repetition is run by a counter, or by a function that runs its body in a loop of its own, so that what
//! a loop's callers know counts as well.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use netcheck::net::UdpSocket;
use oracle::language::program::{self, ELAPSED, FAILED, Instruction, panic_message};

use crate::operand::Operand;
use crate::tasks::{receive_from, try_receive_from};

/// An instruction of a program without nesting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, netcheck::Isolated)]
pub enum Op {
    Bind {
        socket: usize,
        port: u16,
    },
    Send {
        socket: usize,
        to: usize,
        port: u16,
        value: Operand,
    },
    Reply {
        socket: usize,
        value: Operand,
    },
    Recv {
        socket: usize,
        into: usize,
    },
    RecvTimeout {
        socket: usize,
        ms: u16,
        into: usize,
    },
    TryReceive {
        socket: usize,
        into: usize,
    },
    Select {
        sockets: [usize; 2],
        into: usize,
    },
    Sleep {
        ms: u16,
    },
    Choose {
        among: usize,
        into: usize,
    },
    Set {
        register: usize,
        value: Operand,
    },
    Add {
        register: usize,
        value: Operand,
    },
    AssertNot {
        register: usize,
        value: u8,
    },
    Yield,
    Jump {
        target: usize,
    },
    JumpUnless {
        register: usize,
        equals: u8,
        target: usize,
    },
    /// sets a counter to 0
    Reset {
        counter: usize,
    },
    /// counts, and jumps as long as it is not enough
    Again {
        counter: usize,
        times: usize,
        target: usize,
    },
    /// runs what follows, up to its `Return`, so many times; goes on at `after`
    Repeat {
        times: usize,
        after: usize,
    },
    /// runs what follows, up to its `Return`, until the register holds the value; goes on at `after`
    Until {
        register: usize,
        equals: u8,
        after: usize,
    },
    Return,
    End,
}

/// Functions that run a program, each with functions of its own for repetitions.
const LEVELS: usize = 3;
/// Repetitions in each other that one function counts.
const COUNTERS: usize = 4;

/// Whether a task can be a flat program.
pub fn is_flat(task: &[Instruction]) -> bool {
    task.iter().all(|instruction| match instruction {
        Instruction::Bind { .. }
        | Instruction::Send { .. }
        | Instruction::Reply { .. }
        | Instruction::Recv { .. }
        | Instruction::RecvTimeout { .. }
        | Instruction::TryReceive { .. }
        | Instruction::Select { .. }
        | Instruction::Sleep { .. }
        | Instruction::Choose { .. }
        | Instruction::Set { .. }
        | Instruction::Add { .. }
        | Instruction::AssertNot { .. }
        | Instruction::Yield
        | Instruction::End => true,
        Instruction::If { .. }
        | Instruction::Repeat { .. }
        | Instruction::Until { .. }
        | Instruction::Forever { .. } => instruction.blocks().into_iter().all(|block| is_flat(block)),
        _ => false,
    })
}

/// The flat program of a task.
pub fn compile(task: &[Instruction]) -> Vec<Op> {
    let mut code = Vec::new();
    append(&mut code, task, 0, 0);
    code.push(Op::End);
    code
}

/// Every other repetition is called, as long as there are functions left.
fn is_called(code: &[Op], level: usize) -> bool {
    level + 1 < LEVELS && code.len().is_multiple_of(2)
}

fn append(code: &mut Vec<Op>, block: &[Instruction], level: usize, counter: usize) {
    for instruction in block {
        match *instruction {
            Instruction::Bind { socket, port } => code.push(Op::Bind { socket, port }),
            Instruction::Send { socket, to, port, value } => {
                code.push(Op::Send { socket, to, port, value: value.into() })
            }
            Instruction::Reply { socket, value } => code.push(Op::Reply { socket, value: value.into() }),
            Instruction::Recv { socket, into } => code.push(Op::Recv { socket, into }),
            Instruction::RecvTimeout { socket, ms, into } => code.push(Op::RecvTimeout { socket, ms, into }),
            Instruction::TryReceive { socket, into } => code.push(Op::TryReceive { socket, into }),
            Instruction::Select { sockets, into } => code.push(Op::Select { sockets, into }),
            Instruction::Sleep { ms } => code.push(Op::Sleep { ms }),
            Instruction::Choose { among, into } => code.push(Op::Choose { among, into }),
            Instruction::Set { register, value } => code.push(Op::Set { register, value: value.into() }),
            Instruction::Add { register, value } => code.push(Op::Add { register, value: value.into() }),
            Instruction::AssertNot { register, value } => code.push(Op::AssertNot { register, value }),
            Instruction::Yield => code.push(Op::Yield),
            Instruction::End => code.push(Op::End),
            Instruction::If { register, equals, ref then, ref otherwise } => {
                let branch = code.len();
                code.push(Op::End);
                append(code, then, level, counter);
                let exit = code.len();
                code.push(Op::End);
                code[branch] = Op::JumpUnless { register, equals, target: code.len() };
                append(code, otherwise, level, counter);
                code[exit] = Op::Jump { target: code.len() };
            }
            Instruction::Repeat { times, ref body } if is_called(code, level) => {
                let call = call(code, body, level);
                code[call] = Op::Repeat { times, after: code.len() };
            }
            Instruction::Repeat { times, ref body } => {
                code.push(Op::Reset { counter });
                let target = code.len();
                append(code, body, level, counter + 1);
                code.push(Op::Again { counter, times, target });
            }
            Instruction::Until { register, equals, ref body } if is_called(code, level) => {
                let call = call(code, body, level);
                code[call] = Op::Until { register, equals, after: code.len() };
            }
            Instruction::Until { register, equals, ref body } => {
                let target = code.len();
                code.push(Op::JumpUnless { register, equals, target: target + 2 });
                code.push(Op::End);
                append(code, body, level, counter);
                code.push(Op::Jump { target });
                code[target + 1] = Op::Jump { target: code.len() };
            }
            Instruction::Forever { ref body } => {
                let target = code.len();
                append(code, body, level, counter);
                code.push(Op::Jump { target });
            }
            ref other => panic!("no word of these systems: {other:?}"),
        }
    }
}

/// Appends a body to be called; where the call is to be written.
fn call(code: &mut Vec<Op>, body: &[Instruction], level: usize) -> usize {
    let call = code.len();
    code.push(Op::End);
    append(code, body, level + 1, 0);
    code.push(Op::Return);
    call
}

/// A flat program.
pub type Code = Arc<Vec<Op>>;
pub type Registers = Vec<u8>;
/// Each with where its last datagram came from, in programs that reply.
type Sockets = Vec<Option<(Arc<UdpSocket>, Option<SocketAddr>)>>;

/// How a function that runs a program came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, netcheck::Isolated)]
enum Flow {
    Returned,
    Ended,
}

/// A process with one task.
#[netcheck::process]
pub async fn root(code: Code, registers: usize, sockets: usize) -> Registers {
    let (registers, _sockets, _) = run_0(code, 0, vec![0; registers], vec![None; sockets]).await;
    registers
}

/// An isolated task.
#[netcheck::process]
pub async fn isolated(code: Code, registers: usize, sockets: usize) {
    root(code, registers, sockets).await;
}

/// A function that runs a program from an instruction on to its end or to a `Return`, and those that it calls.
macro_rules! level {
    ($run:ident, $repeat:ident, $until:ident, $inner:ident) => {
        #[netcheck::process]
        async fn $run(
            code: Code,
            start: usize,
            mut registers: Registers,
            mut sockets: Sockets,
        ) -> (Registers, Sockets, Flow) {
            let mut counters = [0; COUNTERS];
            let mut at = start;
            loop {
                let op = code[at];
                at += 1;
                match op {
                    Op::Bind { socket, port } => {
                        if sockets[socket].is_none() {
                            let bound = UdpSocket::bind(("0.0.0.0", port)).await.expect("the port is free");
                            sockets[socket] = Some((Arc::new(bound), None));
                        }
                    }
                    Op::Send { socket, to, port, value } => {
                        if let Some((socket, _)) = &sockets[socket] {
                            let payload = [value.of(&registers)];
                            let destination = format!("{}:{port}", program::name(to));
                            let sent = socket.send_to(&payload, &destination).await.expect("a send succeeds");
                            assert_eq!(sent, 1, "the whole datagram is sent");
                        }
                    }
                    Op::Reply { socket, value } => {
                        if let Some((socket, Some(to))) = &sockets[socket] {
                            let payload = [value.of(&registers)];
                            socket.send_to(&payload, *to).await.expect("a send succeeds");
                        }
                    }
                    Op::Recv { socket, into } => {
                        if let Some((bound, _)) = sockets[socket].clone() {
                            let (received, from) = receive_from(&bound).await;
                            registers[into] = received;
                            sockets[socket] = Some((bound, heard(&code, from)));
                        }
                    }
                    Op::RecvTimeout { socket, ms, into } => {
                        if let Some((bound, before)) = sockets[socket].clone() {
                            let limit = Duration::from_millis(u64::from(ms));
                            let received = netcheck::time::timeout(limit, receive_from(&bound)).await;
                            let received = received.map(|(received, from)| (received, heard(&code, from)));
                            let (received, from) = received.unwrap_or((ELAPSED, before));
                            registers[into] = received;
                            sockets[socket] = Some((bound, from));
                        }
                    }
                    Op::TryReceive { socket, into } => {
                        if let Some((bound, before)) = sockets[socket].clone() {
                            let received = try_receive_from(&bound);
                            let received = received.map(|(received, from)| (received, heard(&code, from)));
                            let (received, from) = received.unwrap_or((FAILED, before));
                            registers[into] = received;
                            sockets[socket] = Some((bound, from));
                        }
                    }
                    Op::Select { sockets: [first, second], into } => {
                        let both = (sockets[first].clone(), sockets[second].clone());
                        let received = match &both {
                            (Some((one, _)), Some((other, _))) => netcheck::select! {
                                (received, from) = receive_from(one) => Some((first, received, from)),
                                (received, from) = receive_from(other) => Some((second, received, from)),
                            },
                            (Some((only, _)), None) => {
                                let (received, from) = receive_from(only).await;
                                Some((first, received, from))
                            }
                            (None, Some((only, _))) => {
                                let (received, from) = receive_from(only).await;
                                Some((second, received, from))
                            }
                            (None, None) => None,
                        };
                        if let Some((socket, received, from)) = received {
                            registers[into] = received;
                            sockets[socket].iter_mut().for_each(|(_, before)| *before = heard(&code, from));
                        }
                    }
                    Op::Sleep { ms } => netcheck::time::sleep(Duration::from_millis(u64::from(ms))).await,
                    Op::Choose { among, into } => registers[into] = netcheck::choose(0..among).await as u8,
                    Op::Set { register, value } => registers[register] = value.of(&registers),
                    Op::Add { register, value } => {
                        registers[register] = registers[register].wrapping_add(value.of(&registers));
                    }
                    Op::AssertNot { register, value } => {
                        assert!(registers[register] != value, "{}", panic_message(register, value));
                    }
                    Op::Yield => netcheck::task::yield_now().await,
                    Op::Jump { target } => at = target,
                    Op::JumpUnless { register, equals, target } => {
                        if registers[register] != equals {
                            at = target;
                        }
                    }
                    Op::Reset { counter } => counters[counter] = 0,
                    Op::Again { counter, times, target } => {
                        counters[counter] += 1;
                        if counters[counter] < times {
                            at = target;
                        }
                    }
                    Op::Repeat { times, after } => {
                        let flow;
                        (registers, sockets, flow) = $repeat(Arc::clone(&code), at, times, registers, sockets).await;
                        if flow == Flow::Ended {
                            return (registers, sockets, flow);
                        }
                        at = after;
                    }
                    Op::Until { register, equals, after } => {
                        let flow;
                        (registers, sockets, flow) =
                            $until(Arc::clone(&code), at, (register, equals), registers, sockets).await;
                        if flow == Flow::Ended {
                            return (registers, sockets, flow);
                        }
                        at = after;
                    }
                    Op::Return => return (registers, sockets, Flow::Returned),
                    Op::End => return (registers, sockets, Flow::Ended),
                }
            }
        }

        #[netcheck::process]
        async fn $repeat(
            code: Code,
            body: usize,
            times: usize,
            mut registers: Registers,
            mut sockets: Sockets,
        ) -> (Registers, Sockets, Flow) {
            for _ in 0..times {
                let flow;
                (registers, sockets, flow) = $inner(Arc::clone(&code), body, registers, sockets).await;
                if flow == Flow::Ended {
                    return (registers, sockets, flow);
                }
            }
            (registers, sockets, Flow::Returned)
        }

        #[netcheck::process]
        async fn $until(
            code: Code,
            body: usize,
            (register, equals): (usize, u8),
            mut registers: Registers,
            mut sockets: Sockets,
        ) -> (Registers, Sockets, Flow) {
            while registers[register] != equals {
                let flow;
                (registers, sockets, flow) = $inner(Arc::clone(&code), body, registers, sockets).await;
                if flow == Flow::Ended {
                    return (registers, sockets, flow);
                }
            }
            (registers, sockets, Flow::Returned)
        }
    };
}

level!(run_0, repeat_0, until_0, run_1);
level!(run_1, repeat_1, until_1, run_2);
level!(run_2, repeat_2, until_2, no_more_levels);

async fn no_more_levels(_: Code, _: usize, _: Registers, _: Sockets) -> (Registers, Sockets, Flow) {
    unreachable!("`compile` knows the levels")
}

/// The address of a datagram's sender, where a program keeps it.
fn heard(code: &[Op], from: SocketAddr) -> Option<SocketAddr> {
    code.iter().any(|op| matches!(op, Op::Reply { .. })).then_some(from)
}
