//! Small systems of processes with isolated and ordinary tasks, as data: what the naive explorer interprets, and what
//! the engine and tokio run as async code.
//!
//! The language says nothing about how it is executed; both sides read it on their own.
//!
//! - A process has routines. The first is its root; the others are run by tasks that are spawned, each any number of
//!   times.
//! - Every task has registers, sockets, handles and one `JoinSet` of its own. Tasks share no memory: an argument is
//!   what the first register begins with, and the output is one register's value.
//! - A socket that is not bound, a handle that is not there, a `JoinSet` with nothing in it turn the instruction that
//!   needs them into nothing: it neither waits nor fails.
//! - When a task ends, is aborted, or is dropped with its process, its sockets are closed, its handles dropped and the
//!   tasks of its `JoinSet` aborted.
//! - A process ends with all registers of its root as its output.

use std::fmt;
use std::sync::Arc;

/// The value that is written when a `Timeout`, or the sleeping branch of a `Select`, is over.
pub const ELAPSED: u8 = 255;
/// The value that a joiner writes if the task was aborted.
pub const CANCELLED: u8 = 254;
/// The value that `JoinNext` writes if there is no task in the `JoinSet`.
pub const EMPTY: u8 = 253;

/// The number of registers of each task.
pub const REGISTERS: usize = 4;
/// The number of handles that a task has a place for.
pub const HANDLES: usize = 3;
/// The number of sockets that a task has a place for.
pub const SOCKETS: usize = 2;

/// Processes and the network between them.
#[derive(Debug, Clone, PartialEq)]
pub struct System {
    pub processes: Vec<Process>,
    pub network: Network,
}

/// The declared behaviours of the network, on the side of the sender.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// the multiplication choices M
    pub copies: Vec<usize>,
    /// the capacity c
    pub window: usize,
    /// faults in one execution
    pub at_most: Option<usize>,
}

impl Network {
    /// Nothing is declared.
    pub fn reliable() -> Self {
        Network { copies: vec![1], window: 1, at_most: None }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Process {
    /// may wait for ever
    pub daemon: bool,
    /// the first one is the root
    pub routines: Vec<Vec<Instruction>>,
}

/// A system that arguments of isolated tasks can hold.
#[derive(Debug, Clone)]
pub struct Shared(pub Arc<System>);

/// It is data that nobody changes.
impl netcheck::Isolated for Shared {}

/// The multiplication choices and the capacity of the regions that a program can be in.
pub const REGIONS: [(&[usize], usize); 6] =
    [(&[1], 1), (&[1, 0], 1), (&[1, 2], 2), (&[2], 1), (&[1], 2), (&[0, 1, 2], 3)];

/// The registers that a task returns, or a process ends with.
pub type Registers = [u8; REGISTERS];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    Constant(u8),
    Register(usize),
}

/// Which routine a task runs, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task {
    pub routine: usize,
    /// a `#[netcheck::process]` function, and not a plain future
    pub isolated: bool,
    pub argument: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Instruction {
    Sleep {
        ms: u16,
    },
    /// `sleep_until(Instant::now() + …)`
    SleepUntil {
        ms: u16,
    },
    /// an `interval`: a tick before each time that the body is run
    Every {
        ms: u16,
        times: usize,
        body: Vec<Instruction>,
    },
    /// writes `ELAPSED` if the body did not end in time
    Timeout {
        ms: u16,
        into: usize,
        body: Vec<Instruction>,
    },
    /// a `faults::scope`
    Scope {
        body: Vec<Instruction>,
    },
    /// a `faults::with` with the choices of `REGIONS` that have this number
    With {
        region: usize,
        body: Vec<Instruction>,
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
    /// panics if the register holds this value
    AssertNot {
        register: usize,
        value: u8,
        line: usize,
    },
    /// ends the task with this output; without it, the output is the first register
    Return {
        value: Value,
    },
    Yield,
    /// waits for ever
    Pending,
    /// a handle that is in this place is dropped
    Spawn {
        task: Task,
        handle: usize,
    },
    /// writes the output, or `CANCELLED`; the place of the handle is empty then. `keeps`: a `Timeout` around it leaves
    /// the handle where it is, and does not drop it.
    Await {
        handle: usize,
        into: usize,
        keeps: bool,
    },
    /// a `select!` of two handles, and a sleep; writes which one has ended first and its output. The place of that
    /// handle is empty then. With one handle only, that one is awaited; with none, it does nothing.
    Select {
        handles: [usize; 2],
        limit_ms: Option<u16>,
        which: usize,
        into: usize,
    },
    Abort {
        handle: usize,
    },
    /// writes 0 or 1
    IsFinished {
        handle: usize,
        into: usize,
    },
    /// drops the handle
    Detach {
        handle: usize,
    },
    /// into the `JoinSet`, which is made if there is none
    SetSpawn {
        task: Task,
    },
    /// writes the output, `CANCELLED` or `EMPTY`
    JoinNext {
        into: usize,
    },
    AbortAll,
    DropSet,
    /// without a port, an ephemeral one. A socket that is in this place is dropped before; if the port is taken, the
    /// place stays empty.
    Bind {
        socket: usize,
        port: Option<u16>,
    },
    Connect {
        socket: usize,
        to: usize,
        port: u16,
    },
    /// one datagram of one byte
    Send {
        socket: usize,
        to: usize,
        port: u16,
        value: Value,
    },
    /// to whom the last datagram came from; nothing if none came
    Reply {
        socket: usize,
        value: Value,
    },
    Recv {
        socket: usize,
        into: usize,
    },
    Close {
        socket: usize,
    },
}

impl Instruction {
    /// The blocks in it.
    pub fn blocks(&self) -> Vec<&Vec<Instruction>> {
        match self {
            Instruction::Every { body, .. }
            | Instruction::Timeout { body, .. }
            | Instruction::Scope { body }
            | Instruction::With { body, .. } => vec![body],
            Instruction::If { then, otherwise, .. } => vec![then, otherwise],
            _ => Vec::new(),
        }
    }

    /// The blocks in it, to be changed.
    pub fn blocks_mut(&mut self) -> Vec<&mut Vec<Instruction>> {
        match self {
            Instruction::Every { body, .. }
            | Instruction::Timeout { body, .. }
            | Instruction::Scope { body }
            | Instruction::With { body, .. } => vec![body],
            Instruction::If { then, otherwise, .. } => vec![then, otherwise],
            _ => Vec::new(),
        }
    }

    /// Whether this holds for the instruction, or for one in it.
    pub fn any(&self, holds: &dyn Fn(&Instruction) -> bool) -> bool {
        holds(self) || self.blocks().into_iter().flatten().any(|inner| inner.any(holds))
    }
}

impl System {
    /// Whether this holds for some instruction.
    pub fn any(&self, holds: impl Fn(&Instruction) -> bool) -> bool {
        let routines = self.processes.iter().flat_map(|process| &process.routines);
        routines.flatten().any(|instruction| instruction.any(&holds))
    }
}

/// The name under which a process is registered and resolved.
pub fn name(process: usize) -> String {
    format!("p{process}")
}

/// The message of a failing `AssertNot`.
pub fn panic_message(process: usize, routine: usize, line: usize, value: u8) -> String {
    format!("routine {routine} of {} has {value} at line {line}.", name(process))
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Network { copies, window, at_most } = &self.network;
        writeln!(f, "network: copies {copies:?}, window {window}, at most {at_most:?}")?;
        for (index, process) in self.processes.iter().enumerate() {
            writeln!(f, "{}{}", name(index), if process.daemon { " (daemon)" } else { "" })?;
            for (routine, block) in process.routines.iter().enumerate() {
                writeln!(f, "  routine {routine}")?;
                write_block(f, block, 4)?;
            }
        }
        Ok(())
    }
}

fn write_block(f: &mut fmt::Formatter<'_>, block: &[Instruction], indent: usize) -> fmt::Result {
    for instruction in block {
        write!(f, "{:indent$}", "")?;
        match instruction {
            Instruction::Every { ms, times, body } => {
                writeln!(f, "Every {ms} ms, {times} times")?;
                write_block(f, body, indent + 2)?;
            }
            Instruction::Timeout { ms, into, body } => {
                writeln!(f, "Timeout {ms} ms into {into}")?;
                write_block(f, body, indent + 2)?;
            }
            Instruction::Scope { body } => {
                writeln!(f, "Scope")?;
                write_block(f, body, indent + 2)?;
            }
            Instruction::With { region, body } => {
                writeln!(f, "With {:?}", REGIONS[*region])?;
                write_block(f, body, indent + 2)?;
            }
            Instruction::If { register, equals, then, otherwise } => {
                writeln!(f, "If register {register} is {equals}")?;
                write_block(f, then, indent + 2)?;
                writeln!(f, "{:indent$}Else", "")?;
                write_block(f, otherwise, indent + 2)?;
            }
            simple => writeln!(f, "{simple:?}")?,
        }
    }
    Ok(())
}
