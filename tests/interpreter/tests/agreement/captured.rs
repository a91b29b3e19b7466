//! The same systems once more, as flat programs that loops of annotated functions run, and so with captured loops.
//!
//! All that a process knows is in the variables of those functions: the next instruction, registers, counters and
//! sockets. A repetition is run by a counter, or by a function that runs its body in a loop of its own, so that what
//! a loop's callers know counts as well.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::ops::AddAssign;
use std::sync::Arc;
use std::time::Duration;

use netcheck::check::{Checker, Report, Search, Verdict};
use netcheck::net::UdpSocket;

use interpreter::{Configuration, Ends, Operand, Order};

use crate::engine;
use crate::symmetry::Symmetries;
use oracle::language::program::{self, ELAPSED, Instruction, Process, System, panic_message};
use oracle::naive::Findings;

/// An instruction of a program without nesting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, netcheck::Isolated)]
enum Op {
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

fn compile(process: &Process) -> Vec<Op> {
    let [root] = process.tasks.as_slice() else { panic!("one task each") };
    let mut code = Vec::new();
    append(&mut code, root, 0, 0);
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

type Code = Arc<Vec<Op>>;
type Registers = Vec<u8>;
/// Each with where its last datagram came from, in programs that reply.
type Sockets = Vec<Option<(Arc<UdpSocket>, Option<SocketAddr>)>>;

/// How a function that runs a program came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, netcheck::Isolated)]
enum Flow {
    Returned,
    Ended,
}

#[netcheck::process]
async fn root(code: Code, registers: usize, sockets: usize) -> Registers {
    let (registers, _sockets, _) = run_0(code, 0, vec![0; registers], vec![None; sockets]).await;
    registers
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
                            let (received, from) = interpreter::receive_from(&bound).await;
                            registers[into] = received;
                            sockets[socket] = Some((bound, heard(&code, from)));
                        }
                    }
                    Op::RecvTimeout { socket, ms, into } => {
                        if let Some((bound, before)) = sockets[socket].clone() {
                            let limit = Duration::from_millis(u64::from(ms));
                            let received = netcheck::time::timeout(limit, interpreter::receive_from(&bound)).await;
                            let received = received.map(|(received, from)| (received, heard(&code, from)));
                            let (received, from) = received.unwrap_or((ELAPSED, before));
                            registers[into] = received;
                            sockets[socket] = Some((bound, from));
                        }
                    }
                    Op::Select { sockets: [first, second], into } => {
                        let both = (sockets[first].clone(), sockets[second].clone());
                        let received = match &both {
                            (Some((one, _)), Some((other, _))) => netcheck::select! {
                                (received, from) = interpreter::receive_from(one) => Some((first, received, from)),
                                (received, from) = interpreter::receive_from(other) => Some((second, received, from)),
                            },
                            (Some((only, _)), None) => {
                                let (received, from) = interpreter::receive_from(only).await;
                                Some((first, received, from))
                            }
                            (None, Some((only, _))) => {
                                let (received, from) = interpreter::receive_from(only).await;
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

/// What a program keeps of where a datagram came from.
fn heard(code: &[Op], from: SocketAddr) -> Option<SocketAddr> {
    code.iter().any(|op| matches!(op, Op::Reply { .. })).then_some(from)
}

/// States that an endless program without captured loops may have before it is given up.
const UNCAPTURED_STATES_MAX: usize = 200;
/// With reduction, a component without captured loops may go on for ever before another one begins, and packets pile up.
const REDUCED_STATES_MAX: usize = 10_000;
/// The same depth-first, where each state of such a component is as many polls away from the first as it is deep.
const REDUCED_DEPTH_FIRST_STATES_MAX: usize = 2_000;
/// Where no component can go on for ever, few programs have more without captured loops: each of their choices makes more
/// histories.
const FINITE_STATES_MAX: usize = 50_000;
/// No captured program has more.
const STATES_MAX: usize = 50_000;

/// What captured loops did, in all configurations together.
#[derive(Debug, Clone, Copy, Default)]
pub struct Merges {
    /// configurations in which all was explored, captured or not, and those of them with fewer local states
    pub compared: u64,
    pub merged: u64,
    /// local states of those
    pub captured_states: u64,
    pub uncaptured_states: u64,
    /// configurations that are explored to the end only with captured loops
    pub closed: u64,
    /// violations of endless programs that are found without captured loops too
    pub confirmed: u64,
    /// configurations that come to an end, but have too many states without captured loops
    pub too_large: u64,
    pub subsumed: u64,
}

impl AddAssign for Merges {
    fn add_assign(&mut self, other: Merges) {
        self.compared += other.compared;
        self.merged += other.merged;
        self.captured_states += other.captured_states;
        self.uncaptured_states += other.uncaptured_states;
        self.closed += other.closed;
        self.confirmed += other.confirmed;
        self.too_large += other.too_large;
        self.subsumed += other.subsumed;
    }
}

/// What a configuration of the engine says that the naive explorer does not, or the other way round.
pub fn disagreement(system: &System, findings: &Findings, seed: u64, merges: &mut Merges) -> Option<String> {
    let programs: Vec<Code> = system.processes.iter().map(|process| Arc::new(compile(process))).collect();
    for (index, order) in interpreter::orders(seed).into_iter().enumerate() {
        let subsumption = interpreter::has_subsumption(system, seed, index);
        let configurations = [(true, false), (false, false), (true, true), (false, true)];
        for (reduction, subsumption) in configurations.into_iter().filter(|&(_, subsumes)| subsumption || !subsumes) {
            let run = || compare(system, &programs, findings, (order, reduction, subsumption), merges);
            if let Err(difference) = engine::compared_by(run) {
                return Some(format!("{order:?}, reduction {reduction}, subsumption {subsumption}: {difference}"));
            }
        }
    }
    None
}

/// The same for captured loops alone, with like processes taken to be alike.
pub fn disagreement_with_symmetry(
    system: &System,
    findings: &Findings,
    seed: u64,
    symmetries: &mut Symmetries,
) -> Option<String> {
    let programs: Vec<Code> = system.processes.iter().map(|process| Arc::new(compile(process))).collect();
    crate::symmetry::disagreement_of(system, findings, seed, symmetries, |checker| {
        check(&checker.clone().max_states(STATES_MAX), system, &programs)
    })
}

fn compare(
    system: &System,
    programs: &[Code],
    findings: &Findings,
    configuration: Configuration,
    merges: &mut Merges,
) -> Result<(), String> {
    let checker = interpreter::checker(system, configuration);
    let (captured, ends) = check(&checker.clone().max_states(STATES_MAX), system, programs);
    engine::compare_report(&captured, &ends, findings).map_err(|difference| format!("captured, {difference}"))?;
    if let [uncaptured, ..] = captured.uncaptured_loops() {
        return Err(format!("not captured: {uncaptured}"));
    }
    merges.subsumed += captured.subsumed();
    // Most of them only find that out at great length.
    if findings.endless && configuration.0 != Order::By(Search::Bfs) {
        merges.closed += u64::from(captured.verdict() == Verdict::Verified);
        return Ok(());
    }
    let reduced_loops = configuration.1 && system.has_loops();
    let states_max = match (findings.endless, reduced_loops) {
        (true, _) => UNCAPTURED_STATES_MAX,
        (false, true) if configuration.0 != Order::By(Search::Bfs) => REDUCED_DEPTH_FIRST_STATES_MAX,
        (false, true) => REDUCED_STATES_MAX,
        (false, false) => FINITE_STATES_MAX,
    };
    let (uncaptured, ends) = check(&checker.capture(false).max_states(states_max), system, programs);
    // Where every execution ends in a violation, a component that is reduced may still be endless.
    let is_endless = findings.endless || reduced_loops;
    if is_endless && uncaptured.verdict() == Verdict::Inconclusive {
        merges.closed += u64::from(captured.verdict() == Verdict::Verified);
        return Ok(());
    }
    if uncaptured.verdict() == Verdict::Inconclusive && uncaptured.states() >= states_max {
        merges.too_large += 1;
        return Ok(());
    }
    engine::compare_report(&uncaptured, &ends, findings).map_err(|difference| format!("uncaptured, {difference}"))?;
    if captured.verdict() == Verdict::Violated {
        merges.confirmed += u64::from(findings.endless);
        return Ok(());
    }
    let (with, without) = (captured.local_states() as u64, uncaptured.local_states() as u64);
    merges.compared += 1;
    merges.merged += u64::from(with < without);
    merges.captured_states += with;
    merges.uncaptured_states += without;
    if !configuration.1 && with > without {
        return Err(format!("{with} local states with captured loops, {without} without"));
    }
    Ok(())
}

fn check(checker: &Checker, system: &System, programs: &[Code]) -> (Report, BTreeSet<Ends>) {
    interpreter::check_with(checker, system, |net, index| {
        let (code, definition) = (Arc::clone(&programs[index]), &system.processes[index]);
        let (registers, sockets) = (definition.registers, definition.sockets);
        let factory = move || root(Arc::clone(&code), registers, sockets);
        interpreter::register(net, index, definition.daemon, factory);
    })
}
