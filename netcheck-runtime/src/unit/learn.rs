//! Taking an edge for the first time: the only place that runs user code.
//!
//! A second edge that leaves a node needs a second live run: a new one from the unit's factory, fed with the recorded
//! outcomes of its history. The operations that it waits for are compared with the recorded ones at each step; a
//! difference means that the program is non-deterministic.

use crate::id::{NodeId, UnitId};
use crate::operation::tasks;
use crate::operation::{Begun, BegunCall, Decided, Input, Offer, Operation, OperationKey, Stream};
use crate::unit::automaton::{Automata, Edge, EdgeId, Identity, NodeKind};
use crate::unit::instance::{Instance, Rest, Stepped};
use crate::unit::merged::{Merged, Samples};
use crate::unit::order::Order;
use crate::unit::pool::{Pool, Run};
use crate::unit::program::Program;
use crate::unit::remark::Remark;
use crate::unit::shared::Shared;
use crate::unit::{dated, wording};
use ahash::{AHashMap, AHashSet};
use smallvec::SmallVec;
use std::rc::Rc;

/// A fault of the user's program after which the check can't go on, as text.
#[derive(Clone, Debug)]
pub struct Diagnostic(pub String);

impl Diagnostic {
    /// The step after which two runs differ, and what each did then.
    pub(super) fn at(&self) -> &str {
        let steps = self.0.split_once("\n  ").map_or("", |(_, steps)| steps);
        steps.split_once("\n  usual causes").map_or(steps, |(steps, _)| steps)
    }
}

/// Learns the automata of all units.
pub struct Learner {
    pub automata: Automata,
    pub(crate) shared: Rc<Shared>,
    pub(super) programs: AHashMap<NodeId, Rc<Program>>,
    pub(super) pool: Pool,
    /// Runs without arenas, of which something was kept.
    pub(super) keepers: Pool,
    /// The first nodes of programs that depend on more than what is copied of their runs.
    pub(super) apart: AHashSet<NodeId>,
    /// By unit: the unit that its process is after a crash, with the node that waits for its start.
    pub(super) incarnations: AHashMap<UnitId, (UnitId, NodeId)>,
    pub(super) merged: Merged,
    /// Remarks for readers on steps, if calls are traced.
    remarks: AHashMap<EdgeId, Vec<Remark>>,
    /// Sampling of the steps whose order could be swapped.
    swaps: Samples,
    order: Order,
    /// Polls of user code.
    pub polls: u64,
    /// Runs that had to be built anew.
    pub(crate) rebuilds: u64,
}

impl Learner {
    pub(crate) fn new(shared: Rc<Shared>) -> Self {
        let pool = Pool::new(shared.modes.remembers, shared.modes.copies_bytes_max);
        Learner {
            automata: Automata::new(),
            shared,
            programs: AHashMap::new(),
            pool,
            keepers: Pool::of_keepers(),
            apart: AHashSet::new(),
            incarnations: AHashMap::new(),
            merged: Merged::default(),
            remarks: AHashMap::new(),
            swaps: Samples::default(),
            order: Order::default(),
            polls: 0,
            rebuilds: 0,
        }
    }

    /// Adds a program that `unit` may run; its first node waits for the start.
    pub(crate) fn add_program(&mut self, unit: UnitId, program: Rc<Program>) -> NodeId {
        self.add_program_that(tasks::Operation::Start, unit, program)
    }

    /// Adds a program that waits for its start in a certain way.
    pub(super) fn add_program_that(&mut self, starts: tasks::Operation, unit: UnitId, program: Rc<Program>) -> NodeId {
        let start = Offer {
            key: OperationKey::START,
            task: crate::id::TaskId(0),
            is_called: false,
            operation: Operation::Tasks(starts),
            location: program.location,
            caller: None,
            execution: 0,
        };
        let root = self.automata.add_node(unit, None, NodeKind::Live, false, vec![start]);
        self.programs.insert(root, program);
        root
    }

    /// How often runs were set back, and the bytes that copies of runs take.
    pub fn copied(&self) -> (u64, usize) {
        self.pool.copied()
    }

    /// The streams that a program is given at its start.
    pub(crate) fn streams_of(&self, root: NodeId) -> Vec<Stream> {
        self.programs.get(&root).map_or_else(Vec::new, |program| program.streams.clone())
    }

    /// Whether two histories were taken to lead to one local state, but for those of tracked tasks.
    pub(crate) fn has_merged(&self) -> bool {
        !self.shared.modes.tracks && !self.merged.is_empty()
    }

    /// Whether a unit may come back to a local state that it has left.
    pub fn has_cycles(&self) -> bool {
        self.order.is_cyclic()
    }

    /// Remarks for readers on the step of an edge, if calls are traced.
    pub fn remarks(&self, edge: EdgeId) -> &[Remark] {
        self.remarks.get(&edge).map_or(&[], Vec::as_slice)
    }

    /// The name of the unit of a state, and the line of one of its operations.
    pub(crate) fn place_of(&self, node: NodeId, key: OperationKey) -> (String, String) {
        let node = self.automata.node(node);
        let offer = node.offers.iter().find(|offer| offer.key == key).expect("an operation of this state");
        (self.shared.unit(node.unit).name, wording::line(offer, &self.shared))
    }

    /// The edge for an input; user code runs if it has never been taken.
    pub(crate) fn edge(&mut self, node: NodeId, input: Input) -> Result<EdgeId, Diagnostic> {
        match self.automata.find(node, input) {
            Some(edge) => Ok(edge),
            None => self.learn(node, input),
        }
    }

    /// The step of an edge up to the call that it begins with this number, which is tried at once: user code runs if it
    /// has never been taken.
    pub(crate) fn attempt(&mut self, edge: EdgeId, number: u32) -> Result<EdgeId, Diagnostic> {
        if let Some(known) = self.automata.attempt(edge, number) {
            return Ok(known);
        }
        let Edge { source, input, .. } = *self.automata.edge(edge);
        let node = self.automata.node(source);
        let (unit, root) = (node.unit, node.root);
        let program = self.program(root);
        let poll = self.automata.poll(source, input);
        let mut run = self.run_to(root, &program, poll[0].0)?;
        let instance = &mut run.instance;
        instance.attempt(number);
        let stepped = self.feed(instance, &program, &poll, None);
        self.polls += std::mem::take(&mut instance.polls);
        let is_asked = matches!(&stepped.rest, Rest::Waits(offers) if !stepped.alive && offers.len() == 1);
        if !is_asked {
            let seen = "another step".to_owned();
            return Err(self.differs(unit, source, input, "a call that was begun before", &seen));
        }
        let known = dated::Known::of(instance);
        let attempt = self.record(unit, (source, input), stepped, known, Some((edge, number)))?;
        self.pool.put_spent(run);
        Ok(attempt)
    }

    #[cold]
    fn learn(&mut self, node: NodeId, input: Input) -> Result<EdgeId, Diagnostic> {
        if input.key == OperationKey::CRASH {
            return Ok(self.record_crash(node, input));
        }
        let root = self.automata.node(node).root;
        let program = Rc::clone(&self.programs[&root]);
        if let Some(stuck) = self.shared.watch.step() {
            let message = stuck.message.clone();
            return Ok(self.record_stuck(node, input, message));
        }
        let poll = self.automata.poll(node, input);
        if let Some(message) = self.goes_on_in_vain(&poll) {
            return Ok(self.record_stuck(node, input, message));
        }
        let before = poll[0].0;
        let mut run = self.run_to(root, &program, before)?;
        let (is_recorded, is_set_back) = (run.is_recorded, run.is_set_back);
        let instance = &mut run.instance;
        let mut stepped = self.feed(instance, &program, &poll, None);
        self.polls += std::mem::take(&mut instance.polls);
        let unit = self.automata.node(node).unit;
        let (alive, waiting, remarks) = (stepped.alive, stepped.waiting.take(), std::mem::take(&mut stepped.remarks));
        let known = dated::Known::of(instance);
        let reads_date = instance.context.reads_date();
        let edge = self.record(unit, (node, input), stepped, known, None)?;
        let target = self.automata.edge(edge).target;
        dated::step(instance, self.automata.edge(edge));
        if self.shared.modes.remembers {
            let kept = self.keep(root, &program, edge);
            kept.map_err(|difference| if is_recorded { difference } else { self.mistaken(unit, &difference) })?;
        }
        if !remarks.is_empty() {
            self.remarks.insert(edge, remarks);
        }
        waiting.into_iter().for_each(|waiting| self.shared.note_waiting(target, waiting));
        if alive {
            run.is_recorded &= self.automata.node(target).from == Some((node, input));
            self.pool.put(target, run);
        } else {
            self.pool.put_spent(run);
        }
        if self.shared.modes.tracks {
            self.try_the_other_first(edge)?;
            self.learn_waits(edge)?;
        }
        // Else it waits for an answer, or was refused.
        let is_whole = alive || !matches!(self.automata.node(target).kind, NodeKind::Live | NodeKind::Gone);
        if reads_date && is_whole && self.shared.modes.compares_dates() && self.merged.is_date_due(self.polls) {
            self.try_another_date(root, edge)?;
        }
        if is_set_back && self.merged.is_set_back_due(self.polls) {
            self.try_set_back(root, &program, before)?;
        }
        // A refused step leads nowhere. The end of a tracked program tells no more than the steps before it.
        let tells = !self.automata.edge(edge).is_refused()
            && (self.automata.node(target).kind == NodeKind::Live || !self.shared.modes.tracks);
        if tells && self.merged.is_due(self.polls) {
            if !is_recorded {
                self.try_recorded_order(root, edge)?;
            }
            if is_recorded || self.shared.modes.remembers {
                self.try_another_order(root, edge, true)?;
            }
        }
        if !self.shared.modes.tracks && self.merged.arrival(target) == Some((node, input)) {
            self.try_known_edges(root, target)?;
            self.try_many_rounds(root, edge)?;
        }
        Ok(edge)
    }

    /// Of two steps of tracked tasks that were both offered before, learns the other order, too: a reduced search may
    /// take only one. If the orders lead to different states, the tasks share something that is not tracked.
    fn try_the_other_first(&mut self, edge: EdgeId) -> Result<(), Diagnostic> {
        let Edge { source, input: second, .. } = *self.automata.edge(edge);
        let Some((before, first)) = self.automata.node(source).from else { return Ok(()) };
        let tasks = [first, second].map(|input| self.automata.mover(before, input.key).task);
        let are_swappable = tasks[0] != tasks[1] && !tasks.contains(&None);
        if !are_swappable || !self.swaps.is_due() {
            return Ok(());
        }
        let swapped = self.edge(before, second)?;
        let swapped = self.automata.edge(swapped).target;
        if self.automata.mover(swapped, first.key).task == tasks[0] {
            self.edge(swapped, first)?;
        }
        Ok(())
    }

    /// A run that is suspended in a node. It is copied there, unless its program depends on more than what is copied.
    pub(super) fn run_to(&mut self, root: NodeId, program: &Program, node: NodeId) -> Result<Run, Diagnostic> {
        let unit = self.automata.node(root).unit;
        let (run, steps) = self.pool.nearest(&self.automata, node);
        let mut run = run.unwrap_or_else(|| self.pool.new_run(Instance::new(unit, root, &self.shared)));
        let replayed = self.replay(&mut run.instance, program, &steps);
        let is_mistaken = !run.is_recorded;
        replayed.map_err(|how| if is_mistaken { self.mistaken(unit, &how) } else { how })?;
        if !self.apart.contains(&root) {
            self.pool.copy(node, &mut run);
        }
        Ok(run)
    }

    /// A new run of a program, fed with `steps`.
    pub(super) fn rebuild(
        &mut self,
        root: NodeId,
        program: &Program,
        steps: &[(NodeId, Input)],
    ) -> Result<Instance, Diagnostic> {
        let mut instance = Instance::new(self.automata.node(root).unit, root, &self.shared);
        self.replay(&mut instance, program, steps)?;
        Ok(instance)
    }

    /// A run after further steps, which are recorded.
    pub(super) fn replay(
        &mut self,
        instance: &mut Instance,
        program: &Program,
        steps: &[(NodeId, Input)],
    ) -> Result<(), Diagnostic> {
        if !steps.is_empty() {
            self.rebuilds += 1;
        }
        let mut rest = steps;
        while let Some((_, following)) = rest.split_first() {
            let answers = following.iter().take_while(|(at, _)| self.automata.node(*at).is_synchronous()).count();
            let (group, following) = rest.split_at(1 + answers);
            self.follow(instance, program, group)?;
            rest = following;
        }
        self.polls += std::mem::take(&mut instance.polls);
        Ok(())
    }

    /// The difference between the result of a step and the recorded node, as text; `None` if they agree.
    fn other_than(&self, node: NodeId, rest: &Rest) -> Option<String> {
        let node = self.automata.node(node);
        match (rest, &node.kind) {
            (Rest::WaitsAsRecorded, _) => None,
            (Rest::Waits(offers), NodeKind::Live) if *offers == node.offers => None,
            (Rest::Waits(offers), _) => Some(wording::menu(offers, &self.shared)),
            (Rest::Ended { text, .. }, NodeKind::Ended { output }) if *text == *self.shared.output(*output).text => {
                None
            }
            (Rest::Ended { text, .. }, _) => Some(format!("the end, with output {text}")),
            (Rest::Panicked(panic), NodeKind::Panicked(known)) if panic == known => None,
            (Rest::Cancelled, NodeKind::Gone) => None,
            (Rest::Cancelled, _) => Some("the end of an aborted task".to_owned()),
            (Rest::Panicked(panic), _) => Some(format!("a panic at {}: {}", panic.location, panic.message)),
            (Rest::Refused, _) => Some("a step that does not take the outcome".to_owned()),
            (Rest::Differs(how) | Rest::Failed(how), _) => Some(how.clone()),
        }
    }

    /// The program whose first node is `root`.
    pub(crate) fn program(&self, root: NodeId) -> Rc<Program> {
        Rc::clone(&self.programs[&root])
    }

    /// Feeds a run one step and the answers that follow it, all of which are recorded: the run must behave as recorded.
    pub(crate) fn follow(
        &self,
        instance: &mut Instance,
        program: &Program,
        group: &[(NodeId, Input)],
    ) -> Result<Stepped, Diagnostic> {
        let (last_at, last_input) = group[group.len() - 1];
        let edge = self.automata.find(last_at, last_input).expect("a history consists of edges");
        let target = self.automata.edge(edge).target;
        let known = self.automata.node(target);
        let recorded = (known.kind == NodeKind::Live).then_some(&known.offers[..]);
        let stepped = self.feed(instance, program, group, recorded);
        if let Rest::Failed(why) = stepped.rest {
            return Err(Diagnostic(why));
        }
        dated::step(instance, self.automata.edge(edge));
        let (first_at, first_input) = group[0];
        let Some(seen) = self.other_than(target, &stepped.rest) else { return Ok(stepped) };
        let target = self.automata.node(target);
        let expected = match &target.kind {
            NodeKind::Live => wording::menu(&target.offers, &self.shared),
            NodeKind::Panicked(panic) => format!("a panic at {}: {}", panic.location, panic.message),
            _ => "the end".to_owned(),
        };
        Err(self.differs(self.automata.node(first_at).unit, first_at, first_input, &expected, &seen))
    }

    /// Feeds one step and the answers that follow it; `recorded`: the menu that is known to follow.
    fn feed(
        &self,
        instance: &mut Instance,
        program: &Program,
        group: &[(NodeId, Input)],
        recorded: Option<&[Offer]>,
    ) -> Stepped {
        let automata = &self.automata;
        let fed: Vec<Input> = group.iter().map(|&(_, input)| input).collect();
        let answers = group[1..].iter().map(|&(at, answer)| {
            let call = automata.node(at).offers[0].operation.clone();
            (call, automata.outcome(answer.outcome).clone())
        });
        let (answers, outcome) = (answers.collect::<SmallVec<[_; 2]>>(), automata.outcome(fed[0].outcome));
        instance.step(program, group[0].0, &fed, outcome, answers, recorded)
    }

    /// Records the result of an input, or of an attempt in the step of an edge. `instants`: what the run has
    /// known of its instants.
    fn record(
        &mut self,
        unit: UnitId,
        (source, input): (NodeId, Input),
        mut stepped: Stepped,
        instants: dated::Known,
        attempt: Option<(EdgeId, u32)>,
    ) -> Result<EdgeId, Diagnostic> {
        let from = Some((source, input));
        let waited = self.automata.node(source).waited;
        // The inputs before an attempt are those of the edge without it.
        let identities = if attempt.is_some() { SmallVec::new() } else { Identity::all_of(&stepped) };
        let mut begun = std::mem::take(&mut stepped.begun);
        // The calls before an attempt are known to wait, and what a program that has ended has begun was tried when it was
        // given up.
        if attempt.is_some() {
            begun.calls = Box::default();
        } else if !matches!(stepped.rest, Rest::Waits(_)) {
            let calls = begun.calls.into_iter().filter(|call| call.decided != Decided::After);
            let is_refused = matches!(stepped.rest, Rest::Refused);
            begun.calls = calls.map(|call| BegunCall { goes_on: call.goes_on && !is_refused, ..call }).collect();
        }
        let (event, tasks) = stepped.traced.take().map(|traced| (traced.event, traced.tasks)).unzip();
        let target = match stepped.rest {
            Rest::Waits(offers) => {
                let waited = waited || offers.iter().all(|offer| offer.operation.waits());
                let root = self.automata.node(source).root;
                let known = identities.iter().find_map(|&identity| {
                    self.automata.identified(root, identity, waited).map(|known| (known, identity))
                });
                // A checkpoint tells the values of variables, and so instants by one clock.
                let held = match known {
                    Some((known, Identity::Checkpoint(_))) => self.automata.node(known).dated,
                    _ if stepped.alive => stepped.held.dated,
                    _ => instants.dated,
                };
                let anchors = stepped.image.is_some().then_some(&*stepped.held.anchors);
                instants.add_effects(&mut stepped.effects, held, anchors, self.shared.modes.dating);
                let node = match known.map(|(known, _)| known) {
                    Some(known) if self.automata.node(known).offers != offers => {
                        let expected = wording::menu(&self.automata.node(known).offers, &self.shared);
                        let difference =
                            self.differs(unit, source, input, &expected, &wording::menu(&offers, &self.shared));
                        return Err(self.mistaken(unit, &difference));
                    }
                    Some(known) => {
                        self.merged.add(known, source, input);
                        known
                    }
                    None => {
                        let node = self.automata.add_node(unit, from, NodeKind::Live, waited, offers);
                        self.automata.set_tasks(node, tasks.unwrap_or_default());
                        self.automata.set_dated(node, held);
                        node
                    }
                };
                identities.into_iter().for_each(|identity| self.automata.identify(identity, node));
                stepped.files.take().into_iter().for_each(|files| self.automata.set_files(node, files));
                node
            }
            Rest::Ended { text, value } => {
                let output = self.shared.intern_output(&text, &value, stepped.files.take());
                if !self.shared.modes.remembers && self.shared.lacks_value(unit, output) {
                    self.shared.keep_value(output, value);
                }
                self.automata.ended(output)
            }
            Rest::Panicked(panic) => self.automata.add_node(unit, from, NodeKind::Panicked(panic), true, Vec::new()),
            Rest::Cancelled => NodeId::GONE,
            Rest::Refused => NodeId::ABSENT,
            Rest::WaitsAsRecorded => unreachable!("nothing is recorded for an edge that is learned"),
            Rest::Failed(why) => return Err(Diagnostic(why)),
            Rest::Differs(how) => {
                let expected = "the recorded history".to_owned();
                return Err(self.differs(unit, source, input, &expected, &how));
            }
        };
        let refused = target == NodeId::ABSENT;
        let begun = if refused { Begun { passed: Box::default(), ..begun } } else { begun };
        let effects = if refused { Box::default() } else { stepped.effects.into_boxed_slice() };
        let spawned = if refused { Vec::new() } else { stepped.spawned };
        let roots = spawned.into_iter().map(|(child, program)| (child, self.add_program(child, program))).collect();
        let edge = Edge { source, input, target, effects, roots, event, begun };
        let edge = match attempt {
            Some(attempt) => self.automata.add_attempt(attempt, edge),
            None => self.automata.add_edge(edge),
        };
        // Histories of tracked tasks only grow.
        if !self.shared.modes.tracks {
            self.order.add(source, target);
        }
        Ok(edge)
    }

    fn differs(&self, unit: UnitId, at: NodeId, input: Input, expected: &str, seen: &str) -> Diagnostic {
        let name = self.shared.unit(unit).name;
        let offer = self.automata.node(at).offer(input);
        let after = offer.map_or_else(|| "a step".to_owned(), |offer| self.step_of(at, offer));
        let outcome = wording::outcome(self.automata.outcome(input.outcome), &self.shared);
        Diagnostic(format!(
            "process \"{name}\" is not deterministic: run again with the same outcomes, it did something else\n  \
             after:    {after} -> {outcome}\n  \
             expected: {expected}\n  \
             seen:     {seen}\n  \
             usual causes: {}a static or thread-local that outlives the run, a value captured from outside the factory\n  \
             use an ordered map, tokio's time, `netcheck::choose`, or make the value anew inside the factory",
            wording::random_causes()
        ))
    }
}

impl Identity {
    /// The identities of the local state after a step: histories are one local state if they have one in common.
    fn all_of(stepped: &Stepped) -> SmallVec<[Identity; 2]> {
        let traced = stepped.traced.as_ref().map(|traced| Identity::Trace(traced.trace));
        let captured = stepped.arrival.map(Identity::Checkpoint).or(traced);
        captured.into_iter().chain(stepped.image.map(Identity::Memory)).collect()
    }
}
