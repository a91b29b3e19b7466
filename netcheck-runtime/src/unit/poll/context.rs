//! The current unit: the state that a poll of user code can see, in its scope.

use crate::id::{CallerId, TaskId, UnitId};
use crate::operation::{Effect, Offer, Operation, Outcome};
use crate::unit::identity::causality::Causality;
use crate::unit::identity::checkpoint::Position;
use crate::unit::names::Host;
use crate::unit::panics::{self, Panic};
use crate::unit::poll::clock::Clock;
use crate::unit::poll::executions::Executions;
use crate::unit::poll::frames::Frames;
use crate::unit::poll::handles::Handles;
use crate::unit::poll::operations::Operations;
use crate::unit::poll::own_files::OwnFiles;
use crate::unit::poll::random::Random;
use crate::unit::poll::schedule::Schedule;
use crate::unit::poll::script::Script;
use crate::unit::poll::selects::Selects;
use crate::unit::poll::tasks::{IsolatedTasks, Polled, Tasks};
use crate::unit::remark::Remark;
use crate::unit::shared::{Modes, Shared};
use crate::unit::waiting::Clones;
use crate::unit::wording;
use netcheck_memory::{Arena, Cloned, EngineGuard, Own, Saved, engine};
use std::any::Any;
use std::cell::{Cell, RefCell, RefMut};
use std::ops::{Deref, DerefMut};
use std::panic::{self, Location};
use std::rc::Rc;
use std::sync::Arc;
use std::task::Waker;

thread_local! {
    static CURRENT: RefCell<Option<Rc<Context>>> = const { RefCell::new(None) };
}

/// The keys of the first `std::collections::HashMap` that a poll makes: so its order of iteration is the same in each run.
const HASH_KEYS: (u64, u64) = (0x6e65_7463_6865_636b, 0x6861_7368_206b_6579);

/// Effects of one step from which on its poll is taken for one that does not return.
const EFFECTS_MAX: usize = 1 << 20;

/// Calls with any answer that a poll may make after it was given up.
const GUESSES_MAX: u32 = 100;

/// Thrown through user code to abandon a poll: a synchronous call has no answer yet, or the alternative is refused
/// because another one has the same result.
struct Discarded;

/// The context in which the current poll runs.
///
/// # Panics
/// Outside a check: the program uses netcheck's types in place of tokio's.
#[track_caller]
pub fn current() -> Rc<Context> {
    let context = here();
    if context.gives_up.get() && !std::thread::panicking() {
        context.discard();
    }
    context
}

/// As [`current`], for calls that a poll may still make after one that has no answer.
#[track_caller]
pub(crate) fn here() -> Rc<Context> {
    CURRENT.with_borrow(Clone::clone).unwrap_or_else(|| {
        panic!(
            "netcheck's sockets, timers and tasks only work inside a check; \
             run real programs on tokio, and name processes with `net.process(…)`"
        )
    })
}

/// As [`current`]; `None` outside a check.
pub(crate) fn within() -> Option<Rc<Context>> {
    CURRENT.with_borrow(Option::is_some).then(current)
}

/// The context of the current poll, if there is one. A value that is dropped outside a poll, or in a poll that was
/// abandoned, belongs to a discarded run and has no effect.
pub(crate) fn try_current() -> Option<Rc<Context>> {
    CURRENT.with_borrow(Clone::clone).filter(|context| !context.is_discarded())
}

/// The call at which the current poll was given up, in words, if it was.
fn gave_up_at() -> Option<String> {
    CURRENT.try_with(|current| current.try_borrow().ok()?.as_ref()?.gave_up_at()).ok()?
}

/// Runs `poll` with `context` as the current one.
pub(in crate::unit) fn enter<R>(context: &Rc<Context>, poll: impl FnOnce() -> R) -> R {
    context.set_hash_keys();
    let enter = || match &context.arena {
        Some(arena) => netcheck_memory::call_on_program_stack(|| arena.enter(poll)),
        None => netcheck_memory::call_on_used_program_stack(poll),
    };
    let enter = || panics::telling(gave_up_at, enter);
    let poll = || with(Some(Rc::clone(context)), || netcheck_memory::with_source(&**context, enter));
    context.shared.first.during(&context.variables, poll)
}

/// Runs `call` without a current context.
pub(super) fn leave<R>(call: impl FnOnce() -> R) -> R {
    with(None, || netcheck_memory::without_source(call))
}

fn with<R>(context: Option<Rc<Context>>, call: impl FnOnce() -> R) -> R {
    struct Restore(Option<Rc<Context>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.set(self.0.take());
        }
    }
    let _restore = Restore(CURRENT.replace(context));
    call()
}

/// One poll's view of its unit.
pub struct Context {
    pub(crate) unit: UnitId,
    pub(crate) shared: Rc<Shared>,
    state: RefCell<State>,
    /// Where tasks wait for what is no operation.
    pub(super) clones: Arc<Clones>,
    /// The poll is being unwound by a payload of the engine: this run is discarded.
    discarded: Cell<bool>,
    /// The poll is discarded but could not be unwound: its next call does so.
    gives_up: Cell<bool>,
    /// Calls that the poll has made since then, with any answer.
    guesses: Cell<u32>,
    /// The call of the poll that would have ended the process.
    pub(super) exit: Cell<Option<Panic>>,
    /// The heap of the program, if its memory identifies local states. It is dropped after everything that the program
    /// has allocated.
    arena: Option<Arena>,
    /// The program's statics and thread-locals.
    pub(super) variables: Own,
}

/// The mutable part of a context; each field belongs to one part of the calls, and has its own rules.
#[derive(Clone, Default)]
pub(in crate::unit) struct State {
    pub(in crate::unit) operations: Operations,
    pub(super) script: Script,
    pub(in crate::unit) tasks: Tasks,
    pub(in crate::unit) isolated: IsolatedTasks,
    pub(super) handles: Handles,
    pub(super) selects: Selects,
    pub(super) frames: Frames,
    pub(super) executions: Executions,
    pub(super) random: Random,
    pub(in crate::unit) files: OwnFiles,
    pub(super) clock: Clock,
    pub(in crate::unit) causality: Causality,
    /// The output of the root, as text and as value, once it has ended.
    pub(in crate::unit) ended: Option<(String, Rc<dyn Any>)>,
}

/// The state of a context while it is borrowed. What is allocated meanwhile is the engine's, not the program's.
pub(in crate::unit) struct Borrowed<'a> {
    state: RefMut<'a, State>,
    _engine: EngineGuard,
}

impl Deref for Borrowed<'_> {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}

impl DerefMut for Borrowed<'_> {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

/// The reason why a poll was abandoned.
pub(in crate::unit) enum Abandoned {
    /// The program made other calls than in the recorded history.
    Differs(String),
    /// A synchronous call has no answer yet.
    Asks(Offer),
    /// The alternative has the same result as another one.
    Refused,
    /// The check can't go on.
    Failed(String),
    /// The program would have ended the process.
    Exits(Panic),
}

impl State {
    /// The state of a run that has taken no step yet.
    fn new(unit: UnitId, shared: &Shared) -> State {
        let mut state = State::default();
        if shared.modes.queues {
            state.tasks.schedule = Some(Schedule::new(shared.unit(unit).parent.is_none()));
        }
        state
    }

    /// Takes all wakers, of a run that ends.
    fn take_wakers(&mut self) -> Vec<Waker> {
        let mut wakers = self.operations.take_wakers();
        while let Some(waker) = self.tasks.schedule.as_mut().and_then(Schedule::pop_deferred) {
            wakers.push(waker);
        }
        wakers
    }

    /// Takes a recorded answer; the position of the poll is then after the answer.
    pub(super) fn take_answer(&mut self, index: usize) -> Outcome {
        let (call, outcome) = self.script.take(index);
        self.frames.position.answered(call, outcome.clone());
        outcome
    }
}

impl Context {
    /// A context for a run. A program holds pointers to it, so it lies in the program's heap, where it is no part of the
    /// memory that identifies local states.
    pub(in crate::unit) fn new(unit: UnitId, shared: Rc<Shared>) -> Rc<Self> {
        let arena = if shared.modes.remembers { Arena::new() } else { None };
        shared.note_arena(arena.is_some());
        Context::with_arena(unit, shared, arena)
    }

    /// A context for a run whose memory does not identify local states.
    pub(in crate::unit) fn without_arena(unit: UnitId, shared: Rc<Shared>) -> Rc<Self> {
        Context::with_arena(unit, shared, None)
    }

    fn with_arena(unit: UnitId, shared: Rc<Shared>, arena: Option<Arena>) -> Rc<Self> {
        let state = RefCell::new(State::new(unit, &shared));
        let (discarded, gives_up, guesses) = (Cell::new(false), Cell::new(false), Cell::new(0));
        let kept = arena.as_ref().map(Arena::keep);
        let clones = Arc::default();
        let (exit, variables) = (Cell::new(None), Own::default());
        let context =
            Rc::new(Context { unit, shared, state, clones, discarded, gives_up, guesses, exit, arena, variables });
        drop(kept);
        context
    }

    pub(in crate::unit) fn state(&self) -> Borrowed<'_> {
        Borrowed { state: self.state.borrow_mut(), _engine: netcheck_memory::engine_guard() }
    }

    /// The maps that are made from here on have the same keys as those of any poll from its beginning on: two maps of one
    /// poll have different ones, and a map that is made anew in each poll the same.
    fn set_hash_keys(&self) {
        netcheck_memory::set_hash_keys(HASH_KEYS.0 ^ self.shared.modes.seed, HASH_KEYS.1);
    }

    /// From here on, what the poll draws depends only on the number of draws so far, and the clock is read anew.
    pub(super) fn renew_generators(&self) {
        self.set_hash_keys();
        netcheck_memory::generators::renew();
        engine(|| self.state().clock.now = None);
    }

    /// Whether tasks share memory only through objects that are tracked.
    pub(crate) fn tracks(&self) -> bool {
        self.shared.modes.tracks
    }

    /// Whether a part of the engine uses the state at this moment.
    pub(super) fn is_busy(&self) -> bool {
        self.state.try_borrow_mut().is_err()
    }

    /// The heap of the program, if its memory identifies local states.
    pub(in crate::unit) fn arena(&self) -> Option<&Arena> {
        self.arena.as_ref()
    }

    /// A copy of the run, between two polls, that shares what is the same with another one.
    pub(in crate::unit) fn save(&self, like: Option<&Saved>) -> Option<(Saved, State)> {
        let Modes { explains, tracks, .. } = self.shared.modes;
        // Copies of wakers that are traced are counted in the engine's memory.
        let arena = self.arena.as_ref().filter(|_| !explains && !tracks)?;
        let saved = arena.save(&self.variables, like).ok()?;
        Some((saved, self.state().clone()))
    }

    /// Puts a copy of the run in place, after the run has ended. Returns false if something else still uses what the run
    /// has allocated.
    pub(in crate::unit) fn put_back(&self, saved: &Saved, state: &State) -> bool {
        let is_back = self.arena.as_ref().is_some_and(|arena| arena.put_back(&self.variables, saved));
        if is_back {
            self.revive(state.clone());
        }
        is_back
    }

    /// Begins the run anew in the same memory, after it has ended. Returns false if something else still uses what it has
    /// allocated.
    pub(in crate::unit) fn begin_anew(&self) -> bool {
        let is_unused = self.arena.as_ref().is_some_and(Arena::is_unused);
        if is_unused {
            self.variables.put_back(&Own::default());
            self.revive(State::new(self.unit, &self.shared));
        }
        is_unused
    }

    fn revive(&self, state: State) {
        *self.state() = state;
        self.discarded.set(false);
        self.gives_up.set(false);
        self.exit.set(None);
    }

    /// Drops the wakers of a run that has ended, and what its statics and thread-locals hold. A panic in a destructor does not
    /// count.
    pub(in crate::unit) fn drop_rest(self: &Rc<Self>) {
        let wakers = self.state().take_wakers();
        if !wakers.is_empty() {
            let _ = panics::catch(|| enter(self, || drop(wakers)));
        }
        if self.variables.is_empty() {
            return;
        }
        let _ = panics::catch(|| enter(self, netcheck_memory::destroy_thread_locals));
        if let Some(arena) = &self.arena {
            arena.free_held(&self.variables);
        }
    }

    pub(crate) fn host(&self) -> &Host {
        self.shared.host_of(self.unit)
    }

    /// Begins a step at a position, with the recorded answers to the calls that it will make.
    pub(in crate::unit) fn begin_step(
        &self,
        position: Position,
        answers: impl IntoIterator<Item = (Operation, Outcome)>,
    ) {
        let state = &mut *self.state();
        state.frames.begin_step(position);
        state.script.begin_step(answers);
        state.selects.begin_step();
        state.operations.begin_step();
        state.clock.begin_step(self.shared.modes.reach_ns);
        state.causality.begin();
    }

    /// Begins the poll of a task; `None` if the task does not exist.
    pub(in crate::unit) fn begin_poll(&self, task: TaskId) -> Option<Polled> {
        let state = &mut *self.state();
        state.operations.begin_poll();
        state.handles.begin_poll();
        state.selects.begin_poll();
        state.tasks.begin_poll(task)
    }

    /// The program's own source line of a call, and the number of its executions so far, if calls are traced.
    pub(super) fn execution(&self, location: &'static Location<'static>) -> (Option<CallerId>, u32) {
        let modes = self.shared.modes;
        if !modes.traces {
            return (None, 0);
        }
        let state = &mut *self.state();
        let caller = self.shared.caller(location, state.tasks.caller());
        let of_task = modes.tracks.then_some(state.tasks.running);
        (Some(caller), state.executions.count(of_task, caller, modes.executions_max))
    }

    /// The first number for operations, sockets and timers of the running task: if tasks are tracked, one of the task's
    /// own, so that numbers do not depend on other tasks.
    pub(super) fn first_number(&self) -> u32 {
        if self.shared.modes.tracks { self.state().tasks.running.first_number() } else { 0 }
    }

    pub(crate) fn effect(&self, effect: Effect) {
        engine(|| {
            let mut state = self.state();
            state.causality.act();
            let answered = state.script.answered();
            state.operations.note_effect(&effect, answered);
            state.script.affect(effect);
            // A loop without an await that emits values would fill the memory before it is called stuck.
            if state.script.effects() > EFFECTS_MAX {
                self.shared.watch.stand_still();
            }
        });
    }

    /// Tells readers of a counterexample something about the step, if calls are traced. It changes nothing else.
    pub(crate) fn remark(&self, words: impl FnOnce() -> String) {
        self.remark_as(|| Remark::Words(words()));
    }

    /// As [`remark`](Context::remark), with a remark of any kind.
    pub(super) fn remark_as(&self, remark: impl FnOnce() -> Remark) {
        if self.shared.modes.traces && !self.is_discarded() {
            engine(|| self.state().script.remark(remark()));
        }
    }

    /// Refuses this alternative, because another one has the same result.
    pub(crate) fn refuse(&self) -> ! {
        self.discard()
    }

    /// Ends the check with an error.
    pub fn fail(&self, why: &str) -> ! {
        netcheck_memory::engine(|| self.state().script.failure = Some(why.to_owned()));
        self.discard()
    }

    /// Calls a function that has nothing to do with the check, and may take its time: it sees no program's context, clock
    /// or memory. What the program gets is a clone.
    pub fn elsewhere<R: Clone>(&self, call: impl FnOnce() -> R) -> R {
        engine(|| Cloned(netcheck_memory::outside(|| leave(|| self.shared.watch.elsewhere(call))))).0
    }

    /// Abandons the poll.
    pub(super) fn discard(&self) -> ! {
        self.set_discarded();
        panic::resume_unwind(Box::new(Discarded))
    }

    /// Discards the poll, which can't be unwound here, so that its next call abandons it.
    pub(super) fn give_up_soon(&self) {
        self.set_discarded();
        self.gives_up.set(true);
        self.guesses.set(0);
    }

    /// Makes a call through which the poll can't be unwound. `None`: there is no answer, and the next call abandons it.
    pub(super) fn without_unwinding<R>(&self, call: impl FnOnce() -> R) -> Option<R> {
        let answer = panics::catch(call).ok();
        if answer.is_none() {
            self.give_up_soon();
        }
        answer
    }

    /// The poll goes on with any answer, though it is given up. A loop without an await, which waits for another answer,
    /// ends here.
    pub(super) fn guess(&self) {
        self.guesses.set(self.guesses.get() + 1);
        if self.gives_up.get() && self.guesses.get() > GUESSES_MAX && !std::thread::panicking() {
            self.discard()
        }
    }

    /// The call at which the poll was given up, in words, if it was.
    pub(in crate::unit) fn gave_up_at(&self) -> Option<String> {
        let state = self.state.try_borrow().ok()?;
        let asked = state.script.asked.as_ref().filter(|_| self.is_discarded())?;
        Some(format!("`{}` ({})", wording::operation(&asked.operation), wording::line(asked, &self.shared)))
    }

    /// From now on the program has no effects, and calls get any answer.
    pub(in crate::unit) fn set_discarded(&self) {
        self.discarded.set(true);
    }

    /// Whether the poll was abandoned.
    pub(super) fn is_discarded(&self) -> bool {
        self.discarded.get()
    }

    /// The reason why the poll was abandoned, if it was.
    pub(in crate::unit) fn abandoned(&self) -> Option<Abandoned> {
        self.gives_up.set(false);
        if !self.is_discarded()
            && self.arena.is_some()
            && let Some(why) = self.left_open()
        {
            return Some(Abandoned::Failed(why));
        }
        let script = &mut self.state().script;
        self.is_discarded().then(|| match (script.failure.take(), script.mismatch.take(), script.asked.take()) {
            (Some(failure), ..) => Abandoned::Failed(failure),
            (None, Some(mismatch), _) => Abandoned::Differs(mismatch),
            (None, None, Some(asked)) => Abandoned::Asks(asked),
            (None, None, None) => self.exit.take().map_or(Abandoned::Refused, Abandoned::Exits),
        })
    }

    /// Whether a recorded answer is left for a call that the step has not made.
    pub(in crate::unit) fn has_unused_answers(&self) -> bool {
        self.state().script.answer().is_some()
    }

    /// The effects of the step since the last answer to a synchronous call.
    pub(in crate::unit) fn last_effects(&self) -> Vec<Effect> {
        self.state().script.last_effects()
    }

    /// The remarks on the step since the last answer to a synchronous call.
    pub(in crate::unit) fn last_remarks(&self) -> Vec<Remark> {
        self.state().script.last_remarks()
    }
}
