//! Histories up to the order of independent steps (Mazurkiewicz traces), for `tasks = tracked`.
//!
//! A step of a task is an *event*: the task, the outcomes that the step was fed, and for each object that it touched
//! the event that touched the object last. Two histories of a unit that consist of the same events differ only in the
//! order of steps that share no object, so they lead to the same local state, if tasks share nothing else. The last
//! event on each object therefore identifies the local state. A task is itself an object, touched by all of its steps
//! and by each step that wakes or aborts it. Its end is another object, touched by its last step and by each step that
//! tests for the end.
//!
//! A task that has ended leaves nothing but its output. So if the output has a text, the events that its last step
//! leaves on the objects of tasks (its end, the tasks that it woke) do not depend on its history; and objects that no
//! task can reach any more are forgotten. So the different histories of a task that has ended do not multiply the local
//! states of the others.

use crate::id::{NodeId, OutcomeId, TaskId};
use crate::operation::OperationKey;
use crate::sorted::{SortedMap, SortedSet};
use ahash::{AHashMap, AHashSet};
use std::hash::Hash;

netcheck_memory::handed_by_copy!(ObjectId);

/// An object that tasks share: the task that made it, and the number of objects that this task had made before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ObjectId {
    task: TaskId,
    number: u32,
}

/// Objects that every task has from its start.
const OBJECTS_OF_A_TASK: u32 = 3;

impl ObjectId {
    /// The progress of a task, and whether it was woken.
    pub(crate) fn of_task(task: TaskId) -> Self {
        ObjectId { task, number: 0 }
    }

    /// The task, if the object is the progress of one.
    pub(crate) fn task(self) -> Option<TaskId> {
        (self.number == 0).then_some(self.task)
    }

    /// The end of a task, with its output.
    pub(crate) fn end(task: TaskId) -> Self {
        ObjectId { task, number: 1 }
    }

    /// Whether a task was aborted.
    pub(crate) fn abortion(task: TaskId) -> Self {
        ObjectId { task, number: 2 }
    }

    /// The files of the unit's host, which no task makes.
    pub(crate) fn files() -> Self {
        ObjectId { task: TaskId(u32::MAX), number: OBJECTS_OF_A_TASK }
    }

    /// The task, if the object is the end of one.
    pub(crate) fn ended_task(self) -> Option<TaskId> {
        (self.number == 1).then_some(self.task)
    }

    /// Whether the object belongs to a task from its start, and was not made by the program.
    pub(crate) fn is_of_task(self) -> bool {
        self.number < OBJECTS_OF_A_TASK
    }
}

/// A step of a task, with all events that it depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct EventId(u32);

/// The history of a unit, up to the order of independent steps.
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
    /// The event that the last step of a task leaves on an object of a task's own.
    End {
        task: TaskId,
        object: ObjectId,
        output: Option<String>,
        before: Option<EventId>,
    },
}

/// The objects that a step has touched, and the ends that it has found, awaited or asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touched {
    task: TaskId,
    pub(crate) objects: Box<[ObjectId]>,
    /// The objects through which the task can be woken after the step: all that it has used so far.
    pub(crate) used: Box<[ObjectId]>,
    /// The end that the task waits for after the step, if it waits for nothing else.
    pub(crate) awaited: Option<ObjectId>,
    /// The ends that the step has found without having waited for them.
    pub(crate) found: Box<[ObjectId]>,
    /// The ends that the step has tested without waiting.
    pub(crate) asked: Box<[ObjectId]>,
    /// The tasks that the task knows to have ended: the tasks that it has joined, and those that they knew to have
    /// ended.
    pub(crate) joined: SortedSet<TaskId>,
}

/// The history of a run, up to the order of independent steps.
#[derive(Clone, Debug)]
pub(crate) struct Traced {
    pub(crate) trace: TraceId,
    /// The step that was just taken.
    pub(crate) event: EventId,
    /// The live tasks, each with its own last step, or with the step that spawned it.
    pub(crate) tasks: Box<[(TaskId, EventId)]>,
}

/// The events and traces that were met so far.
#[derive(Default)]
pub(crate) struct Events {
    events: Numbers<Event>,
    traces: Numbers<Vec<(ObjectId, EventId)>>,
    touched: AHashMap<EventId, Touched>,
    /// Steps with ends that they found, where the step would have waited for that end alone.
    sequential: AHashSet<(EventId, ObjectId)>,
    /// Steps with ends that they found, for which this has been learned.
    learned: AHashSet<(EventId, ObjectId)>,
}

impl Events {
    /// Records that a step would have waited for nothing else if an end that it found had not come yet.
    pub(crate) fn set_sequential(&mut self, event: EventId, end: ObjectId) {
        self.sequential.insert((event, end));
    }

    /// Begins to learn what a step does if an end that it found has not come yet; false if that was begun before.
    pub(crate) fn begins_to_learn(&mut self, event: EventId, end: ObjectId) -> bool {
        self.learned.insert((event, end))
    }

    pub(crate) fn is_sequential(&self, event: EventId, end: ObjectId) -> bool {
        self.sequential.contains(&(event, end))
    }

    /// The objects that a step has touched, if it is a step of this task.
    pub(crate) fn touched_by(&self, task: TaskId, event: EventId) -> Option<&Touched> {
        self.touched.get(&event).filter(|touched| touched.task == task)
    }
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

/// The record of one run: the events on its objects, and the step that is being taken.
#[derive(Clone, Default)]
pub(crate) struct Causality {
    /// The last event on each object.
    last: SortedMap<ObjectId, EventId>,
    /// The objects that the current step has touched.
    touched: SortedSet<ObjectId>,
    /// The objects among them that the task has used, and at which its waker may be registered.
    used: SortedSet<ObjectId>,
    /// The end that the step waits for, if it has done nothing since and has waited for no other end.
    awaited: Option<ObjectId>,
    /// Whether the step has waited for an end.
    has_waited: bool,
    /// The ends that the step has found.
    found: SortedSet<ObjectId>,
    /// The ends that the step has tested without waiting.
    asked: SortedSet<ObjectId>,
    /// The objects that no task can reach after the step.
    unreachable: SortedSet<ObjectId>,
    spawned: Vec<TaskId>,
    /// The output with which the task has ended in the step, if a text represents it completely.
    output: Option<String>,
    /// The tasks that each task knows to have ended.
    joined: SortedMap<TaskId, SortedSet<TaskId>>,
    /// The live tasks, with their own last steps.
    tasks: SortedMap<TaskId, EventId>,
    /// The number of objects that each task has made.
    made: SortedMap<TaskId, u32>,
}

impl Causality {
    /// An object made by a task.
    pub(crate) fn make(&mut self, task: TaskId) -> ObjectId {
        let made = self.made.or_default(task);
        *made += 1;
        ObjectId { task, number: OBJECTS_OF_A_TASK + *made }
    }

    /// The running task uses an object, and may register its waker there.
    pub(crate) fn touch(&mut self, object: ObjectId) {
        self.act();
        self.touched.insert(object);
        self.used.insert(object);
    }

    /// The running task has found that another one has not ended, and waits for its end.
    pub(crate) fn wait_for(&mut self, task: TaskId) {
        self.touch(ObjectId::end(task));
        let is_first = !std::mem::replace(&mut self.has_waited, true);
        self.awaited = Some(ObjectId::end(task)).filter(|end| is_first && !self.asked.contains(end));
    }

    /// The running task tests whether another one has ended, without waiting.
    pub(crate) fn ask_for(&mut self, task: TaskId) {
        self.touch(ObjectId::end(task));
        self.asked.insert(ObjectId::end(task));
    }

    /// The running task has seen that another one has ended.
    pub(crate) fn join(&mut self, task: TaskId, ended: TaskId) {
        let earlier = self.joined.get(&ended).cloned().unwrap_or_default();
        let joined = self.joined.or_default(task);
        joined.extend(earlier);
        joined.insert(ended);
        self.found.insert(ObjectId::end(ended));
    }

    /// The tasks that a task knows to have ended.
    pub(crate) fn joined_by(&self, task: TaskId) -> SortedSet<TaskId> {
        self.joined.get(&task).cloned().unwrap_or_default()
    }

    /// The running task does something else than waiting for an end.
    pub(crate) fn act(&mut self) {
        self.awaited = None;
    }

    /// The running task wakes another one.
    pub(crate) fn wake(&mut self, task: TaskId) {
        self.act();
        self.touched.insert(ObjectId::of_task(task));
    }

    /// The running task aborts another one.
    pub(crate) fn abort(&mut self, task: TaskId) {
        self.act();
        self.touched.extend([ObjectId::of_task(task), ObjectId::abortion(task)]);
    }

    /// The running task spawns another one.
    pub(crate) fn spawn(&mut self, task: TaskId) {
        self.act();
        self.touched.insert(ObjectId::of_task(task));
        self.spawned.push(task);
    }

    /// The running task ends; `output` is a text that represents its output completely, if there is one.
    pub(crate) fn end_with(&mut self, task: TaskId, output: Option<String>) {
        self.touched.insert(ObjectId::end(task));
        self.output = output;
    }

    /// An object can't be reached any more.
    pub(crate) fn forget(&mut self, object: ObjectId) {
        self.act();
        self.touched.insert(object);
        self.unreachable.insert(object);
    }

    /// The program of `root` starts.
    pub(crate) fn start(&mut self, root: NodeId, events: &mut Events) {
        let start = EventId(events.events.of(Event::Start(root)));
        self.last.insert(ObjectId::of_task(TaskId(0)), start);
        self.tasks.insert(TaskId(0), start);
    }

    /// A step begins.
    pub(crate) fn begin(&mut self) {
        self.touched.clear();
        self.used.clear();
        self.unreachable.clear();
        self.spawned.clear();
        self.found.clear();
        self.asked.clear();
        (self.output, self.awaited, self.has_waited) = (None, None, false);
    }

    /// Ends the step of a task, which was fed these outcomes, including the answers to its calls.
    pub(crate) fn end(
        &mut self,
        task: TaskId,
        fed: Vec<(OperationKey, OutcomeId)>,
        has_ended: bool,
        events: &mut Events,
    ) -> Traced {
        self.touched.insert(ObjectId::of_task(task));
        let before: Vec<(ObjectId, EventId)> =
            self.touched.iter().filter_map(|object| Some((*object, *self.last.get(object)?))).collect();
        let event = EventId(events.events.of(Event::Step { task, fed, before }));
        let output = self.output.take().filter(|_| has_ended);
        for &object in &self.touched {
            let left = match &output {
                Some(output) if object.is_of_task() => {
                    let output = (object == ObjectId::end(task)).then(|| output.clone());
                    let before = self.last.get(&object).copied().filter(|_| object != ObjectId::of_task(task));
                    EventId(events.events.of(Event::End { task, object, output, before }))
                }
                _ => event,
            };
            self.last.insert(object, left);
        }
        self.unreachable.iter().for_each(|object| _ = self.last.remove(object));
        self.note(task, event, events);
        self.tasks.insert(task, event);
        self.tasks.extend(self.spawned.iter().map(|&spawned| (spawned, event)));
        if has_ended {
            self.tasks.remove(&task);
        }
        let trace = self.last.iter().map(|(&object, &event)| (object, event)).collect();
        let tasks = self.tasks.iter().map(|(&task, &event)| (task, event)).collect();
        Traced { trace: TraceId(events.traces.of(trace)), event, tasks }
    }

    /// Records the objects that the step of a task has touched.
    fn note(&self, task: TaskId, event: EventId, events: &mut Events) {
        if events.touched.contains_key(&event) {
            return;
        }
        // The step that spawned the task is not the task's own.
        let earlier = self.tasks.get(&task).and_then(|&earlier| events.touched_by(task, earlier));
        let mut used = self.used.clone();
        used.extend(earlier.iter().flat_map(|touched| touched.used.iter().copied()));
        let was_awaited = |end: &&ObjectId| earlier.is_some_and(|touched| touched.awaited == Some(**end));
        let was_asked = |end: &&ObjectId| self.asked.contains(end);
        let touched = Touched {
            task,
            objects: self.touched.iter().copied().collect(),
            used: used.into_iter().collect(),
            awaited: self.awaited,
            found: self.found.iter().filter(|end| !was_awaited(end) && !was_asked(end)).copied().collect(),
            asked: self.asked.iter().copied().collect(),
            joined: self.joined_by(task),
        };
        events.touched.insert(event, touched);
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
            trace = Some(causality.end(TaskId(*task), NOTHING, false, events).trace);
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

    /// The trace of a run whose second task ends with an output after steps of its own.
    fn trace_of_ended(events: &mut Events, steps: usize, output: Option<&str>) -> TraceId {
        let mut causality = Causality::default();
        causality.start(NodeId(4), events);
        causality.begin();
        causality.spawn(TaskId(1));
        causality.end(TaskId(0), NOTHING, false, events);
        for _ in 0..steps {
            causality.begin();
            causality.end(TaskId(1), NOTHING, false, events);
        }
        causality.begin();
        causality.end_with(TaskId(1), output.map(str::to_owned));
        causality.end(TaskId(1), NOTHING, true, events).trace
    }

    #[test]
    fn of_a_task_that_has_ended_its_output_is_left() {
        let events = &mut Events::default();
        assert_eq!(trace_of_ended(events, 1, Some("7")), trace_of_ended(events, 2, Some("7")));
        assert_ne!(trace_of_ended(events, 1, Some("7")), trace_of_ended(events, 1, Some("8")));
        assert_ne!(trace_of_ended(events, 1, None), trace_of_ended(events, 2, None), "the output can't be told");
    }

    #[test]
    fn what_nobody_can_reach_does_not_show() {
        let events = &mut Events::default();
        let mut traces = [1, 2].map(|uses| {
            let mut causality = Causality::default();
            causality.start(NodeId(4), events);
            let object = causality.make(TaskId(0));
            for _ in 0..uses {
                causality.begin();
                causality.touch(object);
                causality.end(TaskId(1), NOTHING, false, events);
            }
            causality.begin();
            causality.forget(object);
            causality.end(TaskId(2), NOTHING, false, events);
            causality
        });
        let has_object = |causality: &Causality| causality.last.iter().any(|(object, _)| !object.is_of_task());
        assert!(!traces.iter_mut().any(|causality| has_object(causality)));
    }

    #[test]
    fn who_joins_a_task_knows_what_that_has_joined() {
        let events = &mut Events::default();
        let mut causality = Causality::default();
        causality.start(NodeId(4), events);
        causality.join(TaskId(1), TaskId(2));
        causality.begin();
        causality.join(TaskId(0), TaskId(1));
        let traced = causality.end(TaskId(0), NOTHING, false, events);
        let touched = events.touched_by(TaskId(0), traced.event).expect("it is a step of this task");
        assert_eq!(touched.joined, SortedSet::from_iter([TaskId(1), TaskId(2)]));
    }
}
