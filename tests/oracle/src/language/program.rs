//! Small networked systems as data: what the naive explorer interprets and what the engine runs as async code.
//!
//! The language says nothing about how it is executed; both sides read it on their own.
//!
//! - Registers are memory that all tasks of one process share.
//! - A bind of a port that another socket of the process has leaves the socket unbound.
//! - A socket that is not (yet) bound, a task that is spawned already and a handle that is already taken turn
//!   the instruction that needs them into nothing: it neither waits nor fails.
//! - So do a listener or stream that is not open, one to be opened that is open already or about to be, and a
//!   stream that another task is reading from (for reads) or writing to (for writes and shutdown).
//! - What happens on listeners and streams is also written to the log of the process, if it has one.
//! - An endless loop that never waits is not a program: the naive explorer discards it.
//! - The first task of a process is its root: when it ends, the process ends with its registers and its log as output.

use std::collections::BTreeSet;
use std::fmt;
use std::io::ErrorKind;

use crate::disk;
use crate::language::everyday::Everyday;
use crate::language::files::{Failing, FileCall};

/// The value that is written when the time is up.
pub const ELAPSED: u8 = 255;
/// The value that a read writes at the end of the stream.
pub const END: u8 = 254;
/// The value that an operation on a listener or stream writes if it fails, and that a call which does not wait writes if
/// nothing is there.
pub const FAILED: u8 = 253;

/// All times are multiples of it, in milliseconds, and so time passes in such units.
pub const TICK_MS: u32 = 10;

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
    /// packets take time: any, or as `delays` says
    pub delay: bool,
    /// with `delay`: each copy takes one of these times, in any order; in an interval without an end it may also never
    /// arrive
    pub delays: Option<Delays>,
    /// with `delays`: what this process sends takes one of these instead; an interval of 0 is declared as no time
    pub slow: Option<(usize, Delays)>,
    /// faults in one execution
    pub at_most: Option<usize>,
    /// what happens later is not looked at
    pub duration_ms: Option<u32>,
    pub tcp: Option<Tcp>,
    pub crash: Option<Crash>,
    pub partition: Option<Partition>,
    pub failing_files: Failing,
    /// who accepts does not look who has connected
    pub anonymous: bool,
    /// a monitor watches: each value that a `Set` or an `Add` writes is emitted
    pub watched: bool,
}

impl Network {
    /// Whether packets take time.
    pub fn takes_time(&self) -> bool {
        self.delay || self.tcp.as_ref().is_some_and(|tcp| tcp.delay.is_some())
    }

    /// Whether packets take times of lists, so that each instant is a number.
    pub fn has_numbers(&self) -> bool {
        let is_list = |delays: &Delays| matches!(delays, Delays::Listed(_));
        let slow = self.slow.as_ref().map(|(_, delays)| delays);
        self.tcp.is_none() && self.delays.is_some() && self.delays.iter().chain(slow).all(is_list)
    }

    /// The times that the datagrams of a process take, if they do not take any.
    pub fn delays_of(&self, sender: usize) -> Option<&Delays> {
        let own = self.slow.as_ref().filter(|(slow, _)| *slow == sender).map(|(_, delays)| delays);
        self.delays.as_ref().map(|delays| own.unwrap_or(delays))
    }
}

/// The declared behaviours of connections.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tcp {
    pub failures: Vec<Failure>,
    /// a failed operation on a connection leaves it as it was
    pub transient: bool,
    pub split: bool,
    /// each segment of a connection takes time
    pub delay: Option<Delays>,
    /// bytes that a half-stream holds
    pub buffer: Option<usize>,
    /// after how long hosts give up what is not acknowledged
    pub retries_ms: Option<u32>,
    /// only operations of these processes fail; all, if empty
    pub processes: Vec<usize>,
    pub side: Option<Side>,
    /// only so many executions of each operation fail
    pub first: Option<usize>,
}

/// The declared crashes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Crash {
    /// all, if empty
    pub processes: Vec<usize>,
    /// how often each may crash
    pub times: usize,
    /// a process may also never come back
    pub stays_down: bool,
    /// where packets take time, how long it is down, in units of `TICK_MS`; any time otherwise
    pub down: Option<(u32, Option<u32>)>,
    /// its host loses its power, and nobody is told
    pub power: bool,
    /// with `power`: what is left of files
    pub left: disk::Policy,
}

/// The declared cuts of the network.
#[derive(Debug, Clone, PartialEq)]
pub struct Partition {
    pub links: Links,
    pub one_way: bool,
    pub for_ever: bool,
    /// how many there may be
    pub times: usize,
}

/// Which links are cut together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// between a process and all others
    Isolate(usize),
    /// between two processes
    Between(usize, usize),
    /// between two halves of the processes, however they are chosen
    Halves,
    /// between some processes and the others
    Any,
}

/// How long datagrams or segments take, in units of `TICK_MS`.
#[derive(Debug, Clone, PartialEq)]
pub enum Delays {
    /// between these; without the second one, as long as they like
    Interval(u32, Option<u32>),
    /// one of these
    Listed(Vec<u32>),
}

impl fmt::Display for Delays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Delays::Interval(least, None) => write!(f, "delay = {least}.."),
            Delays::Interval(least, Some(most)) => write!(f, "delay = {least}..={most}"),
            Delays::Listed(listed) => write!(f, "delay = {listed:?}"),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    Open,
    Close,
    Read,
    Write,
    Reset,
    Hang,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Client,
    Server,
}

impl Network {
    /// Nothing is declared.
    pub fn reliable() -> Self {
        Network {
            copies: vec![1],
            window: 1,
            delay: false,
            delays: None,
            slow: None,
            at_most: None,
            duration_ms: None,
            tcp: None,
            crash: None,
            partition: None,
            failing_files: Failing::default(),
            anonymous: false,
            watched: false,
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Process {
    /// may wait for ever
    pub daemon: bool,
    pub registers: usize,
    pub sockets: usize,
    pub listeners: usize,
    pub streams: usize,
    /// the first one is the root
    pub tasks: Vec<Vec<Instruction>>,
    /// tasks with a memory of their own: no other task uses their registers and sockets, which are no output of the process
    pub isolated: Vec<usize>,
    /// what happens on its listeners and streams goes to registers only: a log would grow in each round of an endless loop
    pub without_log: bool,
    /// the files that there are at the start, by name
    pub files: Vec<(String, Vec<u8>)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    /// to whom the last datagram came from; nothing if none came
    Reply {
        socket: usize,
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
    /// cannot wait; writes `FAILED` when there is nothing
    TryReceive {
        socket: usize,
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
    /// goes round until the register holds this value
    Until {
        register: usize,
        equals: u8,
        body: Vec<Instruction>,
    },
    /// goes round until the task ends
    Forever {
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
    /// without a backlog as `TcpListener::bind`, with one as `TcpSocket::listen`
    Listen {
        listener: usize,
        port: u16,
        backlog: Option<usize>,
        into: usize,
    },
    Accept {
        listener: usize,
        stream: usize,
        limit_ms: Option<u16>,
        into: usize,
    },
    /// waits on two listeners at once, in a `select!`
    SelectAccept {
        listeners: [usize; 2],
        stream: usize,
        into: usize,
    },
    Connect {
        stream: usize,
        to: usize,
        port: u16,
        limit_ms: Option<u16>,
        into: usize,
    },
    /// writes a number of bytes once: `value` and those that follow it
    Write {
        stream: usize,
        value: Value,
        length: usize,
        limit_ms: Option<u16>,
        into: usize,
    },
    /// the first byte goes to the register
    Read {
        stream: usize,
        bytes_max: usize,
        limit_ms: Option<u16>,
        into: usize,
    },
    /// reads from two streams at once, in a `select!`
    SelectRead {
        streams: [usize; 2],
        bytes_max: usize,
        into: usize,
    },
    /// cannot wait
    TryRead {
        stream: usize,
        bytes_max: usize,
        into: usize,
    },
    /// cannot wait
    TryWrite {
        stream: usize,
        value: Value,
        length: usize,
        into: usize,
    },
    Shutdown {
        stream: usize,
        into: usize,
    },
    /// from now on, dropping it resets the connection
    ZeroLinger {
        stream: usize,
    },
    /// an operation of another task on it keeps it open meanwhile
    DropStream {
        stream: usize,
    },
    DropListener {
        listener: usize,
    },
    Yield,
    File(FileCall),
    Everyday(Everyday),
    /// panics if the register holds this value
    AssertNot {
        register: usize,
        value: u8,
    },
    /// ends the task
    End,
}

/// How an operation on a listener or stream ended.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Event {
    Listening,
    Connected,
    Accepted {
        from: usize,
    },
    /// by one of several listeners
    AcceptedBy {
        listener: usize,
        from: usize,
    },
    Wrote(usize),
    Read(Vec<u8>),
    /// a read at the end of the stream
    End,
    ShutDown,
    Failed(ErrorKind),
    Elapsed,
}

impl Event {
    /// The value for the register of the operation.
    pub fn code(&self) -> u8 {
        match self {
            Event::Listening | Event::Connected | Event::ShutDown => 0,
            Event::Accepted { from } => *from as u8,
            Event::AcceptedBy { listener, from } => (10 * listener + from) as u8,
            Event::Wrote(length) => *length as u8,
            Event::Read(bytes) => bytes[0],
            Event::End => END,
            Event::Failed(_) => FAILED,
            Event::Elapsed => ELAPSED,
        }
    }
}

/// The output of a process.
pub struct Output {
    pub registers: Vec<u8>,
    pub log: Vec<Event>,
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.registers)?;
        if !self.log.is_empty() {
            write!(f, " {:?}", self.log)?;
        }
        Ok(())
    }
}

/// The bytes that a `Write` offers to the stream.
pub fn payload(first: u8, length: usize) -> Vec<u8> {
    (0..length as u8).map(|position| first.wrapping_add(position)).collect()
}

/// The name under which a process is registered and resolved.
pub fn name(process: usize) -> String {
    format!("p{process}")
}

/// The message of a failing `AssertNot`.
pub fn panic_message(register: usize, value: u8) -> String {
    format!("generated assertion: r{register} is {value}")
}

impl Instruction {
    /// The blocks inside this instruction.
    pub fn blocks(&self) -> Vec<&Vec<Instruction>> {
        match self {
            Instruction::If { then, otherwise, .. } => vec![then, otherwise],
            Instruction::Repeat { body, .. }
            | Instruction::Until { body, .. }
            | Instruction::Forever { body }
            | Instruction::Locked { body } => vec![body],
            _ => Vec::new(),
        }
    }
}

/// The registers that an instruction of an isolated task uses.
fn registers(instruction: &Instruction) -> Vec<usize> {
    let of_value = |value: Value| match value {
        Value::Register(register) => Some(register),
        Value::Constant(_) => None,
    };
    match *instruction {
        Instruction::Send { value, .. } | Instruction::Reply { value, .. } => of_value(value).into_iter().collect(),
        Instruction::Recv { into, .. }
        | Instruction::RecvTimeout { into, .. }
        | Instruction::TryReceive { into, .. }
        | Instruction::Select { into, .. }
        | Instruction::Choose { into, .. } => vec![into],
        Instruction::Set { register, value } | Instruction::Add { register, value } => {
            of_value(value).into_iter().chain([register]).collect()
        }
        Instruction::If { register, .. }
        | Instruction::Until { register, .. }
        | Instruction::AssertNot { register, .. } => vec![register],
        _ => Vec::new(),
    }
}

/// Changes each instruction of a block, then those in it.
pub fn change(block: &mut [Instruction], to: &mut impl FnMut(&mut Instruction)) {
    for instruction in block {
        to(instruction);
        match instruction {
            Instruction::If { then, otherwise, .. } => {
                change(then, to);
                change(otherwise, to);
            }
            Instruction::Repeat { body, .. }
            | Instruction::Until { body, .. }
            | Instruction::Forever { body }
            | Instruction::Locked { body } => change(body, to),
            _ => {}
        }
    }
}

impl Process {
    /// The registers that isolated tasks use.
    pub fn isolated_registers(&self) -> BTreeSet<usize> {
        let mut used = BTreeSet::new();
        for &task in &self.isolated {
            change(&mut self.tasks[task].clone(), &mut |instruction| used.extend(registers(instruction)));
        }
        used
    }

    /// Whether some task of it drops a socket.
    pub fn drops_sockets(&self) -> bool {
        fn drops(block: &[Instruction]) -> bool {
            block.iter().any(|instruction| {
                matches!(instruction, Instruction::Everyday(Everyday::DropSocket { .. }))
                    || instruction.blocks().into_iter().any(|block| drops(block))
            })
        }
        self.tasks.iter().any(|task| drops(task))
    }
}

impl System {
    /// Whether segments of connections take time.
    pub fn takes_time(&self) -> bool {
        self.network.tcp.as_ref().is_some_and(|tcp| tcp.delay.is_some())
    }

    /// Whether some process uses files.
    pub fn has_files(&self) -> bool {
        fn uses(block: &[Instruction]) -> bool {
            block.iter().any(|instruction| {
                matches!(instruction, Instruction::File(_)) || instruction.blocks().into_iter().any(|block| uses(block))
            })
        }
        self.processes.iter().any(|process| !process.files.is_empty() || process.tasks.iter().any(|task| uses(task)))
    }

    /// Whether some process has a loop of which no number of rounds is known.
    pub fn has_loops(&self) -> bool {
        fn has_loops(block: &[Instruction]) -> bool {
            block.iter().any(|instruction| {
                matches!(instruction, Instruction::Until { .. } | Instruction::Forever { .. })
                    || instruction.blocks().into_iter().any(|block| has_loops(block))
            })
        }
        self.processes.iter().flat_map(|process| &process.tasks).any(|task| has_loops(task))
    }
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Network {
            copies,
            window,
            delay,
            delays,
            slow,
            at_most,
            duration_ms,
            tcp,
            crash,
            partition,
            failing_files,
            anonymous,
            watched: _,
        } = &self.network;
        write!(f, "udp(copies = {copies:?}, window = {window}")?;
        if *delay {
            match delays {
                None => write!(f, ", delay")?,
                Some(delays) => write!(f, ", {delays}")?,
            }
            if let Some((sender, delays)) = slow {
                write!(f, ", from {} {delays}", name(*sender))?;
            }
        }
        write!(f, ")")?;
        if let Some(tcp) = tcp {
            write!(f, ", {tcp}")?;
        }
        if let Some(Crash { processes, times, stays_down, down, power, left }) = crash {
            let cause = if *power { "power" } else { "kill" };
            let stays_down = if *stays_down { ", stays_down" } else { "" };
            let down = down.map(|down| format!(", down = {down:?}")).unwrap_or_default();
            write!(f, ", crash({cause}, {processes:?}, times = {times}{stays_down}{down})")?;
            if *left != disk::Policy::default() {
                write!(f, ", {left:?}")?;
            }
        }
        if let Some(Partition { links, one_way, for_ever, times }) = partition {
            write!(f, ", partition({links:?}, one_way = {one_way}, for_ever = {for_ever}, times = {times})")?;
        }
        if failing_files.any() {
            write!(f, ", {failing_files:?}")?;
        }
        if let Some(at_most) = at_most {
            write!(f, ", at_most = {at_most}")?;
        }
        if let Some(duration_ms) = duration_ms {
            write!(f, ", duration = {duration_ms}ms")?;
        }
        if *anonymous {
            write!(f, ", anonymous")?;
        }
        writeln!(f)?;
        for (index, process) in self.processes.iter().enumerate() {
            let kind = if process.daemon { "daemon" } else { "process" };
            let log = if process.without_log { ", no log" } else { "" };
            writeln!(f, "{kind} {} ({} registers{log})", name(index), process.registers)?;
            for (name, bytes) in &process.files {
                writeln!(f, "  file {name}: {bytes:?}")?;
            }
            for (index, task) in process.tasks.iter().enumerate() {
                let kind = if process.isolated.contains(&index) { "isolated task" } else { "task" };
                writeln!(f, "  {kind} {index}")?;
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
            Instruction::Reply { socket, value } => writeln!(f, "{margin}s{socket}.reply {value}")?,
            Instruction::Recv { socket, into } => writeln!(f, "{margin}r{into} = s{socket}.recv")?,
            Instruction::RecvTimeout { socket, ms, into } => {
                writeln!(f, "{margin}r{into} = timeout {ms} ms s{socket}.recv")?;
            }
            Instruction::TryReceive { socket, into } => writeln!(f, "{margin}r{into} = s{socket}.try_recv")?,
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
            Instruction::Until { register, equals, body } => {
                writeln!(f, "{margin}until r{register} == {equals}")?;
                block(f, body, depth + 1)?;
            }
            Instruction::Forever { body } => {
                writeln!(f, "{margin}forever")?;
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
            Instruction::Listen { listener, port, backlog, into } => {
                let backlog = backlog.map(|backlog| format!(", backlog {backlog}")).unwrap_or_default();
                writeln!(f, "{margin}r{into} = l{listener}.listen {port}{backlog}")?;
            }
            Instruction::Accept { listener, stream, limit_ms, into } => {
                writeln!(f, "{margin}r{into} = {}t{stream} = l{listener}.accept", limit(*limit_ms))?;
            }
            Instruction::SelectAccept { listeners: [first, second], stream, into } => {
                writeln!(f, "{margin}r{into} = t{stream} = select l{first}.accept or l{second}.accept")?;
            }
            Instruction::Connect { stream, to, port, limit_ms, into } => {
                writeln!(f, "{margin}r{into} = {}t{stream}.connect {}:{port}", limit(*limit_ms), name(*to))?;
            }
            Instruction::Write { stream, value, length, limit_ms, into } => {
                writeln!(f, "{margin}r{into} = {}t{stream}.write {value}.. ({length} bytes)", limit(*limit_ms))?;
            }
            Instruction::Read { stream, bytes_max, limit_ms, into } => {
                writeln!(f, "{margin}r{into} = {}t{stream}.read (at most {bytes_max})", limit(*limit_ms))?;
            }
            Instruction::SelectRead { streams: [first, second], bytes_max, into } => {
                writeln!(f, "{margin}r{into} = select t{first}.read or t{second}.read (at most {bytes_max})")?;
            }
            Instruction::TryRead { stream, bytes_max, into } => {
                writeln!(f, "{margin}r{into} = t{stream}.try_read (at most {bytes_max})")?;
            }
            Instruction::TryWrite { stream, value, length, into } => {
                writeln!(f, "{margin}r{into} = t{stream}.try_write {value}.. ({length} bytes)")?;
            }
            Instruction::Shutdown { stream, into } => writeln!(f, "{margin}r{into} = t{stream}.shutdown")?,
            Instruction::ZeroLinger { stream } => writeln!(f, "{margin}t{stream}.set_zero_linger")?,
            Instruction::DropStream { stream } => writeln!(f, "{margin}drop t{stream}")?,
            Instruction::DropListener { listener } => writeln!(f, "{margin}drop l{listener}")?,
            Instruction::Yield => writeln!(f, "{margin}yield")?,
            Instruction::File(call) => writeln!(f, "{margin}{call}")?,
            Instruction::Everyday(word) => writeln!(f, "{margin}{word}")?,
            Instruction::AssertNot { register, value } => writeln!(f, "{margin}assert r{register} != {value}")?,
            Instruction::End => writeln!(f, "{margin}end")?,
        }
    }
    Ok(())
}

fn limit(limit_ms: Option<u16>) -> String {
    limit_ms.map(|ms| format!("timeout {ms} ms ")).unwrap_or_default()
}

impl fmt::Display for Tcp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words: Vec<String> =
            self.failures.iter().map(|failure| format!("{failure:?}").to_lowercase()).collect();
        if self.split {
            words.push("split".to_owned());
        }
        words.extend(self.delay.as_ref().map(ToString::to_string));
        words.extend(self.buffer.map(|bytes| format!("buffer = {bytes}")));
        words.extend(self.retries_ms.map(|ms| format!("retries = {ms}ms")));
        words.extend(self.processes.iter().map(|process| format!("process = {:?}", name(*process))));
        words.extend(self.side.map(|side| format!("side = {}", format!("{side:?}").to_lowercase())));
        words.extend(self.first.map(|executions| format!("first = {executions}")));
        write!(f, "tcp({})", words.join(", "))
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Constant(constant) => write!(f, "{constant}"),
            Value::Register(register) => write!(f, "r{register}"),
        }
    }
}
