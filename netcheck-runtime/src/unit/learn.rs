//! Taking an edge for the first time: the only place where user code is run.
//!
//! A node that is left in two ways needs a second live run: a fresh one from the unit's
//! factory, fed with the recorded outcomes of its own history. While it is fed, each menu
//! is compared with the recorded one; a difference is the program's non-determinism.

use crate::id::{NodeId, UnitId};
use crate::operation::{Input, Offer, Operation, OperationKey, Stream};
use crate::unit::automaton::{Automata, Edge, EdgeId, NodeKind};
use crate::unit::context::Shared;
use crate::unit::instance::{Instance, Program, Rest, Stepped};
use crate::unit::wording;
use ahash::AHashMap;
use std::collections::VecDeque;
use std::rc::Rc;

/// Suspended runs that are kept at the most.
const SUSPENDED_RUNS_MAX: usize = 256;

/// What the user's program did that no check can go on with.
#[derive(Clone, Debug)]
pub(crate) struct Diagnostic(pub(crate) String);

/// Learns the automata of all units.
pub(crate) struct Learner {
    pub(crate) automata: Automata,
    pub(crate) shared: Rc<Shared>,
    programs: AHashMap<NodeId, Rc<Program>>,
    pool: Pool,
    /// Polls of user code.
    pub(crate) polls: u64,
    /// Runs that had to be built anew.
    pub(crate) rebuilds: u64,
}

impl Learner {
    pub(crate) fn new(shared: Rc<Shared>) -> Self {
        Learner {
            automata: Automata::new(),
            shared,
            programs: AHashMap::new(),
            pool: Pool::default(),
            polls: 0,
            rebuilds: 0,
        }
    }

    /// Adds a program that `unit` may run; its first node waits to be started.
    pub(crate) fn add_program(&mut self, unit: UnitId, program: Rc<Program>) -> NodeId {
        let start = Offer {
            key: OperationKey::START,
            task: crate::id::TaskId(0),
            operation: Operation::Start,
            location: program.location,
            caller: None,
            execution: 0,
        };
        let root = self.automata.add_node(unit, None, NodeKind::Live, false, vec![start]);
        self.programs.insert(root, program);
        root
    }

    /// The streams that a program was given.
    pub(crate) fn streams_of(&self, root: NodeId) -> Vec<Stream> {
        self.programs.get(&root).map_or_else(Vec::new, |program| program.streams.clone())
    }

    /// The edge for an input; user code runs if it has never been taken.
    pub(crate) fn edge(&mut self, node: NodeId, input: Input) -> Result<EdgeId, Diagnostic> {
        match self.automata.find(node, input) {
            Some(edge) => Ok(edge),
            None => self.learn(node, input),
        }
    }

    #[cold]
    fn learn(&mut self, node: NodeId, input: Input) -> Result<EdgeId, Diagnostic> {
        let (root, mut steps) = self.automata.history(node);
        steps.push((node, input));
        let program = Rc::clone(&self.programs[&root]);
        // A synchronous call is answered within the poll of the step before it.
        let last = steps.iter().rposition(|&(at, _)| !self.automata.node(at).is_synchronous());
        let last = last.expect("a program starts with a step");
        let mut instance = match self.pool.take(steps[last].0) {
            Some(instance) => instance,
            None => self.rebuild(root, &program, &steps[..last])?,
        };
        let stepped = self.feed(&mut instance, &program, &steps[last..]);
        self.polls += std::mem::take(&mut instance.polls);
        let unit = self.automata.node(node).unit;
        let alive = stepped.alive;
        let edge = self.record(unit, node, input, stepped)?;
        let target = self.automata.edge(edge).target;
        if alive {
            self.pool.put(target, instance);
        }
        Ok(edge)
    }

    /// A fresh run of a program, fed with `steps`.
    fn rebuild(&mut self, root: NodeId, program: &Program, steps: &[(NodeId, Input)]) -> Result<Instance, Diagnostic> {
        let unit = self.automata.node(root).unit;
        if !steps.is_empty() {
            self.rebuilds += 1;
        }
        let mut instance = Instance::new(unit, &self.shared);
        let mut rest = steps;
        while let Some((&(at, input), following)) = rest.split_first() {
            let answers = following.iter().take_while(|(at, _)| self.automata.node(*at).is_synchronous()).count();
            let (group, following) = rest.split_at(1 + answers);
            let stepped = self.feed(&mut instance, program, group);
            let (last_at, last_input) = group[group.len() - 1];
            let edge = self.automata.find(last_at, last_input).expect("a history consists of edges");
            let target = self.automata.edge(edge).target;
            let seen = match &stepped.rest {
                Rest::Waits(offers) if *offers == self.automata.node(target).offers => None,
                Rest::Waits(offers) => Some(wording::menu(offers, &self.shared)),
                Rest::Ended { text, .. } => Some(format!("the end, with output {text}")),
                Rest::Panicked(panic) => Some(format!("a panic at {}: {}", panic.location, panic.message)),
                Rest::Refused => Some("a step that does not take the outcome".to_owned()),
                Rest::Differs(how) => Some(how.clone()),
            };
            if let Some(seen) = seen {
                let expected = wording::menu(&self.automata.node(target).offers, &self.shared);
                return Err(self.differs(unit, at, input, &expected, &seen));
            }
            rest = following;
        }
        self.polls += std::mem::take(&mut instance.polls);
        Ok(instance)
    }

    /// Feeds one step and the answers that follow it.
    fn feed(&self, instance: &mut Instance, program: &Program, group: &[(NodeId, Input)]) -> Stepped {
        let automata = &self.automata;
        let (_, input) = group[0];
        let answers = group[1..].iter().map(|&(at, answer)| {
            let call = automata.node(at).offers[0].operation.clone();
            (call, automata.outcome(answer.outcome).clone())
        });
        instance.step(program, input, automata.outcome(input.outcome), answers.collect::<Vec<_>>())
    }

    /// Records what an input led to.
    fn record(&mut self, unit: UnitId, source: NodeId, input: Input, stepped: Stepped) -> Result<EdgeId, Diagnostic> {
        let from = Some((source, input));
        let waited = self.automata.node(source).waited;
        let target = match stepped.rest {
            Rest::Waits(offers) => {
                let waited = waited || offers.iter().all(|offer| offer.operation.waits());
                self.automata.add_node(unit, from, NodeKind::Live, waited, offers)
            }
            Rest::Ended { text, value } => {
                let output = self.shared.intern_output(text, value);
                self.automata.ended(output)
            }
            Rest::Panicked(panic) => self.automata.add_node(unit, from, NodeKind::Panicked(panic), true, Vec::new()),
            Rest::Refused => NodeId::ABSENT,
            Rest::Differs(how) => {
                let expected = "the recorded history".to_owned();
                return Err(self.differs(unit, source, input, &expected, &how));
            }
        };
        let refused = target == NodeId::ABSENT;
        let effects = if refused { Box::default() } else { stepped.effects.into_boxed_slice() };
        let spawned = if refused { Vec::new() } else { stepped.spawned };
        let roots = spawned.into_iter().map(|(child, program)| (child, self.add_program(child, program))).collect();
        Ok(self.automata.add_edge(Edge { source, input, target, effects, roots }))
    }

    fn differs(&self, unit: UnitId, at: NodeId, input: Input, expected: &str, seen: &str) -> Diagnostic {
        let name = self.shared.unit(unit).name;
        let offer = self.automata.node(at).offer(input);
        let (operation, place) = offer.map_or_else(
            || ("a step".to_owned(), String::new()),
            |offer| (wording::operation(&offer.operation), wording::line(offer, &self.shared)),
        );
        let outcome = wording::outcome(self.automata.outcome(input.outcome), &self.shared);
        Diagnostic(format!(
            "process \"{name}\" is not deterministic: run again with the same outcomes, it did something else\n  \
             after:    {operation} at {place} -> {outcome}\n  \
             expected: {expected}\n  \
             seen:     {seen}\n  \
             usual causes: iterating over a std HashMap or HashSet, std::time, random numbers, \
             a static or thread-local that outlives the run, a value captured from outside the factory\n  \
             use an ordered map, tokio's time, `netcheck::choose`, or make the value anew inside the factory"
        ))
    }
}

/// A bounded pool of suspended runs, by the node that they stand at.
#[derive(Default)]
struct Pool {
    runs: AHashMap<NodeId, Instance>,
    oldest: VecDeque<NodeId>,
}

impl Pool {
    fn take(&mut self, node: NodeId) -> Option<Instance> {
        self.runs.remove(&node)
    }

    fn put(&mut self, node: NodeId, instance: Instance) {
        self.runs.insert(node, instance);
        self.oldest.push_back(node);
        while self.runs.len() > SUSPENDED_RUNS_MAX {
            let Some(oldest) = self.oldest.pop_front() else { break };
            self.runs.remove(&oldest);
        }
        if self.oldest.len() > 4 * SUSPENDED_RUNS_MAX {
            self.oldest.retain(|node| self.runs.contains_key(node));
        }
    }
}
