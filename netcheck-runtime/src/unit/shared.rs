//! The tables that all units of one check share, and the modes in which the check runs them.

use crate::id::{CallerId, ClaimId, NodeId, ProcessId, UnitId};
use crate::operation::files::Tree;
use crate::operation::{storage, unix};
use crate::unit::caller::{Backtraces, Callers, Line};
use crate::unit::identity::causality::Events;
use crate::unit::identity::checkpoint::Checkpoints;
use crate::unit::names::{Host, UnitInfo};
use crate::unit::panics;
use crate::unit::payload::Payloads;
use crate::unit::waiting::Waiting;
use crate::unit::watchdog::Watch;
use ahash::AHashMap;
use netcheck_memory::{First, Sample};
use std::any::{Any, TypeId};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// The modes in which a check runs its units: set before the first poll, and never changed.
#[derive(Clone, Copy, Debug)]
pub struct Modes {
    /// Whether each call is traced to the program's own source line, which costs more than a poll.
    pub traces: bool,
    /// Whether it is found out where each task waits, also for what is no operation: for a deadlock that is shown.
    pub explains: bool,
    /// Whether tasks share memory only through objects that are tracked.
    pub tracks: bool,
    /// Whether tasks are polled in the order of tokio's runtime of one thread.
    pub queues: bool,
    /// Whether loop heads identify local states.
    pub captures: bool,
    /// Whether the memory of a program identifies local states.
    pub remembers: bool,
    /// Whether a property is shown the values that processes end with.
    pub shows_outputs: bool,
    /// The number that is written over the bytes of memory that no program can read, after each step.
    pub unread: Option<u64>,
    /// With more, a check begins again and writes over such bytes.
    pub untyped_max: Untyped,
    /// By what programs are told instants.
    pub dating: Dating,
    /// Whether programs depend only on how far dates lie apart, and from now.
    pub relative_dates: bool,
    /// How far before the latest instant others are told apart, in nanoseconds.
    pub reach_ns: i64,
    /// The executions of a source line are counted up to this number.
    pub executions_max: u32,
    /// The random numbers that programs draw follow from it.
    pub seed: u64,
    /// The most bytes that copies of runs take.
    pub copies_bytes_max: usize,
    /// The most bytes that a stream takes at once: a write is asked for no more.
    pub written_bytes_max: usize,
    /// The calls on files that are asked for before they are made, since they may fail.
    pub file_failures: storage::Failures,
    /// Whose the statics of programs are.
    pub statics: Statics,
}

/// How much a check meets before it reads the types of what lies in memory.
#[derive(Clone, Copy, Debug)]
pub struct Untyped {
    /// Local states.
    pub nodes: usize,
    /// States.
    pub states: usize,
}

impl Modes {
    /// Whether dates are told by how far they lie apart.
    pub(in crate::unit) fn compares_dates(self) -> bool {
        self.dating != Dating::Start && self.relative_dates
    }
}

/// By what programs are told instants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dating {
    /// The start of the check; in dense time, where that leaves no number, marks that a process keeps until it ends.
    Start,
    /// The latest instant that the memory of a program holds.
    Latest,
    /// In dense time: the instants that the memory of a program holds.
    Marks,
}

/// Whose the statics of programs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statics {
    /// Each run has its own: no other thread of the system process runs code of programs.
    Own,
    /// All runs share them, and those that programs change are noted.
    Shared,
    /// All runs share them, and the check ends where a program changes one.
    Unchanged,
}

/// The tables of one check: names of units, outputs, claims, source lines, and identities of local states.
pub struct Shared {
    pub(crate) modes: Modes,
    pub hosts: Vec<Host>,
    pub payloads: Payloads,
    pub(crate) watch: Arc<Watch>,
    units: RefCell<Vec<UnitInfo>>,
    /// Isolated tasks by parent, name, and the number of tasks of that name that the parent had spawned before.
    children: RefCell<AHashMap<(UnitId, &'static str, u32), UnitId>>,
    /// The names of Unix domain sockets.
    pub(crate) unix_names: RefCell<unix::Names>,
    outputs: RefCell<Outputs>,
    callers: RefCell<Callers>,
    pub(in crate::unit) backtraces: Arc<Backtraces>,
    pub(crate) events: RefCell<Events>,
    pub checkpoints: RefCell<Checkpoints>,
    claims: RefCell<Vec<Claim>>,
    /// The source lines that have spawned tasks which share the memory of their unit.
    spawning_lines: RefCell<BTreeSet<(UnitId, &'static Location<'static>)>>,
    /// The source lines that have made channels of tokio's, which count on.
    channel_lines: RefCell<BTreeSet<(UnitId, &'static Location<'static>)>>,
    /// Where the tasks of a local state wait, if the check explains it.
    waiting: RefCell<AHashMap<NodeId, Vec<Waiting>>>,
    /// A sample of the images of memory that identify local states.
    pub(in crate::unit) images: RefCell<Sample>,
    /// The values that statics and thread-locals of programs have when a run begins.
    pub(in crate::unit) first: First,
    /// Whether unread bytes are cleared whatever the modes say, while it is tried whether dates matter.
    pub(in crate::unit) clears: Cell<bool>,
    /// How much later than ever the dates are that programs are told, while it is tried whether these matter.
    pub(in crate::unit) calendar: Cell<Duration>,
    /// Whether a run had no arena although its memory should identify local states.
    lacks_arenas: Cell<bool>,
}

/// A claim of the program, and its source line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    pub name: &'static str,
    pub location: &'static Location<'static>,
}

/// The outputs of units that have ended, by text and type, and by the files that are left.
#[derive(Default)]
struct Outputs {
    all: Vec<Output>,
    by_text: AHashMap<(String, TypeId, Option<Arc<Tree>>), u32>,
}

/// The output of a unit that has ended.
#[derive(Clone, Debug)]
pub struct Output {
    pub text: Rc<str>,
    /// The files that its host then has, if they are others than the check declares.
    pub(crate) files: Option<Arc<Tree>>,
    /// Value only where something is shown it.
    value: Option<Value>,
}

impl Output {
    /// The value, if it is kept.
    pub(crate) fn value(&self) -> Option<&Rc<dyn Any>> {
        self.value.as_ref()?.0.as_ref()
    }
}

/// The value of an output, which lives on when its run has ended. Its destructor may panic, or make calls of netcheck: that
/// belongs to no step of the program any more, and to no execution, so it is of no consequence.
#[derive(Clone, Debug)]
pub struct Value(Option<Rc<dyn Any>>);

impl Value {
    pub(in crate::unit) fn new(value: Rc<dyn Any>) -> Self {
        Value(Some(value))
    }

    /// The value, whose destructor is then of consequence; what is left is nothing.
    pub(in crate::unit) fn take(&mut self) -> Option<Rc<dyn Any>> {
        self.0.take()
    }

    fn type_id(&self) -> TypeId {
        self.0.as_ref().map_or_else(TypeId::of::<()>, |value| (**value).type_id())
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        if let Some(value) = self.take() {
            let _ = panics::catch(|| drop(value));
        }
    }
}

impl Shared {
    pub fn new(hosts: Vec<Host>, payloads: Payloads, modes: Modes, watch: Arc<Watch>) -> Self {
        let units = (0u32..).zip(&hosts).map(|(id, host)| UnitInfo::of_process(id, host)).collect();
        Shared {
            modes,
            hosts,
            payloads,
            watch,
            units: RefCell::new(units),
            children: RefCell::default(),
            unix_names: RefCell::default(),
            outputs: RefCell::default(),
            callers: RefCell::default(),
            backtraces: Arc::default(),
            events: RefCell::default(),
            checkpoints: RefCell::default(),
            claims: RefCell::default(),
            spawning_lines: RefCell::default(),
            channel_lines: RefCell::default(),
            waiting: RefCell::default(),
            images: RefCell::default(),
            first: First::new(modes.statics == Statics::Own),
            clears: Cell::new(false),
            calendar: Cell::default(),
            lacks_arenas: Cell::new(false),
        }
    }

    /// Where the tasks of a local state wait.
    pub(in crate::unit) fn note_waiting(&self, node: NodeId, tasks: Vec<Waiting>) {
        self.waiting.borrow_mut().insert(node, tasks);
    }

    /// Where the tasks of a local state wait; `None` if the check does not explain it.
    pub fn waiting(&self, node: NodeId) -> Option<Vec<Waiting>> {
        self.waiting.borrow().get(&node).cloned()
    }

    /// A unit spawns a task that shares its memory.
    pub(in crate::unit) fn note_spawn(&self, unit: UnitId, location: &'static Location<'static>) {
        self.spawning_lines.borrow_mut().insert((unit, location));
    }

    /// The source lines that have spawned tasks which share the memory of their unit.
    pub fn spawning_lines(&self) -> Vec<(UnitId, &'static Location<'static>)> {
        self.spawning_lines.borrow().iter().copied().collect()
    }

    /// A unit makes a channel of tokio's.
    pub(in crate::unit) fn note_channel(&self, unit: UnitId, location: &'static Location<'static>) {
        self.channel_lines.borrow_mut().insert((unit, location));
    }

    /// The source lines that have made channels of tokio's.
    pub fn channel_lines(&self) -> Vec<(UnitId, &'static Location<'static>)> {
        self.channel_lines.borrow().iter().copied().collect()
    }

    /// A run begins, with an arena or without.
    pub(in crate::unit) fn note_arena(&self, has_arena: bool) {
        if self.modes.remembers && !has_arena {
            self.lacks_arenas.set(true);
        }
    }

    /// Whether a run had no arena although its memory should identify local states.
    pub fn lacks_arenas(&self) -> bool {
        self.lacks_arenas.get()
    }

    /// The statics that programs have changed: each by its path.
    pub fn changed_statics(&self) -> Vec<&'static str> {
        self.first.changed_statics()
    }

    pub fn unit(&self, unit: UnitId) -> UnitInfo {
        self.units.borrow()[unit.0 as usize].clone()
    }

    pub fn units(&self) -> usize {
        self.units.borrow().len()
    }

    /// The unit with a number, if exactly one has it.
    pub(crate) fn numbered(&self, number: u32) -> Option<UnitId> {
        let units = self.units.borrow();
        let mut with_it = (0u32..).zip(&*units).filter(|(_, unit)| unit.number == number);
        let (id, _) = with_it.next()?;
        with_it.next().is_none().then_some(UnitId(id))
    }

    pub fn process_of(&self, unit: UnitId) -> ProcessId {
        self.units.borrow()[unit.0 as usize].process
    }

    pub(crate) fn host_of(&self, unit: UnitId) -> &Host {
        &self.hosts[self.process_of(unit).0 as usize]
    }

    /// The host of a name.
    pub(crate) fn host_named(&self, name: &str) -> Option<&Host> {
        self.hosts.iter().find(|host| host.name == name)
    }

    /// Adds the unit of a process that has crashed so often.
    pub(crate) fn add_incarnation(&self, process: ProcessId, crashes: u32) -> UnitId {
        let mut units = self.units.borrow_mut();
        let id = UnitId(units.len() as u32);
        let info = units[process.0 as usize].after_crashes(crashes, self.hosts.len() as u32);
        units.push(info);
        id
    }

    /// The unit as which a process is run after so many crashes; 0: the one that it begins as.
    pub(crate) fn incarnation(&self, process: ProcessId, crashes: u32) -> UnitId {
        let units = self.units.borrow();
        let is_it = |info: &UnitInfo| info.process == process && info.parent.is_none() && info.crashes == crashes;
        let index = units.iter().position(is_it).expect("like processes crash equally often");
        UnitId(index as u32)
    }

    /// The id of the `index`th isolated task with this name of `parent`.
    pub(crate) fn child(&self, parent: UnitId, name: &'static str, index: u32) -> UnitId {
        if let Some(&child) = self.children.borrow().get(&(parent, name, index)) {
            return child;
        }
        let mut units = self.units.borrow_mut();
        let child = UnitId(units.len() as u32);
        let info = units[parent.0 as usize].child(parent, name, index, self.hosts.len() as u32);
        units.push(info);
        self.children.borrow_mut().insert((parent, name, index), child);
        child
    }

    /// The program's own source line in the current poll; that of the task, or else `location`, if there is none.
    pub(super) fn caller(&self, location: &'static Location<'static>, task: Option<CallerId>) -> CallerId {
        self.callers.borrow_mut().current(location, task, &self.backtraces)
    }

    /// The program's own source line in the current poll, if one is found.
    pub(super) fn running_line(&self) -> Option<CallerId> {
        self.callers.borrow_mut().running(&self.backtraces)
    }

    /// A source line that makes calls.
    pub(crate) fn line(&self, caller: CallerId) -> Line {
        self.callers.borrow().line(caller)
    }

    /// The number of a claim.
    pub(crate) fn claim(&self, name: &'static str, location: &'static Location<'static>) -> ClaimId {
        let claim = Claim { name, location };
        netcheck_memory::engine(|| {
            let mut claims = self.claims.borrow_mut();
            let known = claims.iter().position(|known| *known == claim);
            ClaimId(known.unwrap_or_else(|| {
                claims.push(claim);
                claims.len() - 1
            }) as u32)
        })
    }

    /// All claims that were reached.
    pub fn claims(&self) -> Vec<(ClaimId, Claim)> {
        (0u32..).map(ClaimId).zip(self.claims.borrow().iter().copied()).collect()
    }

    /// The number of an output by the text and the type of its value, and by the files.
    pub(in crate::unit) fn intern_output(&self, text: &str, value: &Value, files: Option<Arc<Tree>>) -> u32 {
        let Outputs { all, by_text } = &mut *self.outputs.borrow_mut();
        *by_text.entry((text.to_owned(), value.type_id(), files.clone())).or_insert_with(|| {
            all.push(Output { text: text.into(), files, value: None });
            all.len() as u32 - 1
        })
    }

    /// Whether the value of an output with which a unit ends is missing: a property, or the task that waits for the unit,
    /// is shown it.
    pub(in crate::unit) fn lacks_value(&self, unit: UnitId, output: u32) -> bool {
        self.shows_value(unit) && self.outputs.borrow().all[output as usize].value.is_none()
    }

    /// Whether something is shown the values that a unit ends with.
    pub(in crate::unit) fn shows_value(&self, unit: UnitId) -> bool {
        self.modes.shows_outputs || self.unit(unit).parent.is_some()
    }

    /// Keeps the value of an output.
    pub(in crate::unit) fn keep_value(&self, output: u32, value: Value) {
        self.outputs.borrow_mut().all[output as usize].value = Some(value);
    }

    pub fn output(&self, id: u32) -> Output {
        self.outputs.borrow().all[id as usize].clone()
    }
}
