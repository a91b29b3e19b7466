//! What a poll of user code can see: the scoped current unit.
//!
//! Fronts marshal calls into operations here. Nothing here decides an outcome: an
//! operation waits in the menu until the engine completes it, and a synchronous call
//! abandons the poll until its answer is at hand.

use crate::id::{CallerId, ClaimId, ProcessId, SocketId, TaskId, UnitId};
use crate::operation::{Effect, Failure, Offer, Operation, OperationKey, Outcome, Side, Stream};
use crate::unit::caller::{Callers, Line};
use crate::unit::causality::{Causality, Events};
use crate::unit::checkpoint::{Checkpoints, Position};
use crate::unit::instance::{Program, Task, TaskControl, TaskNumber};
use crate::unit::watchdog::Watch;
use ahash::AHashMap;
use capture::Frame;
use smallvec::SmallVec;
use std::any::{Any, TypeId};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::panic::{self, Location};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Poll, Waker};

mod attempts;
pub(crate) mod capture;
mod tracking;

pub(crate) use attempts::{Fresh, Trying};
pub(crate) use capture::Activation;

thread_local! {
    static CURRENT: RefCell<Option<Rc<Context>>> = const { RefCell::new(None) };
}

/// Thrown through user code to leave a poll for good: a synchronous call has no answer yet,
/// or this alternative leads nowhere of its own.
struct Discarded;

/// The context in which the current poll runs.
///
/// # Panics
/// Outside a check: the caller's program uses netcheck's types where tokio's were meant.
#[track_caller]
pub(crate) fn current() -> Rc<Context> {
    CURRENT.with_borrow(Clone::clone).unwrap_or_else(|| {
        panic!(
            "netcheck's sockets, timers and tasks only work inside a check; \
             run real programs on tokio, and name processes with `net.process(…)`"
        )
    })
}

/// The context of the current poll, if there is one. Values dropped outside a poll
/// belong to a discarded run and have no effect; so do those of a poll that was abandoned.
pub(crate) fn try_current() -> Option<Rc<Context>> {
    CURRENT.with_borrow(Clone::clone).filter(|context| !context.discarded.get())
}

/// Runs `poll` with `context` as the current one.
pub(crate) fn enter<R>(context: &Rc<Context>, poll: impl FnOnce() -> R) -> R {
    struct Leave(Option<Rc<Context>>);
    impl Drop for Leave {
        fn drop(&mut self) {
            CURRENT.set(self.0.take());
        }
    }
    let _leave = Leave(CURRENT.replace(Some(Rc::clone(context))));
    poll()
}

/// A process's name and address.
#[derive(Clone)]
pub(crate) struct Host {
    pub(crate) name: String,
    pub(crate) v4: Ipv4Addr,
    pub(crate) v6: Ipv6Addr,
}

impl Host {
    /// The address that the host is seen with by `to`: as Linux does, a wildcard address
    /// becomes the one that leads there.
    pub(crate) fn source(&self, local: IpAddr, to: IpAddr) -> IpAddr {
        match (local.is_unspecified(), to.is_loopback() || to.is_unspecified()) {
            (false, _) => local,
            (true, true) if to.is_ipv4() => Ipv4Addr::LOCALHOST.into(),
            (true, true) => Ipv6Addr::LOCALHOST.into(),
            (true, false) if to.is_ipv4() => self.v4.into(),
            (true, false) => self.v6.into(),
        }
    }

    pub(crate) fn has(&self, ip: IpAddr) -> bool {
        match ip {
            IpAddr::V4(ip) => ip == self.v4,
            IpAddr::V6(ip) => ip == self.v6,
        }
    }
}

/// What all units of one check share: names, ids of child units, outputs.
pub(crate) struct Shared {
    pub(crate) hosts: Vec<Host>,
    pub(crate) watch: Arc<Watch>,
    units: RefCell<Vec<UnitInfo>>,
    /// By parent, name and how many of that name there were before it.
    children: RefCell<AHashMap<(UnitId, &'static str, u32), UnitId>>,
    outputs: RefCell<Outputs>,
    /// Whether each call is traced to the program's own source line: it costs more than a poll.
    pub(crate) traces: Cell<bool>,
    callers: RefCell<Callers>,
    /// Whether tasks share memory only through objects that are tracked.
    pub(crate) tracks: Cell<bool>,
    pub(crate) events: RefCell<Events>,
    /// Whether loop heads tell local states.
    pub(crate) captures: Cell<bool>,
    pub(crate) checkpoints: RefCell<Checkpoints>,
    /// Executions of a source line are told apart up to this one.
    pub(crate) executions_max: Cell<u32>,
    claims: RefCell<Vec<Claim>>,
}

/// A claim of the program's, and where it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) name: &'static str,
    pub(crate) location: &'static Location<'static>,
}

/// What the `index`th isolated task with a name is called.
pub(crate) fn task_name(of: &str, name: &str, index: u32) -> String {
    match index {
        0 => format!("{of}/{name}"),
        n => format!("{of}/{name}#{}", n + 1),
    }
}

/// Where a unit stands.
#[derive(Clone, Debug)]
pub(crate) struct UnitInfo {
    pub(crate) process: ProcessId,
    pub(crate) parent: Option<UnitId>,
    /// The process's name, or `client/producer` for an isolated task.
    pub(crate) name: String,
    /// Of an isolated task: its function, and how many of that function its parent had spawned before it.
    pub(crate) ordinal: Option<(&'static str, u32)>,
    /// Less than [`UNIT_NUMBERS`]: of a process, how many were registered before it; of an isolated task, from its
    /// place in the program (process, functions and ordinals of its ancestors, its own). It does not depend on what
    /// was learned before, so it is the same in every run; two isolated tasks may have the same one.
    pub(crate) number: u32,
}

/// Numbers that units have.
pub(crate) const UNIT_NUMBERS: u32 = 1 << 10;

/// The number of the `index`th isolated task of a function that a task spawns: like tasks have numbers in a row.
fn number_of_child(processes: u32, parent: &UnitInfo, name: &str, index: u32) -> u32 {
    let own = parent.name.split_once('/').map_or("", |(_process, own)| own);
    let place = tracking::hash(&format!("{}/{own}/{name}", parent.process.0)) as u32;
    let processes = processes.min(UNIT_NUMBERS - 1);
    processes + place.wrapping_add(index) % (UNIT_NUMBERS - processes)
}

#[derive(Default)]
struct Outputs {
    values: Vec<Output>,
    by_text: AHashMap<(String, TypeId), u32>,
}

/// What a unit ended with.
#[derive(Clone)]
pub(crate) struct Output {
    pub(crate) text: Rc<str>,
    pub(crate) value: Rc<dyn Any>,
}

impl Shared {
    pub(crate) fn new(hosts: Vec<Host>, watch: Arc<Watch>) -> Self {
        let units = (0u32..)
            .zip(&hosts)
            .map(|(id, host)| UnitInfo {
                process: ProcessId(id),
                parent: None,
                name: host.name.clone(),
                ordinal: None,
                number: id % UNIT_NUMBERS,
            })
            .collect();
        Shared {
            hosts,
            watch,
            units: RefCell::new(units),
            children: RefCell::default(),
            outputs: RefCell::default(),
            traces: Cell::new(false),
            callers: RefCell::default(),
            tracks: Cell::new(false),
            events: RefCell::default(),
            captures: Cell::new(true),
            checkpoints: RefCell::default(),
            executions_max: Cell::new(u32::MAX),
            claims: RefCell::default(),
        }
    }

    pub(crate) fn unit(&self, unit: UnitId) -> UnitInfo {
        self.units.borrow()[unit.0 as usize].clone()
    }

    pub(crate) fn units(&self) -> usize {
        self.units.borrow().len()
    }

    /// The unit with a number, if just one has it.
    pub(crate) fn numbered(&self, number: u32) -> Option<UnitId> {
        let units = self.units.borrow();
        let mut with_it = (0u32..).zip(&*units).filter(|(_, unit)| unit.number == number);
        let (id, _) = with_it.next()?;
        with_it.next().is_none().then_some(UnitId(id))
    }

    pub(crate) fn process_of(&self, unit: UnitId) -> ProcessId {
        self.units.borrow()[unit.0 as usize].process
    }

    pub(crate) fn host_of(&self, unit: UnitId) -> &Host {
        &self.hosts[self.process_of(unit).0 as usize]
    }

    /// The id of the `index`th isolated task with this name of `parent`.
    pub(crate) fn child(&self, parent: UnitId, name: &'static str, index: u32) -> UnitId {
        if let Some(&child) = self.children.borrow().get(&(parent, name, index)) {
            return child;
        }
        let mut units = self.units.borrow_mut();
        let child = UnitId(units.len() as u32);
        let of_parent = &units[parent.0 as usize];
        let info = UnitInfo {
            process: of_parent.process,
            parent: Some(parent),
            name: task_name(&of_parent.name, name, index),
            ordinal: Some((name, index)),
            number: number_of_child(self.hosts.len() as u32, of_parent, name, index),
        };
        units.push(info);
        self.children.borrow_mut().insert((parent, name, index), child);
        child
    }

    /// The program's own source line that is being polled; `location` if there is none.
    fn caller(&self, location: &'static Location<'static>, task: Option<&'static Location<'static>>) -> CallerId {
        self.callers.borrow_mut().current(location, task)
    }

    /// A source line that makes calls.
    pub(crate) fn line(&self, caller: CallerId) -> Line {
        self.callers.borrow().line(caller)
    }

    /// The number of a claim.
    pub(crate) fn claim(&self, name: &'static str, location: &'static Location<'static>) -> ClaimId {
        let claim = Claim { name, location };
        let mut claims = self.claims.borrow_mut();
        let known = claims.iter().position(|known| *known == claim);
        ClaimId(known.unwrap_or_else(|| {
            claims.push(claim);
            claims.len() - 1
        }) as u32)
    }

    /// All claims that were met.
    pub(crate) fn claims(&self) -> Vec<(ClaimId, Claim)> {
        (0u32..).map(ClaimId).zip(self.claims.borrow().iter().copied()).collect()
    }

    pub(crate) fn intern_output(&self, text: String, value: Rc<dyn Any>) -> u32 {
        let mut outputs = self.outputs.borrow_mut();
        let key = (text, (*value).type_id());
        if let Some(&id) = outputs.by_text.get(&key) {
            return id;
        }
        let id = outputs.values.len() as u32;
        outputs.values.push(Output { text: key.0.as_str().into(), value });
        outputs.by_text.insert(key, id);
        id
    }

    pub(crate) fn output(&self, id: u32) -> Output {
        self.outputs.borrow().values[id as usize].clone()
    }
}

/// One poll's view of its unit.
pub(crate) struct Context {
    pub(crate) unit: UnitId,
    pub(crate) shared: Rc<Shared>,
    state: RefCell<State>,
    /// The poll is being unwound by one of our own payloads: this run is of no more use.
    discarded: Cell<bool>,
}

/// The mutable part of a context.
#[derive(Default)]
pub(crate) struct State {
    operations: BTreeMap<OperationKey, PendingOperation>,
    pub(crate) effects: Vec<Effect>,
    /// How many effects there were when an answer was consumed.
    pub(crate) marks: Vec<usize>,
    /// Answers to the synchronous calls that the next polls will make.
    pub(crate) script: VecDeque<(Operation, Outcome)>,
    /// The synchronous call at which the poll was abandoned.
    pub(crate) asked: Option<Offer>,
    /// How a replay differed from what was recorded.
    pub(crate) mismatch: Option<String>,
    pub(crate) tasks: BTreeMap<TaskId, Task>,
    /// How many tasks each task has spawned.
    spawns: AHashMap<TaskId, u32>,
    pub(crate) causality: Causality,
    pub(crate) running: TaskId,
    pub(crate) ended: Option<(String, Rc<dyn Any>)>,
    pub(crate) spawned: Vec<(UnitId, Rc<Program>)>,
    /// How often each source line has made a call, if calls are traced: in each task for itself, if
    /// tasks are tracked.
    executions: AHashMap<(Option<TaskId>, CallerId), u32>,
    sockets: Slots,
    timers: Slots,
    /// What programs know tasks by.
    task_numbers: Slots,
    /// How many isolated tasks of each name this history has spawned.
    children: AHashMap<(&'static str, u32), u32>,
    /// The isolated tasks whose end this history has not seen.
    unseen: BTreeSet<UnitId>,
    /// Where the poll is.
    position: Position,
    /// The functions that are being polled, the root first.
    frames: SmallVec<[Frame; 4]>,
    activations: u32,
    /// How many operations were begun in this step.
    pub(crate) begun: u32,
    /// Those of them that were begun in this poll and not tried.
    pub(crate) fresh: Vec<Fresh>,
    /// Polls of unbiased `select!`s in this step.
    pub(crate) selects: u32,
    /// The `select!`s one of whose branches is being polled, the outermost first.
    pub(crate) rounds: Vec<Trying>,
    /// The unbiased `select!`s all of whose branches wait, though several could be tried.
    pub(crate) open: Vec<Trying>,
    /// Local address and peer of the sockets that this unit uses.
    pub(crate) endpoints: AHashMap<SocketId, Endpoint>,
    /// Operations that `poll_` functions began: the last one for each socket and way.
    polled: AHashMap<(SocketId, Way), Pending>,
    /// What `poll_` functions were called for in this poll.
    pub(crate) called: Vec<(SocketId, Way)>,
    /// Bytes that were read and did not fit.
    surplus: AHashMap<SocketId, Vec<u8>>,
}

/// What a unit knows of one of its sockets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Endpoint {
    pub(crate) local: SocketAddr,
    pub(crate) peer: Option<SocketAddr>,
    /// Which end of a connection it is, for a stream.
    pub(crate) side: Option<Side>,
}

impl Endpoint {
    pub(crate) fn stream(&self) -> Option<Stream> {
        Some(Stream { local: self.local, peer: self.peer?, side: self.side? })
    }
}

/// What some `poll_` functions wait for.
pub(crate) type Called = SmallVec<[(SocketId, Way); 2]>;

/// What a `poll_` function waits for on a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Way {
    /// Datagrams, bytes or connections.
    In,
    Out,
    Peek,
    ReadReady,
    WriteReady,
    Shutdown,
}

impl Way {
    const ALL: [Way; 6] = [Way::In, Way::Out, Way::Peek, Way::ReadReady, Way::WriteReady, Way::Shutdown];
}

struct PendingOperation {
    offer: Offer,
    waker: Waker,
    outcome: Option<Outcome>,
}

/// Numbers given out smallest free first, so that loops return to the same numbers.
#[derive(Default, Hash)]
struct Slots {
    taken: BTreeSet<u32>,
    /// Numbers of a tracked task that another one has given back. They are free for the first one when it knows that
    /// the other one has ended: before, the two may run in any order.
    given_back: BTreeMap<u32, TaskId>,
}

impl Slots {
    /// The smallest free number from `first` on.
    fn take(&mut self, first: u32) -> u32 {
        let index = (first..).find(|index| !self.taken.contains(index)).expect("numbers do not run out");
        self.taken.insert(index);
        index
    }

    fn free(&mut self, index: u32) {
        self.taken.remove(&index);
    }

    /// A tracked task gives a number back.
    fn give_back(&mut self, index: u32, by: TaskId) {
        if TaskId::of_number(index) == by {
            self.free(index);
        } else {
            self.given_back.insert(index, by);
        }
    }

    /// Frees the numbers of a tracked task that others have given back of which it knows that they have ended.
    fn collect(&mut self, task: TaskId, has_joined: impl Fn(TaskId) -> bool) {
        let Slots { taken, given_back } = self;
        given_back.retain(|index, by| {
            let is_free = TaskId::of_number(*index) == task && has_joined(*by);
            !(is_free && taken.remove(index))
        });
    }
}

impl Context {
    pub(crate) fn new(unit: UnitId, shared: Rc<Shared>) -> Self {
        Context { unit, shared, state: RefCell::default(), discarded: Cell::new(false) }
    }

    /// A socket's local address and peer.
    pub(crate) fn endpoint(&self, socket: SocketId) -> Endpoint {
        *self.state().endpoints.get(&socket).expect("a socket is bound before it can be named")
    }

    pub(crate) fn set_endpoint(&self, socket: SocketId, endpoint: Endpoint) {
        self.state().endpoints.insert(socket, endpoint);
    }

    pub(crate) fn state(&self) -> std::cell::RefMut<'_, State> {
        self.state.borrow_mut()
    }

    pub(crate) fn host(&self) -> &Host {
        self.shared.host_of(self.unit)
    }

    /// Puts an operation of the running task into the menu, unless the history says that it was
    /// tried at once, and done.
    fn register(
        &self,
        operation: Operation,
        location: &'static Location<'static>,
        waker: &Waker,
    ) -> Result<OperationKey, Outcome> {
        self.shared.watch.operation(location);
        self.state().causality.act();
        let (caller, execution) = self.execution(location);
        let tried = self.tried(&operation);
        if let Some(outcome) = tried.clone().filter(|outcome| !outcome.is_not_yet()) {
            if let Operation::Join { child, .. } = operation {
                self.see_end(child);
            }
            return Err(outcome);
        }
        let first = self.first_number();
        let mut state = self.state();
        let free = (first..).map(OperationKey).find(|key| !state.operations.contains_key(key));
        let key = free.expect("numbers do not run out");
        let offer = Offer { key, task: state.running, operation, location, caller, execution };
        if tried.is_none() {
            let fresh = Fresh { key, number: state.begun, effects: state.effects.len() };
            state.fresh.push(fresh);
        }
        state.operations.insert(key, PendingOperation { offer, waker: waker.clone(), outcome: None });
        drop(state);
        if waker.will_wake(Waker::noop()) {
            self.try_at_once(|fresh| fresh.key == key);
        }
        Ok(key)
    }

    /// The history has seen the end of an isolated task.
    pub(crate) fn see_end(&self, child: UnitId) {
        self.state().unseen.remove(&child);
    }

    /// Which of the program's own lines makes a call, and how often it has by then, if calls are traced.
    fn execution(&self, location: &'static Location<'static>) -> (Option<CallerId>, u32) {
        if !self.shared.traces.get() {
            return (None, 0);
        }
        let task = self.state().running;
        let spawned_at = self.state().tasks.get(&task).map(Task::location);
        let caller = self.shared.caller(location, spawned_at);
        let mut state = self.state();
        let of_task = self.shared.tracks.get().then_some(task);
        let count = state.executions.entry((of_task, caller)).or_default();
        *count = (*count + 1).min(self.shared.executions_max.get());
        (Some(caller), *count)
    }

    /// The outcome of a registered operation, once there is one; the operation is then gone.
    fn outcome(&self, key: OperationKey, waker: &Waker) -> Poll<Outcome> {
        let mut state = self.state();
        state.causality.act();
        let running = state.running;
        let pending = state.operations.get_mut(&key).expect("a registered operation stands in the menu");
        match pending.outcome.take() {
            Some(outcome) => {
                if let Some(Operation::Join { child, .. }) =
                    state.operations.remove(&key).map(|done| done.offer.operation)
                {
                    state.unseen.remove(&child);
                }
                Poll::Ready(outcome)
            }
            None => {
                pending.waker.clone_from(waker);
                pending.offer.task = running;
                Poll::Pending
            }
        }
    }

    fn withdraw(&self, key: OperationKey) {
        self.try_at_once(|fresh| fresh.key == key);
        let mut state = self.state();
        state.causality.act();
        // An outcome that nobody took stays, so that the step is seen to be refused.
        if state.operations.get(&key).is_some_and(|pending| pending.outcome.is_none()) {
            state.operations.remove(&key);
        }
    }

    /// Answers a synchronous call, or abandons the poll until there is an answer.
    pub(crate) fn ask(&self, operation: Operation, location: &'static Location<'static>) -> Outcome {
        if self.discarded.get() {
            return unheard(&operation);
        }
        self.shared.watch.operation(location);
        let mut state = self.state();
        state.causality.act();
        match state.script.pop_front() {
            Some((expected, outcome)) if expected == operation => {
                state.position.answered(expected, outcome.clone());
                let effects = state.effects.len();
                state.marks.push(effects);
                drop(state);
                self.execution(location);
                outcome
            }
            Some((expected, _)) => {
                state.mismatch = Some(format!(
                    "expected the call {expected:?}, seen {operation:?} at {}:{}",
                    location.file(),
                    location.line()
                ));
                drop(state);
                self.discard()
            }
            None => {
                drop(state);
                self.settle_rounds();
                self.give_up_asking(operation, location)
            }
        }
    }

    /// Abandons the poll until there is an answer to a synchronous call.
    fn give_up_asking(&self, operation: Operation, location: &'static Location<'static>) -> ! {
        let task = self.state().running;
        let (caller, execution) = self.execution(location);
        let asked = Offer { key: OperationKey::ANSWER, task, operation, location, caller, execution };
        self.state().asked = Some(asked);
        self.discard()
    }

    /// Gives this alternative up: another one does the same.
    pub(crate) fn refuse(&self) -> ! {
        self.discard()
    }

    /// Leaves the poll for good.
    fn discard(&self) -> ! {
        self.set_discarded();
        panic::resume_unwind(Box::new(Discarded))
    }

    /// From now on nothing that the program does has an effect, and calls get any answer.
    pub(crate) fn set_discarded(&self) {
        self.discarded.set(true);
    }

    /// Whether the poll was left for good.
    pub(crate) fn is_discarded(&self) -> bool {
        self.discarded.get()
    }

    pub(crate) fn effect(&self, effect: Effect) {
        let mut state = self.state();
        state.causality.act();
        state.effects.push(effect);
    }

    pub(crate) fn new_socket(&self) -> SocketId {
        SocketId { unit: self.unit, index: self.take_number(|state| &mut state.sockets) }
    }

    /// A UDP socket was dropped.
    pub(crate) fn close_socket(&self, socket: SocketId) {
        self.forget_socket(socket);
        self.effect(Effect::Close { socket });
    }

    /// A socket was dropped: its number is free, and what it waited for is withdrawn.
    pub(crate) fn forget_socket(&self, socket: SocketId) {
        for way in Way::ALL {
            let polled = self.state().polled.remove(&(socket, way));
            drop(polled);
        }
        let mut state = self.state();
        state.surplus.remove(&socket);
        state.endpoints.remove(&socket);
        drop(state);
        if socket.unit == self.unit {
            self.give_number_back(|state| &mut state.sockets, socket.index);
        }
    }

    /// Polls the operation that a `poll_` function has under way, or begins it. Returns the
    /// operation that was completed: the caller may ask for something else by now.
    pub(crate) fn poll_on(
        &self,
        slot: (SocketId, Way),
        waker: &Waker,
        operation: Operation,
        location: &'static Location<'static>,
    ) -> Poll<(Operation, Outcome)> {
        self.state().called.push(slot);
        let under_way = self.state().polled.remove(&slot);
        let mut pending = match under_way.filter(|pending| self.is_still_meant(pending, &operation)) {
            Some(pending) => pending,
            None => Pending::new(operation.clone(), location),
        };
        let begun = pending.key.and_then(|key| self.operation(key)).unwrap_or(operation);
        let polled = Pin::new(&mut pending).poll(&mut std::task::Context::from_waker(waker));
        match polled {
            Poll::Ready(outcome) => Poll::Ready((begun, outcome)),
            Poll::Pending => {
                self.state().polled.insert(slot, pending);
                Poll::Pending
            }
        }
    }

    /// How many calls of `poll_` functions there were in this poll.
    pub(crate) fn called(&self) -> usize {
        self.state().called.len()
    }

    /// Adds what `poll_` functions were called for since there had been so many calls.
    pub(crate) fn called_since(&self, before: usize, slots: &mut Called) {
        for &slot in &self.state().called[before..] {
            if !slots.contains(&slot) {
                slots.push(slot);
            }
        }
    }

    /// Nobody waits any more for what these `poll_` functions have under way. A future that was
    /// only borrowed begins it anew when it is polled again: if it was not polled with the waker
    /// `direct`, somebody in between polls it only after a wake-up, and so gets one.
    pub(crate) fn abandon(&self, slots: &[(SocketId, Way)], direct: Option<&Waker>) {
        for slot in slots {
            let Some(pending) = self.state().polled.remove(slot) else { continue };
            let waker = pending.key.and_then(|key| Some(self.state().operations.get(&key)?.waker.clone()));
            drop(pending);
            if let Some(waker) = waker.filter(|waker| direct.is_some_and(|direct| !waker.will_wake(direct))) {
                waker.wake();
            }
        }
    }

    /// A task has ended: what it had under way goes.
    pub(crate) fn forget_task(&self, task: TaskId) {
        let slots: Called = {
            let state = self.state();
            let is_its = |pending: &Pending| {
                let offer = pending.key.and_then(|key| state.operations.get(&key));
                offer.is_some_and(|pending| pending.offer.task == task)
            };
            state.polled.iter().filter(|(_, pending)| is_its(pending)).map(|(&slot, _)| slot).collect()
        };
        self.abandon(&slots, None);
    }

    /// Whether a pending operation is what is asked for, or has been completed already.
    fn is_still_meant(&self, pending: &Pending, operation: &Operation) -> bool {
        let state = self.state();
        let slot = pending.key.and_then(|key| state.operations.get(&key));
        slot.is_some_and(|slot| slot.outcome.is_some() || slot.offer.operation == *operation)
    }

    fn operation(&self, key: OperationKey) -> Option<Operation> {
        Some(self.state().operations.get(&key)?.offer.operation.clone())
    }

    /// Keeps bytes that were read with room for more than the caller has now.
    pub(crate) fn keep_surplus(&self, socket: SocketId, bytes: &[u8]) {
        self.state().surplus.insert(socket, bytes.to_vec());
    }

    /// Bytes that were kept.
    pub(crate) fn take_surplus(&self, socket: SocketId) -> Option<Vec<u8>> {
        self.state().surplus.remove(&socket)
    }

    pub(crate) fn new_timer(&self) -> u32 {
        self.take_number(|state| &mut state.timers)
    }

    pub(crate) fn drop_timer(&self, timer: u32) {
        self.give_number_back(|state| &mut state.timers, timer);
        self.effect(Effect::Disarm { timer });
    }

    /// Spawns an isolated task: a unit of its own.
    pub(crate) fn spawn_unit(
        &self,
        name: &'static str,
        handles: SmallVec<[SocketId; 2]>,
        streams: SmallVec<[Stream; 1]>,
        program: Rc<Program>,
    ) -> UnitId {
        let first = self.first_number();
        let mut state = self.state();
        let count = state.children.entry((name, first)).or_default();
        let index = first + std::mem::replace(count, *count + 1);
        let child = self.shared.child(self.unit, name, index);
        state.unseen.insert(child);
        state.spawned.push((child, program));
        state.effects.push(Effect::Spawn { child, handles, streams });
        child
    }

    /// The handle of an isolated task is no longer needed.
    pub(crate) fn detach_unit(&self, child: UnitId) {
        self.effect(Effect::Detach { child });
    }

    /// Spawns a task of this unit; it becomes runnable.
    pub(crate) fn spawn_task(
        &self,
        future: Pin<Box<dyn Future<Output = ()>>>,
        on_cancel: Rc<dyn Fn()>,
        location: &'static Location<'static>,
    ) -> (Arc<TaskNumber>, Arc<TaskControl>) {
        let id = self.next_task();
        let number = self.next_task_number(id);
        let mut state = self.state();
        let task = Task::new(id, number, future, on_cancel, location);
        let (number, control) = (Arc::clone(task.number()), Arc::clone(task.control()));
        state.tasks.insert(id, task);
        state.causality.spawn(id);
        (number, control)
    }

    /// Gives an outcome to a pending operation and wakes who waits for it.
    /// Returns the task that waits, or `None` if there is no such operation.
    pub(crate) fn complete(&self, key: OperationKey, outcome: Outcome) -> Option<TaskId> {
        let mut state = self.state();
        let pending = state.operations.get_mut(&key)?;
        pending.outcome = Some(outcome);
        let (task, waker) = (pending.offer.task, pending.waker.clone());
        drop(state);
        waker.wake();
        Some(task)
    }

    /// Whether an outcome was given that no poll has taken.
    pub(crate) fn has_untaken_outcome(&self) -> bool {
        self.state().operations.values().any(|pending| pending.outcome.is_some())
    }

    /// The pending operations of tasks that are there, by key: what a task was polled for before
    /// it ended, nobody waits for.
    pub(crate) fn offers(&self) -> Vec<Offer> {
        let state = self.state();
        let there = |pending: &&PendingOperation| state.tasks.contains_key(&pending.offer.task);
        state.operations.values().filter(there).map(|pending| pending.offer.clone()).collect()
    }
}

/// The answer to a call in a poll that is being abandoned: a `Drop` may ask for the time, but
/// nobody will ever see what it does with it.
fn unheard(operation: &Operation) -> Outcome {
    match operation {
        Operation::Clock | Operation::Deadline { .. } => Outcome::Time { at_ns: 0 },
        Operation::TryReceive { .. }
        | Operation::Read { .. }
        | Operation::Write { .. }
        | Operation::Join { waits: false, .. } => Outcome::WouldBlock,
        Operation::Ready { read, write, .. } => Outcome::Ready { read: *read, write: *write },
        Operation::BindStream { .. } | Operation::Listen { .. } => Outcome::Failed(Failure::AddressInUse),
        Operation::IsEnded { .. } => Outcome::Alternative(1),
        _ => Outcome::Done,
    }
}

/// A future that is one operation: registered at its first poll, withdrawn when dropped.
pub(crate) struct Pending {
    operation: Option<Operation>,
    location: &'static Location<'static>,
    key: Option<OperationKey>,
}

impl Pending {
    pub(crate) fn new(operation: Operation, location: &'static Location<'static>) -> Self {
        Pending { operation: Some(operation), location, key: None }
    }
}

impl Future for Pending {
    type Output = Outcome;

    fn poll(mut self: Pin<&mut Self>, cx: &mut std::task::Context<'_>) -> Poll<Outcome> {
        let context = current();
        if let Some(operation) = self.operation.take() {
            return match context.register(operation, self.location, cx.waker()) {
                Ok(key) => {
                    self.key = Some(key);
                    Poll::Pending
                }
                Err(outcome) => Poll::Ready(outcome),
            };
        }
        let key = self.key.expect("an operation is not polled after it has completed");
        let outcome = context.outcome(key, cx.waker());
        if outcome.is_ready() {
            self.key = None;
        }
        outcome
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let (Some(key), Some(context)) = (self.key, try_current()) {
            context.withdraw(key);
        }
    }
}
