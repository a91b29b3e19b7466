//! Small networked systems as data: what the naive explorer interprets and what the engine runs as async code.
//!
//! The language says nothing about how it is executed; both sides read it on their own.
//!
//! - Registers are memory that all tasks of one process share.
//! - A socket that is not (yet) bound, a task that is spawned already and a handle that is already taken turn
//!   the instruction that needs them into nothing: it neither waits nor fails.
//! - The first task of a process is its root: when it ends, the process ends with its registers as output.

use std::fmt;

/// What `RecvTimeout` writes when the time is up.
pub const ELAPSED: u8 = 255;

/// Processes and the network between them.
#[derive(Debug, Clone, PartialEq)]
pub struct System {
    pub processes: Vec<Process>,
    pub network: Network,
}

/// The declared behaviours of the network.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// the multiplication choices M
    pub copies: Vec<usize>,
    /// the capacity c
    pub window: usize,
    /// timers may fire while packets are in flight
    pub delay: bool,
    /// faults in one execution
    pub at_most: Option<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Process {
    /// may wait for ever
    pub daemon: bool,
    pub registers: usize,
    pub sockets: usize,
    /// the first one is the root
    pub tasks: Vec<Vec<Instruction>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    Constant(u8),
    Register(usize),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Instruction {
    Bind {
        socket: usize,
        port: u16,
    },
    /// one datagram of one byte; `value` is read before the send waits
    Send {
        socket: usize,
        to: usize,
        port: u16,
        value: Value,
    },
    Recv {
        socket: usize,
        into: usize,
    },
    /// writes `ELAPSED` when nothing came in time
    RecvTimeout {
        socket: usize,
        ms: u16,
        into: usize,
    },
    /// waits on two sockets at once, in a `select!`
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
        value: Value,
    },
    /// wraps
    Add {
        register: usize,
        value: Value,
    },
    If {
        register: usize,
        equals: u8,
        then: Vec<Instruction>,
        otherwise: Vec<Instruction>,
    },
    Repeat {
        times: usize,
        body: Vec<Instruction>,
    },
    Spawn {
        task: usize,
    },
    /// waits for the end of a task; takes its handle
    Join {
        task: usize,
    },
    /// writes `ELAPSED` when the task did not end in time, and drops its handle
    JoinTimeout {
        task: usize,
        ms: u16,
        into: usize,
    },
    /// needs the handle, and leaves it
    Abort {
        task: usize,
    },
    /// holds the process's `sync::Mutex` meanwhile; to lock it twice is to wait for ever
    Locked {
        body: Vec<Instruction>,
    },
    Yield,
    /// panics if the register holds this value
    AssertNot {
        register: usize,
        value: u8,
    },
    /// ends the task
    End,
}

/// The name under which a process is registered and resolved.
pub fn name(process: usize) -> String {
    format!("p{process}")
}

/// What a failing `AssertNot` says.
pub fn panic_message(register: usize, value: u8) -> String {
    format!("generated assertion: r{register} is {value}")
}

impl Instruction {
    /// The blocks inside this instruction.
    pub fn blocks(&self) -> Vec<&Vec<Instruction>> {
        match self {
            Instruction::If { then, otherwise, .. } => vec![then, otherwise],
            Instruction::Repeat { body, .. } | Instruction::Locked { body } => vec![body],
            _ => Vec::new(),
        }
    }
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Network { copies, window, delay, at_most } = &self.network;
        write!(f, "udp(copies = {copies:?}, window = {window}")?;
        if *delay {
            write!(f, ", delay")?;
        }
        write!(f, ")")?;
        if let Some(at_most) = at_most {
            write!(f, ", at_most = {at_most}")?;
        }
        writeln!(f)?;
        for (index, process) in self.processes.iter().enumerate() {
            let kind = if process.daemon { "daemon" } else { "process" };
            writeln!(f, "{kind} {} ({} registers)", name(index), process.registers)?;
            for (index, task) in process.tasks.iter().enumerate() {
                writeln!(f, "  task {index}")?;
                block(f, task, 2)?;
            }
        }
        Ok(())
    }
}

fn block(f: &mut fmt::Formatter<'_>, instructions: &[Instruction], depth: usize) -> fmt::Result {
    let margin = "  ".repeat(depth);
    for instruction in instructions {
        match instruction {
            Instruction::Bind { socket, port } => writeln!(f, "{margin}s{socket} = bind {port}")?,
            Instruction::Send { socket, to, port, value } => {
                writeln!(f, "{margin}s{socket}.send {value} to {}:{port}", name(*to))?;
            }
            Instruction::Recv { socket, into } => writeln!(f, "{margin}r{into} = s{socket}.recv")?,
            Instruction::RecvTimeout { socket, ms, into } => {
                writeln!(f, "{margin}r{into} = timeout {ms} ms s{socket}.recv")?;
            }
            Instruction::Select { sockets: [first, second], into } => {
                writeln!(f, "{margin}r{into} = select s{first}.recv or s{second}.recv")?;
            }
            Instruction::Sleep { ms } => writeln!(f, "{margin}sleep {ms} ms")?,
            Instruction::Choose { among, into } => writeln!(f, "{margin}r{into} = choose 0..{among}")?,
            Instruction::Set { register, value } => writeln!(f, "{margin}r{register} = {value}")?,
            Instruction::Add { register, value } => writeln!(f, "{margin}r{register} += {value}")?,
            Instruction::If { register, equals, then, otherwise } => {
                writeln!(f, "{margin}if r{register} == {equals}")?;
                block(f, then, depth + 1)?;
                if !otherwise.is_empty() {
                    writeln!(f, "{margin}else")?;
                    block(f, otherwise, depth + 1)?;
                }
            }
            Instruction::Repeat { times, body } => {
                writeln!(f, "{margin}repeat {times}")?;
                block(f, body, depth + 1)?;
            }
            Instruction::Spawn { task } => writeln!(f, "{margin}spawn task {task}")?,
            Instruction::Join { task } => writeln!(f, "{margin}join task {task}")?,
            Instruction::JoinTimeout { task, ms, into } => {
                writeln!(f, "{margin}timeout {ms} ms join task {task}, else r{into} = {ELAPSED}")?;
            }
            Instruction::Abort { task } => writeln!(f, "{margin}abort task {task}")?,
            Instruction::Locked { body } => {
                writeln!(f, "{margin}locked")?;
                block(f, body, depth + 1)?;
            }
            Instruction::Yield => writeln!(f, "{margin}yield")?,
            Instruction::AssertNot { register, value } => writeln!(f, "{margin}assert r{register} != {value}")?,
            Instruction::End => writeln!(f, "{margin}end")?,
        }
    }
    Ok(())
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Constant(constant) => write!(f, "{constant}"),
            Value::Register(register) => write!(f, "r{register}"),
        }
    }
}
