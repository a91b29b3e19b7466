//! The same systems as real async programs, checked by netcheck, and what its reports must say.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::future::Future;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use netcheck::Network;
use netcheck::check::{Checker, Direction, Identity, Report, Search, Tasks, Tcp, Udp, Verdict, ViolationKind};
use netcheck::net::UdpSocket;
use netcheck::task::JoinHandle;
use netcheck::tracked::std::sync::atomic::AtomicBool;

use crate::interpret::Shared;
use crate::naive::Findings;
use crate::program::{
    self, Delays, ELAPSED, Failure, Instruction, Output, Side, System, TICK_MS, Value, panic_message,
};
use crate::streams::Streams;

/// Whether two histories that lead to equal memory are one local state: half of the time.
pub fn remembers(system: &System) -> bool {
    system.to_string().len().is_multiple_of(2) || std::env::var("NETCHECK_AGREEMENT_IDENTITY").is_ok()
}

/// What a configuration of the engine says that the naive explorer does not, or the other way round.
pub fn disagreement(system: &System, findings: &Findings, seed: u64, subsumed: &mut u64) -> Option<String> {
    let system = Arc::new(system.clone());
    for (index, order) in orders(seed).into_iter().enumerate() {
        let subsumption = has_subsumption(&system, seed, index);
        let configurations = [(true, false), (false, false), (true, true), (false, true)];
        for (reduction, subsumption) in configurations.into_iter().filter(|&(_, subsumes)| subsumption || !subsumes) {
            let run = || compare(&system, findings, (order, reduction, subsumption), subsumed);
            if let Err(difference) = compared_by(run) {
                let reduction = if reduction { "on" } else { "off" };
                let subsumption = if subsumption { "on" } else { "off" };
                return Some(format!("{order:?}, reduction {reduction}, subsumption {subsumption}: {difference}"));
            }
        }
    }
    None
}

/// The same with tracked tasks, in each order, reduced and not; counts the moves that were left out.
pub fn disagreement_of_tracked(system: &System, findings: &Findings, seed: u64, pruned: &mut u64) -> Option<String> {
    let system = Arc::new(system.clone());
    for order in orders(seed) {
        for reduction in [true, false] {
            let checker = checker(&system, (order, reduction, false)).tasks(Tasks::Tracked);
            let run = || {
                let (report, ends) = check(&checker, &system);
                *pruned += report.pruned();
                compare_report(&report, &ends, findings)
            };
            if let Err(difference) = compared_by(run) {
                let reduction = if reduction { "on" } else { "off" };
                return Some(format!("tracked tasks, {order:?}, reduction {reduction}: {difference}"));
            }
        }
    }
    None
}

/// What a comparison says; a panic of the engine is a difference.
pub fn compared_by<T>(run: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(compared) => compared,
        Err(panic) => Err(format!("the engine panicked: {}", text_of(panic.as_ref()))),
    }
}

/// The order, the reduction and the subsumption.
pub type Configuration = (Order, bool, bool);

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Order {
    By(Search),
    /// By a score that means nothing.
    Best,
}

/// Breadth-first, and two others in turn: each system is checked three times, each order often enough.
pub fn orders(seed: u64) -> [Order; 3] {
    let others = match seed % 5 {
        0 => [Order::By(Search::Dfs), Order::By(Search::Random { seed: 7 })],
        1 => [Order::By(Search::Faults), Order::By(Search::Pct { seed, depth: 3 })],
        2 => [Order::Best, Order::By(Search::Joint)],
        3 => [
            Order::By(Search::NetworkStates { retransmissions: [None, Some(1), Some(2)][(seed / 5 % 3) as usize] }),
            Order::By(Search::Retransmissions { arrivals: 1 + (seed / 5 % 2) as usize }),
        ],
        _ => [Order::By(Search::Joint), Order::By(Search::Pct { seed, depth: 2 })],
    };
    [Order::By(Search::Bfs), others[0], others[1]]
}

/// Whether what adds nothing is left out in this one of the orders, too: it makes a difference only with loss. It is
/// looked at breadth-first, and in one of the others in turn.
pub fn has_subsumption(system: &System, seed: u64, index: usize) -> bool {
    system.network.copies.contains(&0) && index != 1 + (seed / 4 % 2) as usize
}

fn compare(
    system: &Arc<System>,
    findings: &Findings,
    configuration: Configuration,
    subsumed: &mut u64,
) -> Result<(), String> {
    let (report, ends) = check(&checker(system, configuration), system);
    *subsumed += report.subsumed();
    compare_report(&report, &ends, findings)
}

/// A finished check against the findings.
pub fn compare_report(report: &Report, ends: &BTreeSet<Ends>, findings: &Findings) -> Result<(), String> {
    let counterexample = report.counterexample().map(ToString::to_string).unwrap_or_default();
    let expected = if findings.panics.is_empty() && !findings.deadlock { Verdict::Verified } else { Verdict::Violated };
    if report.verdict() != expected {
        let limit = report.limit().unwrap_or_default();
        return Err(format!("{:?} instead of {expected:?} {limit}\n{counterexample}", report.verdict()));
    }
    if expected == Verdict::Violated {
        let is_known = match report.counterexample().map(|counterexample| counterexample.kind()) {
            Some(ViolationKind::Panic) => findings
                .panics
                .iter()
                .any(|(process, message)| counterexample.contains(process) && counterexample.contains(message)),
            Some(ViolationKind::Deadlock) => findings.deadlock,
            _ => false,
        };
        return if is_known { Ok(()) } else { Err(format!("the naive explorer does not find\n{counterexample}")) };
    }
    for (index, expected) in findings.outputs.iter().enumerate() {
        let name = program::name(index);
        let outputs: BTreeSet<String> = report.outputs(&name).iter().cloned().collect();
        if outputs != *expected {
            return Err(format!("{name} ends with {}", difference(&outputs, expected)));
        }
    }
    if *ends != findings.terminals {
        return Err(format!("the system ends with {}", difference(ends, &findings.terminals)));
    }
    Ok(())
}

/// What each process ended with.
pub type Ends = Vec<Option<String>>;

/// The report of one configuration, and all ends that `finally` was asked about.
pub fn check(checker: &Checker, system: &Arc<System>) -> (Report, BTreeSet<Ends>) {
    check_with(checker, system, |net, index| register_nth(net, system, index))
}

/// The process of this number.
pub fn register_nth(net: &mut Network, system: &Arc<System>, index: usize) {
    register_tracked(net, system, index, false);
}

/// The same, with tasks that share what is tracked or tokio's own.
pub fn register_tracked(net: &mut Network, system: &Arc<System>, index: usize, is_tracked: bool) {
    let system = Arc::clone(system);
    let is_daemon = system.processes[index].daemon;
    register(net, index, is_daemon, move || root(Arc::clone(&system), index, is_tracked));
}

/// States that a search by faults may visit.
const FEWEST_STATES_MAX: usize = 500_000;

/// What a search by faults found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fewest {
    /// A violation with as few faults as any.
    Found,
    /// That there is none.
    None,
    /// Nothing: there are too many states.
    TooLarge,
}

/// Whether a search by faults finds a violation; an error if it is not one with the fewest faults.
pub fn finds_the_fewest_faults(system: &System, at_most: usize, reduction: bool) -> Result<Fewest, String> {
    let limited = |at_most| {
        let mut system = system.clone();
        system.network.at_most = Some(at_most);
        Arc::new(system)
    };
    let configuration = |search| (Order::By(search), reduction, false);
    let checked = |at_most, search| {
        let system = limited(at_most);
        check(&checker(&system, configuration(search)).max_states(FEWEST_STATES_MAX), &system).0
    };
    let found = checked(at_most, Search::Faults);
    let violates = |at_most: &usize| checked(*at_most, Search::Bfs).verdict() == Verdict::Violated;
    let fewest = (0..=at_most).find(violates);
    let (Some(fewest), Some(counterexample)) = (fewest, found.counterexample()) else {
        if found.verdict() == Verdict::Inconclusive && found.states() >= FEWEST_STATES_MAX {
            return Ok(Fewest::TooLarge);
        }
        let agree = fewest.is_none() && found.verdict() == Verdict::Verified;
        return if agree { Ok(Fewest::None) } else { Err(format!("{fewest:?} faults at least, and {found}")) };
    };
    let system = limited(fewest);
    let again = checker(&system, configuration(Search::Faults)).replay(
        |net| {
            for index in 0..system.processes.len() {
                let is_daemon = system.processes[index].daemon;
                let system = Arc::clone(&system);
                register(net, index, is_daemon, move || root(Arc::clone(&system), index, false));
            }
        },
        counterexample,
    );
    match again {
        Ok(Some(_)) => Ok(Fewest::Found),
        other => Err(format!("{fewest} faults are enough, but not for\n{counterexample}\n{other:?}")),
    }
}

pub fn checker(system: &System, configuration: Configuration) -> Checker {
    let (order, reduction, subsumption) = configuration;
    let mut udp = Udp::new().copies(system.network.copies.iter().copied()).direction(Direction::Send);
    let ticks = |ticks: u32| Duration::from_millis(u64::from(ticks * TICK_MS));
    udp = match (system.network.delay, system.network.interval) {
        (false, _) => udp.window(system.network.window),
        (true, None) => udp.window(system.network.window).delay(..),
        (true, Some((least, None))) => udp.delay(ticks(least)..),
        (true, Some((least, Some(most)))) => udp.delay(ticks(least)..=ticks(most)),
    };
    let slow = system.network.slow.map(|(sender, interval)| {
        let own = Udp::new().copies(system.network.copies.iter().copied()).direction(Direction::Send);
        let own = own.process(program::name(sender));
        match interval {
            (0, Some(0)) => own,
            (least, None) => own.delay(ticks(least)..),
            (least, Some(most)) => own.delay(ticks(least)..=ticks(most)),
        }
    });
    // What many threads find is what one finds: two, half of the time.
    let threads = 1 + system.processes.len() % 2;
    let checker = match slow {
        Some(slow) => Checker::new().udp(slow).also_udp(udp),
        None => Checker::new().udp(udp),
    };
    let checker = checker.reduction(reduction).subsumption(subsumption).threads(threads);
    let checker = checker.identity(if remembers(system) { Identity::Memory } else { Identity::History });
    // These programs do next to nothing in a poll: one that lasts so long spins.
    let checker = checker.max_poll_duration(Duration::from_secs(5));
    let mut checker = match order {
        Order::By(search) => checker.search(search),
        Order::Best => checker.best_first(|state| {
            let blocked = state.has_ended(&program::name(0)) || state.is_blocked(&program::name(0));
            (state.depth() % 5 + 3 * state.in_flight()) as i64 - 2 * i64::from(blocked) - state.faults() as i64
        }),
    };
    if let Some(tcp) = &system.network.tcp {
        checker = checker.tcp(declared(tcp));
    }
    if let Some(at_most) = system.network.at_most {
        checker = checker.at_most(at_most);
    }
    checker
}

/// A process, or one that may wait for ever.
pub fn register<F>(net: &mut Network, index: usize, is_daemon: bool, factory: impl Fn() -> F + Send + Sync + 'static)
where
    F: Future<Output: std::fmt::Debug> + 'static,
{
    let name = program::name(index);
    if is_daemon {
        net.daemon(name, factory)
    } else {
        net.process(name, factory)
    };
}

/// Checks the processes that `register` registers, and asks `finally` about all ends.
pub fn check_with(
    checker: &Checker,
    system: &System,
    mut register: impl FnMut(&mut Network, usize),
) -> (Report, BTreeSet<Ends>) {
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let processes = system.processes.len();
    let report = checker.check(|net| {
        (0..processes).for_each(|index| register(net, index));
        let seen = Arc::clone(&seen);
        net.finally(move |end| {
            let ends = (0..processes).map(|index| end.output(&program::name(index)).map(str::to_owned));
            seen.lock().expect("no one panics with it").insert(ends.collect());
        });
    });
    let ends = seen.lock().expect("no one panics with it").clone();
    (report, ends)
}

fn declared(tcp: &program::Tcp) -> Tcp {
    let mut declared = Tcp::new();
    for failure in &tcp.failures {
        declared = match failure {
            Failure::Open => declared.fail_open(),
            Failure::Close => declared.fail_close(),
            Failure::Read => declared.fail_read(),
            Failure::Write => declared.fail_write(),
            Failure::Reset => declared.reset(),
            Failure::Hang => declared.hang(),
        };
    }
    if tcp.split {
        declared = declared.split();
    }
    let ticks = |ticks: u32| Duration::from_millis(u64::from(ticks * TICK_MS));
    declared = match &tcp.delay {
        None => declared,
        Some(Delays::Interval(least, None)) => declared.delay(ticks(*least)..),
        Some(Delays::Interval(least, Some(most))) => declared.delay(ticks(*least)..=ticks(*most)),
        Some(Delays::Listed(listed)) => declared.delays(listed.iter().copied().map(ticks)),
    };
    if let Some(bytes) = tcp.buffer {
        declared = declared.buffer(bytes);
    }
    for process in &tcp.processes {
        declared = declared.process(program::name(*process));
    }
    declared = match tcp.side {
        None => declared,
        Some(Side::Client) => declared.side(netcheck::check::Side::Client),
        Some(Side::Server) => declared.side(netcheck::check::Side::Server),
    };
    match tcp.first {
        None => declared,
        Some(executions) => declared.first(executions),
    }
}

fn difference<T: Ord + std::fmt::Debug>(engine: &BTreeSet<T>, naive: &BTreeSet<T>) -> String {
    let missing: Vec<&T> = naive.difference(engine).collect();
    let extra: Vec<&T> = engine.difference(naive).collect();
    format!("{engine:?}; missing: {missing:?}; extra: {extra:?}")
}

pub fn text_of(panic: &(dyn std::any::Any + Send)) -> &str {
    let string = panic.downcast_ref::<String>().map(String::as_str);
    string.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("something that is no text")
}

/// What a program tells monitors.
#[derive(Clone, Copy, Debug, netcheck::Isolated)]
pub struct Told(pub u8);

/// What the tasks of one process share.
pub struct Memory {
    system: Arc<System>,
    process: usize,
    registers: RefCell<Vec<u8>>,
    sockets: RefCell<Vec<Slot>>,
    /// by socket, where the last datagram came from
    heard: RefCell<Vec<Option<SocketAddr>>>,
    tasks: RefCell<Vec<Task>>,
    drops_sockets: bool,
    streams: Streams,
    pub shared: Shared,
    mutex: netcheck::tracked::sync::Mutex<()>,
    uses: Uses,
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

enum Task {
    Unspawned,
    Spawned(JoinHandle<()>),
    /// the handle is taken
    Joined,
}

async fn root(system: Arc<System>, process: usize, is_tracked: bool) -> Output {
    let definition = &system.processes[process];
    let memory = Rc::new(Memory {
        registers: RefCell::new(vec![0; definition.registers]),
        sockets: RefCell::new(vec![Slot::Unbound; definition.sockets]),
        heard: RefCell::new(vec![None; definition.sockets]),
        tasks: RefCell::new(definition.tasks.iter().map(|_| Task::Unspawned).collect()),
        drops_sockets: definition.drops_sockets(),
        streams: Streams::new(definition.listeners, definition.streams),
        shared: Shared::new(is_tracked),
        mutex: netcheck::tracked::sync::Mutex::new(()),
        uses: Uses::of(definition),
        process,
        system: Arc::clone(&system),
    });
    task(Rc::clone(&memory), 0).await;
    (0..definition.registers).for_each(|register| _ = memory.read(register));
    let registers = memory.registers.borrow().clone();
    Output { registers, log: memory.streams.log() }
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
                tasks[spawned] = Task::Spawned(netcheck::spawn(task(Rc::clone(memory), spawned)));
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
        Instruction::Everyday(word) => crate::interpret::step(memory, word).await,
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

impl Memory {
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

    pub fn processes(&self) -> usize {
        self.system.processes.len()
    }

    pub fn is_anonymous(&self) -> bool {
        self.system.network.anonymous
    }

    fn take_handle(&self, task: usize) -> Option<JoinHandle<()>> {
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

    fn read(&self, register: usize) -> u8 {
        self.uses.registers[register].load(Ordering::Relaxed);
        self.registers.borrow()[register]
    }

    pub fn write(&self, register: usize, value: u8) {
        self.uses.registers[register].store(true, Ordering::Relaxed);
        self.registers.borrow_mut()[register] = value;
    }

    /// As `write`, and tells monitors, if any watch.
    fn write_and_tell(&self, register: usize, value: u8) {
        self.write(register, value);
        if self.system.network.watched {
            netcheck::emit!(Told(value));
        }
    }

    pub fn use_socket(&self, socket: usize) {
        self.uses.sockets[socket].store(true, Ordering::Relaxed);
    }

    fn use_task(&self, task: usize) {
        self.uses.tasks[task].store(true, Ordering::Relaxed);
    }
}
