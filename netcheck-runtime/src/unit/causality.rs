//! Histories up to the order of independent steps (Mazurkiewicz traces), for `tasks = tracked`.
//!
//! A step of a task is an *event*: the task, what the step was fed, and for each object that it
//! touched the event that touched the object last. Two histories of a unit that consist of the
//! same events are the same history but for the order of steps that share no object, so they
//! lead to the same local state, if tasks share nothing else. What a unit is in, is then told
//! by the last event on each object; a task itself is an object, touched by all of its steps
//! and by whoever wakes, joins or aborts it.

use crate::id::{NodeId, OutcomeId, TaskId};
use crate::operation::OperationKey;
use ahash::AHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;

/// What tasks share, by the task that made it and a count of what that task has made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ObjectId {
    task: TaskId,
    /// 0 is the task itself.
    number: u32,
}

impl ObjectId {
    pub(crate) fn task(task: TaskId) -> Self {
        ObjectId { task, number: 0 }
    }
}

/// A step of a task, with all that it depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct EventId(u32);

/// Everything that has happened to a unit, up to the order of independent steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TraceId(u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Event {
    /// The program of this root was started.
    Start(NodeId),
    Step {
        task: TaskId,
        fed: Vec<(OperationKey, OutcomeId)>,
        before: Vec<(ObjectId, EventId)>,
    },
}

/// The events and traces that were met so far.
#[derive(Default)]
pub(crate) struct Events {
    events: Numbers<Event>,
    traces: Numbers<Vec<(ObjectId, EventId)>>,
}

struct Numbers<T>(AHashMap<T, u32>);

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Numbers(AHashMap::new())
    }
}

impl<T: Eq + Hash> Numbers<T> {
    fn of(&mut self, value: T) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(value).or_insert(next)
    }
}

/// What one run has touched.
#[derive(Default)]
pub(crate) struct Causality {
    /// The last event on each object.
    last: BTreeMap<ObjectId, EventId>,
    /// What the step that is being taken has touched.
    touched: BTreeSet<ObjectId>,
    /// How many objects each task has made.
    made: BTreeMap<TaskId, u32>,
}

impl Causality {
    /// An object made by a task.
    pub(crate) fn make(&mut self, task: TaskId) -> ObjectId {
        let made = self.made.entry(task).or_default();
        *made += 1;
        ObjectId { task, number: *made }
    }

    pub(crate) fn touch(&mut self, object: ObjectId) {
        self.touched.insert(object);
    }

    /// The program of `root` starts.
    pub(crate) fn start(&mut self, root: NodeId, events: &mut Events) {
        let start = EventId(events.events.of(Event::Start(root)));
        self.last.insert(ObjectId::task(TaskId(0)), start);
    }

    /// A step begins.
    pub(crate) fn begin(&mut self) {
        self.touched.clear();
    }

    /// The step of a task has ended: it was fed these outcomes, the answers to its calls among them.
    pub(crate) fn end(&mut self, task: TaskId, fed: Vec<(OperationKey, OutcomeId)>, events: &mut Events) -> TraceId {
        self.touched.insert(ObjectId::task(task));
        let before = self.touched.iter().filter_map(|object| Some((*object, *self.last.get(object)?))).collect();
        let event = EventId(events.events.of(Event::Step { task, fed, before }));
        for &object in &self.touched {
            self.last.insert(object, event);
        }
        let trace = self.last.iter().map(|(&object, &event)| (object, event)).collect();
        TraceId(events.traces.of(trace))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Vec<(OperationKey, OutcomeId)> = Vec::new();

    /// The trace of a run in which tasks take steps, each touching some objects.
    fn trace(events: &mut Events, steps: &[(u32, &[u32])]) -> TraceId {
        let mut causality = Causality::default();
        causality.start(NodeId(4), events);
        let objects: Vec<ObjectId> = (0..3).map(|_| causality.make(TaskId(0))).collect();
        let mut trace = None;
        for (task, touched) in steps {
            causality.begin();
            touched.iter().for_each(|&object| causality.touch(objects[object as usize]));
            trace = Some(causality.end(TaskId(*task), NOTHING, events));
        }
        trace.expect("at least one step")
    }

    #[test]
    fn the_order_of_steps_that_share_nothing_does_not_show() {
        let events = &mut Events::default();
        assert_eq!(trace(events, &[(1, &[0]), (2, &[1])]), trace(events, &[(2, &[1]), (1, &[0])]));
    }

    #[test]
    fn the_order_of_steps_that_share_an_object_shows() {
        let events = &mut Events::default();
        assert_ne!(trace(events, &[(1, &[0]), (2, &[0])]), trace(events, &[(2, &[0]), (1, &[0])]));
    }

    #[test]
    fn what_was_ordered_once_stays_ordered() {
        let events = &mut Events::default();
        let after = [(1, &[1][..]), (2, &[2])];
        let one = [&[(1, &[0][..]), (2, &[0])], &after[..]].concat();
        let other = [&[(2, &[0][..]), (1, &[0])], &after[..]].concat();
        assert_ne!(trace(events, &one), trace(events, &other));
    }

    #[test]
    fn how_often_a_task_has_moved_shows() {
        let events = &mut Events::default();
        assert_ne!(trace(events, &[(1, &[]), (2, &[])]), trace(events, &[(1, &[]), (1, &[])]));
        assert_ne!(trace(events, &[(1, &[])]), trace(events, &[(1, &[]), (1, &[])]));
    }
}
