//! A shared object, as `tasks = tracked` tracks it.

use crate::unit::identity::causality::ObjectId;
use crate::unit::poll::context;

/// An object that tasks share. Every use is recorded as an access by the running task, so that histories that differ
/// only in the order of unrelated accesses are one local state.
#[derive(Debug)]
pub(crate) struct Object {
    id: Option<ObjectId>,
    is_of_static: bool,
}

impl Object {
    /// An object made by the running task; outside a check, it is not tracked.
    pub(crate) fn new() -> Self {
        Object { id: context::try_current().and_then(|context| context.new_object()), is_of_static: false }
    }

    /// An object of a static, which no task makes. Where objects are tracked, its use ends the check.
    pub(crate) const fn of_static() -> Self {
        Object { id: None, is_of_static: true }
    }

    /// Ends the check, if this is one: a call would block its thread, and nothing else could happen meanwhile.
    pub(crate) fn blocks(&self, call: &str) -> ! {
        let why =
            format!("`{call}` blocks its thread, and nothing can happen meanwhile in a check: await what it waits for");
        match context::try_current() {
            Some(context) => context.fail(&why),
            None => panic!("{why}"),
        }
    }

    /// Records an access by the running task.
    pub(crate) fn touch(&self) {
        if let (Some(id), Some(context)) = (self.id, context::try_current()) {
            context.touch(id);
        } else if self.is_of_static
            && let Some(context) = context::try_current().filter(|context| context.tracks())
        {
            context.fail(
                "a static is used that was made by `const_new`, which `tasks = tracked` can't follow: check it with \
                 `tasks = shared`",
            );
        }
    }
}

/// The task that drops the object was the last one that could reach it.
impl Drop for Object {
    fn drop(&mut self) {
        if let (Some(id), Some(context)) = (self.id, context::try_current()) {
            context.forget_object(id);
        }
    }
}
