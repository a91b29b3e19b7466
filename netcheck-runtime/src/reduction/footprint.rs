//! Footprints: the resources that steps affect, and those that they depend on.
//!
//! A step `t` of one mover (a unit, or a tracked task) has to be explored together with another's step `u` if `u`
//! *affects* a resource that `t` *depends on*: if taking `u` first could make `t` impossible, possible in more ways, or
//! lead elsewhere. The relation is not symmetric: a send does not depend on a receive, because a datagram that is there
//! earlier can still be received later (late choice), but a receive depends on a send.
//!
//! A unit has a footprint per node. A tracked task has one per last step of its own: its next steps are the same
//! whatever unrelated tasks have done, so a footprint that was learned in one order holds in all orders. In the middle
//! of a poll (at a call that needs an answer at once) the unit moves as a whole.

use super::bisimulation::Merging;
use super::bits::Bits;
use super::groups::Groups;
use super::repeats::Repeats;
pub(crate) use super::row::Row;
use super::row::{Footprint, Future};
use crate::id::{Mover, NodeId, TaskId, UnitId};
use crate::operation::OperationKey;
use crate::sorted::SortedSet;
use crate::unit::automaton::{Automata, EdgeId, NodeKind};
use crate::unit::identity::causality::{EventId, ObjectId};
use crate::world::components::{Component, ComponentId};
use crate::world::prepared::Prepared;
use crate::world::system::System;
use crate::world::tasks;
use crate::world::touches::{Resource, Touches, When};
use ahash::AHashMap;
use smallvec::{SmallVec, smallvec};

/// The footprints of all movers, kept up with the automata.
#[derive(Default)]
pub struct Footprints {
    pub(super) resources: AHashMap<Resource, u32>,
    /// By number.
    named: Vec<Resource>,
    rows: Vec<Footprint>,
    /// The footprints of units that move as a whole, by node.
    of_node: Vec<Row>,
    /// The footprints of tracked tasks, by their last steps.
    of_task: AHashMap<(UnitId, TaskId, EventId), Row>,
    /// By edge: the resources that a step of a tracked task depends on besides its offers.
    of_edge: Vec<Bits>,
    /// The last steps of units with tracked tasks, with the tasks that had ended before each of them in any order.
    ends: Vec<(Row, UnitId, SortedSet<TaskId>)>,
    /// The tracked tasks that are known.
    tasks: SortedSet<(UnitId, TaskId)>,
    /// The resources of the timers that a tracked task has made, by task.
    pub(super) timers: Vec<(u32, Mover)>,
    /// Resources that connect no movers: those of ending, joining and aborting, and the budget of faults.
    connects_nothing: Bits,
    /// Whether something has grown in this round that a choice had relied on.
    pub(super) grew: bool,
    /// The number of expanded states when that was first seen.
    pub(super) grown_at: Option<u64>,
    /// Processes that may meet, by the first footprints of their units.
    groups: Groups,
    /// First footprints that have grown, and ports to which something is sent, since the groups were brought up to
    /// date.
    grown: Vec<Row>,
    /// The first footprints of units on which no choice had relied at the last update.
    firsts: Vec<Row>,
    /// Whether a choice has relied on one of them since.
    are_firsts_consulted: bool,
    ports: Vec<ComponentId>,
    /// Whether histories were merged, so that a unit may come back to a local state that it has left.
    pub(super) may_repeat: bool,
    /// The budget of faults.
    budget: Bits,
    /// The uses of the footprints in this search.
    pub(crate) uses: Uses,
    /// Which steps may be taken again.
    pub(crate) repeats: Repeats,
    /// The states that are taken for others, if that is allowed.
    pub(crate) merging: Option<Merging>,
}

/// The uses of footprints in a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// Whether states are split into parts that are explored by themselves.
    pub splits: bool,
    /// Whether only a stubborn set of the steps is explored.
    pub stubborn: bool,
    /// Whether movers that never meet have clocks of their own, as a reduced search needs it.
    pub clocks: bool,
    /// Whether datagrams are forgotten that nobody will receive.
    pub forgets: bool,
    /// Whether processes that wait for ever while others go on are looked for.
    pub seeks_helpless: bool,
    /// The number of states after which states that no receiver can tell apart are merged, if that is allowed.
    pub merges_after: Option<usize>,
}

impl Footprints {
    /// Footprints of which nothing is known.
    pub fn new(uses: Uses) -> Footprints {
        Footprints { uses, merging: uses.merges_after.map(Merging::after), ..Footprints::default() }
    }

    /// The resources that connect no movers: those of ending, joining and aborting, and the budget of faults.
    pub(crate) fn connects_nothing(&self) -> &Bits {
        &self.connects_nothing
    }

    /// The budget of faults, which connects nothing: see [`parts`](super::parts).
    pub(crate) fn budget(&self) -> &Bits {
        &self.budget
    }

    /// The resource with a number.
    pub(crate) fn resource(&self, bit: u32) -> Resource {
        self.named[bit as usize]
    }

    /// The footprint of a unit in a node, or of one of its tasks there.
    pub(crate) fn row(&self, automata: &Automata, node: NodeId, mover: Mover) -> Row {
        let own = mover.task.and_then(|task| {
            let mut tasks = automata.node(node).tasks.iter();
            let &(_, event) = tasks.find(|(other, _)| *other == task)?;
            self.of_task.get(&(mover.unit, task, event)).copied()
        });
        own.unwrap_or(self.of_node[node.index()])
    }

    /// Says that a choice relies on a footprint.
    pub(crate) fn consult(&mut self, row: Row) {
        let footprint = &mut self.rows[row.0 as usize];
        self.are_firsts_consulted |= !footprint.consulted && footprint.first_of.is_some();
        footprint.consulted = true;
    }

    pub(crate) fn get(&self, row: Row) -> &Footprint {
        &self.rows[row.0 as usize]
    }

    /// The resources that a step of a tracked task depends on besides its offers: shared objects, and those of its
    /// effects.
    pub(crate) fn depended_on_by(&self, edge: EdgeId) -> &Bits {
        &self.of_edge[edge.0 as usize]
    }

    /// Whether a mover may use timers from now on.
    pub(crate) fn has_timers(&self, unit: UnitId, row: Row) -> bool {
        self.is_in(&self.get(row).future_affects, Resource::Timed(unit))
    }

    pub(crate) fn is_in(&self, bits: &Bits, resource: Resource) -> bool {
        self.resources.get(&resource).is_some_and(|&bit| bits.contains(bit))
    }

    fn bit(&mut self, resource: Resource) -> u32 {
        let next = self.resources.len() as u32;
        let bit = *self.resources.entry(resource).or_insert(next);
        if bit == next {
            self.named.push(resource);
        }
        if bit == next && (resource.is_of_lifecycle() || resource == Resource::Budget) {
            self.connects_nothing.insert(bit);
        }
        match resource {
            _ if bit != next => {}
            Resource::Budget => self.budget.insert(bit),
            Resource::Appended(port) => self.ports.push(port),
            Resource::TimersOf(unit, task) => self.timers.push((bit, Mover { unit, task: Some(task) })),
            _ => {}
        }
        bit
    }

    /// Takes in what was learned since the last time.
    pub fn update(&mut self, system: &mut System) {
        if system.learner.has_merged() && !self.may_repeat {
            self.may_repeat = true;
            self.grew = true;
        }
        for index in self.of_node.len()..system.learner.automata.nodes.len() {
            self.node(system, NodeId(index as u32));
        }
        for index in self.of_edge.len()..system.learner.automata.edges.len() {
            self.of_edge.push(Bits::default());
            self.edge(system, EdgeId(index as u32));
        }
        if std::mem::take(&mut self.are_firsts_consulted) {
            self.firsts.retain(|row| !self.rows[row.0 as usize].consulted);
        }
        self.group(system);
    }

    /// Brings the groups up to date. Whatever is sent to a port of a process may concern it.
    fn group(&mut self, system: &System) {
        for row in std::mem::take(&mut self.grown) {
            let first = &self.rows[row.0 as usize];
            let process = first.first_of.expect("only first footprints are listed");
            let mut seen = first.future_depends_on.clone();
            seen.union_with(&first.future_races);
            seen.union_with(&first.future_waits);
            let mut affects = first.future_affects.clone();
            for bit in self.budget.iter() {
                affects.remove(bit);
                seen.remove(bit);
            }
            self.groups.add(process, &affects, &seen);
        }
        for port in std::mem::take(&mut self.ports) {
            let Component::Port(process, _) = system.components.component(port) else { continue };
            let appended = self.bits(&[Resource::Appended(port)]);
            self.groups.add(process, &Bits::default(), &appended);
        }
    }

    /// The first footprints of units on which no choice has relied yet. A choice in one group relies on all of them.
    pub(super) fn firsts_to_consult(&self) -> impl Iterator<Item = Row> + '_ {
        self.firsts.iter().copied().filter(|row| !self.get(*row).consulted)
    }

    /// The groups of processes: no other process than those of its group ever meets one.
    pub(super) fn groups(&self) -> &Groups {
        &self.groups
    }

    fn new_row(&mut self) -> Row {
        self.rows.push(Footprint::default());
        Row((self.rows.len() - 1) as u32)
    }

    /// Adds the footprints of a node's prepared offers.
    fn node(&mut self, system: &mut System, node: NodeId) {
        let whole = self.new_row();
        self.of_node.push(whole);
        if system.learner.automata.node(node).kind != NodeKind::Live {
            return;
        }
        if system.learner.automata.node(node).root == node {
            let process = system.process_of(system.learner.automata.node(node).unit);
            self.rows[whole.0 as usize].first_of = Some(process);
            self.firsts.push(whole);
        }
        let unit = system.learner.automata.node(node).unit;
        let tasks = system.learner.automata.node(node).tasks.clone();
        if tasks.is_empty() {
            let alone = self.while_live(system, node);
            self.add(whole, &alone);
        }
        // It is not seen what a tracked task waits for besides its offers.
        let waits_for_one = tasks.is_empty() && system.learner.automata.node(node).offers.len() == 1;
        for &(task, event) in &tasks {
            self.task(system, node, task, event);
        }
        // A call in the middle of a poll belongs to a step from a node at which each task still moved by itself.
        let before = system.learner.automata.before_poll(node);
        if before != node {
            for mover in system.learner.automata.movers(before) {
                let row = self.row(&system.learner.automata, before, mover);
                self.follows(row, whole);
            }
        }
        for offer in &*system.prepared_offers(node) {
            let mut touches = Touches::default();
            touches.operation(system, unit, &offer.prepared);
            if waits_for_one && let Prepared::Tasks(tasks::Prepared::Join { unit: child, .. }) = offer.prepared {
                touches.waits(Resource::Ended(child));
            }
            let sometimes = When::ALL.map(|when| (when, self.bits(&touches.when(when))));
            let task = system.learner.automata.node(node).offers.iter().find(|other| other.key == offer.key);
            let task = task.map(|offer| offer.task);
            for row in self.rows_of_step(system, node, task) {
                self.add(row, &touches);
                // The first call of a poll does not show that a later one is contended.
                let is_offered = row == whole || before == node;
                for (when, depends_on) in &sometimes {
                    self.add_sometimes(row, is_offered.then_some((offer.key, *when)), depends_on);
                }
            }
        }
    }

    /// The resources that any step of a unit, or of one of its tasks, affects and depends on in a node.
    fn while_live(&self, system: &System, node: NodeId) -> Touches {
        let mut touches = Touches::default();
        let unit = system.learner.automata.node(node).unit;
        let of_unit = &system.units[unit.0 as usize];
        if !system.learner.automata.node(node).waited {
            touches.affects(Resource::Waited(unit));
        }
        if of_unit.is_task {
            touches.affects(Resource::Alive(unit)).affects(Resource::AliveIn(of_unit.process));
            touches.depends_on(Resource::Killed(unit)).depends_on(Resource::KilledWith(of_unit.process));
        }
        touches.cut_early(system, of_unit.process);
        touches
    }

    /// The footprint of a task after its last step.
    fn task(&mut self, system: &System, node: NodeId, task: TaskId, event: EventId) {
        let unit = system.learner.automata.node(node).unit;
        let known = self.of_task.get(&(unit, task, event)).copied();
        let row = known.unwrap_or_else(|| {
            let row = self.new_row();
            self.of_task.insert((unit, task, event), row);
            row
        });
        if self.tasks.insert((unit, task)) {
            self.may_be_ended(unit, task);
        }
        let mut touches = self.while_live(system, node);
        touches.depends_on(Resource::Over(unit)).races(Resource::Object(unit, ObjectId::abortion(task)));
        let mut waiting = touches.depends_on.clone();
        touches.affects(Resource::Moves(unit)).object(unit, task, ObjectId::of_task(task));
        self.add(row, &touches);
        waiting.push(Resource::Object(unit, ObjectId::abortion(task)));
        let events = system.shared().events.borrow();
        let used = events.touched_by(task, event).map(|touched| &*touched.used).unwrap_or_default();
        waiting.extend(used.iter().map(|&object| Resource::Object(unit, object)));
        let waiting = self.bits(&waiting);
        self.rows[row.0 as usize].woken_by.union_with(&waiting);
    }

    /// A new task may still be there when its unit ends, unless the task has ended before that in every order.
    fn may_be_ended(&mut self, unit: UnitId, task: TaskId) {
        let is_there = |(_, of, joined): &&(Row, UnitId, SortedSet<TaskId>)| *of == unit && !joined.contains(&task);
        let ends: Vec<Row> = self.ends.iter().filter(is_there).map(|&(row, ..)| row).collect();
        let mut touches = Touches::default();
        touches.affects(Resource::Object(unit, ObjectId::abortion(task)));
        ends.into_iter().for_each(|row| self.add_to_future(row, &touches));
    }

    /// The footprints that a step of a task from a node belongs to.
    fn rows_of_step(&self, system: &System, node: NodeId, task: Option<TaskId>) -> SmallVec<[Row; 2]> {
        let unit = system.learner.automata.node(node).unit;
        let mut rows: SmallVec<[Row; 2]> = smallvec![self.row(&system.learner.automata, node, Mover { unit, task })];
        let before = system.learner.automata.before_poll(node);
        if before != node {
            let row = self.row(&system.learner.automata, before, Mover { unit, task });
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        rows
    }

    fn bits(&mut self, resources: &[Resource]) -> Bits {
        let mut bits = Bits::default();
        for &resource in resources {
            bits.insert(self.bit(resource));
        }
        bits
    }

    /// Adds the resources of steps to a footprint, and to all that lead there.
    fn add(&mut self, row: Row, touches: &Touches) {
        let depends_on = self.bits(&touches.depends_on);
        let footprint = &mut self.rows[row.0 as usize];
        self.grew |= footprint.depends_on.union_with(&depends_on) && footprint.consulted;
        self.add_to_future(row, touches);
    }

    /// Adds the resources of steps to the future of a footprint, and of all that lead there.
    pub(super) fn add_to_future(&mut self, row: Row, touches: &Touches) {
        let future = Future {
            affects: self.bits(&touches.affects),
            depends_on: self.bits(&touches.depends_on),
            waits: self.bits(&touches.waits),
            races: self.bits(&touches.raced_for().collect::<Vec<_>>()),
        };
        let footprint = &mut self.rows[row.0 as usize];
        let grew = footprint.extend(&future);
        if grew {
            self.note_growth(row);
            self.propagate(row);
        }
    }

    /// The future of a footprint has grown.
    fn note_growth(&mut self, row: Row) {
        let footprint = &self.rows[row.0 as usize];
        self.grew |= footprint.consulted;
        self.grown.extend(footprint.first_of.map(|_| row));
    }

    /// Adds the resources that an offer depends on in some states; without an offer, in every state.
    fn add_sometimes(&mut self, row: Row, offer: Option<(OperationKey, When)>, depends_on: &Bits) {
        if depends_on.is_empty() {
            return;
        }
        let footprint = &mut self.rows[row.0 as usize];
        let grew = footprint.depend_sometimes(offer, depends_on);
        if grew | footprint.future_depends_on.union_with(depends_on) | footprint.future_races.union_with(depends_on) {
            self.note_growth(row);
            self.propagate(row);
        }
    }

    /// Notes that steps of the footprint `row` may lead to the footprint `next`.
    fn follows(&mut self, row: Row, next: Row) {
        if row == next || self.rows[next.0 as usize].before.contains(&row) {
            return;
        }
        self.rows[next.0 as usize].before.push(row);
        if self.take_in(row, next) {
            self.propagate(row);
        }
    }

    /// Adds an edge's effects, and the futures that it leads to, to the footprints of its source and to all that lead
    /// there.
    fn edge(&mut self, system: &mut System, edge_id: EdgeId) {
        let edge = system.learner.automata.edge(edge_id);
        let (source, target, event, roots) = (edge.source, edge.target, edge.event, edge.roots.clone());
        let task = system.learner.automata.node(source).offer(edge.input).map(|offer| offer.task);
        let unit = system.learner.automata.node(source).unit;
        let has_ended = matches!(system.learner.automata.node(target).kind, NodeKind::Ended { .. } | NodeKind::Gone);
        let mut touches = Touches::default();
        touches.effects(system, unit, edge_id);
        touches.begun(system, unit, edge_id);
        touches.seen_edge(system, edge_id);
        if has_ended {
            touches.end(system, unit, edge_id);
            touches.affects(Resource::Over(unit)).depends_on(Resource::Moves(unit));
        }
        if let Some((task, event)) = task.zip(event) {
            let events = system.shared().events.borrow();
            let automata = &system.learner.automata;
            if let Some(touched) = events.touched_by(task, event) {
                if has_ended {
                    let row = self.row(&system.learner.automata, source, Mover { unit, task: Some(task) });
                    self.ends.push((row, unit, touched.joined.clone()));
                    let others = self.tasks.starting_at(&(unit, TaskId(0))).take_while(|(of, _)| *of == unit);
                    let alive = others.map(|&(_, other)| other).filter(|other| !touched.joined.contains(other));
                    touches.affects.extend(alive.map(|other| Resource::Object(unit, ObjectId::abortion(other))));
                }
                touched.objects.iter().for_each(|&object| touches.object(unit, task, object));
                let was_awaited = automata.sole_wait_before(&events, source, task);
                let passed = touched.objects.iter().filter(|&&end| {
                    Some(end) == was_awaited && !touched.asked.contains(&end) || events.is_sequential(event, end)
                });
                passed.for_each(|&end| _ = touches.waits(Resource::Object(unit, end)));
                // The task does not see which others look whether it has ended.
                touches.unseen = Some(Resource::Object(unit, ObjectId::end(task)));
                // If the awaited task had ended before, this step would have gone on as the next one does.
                let awaited = automata.sole_wait(&events, edge_id, task).map(|object| Resource::Object(unit, object));
                touches.depends_on.retain(|&resource| Some(resource) != awaited);
            }
        }
        let there: SmallVec<[Mover; 4]> = system.learner.automata.movers(system.learner.automata.before_poll(source));
        let next = match system.learner.automata.node(target).kind {
            NodeKind::Live => system.learner.automata.movers(target),
            _ => SmallVec::new(),
        };
        let whole = self.of_node[source.index()];
        let is_of_task = !system.learner.automata.node(source).tasks.is_empty();
        if is_of_task {
            // The resources that a task's step uses can differ with the steps that others have taken before.
            self.of_edge[edge_id.0 as usize] = self.bits(&touches.depends_on);
        }
        for row in self.rows_of_step(system, source, task) {
            match is_of_task {
                true => self.add_to_future(row, &touches),
                false => self.add(row, &touches),
            }
            for &mover in &next {
                // The task's own next steps, and those of the tasks that it has spawned; all, if the unit moved as a
                // whole.
                if row == whole || mover.task.is_none() || mover.task == task || !there.contains(&mover) {
                    self.follows(row, self.row(&system.learner.automata, target, mover));
                }
            }
            for &(_, root) in &roots {
                self.follows(row, self.of_node[root.index()]);
            }
        }
    }

    /// Adds the future of `next` to that of `row`, which leads to it; says whether that has grown.
    fn take_in(&mut self, row: Row, next: Row) -> bool {
        let future = self.rows[next.0 as usize].future();
        let footprint = &mut self.rows[row.0 as usize];
        let grew = footprint.extend(&future);
        if grew {
            self.note_growth(row);
        }
        grew
    }

    /// Adds the future of a footprint to all that lead to it.
    fn propagate(&mut self, row: Row) {
        let mut grown = vec![row];
        while let Some(row) = grown.pop() {
            for before in self.rows[row.0 as usize].before.clone() {
                if self.take_in(before, row) {
                    grown.push(before);
                }
            }
        }
    }
}
