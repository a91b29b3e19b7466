//! Programs that go round and round, in annotated functions: what a loop's variables say can be captured.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use netcheck::check::{Checker, Direction, Udp};
use netcheck::net::UdpSocket;
use netcheck::time::{sleep, timeout};

use crate::run::Outcome;
use interpreter::Operand;
use oracle::generate::{self, Size, Words};
use oracle::language::program::{self, ELAPSED, Instruction, System};

/// An act of each round: an instruction without others inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, netcheck::Isolated)]
enum Step {
    Send { to: usize, value: Operand },
    Recv { into: usize },
    RecvTimeout { ms: u16, into: usize },
    Sleep { ms: u16 },
    Choose { among: usize, into: usize },
    Set { register: usize, value: Operand },
    AssertNot { register: usize, value: u8 },
    Yield,
}

const PORT: u16 = 4000;

/// A random system of which each process is to do what it does over and over.
pub fn system(seed: u64) -> System {
    let mut system = generate::system(seed, Size::Small, Words::Single);
    system.network.delay = false;
    system
}

/// Each process does its first instructions in so many rounds, or for ever.
pub fn check(system: &System, rounds: Option<usize>, checker: &Checker) -> Outcome {
    let network = &system.network;
    let udp = Udp::new().copies(network.copies.iter().copied()).window(network.window).direction(Direction::Send);
    let names = || (0..system.processes.len()).map(program::name);
    let ends = Arc::new(Mutex::new(BTreeSet::new()));
    let report = checker.clone().udp(udp).check(|net| {
        for (process, name) in system.processes.iter().zip(names()) {
            let mut steps = Vec::new();
            append(&mut steps, &process.tasks[0]);
            steps.truncate(STEPS_MAX);
            let registers = process.registers;
            let factory = move || goes_round(steps.clone(), registers, rounds);
            if process.daemon {
                net.daemon(name, factory);
            } else {
                net.process(name, factory);
            }
        }
        let (ends, count) = (Arc::clone(&ends), system.processes.len());
        net.finally(move |end| {
            let outputs = (0..count).map(|index| end.output(&program::name(index)).map(str::to_owned));
            ends.lock().expect("no one panics with it").insert(outputs.collect());
        });
    });
    assert!(report.uncaptured_loops().is_empty(), "{:?}", report.uncaptured_loops());
    let ends = ends.lock().expect("no one panics with it").clone();
    Outcome::new(&report, names(), ends)
}

/// How long a round goes on after the last datagram.
const DRAIN: Duration = Duration::from_millis(10);
/// The most steps of a round.
const STEPS_MAX: usize = 3;

fn append(steps: &mut Vec<Step>, block: &[Instruction]) {
    for instruction in block {
        steps.push(match *instruction {
            Instruction::Send { to, value, .. } => Step::Send { to, value: value.into() },
            Instruction::Recv { into, .. } | Instruction::Select { into, .. } => Step::Recv { into },
            Instruction::RecvTimeout { ms, into, .. } => Step::RecvTimeout { ms, into },
            Instruction::Sleep { ms } => Step::Sleep { ms },
            Instruction::Choose { among, into } => Step::Choose { among, into },
            // A register that counts on would never come back to where it was.
            Instruction::Set { register, value } | Instruction::Add { register, value } => {
                Step::Set { register, value: value.into() }
            }
            Instruction::AssertNot { register, value } => Step::AssertNot { register, value },
            Instruction::Yield => Step::Yield,
            ref other => {
                other.blocks().into_iter().for_each(|block| append(steps, block));
                continue;
            }
        });
    }
}

#[netcheck::process]
async fn goes_round(steps: Vec<Step>, registers: usize, rounds: Option<usize>) -> Vec<u8> {
    let mut registers = vec![0; registers];
    let socket = UdpSocket::bind(("0.0.0.0", PORT)).await.expect("the port is free");
    let mut done = 0;
    while rounds != Some(done) {
        if rounds.is_some() {
            done += 1;
        }
        for at in 0..steps.len() {
            match steps[at] {
                Step::Send { to, value } => {
                    let value = [value.of(&registers)];
                    socket.send_to(&value, (program::name(to), PORT)).await.expect("a send succeeds");
                }
                Step::Recv { into } => registers[into] = receive(&socket).await,
                Step::RecvTimeout { ms, into } => {
                    let limit = Duration::from_millis(u64::from(ms));
                    registers[into] = timeout(limit, receive(&socket)).await.unwrap_or(ELAPSED);
                }
                Step::Sleep { ms } => sleep(Duration::from_millis(u64::from(ms))).await,
                Step::Choose { among, into } => registers[into] = netcheck::choose(0..among).await as u8,
                Step::Set { register, value } => registers[register] = value.of(&registers),
                Step::AssertNot { register, value } => {
                    assert_ne!(registers[register], value, "generated assertion");
                }
                Step::Yield => netcheck::task::yield_now().await,
            }
        }
        // Packets that a process does not take would become ever more.
        while timeout(DRAIN, receive(&socket)).await.is_ok() {}
    }
    registers
}

async fn receive(socket: &UdpSocket) -> u8 {
    let mut buffer = [0; 8];
    socket.recv_from(&mut buffer).await.expect("a receive succeeds");
    buffer[0]
}
