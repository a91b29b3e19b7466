//! The properties of a check: no panic, no deadlock, no end that `Network::finally` rejects, nothing that a monitor
//! rejects.

use crate::id::{NodeId, ProcessId, UnitId};
use crate::operation::Offer;
use crate::operation::files::{Tree, shown};
use crate::unit::automaton::NodeKind;
use crate::unit::panics::{self, Cause, Panic, Unwound};
use crate::unit::shared::Output;
use crate::unit::source_line::place;
use crate::unit::waiting::Waiting;
use crate::unit::wording;
use crate::violation::{Found, ViolationKind};
use crate::world::components::Component;
use crate::world::step::{Move, Transition};
use crate::world::storage::storage;
use crate::world::system::System;
use std::any::type_name;
use std::collections::BTreeMap;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// How an execution ended: the outputs of its processes, and which of them have crashed.
#[derive(Debug)]
pub struct End {
    processes: Vec<EndOf>,
}

/// How a process ended.
#[derive(Debug)]
struct EndOf {
    name: String,
    output: Option<Output>,
    /// It crashed and has not started again.
    has_crashed: bool,
    files: Arc<Tree>,
}

impl End {
    /// The Debug text of the value that a process ended with; `None` if it has not ended (a daemon may wait for ever).
    ///
    /// # Panics
    /// If no process has this name.
    #[track_caller]
    pub fn output(&self, process: &str) -> Option<&str> {
        self.of(process).map(|output| &*output.text)
    }

    /// The value that a process ended with; `None` if it has not ended. Of values with the same Debug text it is any.
    ///
    /// # Panics
    /// If no process has this name, or if it ended with a value of another type.
    #[track_caller]
    pub fn value<T: 'static>(&self, process: &str) -> Option<&T> {
        let output = self.of(process)?;
        let value = output.value().expect("values are kept where a property is shown them");
        let Some(value) = value.downcast_ref() else {
            let text = &output.text;
            panic!("\"{process}\" ended with {text}, which is no {}: name the type that it returns", type_name::<T>());
        };
        Some(value)
    }

    /// The files of a process: each path, without the slash at its beginning, with the bytes of the file. A file with several
    /// names is there with each. What was written and not synced is among them: nothing has crashed.
    ///
    /// # Panics
    /// If no process has this name.
    #[track_caller]
    pub fn files(&self, process: &str) -> BTreeMap<String, Vec<u8>> {
        let files = self.process(process).files.files();
        files.iter().map(|(path, bytes)| (shown(path), bytes.to_vec())).collect()
    }

    /// Every process by name, with its output.
    pub fn outputs(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.processes.iter().map(|of| (of.name.as_str(), of.output.as_ref().map(|output| &*output.text)))
    }

    /// Whether a process crashed and has not started again: it stays down (`crash(stays_down)`).
    ///
    /// # Panics
    /// If no process has this name.
    #[track_caller]
    pub fn has_crashed(&self, process: &str) -> bool {
        self.process(process).has_crashed
    }

    #[track_caller]
    fn of(&self, process: &str) -> Option<&Output> {
        self.process(process).output.as_ref()
    }

    #[track_caller]
    fn process(&self, process: &str) -> &EndOf {
        match self.processes.iter().find(|of| of.name == process) {
            Some(of) => of,
            // Not in a closure: that would be the caller.
            None => panic!("no process is named \"{process}\""),
        }
    }
}

/// A line for each process.
impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = self.processes.iter().map(|EndOf { name, output, has_crashed, .. }| match output {
            Some(output) => format!("  {name} ended with {}", output.text),
            None if *has_crashed => format!("  {name} crashed"),
            None => format!("  {name} has not ended"),
        });
        f.write_str(&lines.collect::<Vec<_>>().join("\n"))
    }
}

/// Which processes have to wait for ever for a deadlock, in a state in which no step is possible any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deadlocks {
    /// A process that is registered with `net.process` and has not ended, unless one of its own tasks waits in
    /// `accept`: that task waits for a next client. Such an end is counted as a suppressed deadlock.
    #[default]
    EachProcess,
    /// Such a process where no task of any process waits in `accept` (papers/tcp-transmission-failures.txt, section
    /// 4.1): while a task waits for a next client, the waiting of all others is taken to be spurious, and counted as a
    /// suppressed deadlock.
    Paper,
}

/// Values that a property may return: `()` (it asserts), `bool`, or a `Result` with the reason.
pub trait Judgement {
    /// The reason why the property does not hold, if it does not.
    ///
    /// # Errors
    /// The reason why it does not hold.
    fn judge(self) -> Result<(), String>;
}

impl Judgement for () {
    fn judge(self) -> Result<(), String> {
        Ok(())
    }
}

impl Judgement for bool {
    fn judge(self) -> Result<(), String> {
        if self { Ok(()) } else { Err("it does not hold".to_owned()) }
    }
}

impl<E: fmt::Display> Judgement for Result<(), E> {
    fn judge(self) -> Result<(), String> {
        self.map_err(|error| error.to_string())
    }
}

/// Says of an end what is wrong with it.
type Judge = dyn Fn(&End) -> Result<(), String> + Send + Sync;

/// A property of the end, given to `Network::finally`.
#[derive(Clone)]
pub struct Finally {
    pub judge: Arc<Judge>,
    pub location: &'static Location<'static>,
}

/// The properties of one check.
#[derive(Default)]
pub struct Properties {
    pub finally: Vec<Finally>,
    /// Whether no client can come from outside.
    pub closed: bool,
    pub deadlocks: Deadlocks,
    /// Whether a monitor may reject an end.
    pub monitors_judge: bool,
}

/// The judgement of a state in which no step is possible.
pub enum Terminal {
    /// Every process has ended, is a daemon, or waits for a next client itself; `suppressed`: not all have ended.
    End { suppressed: bool },
    /// Processes wait, but another one waits for a next client ([`Deadlocks::Paper`]).
    Spurious,
    /// A unit is in the middle of a poll: this is no state of its own, and another alternative goes on.
    Unfinished,
    Deadlock {
        found: Found,
        /// The processes that wait for ever.
        stuck: Vec<ProcessId>,
    },
}

/// The processes that have not ended in a state.
pub(crate) struct Unfinished {
    /// The processes that have to end.
    pub(crate) processes: Vec<ProcessId>,
    /// Whether others have not ended.
    suppressed: bool,
    /// Whether some would have to, did not another one wait for a next client ([`Deadlocks::Paper`]).
    is_spurious: bool,
}

impl Properties {
    /// Whether a step shows a violation.
    pub fn step(&self, system: &System, transition: &Transition) -> Option<Found> {
        let rejected = || {
            let units: Vec<String> =
                transition.unit().map(|unit| system.shared().unit(unit).name).into_iter().collect();
            system.view().rejection(transition).map(|message| rejected(message, units))
        };
        let Move::Unit { unit, edge, .. } = transition.step else { return rejected() };
        let target = system.learner.automata.edge(edge).target;
        match &system.learner.automata.node(target).kind {
            NodeKind::Panicked(panic) => {
                let name = system.shared().unit(unit).name;
                let (kind, message) = match panic.cause {
                    Cause::Claim => {
                        (ViolationKind::Property, format!("{name} at {}: {}", panic.location, panic.message))
                    }
                    Cause::Program => (ViolationKind::Panic, panicked(&name, panic)),
                    Cause::Exit => {
                        (ViolationKind::Panic, format!("{name} exits at {}: {}", panic.location, panic.message))
                    }
                    Cause::LeftBehind | Cause::Stuck => (ViolationKind::Panic, panic.message.clone()),
                };
                let is_error = matches!(panic.cause, Cause::LeftBehind | Cause::Stuck);
                Some(Found { kind, message, units: vec![name], at_rest: Vec::new(), is_error })
            }
            _ => rejected(),
        }
    }

    /// Whether there is nothing to evaluate at the end.
    pub fn is_empty(&self) -> bool {
        self.finally.is_empty() && !self.monitors_judge
    }

    /// Judges a state in which no step is possible, except failures.
    pub(crate) fn terminal(&self, system: &System, state: &[u32]) -> Terminal {
        if system.live_units(state).any(|(_, node)| system.learner.automata.polled(node).is_some()) {
            return Terminal::Unfinished;
        }
        if system.view().is_cut_off(state, &|_| true) {
            return Terminal::Unfinished;
        }
        let Unfinished { processes: blocked, suppressed, is_spurious } = self.unfinished(system, state);
        if is_spurious {
            return Terminal::Spurious;
        }
        if blocked.is_empty() {
            return Terminal::End { suppressed };
        }
        let waits = system.live_units(state).filter(|(unit, _)| blocked.contains(&system.process_of(*unit)));
        let waits: Vec<(UnitId, NodeId)> = waits.collect();
        let who: Vec<String> = waits.iter().map(|&(unit, node)| blocked_at(system, unit, node)).collect();
        let name = |unit: UnitId| system.shared().unit(unit).name;
        let units = waits.iter().map(|&(unit, _)| name(unit)).collect();
        let (at_rest, what) = match system.view().is_part(state) {
            true => {
                let at_rest = system.live_units(state).map(|(unit, _)| name(unit)).collect();
                (at_rest, "nothing can happen here any more, whatever the other processes do")
            }
            false => (Vec::new(), "nothing can happen any more"),
        };
        let message = format!("{what}\n{}", who.join("\n"));
        let found = Found { kind: ViolationKind::Deadlock, message, units, at_rest, is_error: false };
        Terminal::Deadlock { found, stuck: blocked }
    }

    /// The processes that have not ended and have to.
    pub(crate) fn unfinished(&self, system: &System, state: &[u32]) -> Unfinished {
        let mut processes = Vec::new();
        let mut suppressed = false;
        for (index, process) in system.processes.iter().enumerate() {
            let root = system.learner.automata.node(root(system, state, ProcessId(index as u32)));
            suppressed |= matches!(root.kind, NodeKind::Live | NodeKind::Parked { .. }) && process.daemon;
            let never_starts =
                root.from.is_none() && process.after.iter().any(|before| is_down(system, state, *before));
            suppressed |= root.kind == NodeKind::Live && never_starts;
            // Nothing is known here of another part of the state.
            if root.kind == NodeKind::Live && !process.daemon && !never_starts {
                processes.push(ProcessId(index as u32));
            }
        }
        // A task in `accept` waits for a next client: in a check there are only so many.
        let in_accept: Vec<ProcessId> = in_accept(system, state).filter(|_| !self.closed).collect();
        let waiting = processes.len();
        processes.retain(|process| !in_accept.contains(process));
        suppressed |= processes.len() < waiting;
        let is_spurious = self.deadlocks == Deadlocks::Paper && !in_accept.is_empty() && !processes.is_empty();
        if is_spurious {
            processes.clear();
        }
        Unfinished { processes, suppressed, is_spurious }
    }

    /// Evaluates the properties of the end; the first that does not hold.
    pub(crate) fn end(&self, system: &System, state: &[u32]) -> Option<Found> {
        if self.is_empty() {
            return None;
        }
        if let Some(message) = system.view().rejected_end(state) {
            return Some(rejected(message, Vec::new()));
        }
        let processes = (0..system.processes.len() as u32).map(ProcessId);
        let of = |process: ProcessId| EndOf {
            name: system.shared().hosts[process.0 as usize].name.clone(),
            output: output(system, state, process),
            has_crashed: is_down(system, state, process),
            files: files(system, state, process),
        };
        let end = End { processes: processes.map(of).collect() };
        self.finally.iter().find_map(|property| {
            let reason = match panics::catch(|| (property.judge)(&end)) {
                Ok(Ok(())) => return None,
                Ok(Err(reason)) => reason,
                Err(Unwound::Panicked(panic)) => format!("{} at {}", panic.message, panic.location),
                Err(Unwound::Thrown(_)) => "a panic".to_owned(),
            };
            let message = format!("{reason} (finally at {})\n{end}", place(property.location));
            Some(Found {
                kind: ViolationKind::Property,
                message,
                units: Vec::new(),
                at_rest: Vec::new(),
                is_error: false,
            })
        })
    }

    /// Judges a state in which no step is possible, by every property.
    pub fn violated_at_end(&self, system: &System, state: &[u32]) -> Option<Found> {
        match self.terminal(system, state) {
            Terminal::Deadlock { found, .. } => Some(found),
            // The end of one part is none of the whole.
            Terminal::End { .. } if system.view().is_part(state) => None,
            Terminal::End { .. } => self.end(system, state),
            Terminal::Spurious | Terminal::Unfinished => None,
        }
    }
}

/// A rejection by a monitor, which the given units have brought about.
fn rejected(message: String, units: Vec<String>) -> Found {
    Found { kind: ViolationKind::Monitor, message, units, at_rest: Vec::new(), is_error: false }
}

/// The processes in which a task waits for a connection.
fn in_accept(system: &System, state: &[u32]) -> impl Iterator<Item = ProcessId> {
    let nodes = system.components.iter().filter_map(move |(id, place)| match place {
        Component::Unit(unit) => Some((unit, NodeId(id.of(state)))),
        _ => None,
    });
    nodes.filter(|&(_, node)| system.view().is_in_accept(node)).map(|(unit, _)| system.process_of(unit))
}

/// The output of a process, if it has ended with one.
pub(crate) fn output(system: &System, state: &[u32], process: ProcessId) -> Option<Output> {
    match system.learner.automata.node(root(system, state, process)).kind {
        NodeKind::Ended { output } => Some(system.shared().output(output)),
        _ => None,
    }
}

/// The files of a process, as it sees them.
pub fn files(system: &System, state: &[u32], process: ProcessId) -> Arc<Tree> {
    let node = root(system, state, process);
    if is_down(system, state, process) {
        let kept = storage(system, process, state);
        // Of what a power failure may leave, the least.
        let is_silent = system.declared.loses_power(process);
        return Arc::new(if is_silent { kept.durable() } else { kept.seen() });
    }
    let changed = match system.learner.automata.node(node).kind {
        NodeKind::Ended { output } => system.shared().output(output).files,
        _ => system.learner.automata.files(node).cloned(),
    };
    changed.unwrap_or_else(|| Arc::clone(&system.shared().hosts[process.0 as usize].files))
}

/// The number of the output of a process, if it has ended with one.
pub(crate) fn output_id(system: &System, state: &[u32], process: usize) -> Option<u32> {
    match system.learner.automata.node(root(system, state, ProcessId(process as u32))).kind {
        NodeKind::Ended { output } => Some(output),
        _ => None,
    }
}

/// The node of the root of a process, as it stands now.
pub fn root(system: &System, state: &[u32], process: ProcessId) -> NodeId {
    NodeId(system.unit_component(system.root_of(state, process)).of(state))
}

/// Whether a process has crashed and stays down.
fn is_down(system: &System, state: &[u32], process: ProcessId) -> bool {
    system.learner.automata.node(root(system, state, process)).kind == NodeKind::Gone
}

fn panicked(unit: &str, panic: &Panic) -> String {
    format!("{unit} panicked at {}: {}", panic.location, panic.message)
}

/// The name of a unit, with what it waits for and where: a line for each of its tasks, if the check explains it.
fn blocked_at(system: &System, unit: UnitId, node: NodeId) -> String {
    let shared = system.shared();
    let name = shared.unit(unit).name;
    let Some(tasks) = shared.waiting(node).filter(|tasks| tasks.iter().any(|task| !task.awaited.is_empty())) else {
        return format!("  {name} {}", waits(system, unit, node));
    };
    let offers = &system.learner.automata.node(node).offers;
    let lines = tasks.iter().map(|Waiting { task, spawned_at, awaited }| {
        let own: Vec<Offer> = offers.iter().filter(|offer| offer.task == *task).cloned().collect();
        let operations = (!own.is_empty()).then(|| wording::menu(&own, shared));
        let all: Vec<String> = operations.into_iter().chain(awaited.iter().cloned()).collect();
        let awaited = if all.is_empty() { wording::NOTHING.to_owned() } else { all.join(", ") };
        match task.0 {
            0 => format!("  {name} waits for {awaited}"),
            number => format!("  {name} (task {number}, spawned at {spawned_at}) waits for {awaited}"),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The operations that a process waits for, and their places.
pub fn waits_for(system: &System, state: &[u32], process: ProcessId) -> String {
    let units = system.live_units(state).filter(|&(unit, _)| system.process_of(unit) == process);
    let root = system.root_of(state, process);
    let each = units.map(|(unit, node)| match unit == root {
        true => waits(system, unit, node),
        false => blocked_at(system, unit, node).trim_start().to_owned(),
    });
    each.collect::<Vec<_>>().join("; ")
}

fn waits(system: &System, unit: UnitId, node: NodeId) -> String {
    let node = system.learner.automata.node(node);
    let first_waits = |process: &ProcessId| system.shared().unit(UnitId(process.0)).name;
    let after = &system.processes[system.process_of(unit).0 as usize].after;
    match &node.offers[..] {
        [only]
            if only.operation == crate::operation::Operation::Tasks(crate::world::tasks::Operation::Start)
                && !after.is_empty() =>
        {
            let names: Vec<String> = after.iter().map(first_waits).collect();
            format!("has not started: it comes after {}", names.join(", "))
        }
        offers => format!("waits for {}", wording::menu(offers, system.shared())),
    }
}
