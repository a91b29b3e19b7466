//! Where tasks wait, also for what is no operation: a lock, a channel, the end of another task.
//!
//! A task waits where a clone of its waker is kept. In the execution that is shown, each clone is traced to the program's
//! own source line, and to the function of tokio's that has made it. A clone that an operation keeps is left out: the
//! operation is known.

use crate::id::TaskId;
use crate::sorted::SortedMap;
use crate::unit::caller::{Backtraces, Line, Within};
use crate::unit::source_line::{file_and_line, place};
use std::panic::Location;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Wake, Waker};

/// A task, and what it waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    pub task: TaskId,
    /// The source line that has spawned it.
    pub(crate) spawned_at: String,
    /// In words, with the source lines; operations are not among them.
    pub awaited: Vec<String>,
}

impl Waiting {
    pub(in crate::unit) fn new(task: TaskId, spawned_at: &Location<'_>, clones: &Clones) -> Self {
        let of_task = clones.lock().live.values().filter(|(of, _)| *of == task).cloned().collect::<Vec<_>>();
        let mut awaited: Vec<String> = of_task.into_iter().filter_map(|(_, awaited)| awaited).collect();
        awaited.dedup();
        Waiting { task, spawned_at: place(spawned_at), awaited }
    }
}

/// The clones of a unit's wakers that are kept.
#[derive(Debug, Default)]
pub(in crate::unit) struct Clones(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    made: u64,
    /// By number: the task that they wake, and what it waits for with them.
    live: SortedMap<u64, (TaskId, Option<String>)>,
}

impl Clones {
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The waker of a task, whose clones are traced.
struct Traced<C> {
    task: TaskId,
    control: Arc<C>,
    clones: Arc<Clones>,
    backtraces: Arc<Backtraces>,
}

impl<C: Wake + Send + Sync + 'static> netcheck_memory::Target for Traced<C> {
    fn wake(&self) {
        self.control.wake_by_ref();
    }

    fn cloned(&self) -> u64 {
        netcheck_memory::engine(|| {
            let running = self.backtraces.current();
            let mut kept = self.clones.lock();
            kept.made += 1;
            let made = kept.made;
            kept.live.insert(made, (self.task, awaited(&running.within, running.line.as_ref())));
            made
        })
    }

    fn dropped(&self, clone: u64) {
        netcheck_memory::engine(|| _ = self.clones.lock().live.remove(&clone));
    }

    fn address(&self) -> *const () {
        Arc::as_ptr(&self.control).cast()
    }
}

/// A waker whose clones are traced.
pub(in crate::unit) fn waker(
    task: TaskId,
    control: Arc<impl Wake + Send + Sync + 'static>,
    clones: &Arc<Clones>,
    backtraces: &Arc<Backtraces>,
) -> Waker {
    let (clones, backtraces) = (Arc::clone(clones), Arc::clone(backtraces));
    netcheck_memory::engine(|| netcheck_memory::waker(Arc::new(Traced { task, control, clones, backtraces })))
}

/// Functions that keep a waker, with what they wait for in words: the module; a part of the name of a function within it, or of
/// that one's module; and the words.
const AWAITED: &[(&str, &str, &str)] = &[
    ("sync::mutex", "", "the lock of a Mutex"),
    ("sync::rwlock", "", "the lock of a RwLock"),
    ("sync::rw_lock", "", "the lock of a RwLock"),
    ("sync::oneshot", "closed", "the end of a oneshot channel's receiver"),
    ("sync::oneshot", "", "a oneshot channel's value"),
    ("sync::mpsc::bounded", "notify", "the end of an mpsc channel's receiver"),
    ("sync::mpsc::bounded", "semaphore", "room in an mpsc channel"),
    ("sync::mpsc::bounded", "", "a value in an mpsc channel"),
    ("sync::mpsc::unbounded", "notify", "the end of an mpsc channel's receiver"),
    ("sync::mpsc::unbounded", "", "a value in an mpsc channel"),
    ("sync::notify", "", "a Notify"),
    ("sync::watch", "closed", "the end of a watch channel's receivers"),
    ("sync::watch", "", "a change in a watch channel"),
    ("sync::broadcast", "", "a value in a broadcast channel"),
    ("sync::barrier", "", "others at a Barrier"),
    ("sync::once_cell", "", "the value of a OnceCell"),
    ("sync::semaphore", "", "a permit of a Semaphore"),
    ("io::util::mem", "", "the other end of a DuplexStream"),
    ("futures_channel::oneshot", "", "a oneshot channel's value"),
    ("netcheck_runtime::signal", "", "Ctrl-C (nobody presses it in a check)"),
    ("netcheck_runtime::select", "", "a branch of a `select!`"),
    ("netcheck_runtime::task::join_set", "", "a task of a JoinSet"),
    ("netcheck_runtime::task", "", "the end of a task"),
];

/// Where operations keep wakers.
const OPERATIONS: &str = "netcheck_runtime::unit::poll";

/// The thing that a task waits for with a waker that was cloned within these functions, innermost first, at a line of
/// the program; `None` if an operation keeps the waker.
fn awaited(within: &[Within], line: Option<&Line>) -> Option<String> {
    let keeps = within.iter().rposition(|one| one.is_of("core::task::wake"));
    let keeps = keeps.map_or(within, |clone| &within[clone + 1..]);
    if keeps.iter().any(|one| one.is_of(OPERATIONS)) {
        return None;
    }
    let words = |one: &Within| {
        let has = |part: &str| keeps.iter().any(|within| within.name.contains(part) || within.module.contains(part));
        let is_its = |(module, part, _): &&(&str, &str, &str)| one.is_of(module) && has(part);
        AWAITED.iter().find(is_its).map(|(_, _, words)| *words)
    };
    // The outermost function is the one that the program has called: a channel's may take a semaphore.
    let words = keeps.iter().rev().find_map(words).unwrap_or("something in its own memory");
    let line = line.map(|line| format!(" at {}", file_and_line(&line.file, line.number))).unwrap_or_default();
    Some(format!("{words}{line}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn told(within: &[(&str, &str)]) -> Option<String> {
        let within: Vec<Within> = within.iter().map(|&(name, file)| Within::new(name, Some(Path::new(file)))).collect();
        awaited(&within, Some(&Line { file: "src/a.rs".to_owned(), number: 3 }))
    }

    #[test]
    fn the_outermost_function_says_what_is_awaited() {
        let clone = ("<core::task::wake::Waker as Clone>::clone", "/rustc/0/library/core/src/task/wake.rs");
        let send = [
            ("current", "netcheck-runtime/src/unit/poll/waking.rs"),
            clone,
            ("<Acquire as Future>::poll", "/registry/tokio-1.44.0/src/sync/batch_semaphore.rs"),
            ("reserve_inner", "/registry/tokio-1.44.0/src/sync/mpsc/bounded.rs"),
            (
                "tokio::sync::mpsc::bounded::Sender<T>::send::{{closure}}",
                "/registry/tokio-1.44.0/src/sync/mpsc/bounded.rs",
            ),
        ];
        assert_eq!(told(&send).as_deref(), Some("room in an mpsc channel at src/a.rs:3"));
        let own = [clone, ("<library::Own as Future>::poll", "/registry/library-1.0.0/src/lib.rs")];
        assert_eq!(told(&own).as_deref(), Some("something in its own memory at src/a.rs:3"));
        let operation = [clone, ("register", "netcheck-runtime/src/unit/poll/operations.rs")];
        assert_eq!(told(&operation), None);
    }
}
