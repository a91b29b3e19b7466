//! A shared object, as `tasks = tracked` tracks it.

use crate::unit::identity::causality::ObjectId;
use crate::unit::poll::context;

/// An object that tasks share. Every use is recorded as an access by the running task, so that histories that differ
/// only in the order of unrelated accesses are one local state.
#[derive(Debug)]
pub(crate) struct Object {
    id: Option<ObjectId>,
}

impl Object {
    /// An object made by the running task; outside a check, it is not tracked.
    pub(crate) fn new() -> Self {
        Object { id: context::try_current().and_then(|context| context.new_object()) }
    }

    /// Records an access by the running task.
    pub(crate) fn touch(&self) {
        if let (Some(id), Some(context)) = (self.id, context::try_current()) {
            context.touch(id);
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
