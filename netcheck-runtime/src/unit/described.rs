//! The memory of a local state in parts, with the code that has allocated each, for readers who ask why two local states
//! differ.

use crate::id::{NodeId, TaskId};
use crate::unit::automaton::NodeKind;
use crate::unit::caller::Allocated;
use crate::unit::learn::{Diagnostic, Learner};
use crate::unit::poll::capture::SECTIONS;
use crate::unit::poll::context::Context;
use crate::unit::source_line::place;
use ahash::AHashMap;
use netcheck_memory::{Allocations, Part, recording_allocations};
use std::panic::Location;
use std::rc::Rc;

/// The longest history that is run again to see which code has allocated what.
const TRACED_STEPS_MAX: usize = 10_000;

/// The memory of a local state.
pub struct Description {
    /// The roots, and then the allocations that they reach.
    pub parts: Vec<Part>,
    /// The futures of tasks, by their addresses, each with the line that has spawned it.
    futures: AHashMap<usize, (TaskId, &'static Location<'static>)>,
    /// The statics and thread-locals that have other values than the first, by their roots.
    variables: AHashMap<usize, &'static str>,
    /// If the code is known that has allocated the parts.
    allocations: Option<Allocations>,
}

/// The origin of a part of a memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The future of a task that was spawned at a line.
    Future(TaskId, String),
    /// A static or thread-local.
    Variable(&'static str),
    /// The engine's record of the unit: the section, in words.
    Engine(&'static str),
    /// An allocation.
    Allocation,
}

impl Description {
    fn of(context: &Context, allocations: Option<Allocations>) -> Option<Self> {
        let parts = context.parts()?;
        let futures = context.futures().into_iter().map(|(address, id, at)| (address, (id, at))).collect();
        let roots = parts.iter().filter(|part| part.address.is_none()).count();
        let names = context.changed_variables();
        // Each variable has two roots, the second one its value, and they come last.
        let first = roots - 2 * names.len();
        let variables = names.into_iter().enumerate().map(|(number, name)| (first + 2 * number + 1, name)).collect();
        Some(Description { parts, futures, variables, allocations })
    }

    /// The origin of a part.
    pub fn origin(&self, part: usize) -> Origin {
        match self.parts[part].address {
            Some(address) => match self.futures.get(&address) {
                Some(&(task, line)) => Origin::Future(task, place(line)),
                None => Origin::Allocation,
            },
            None => match self.variables.get(&part) {
                Some(name) => Origin::Variable(name),
                None => Origin::Engine(SECTIONS.get(part).map_or("its tasks and wakers", |(words, _)| words)),
            },
        }
    }

    /// The code that has allocated a part, as far as it is known.
    pub fn allocated(&self, part: usize) -> Allocated {
        let known = self.allocations.as_ref().and_then(|known| known.of(self.parts[part].address?));
        known.map_or_else(Allocated::default, |backtrace| Allocated::by(&backtrace.to_string()))
    }
}

impl Learner {
    /// The memory of a local state, if memory tells them apart; `is_traced`: with the code that has allocated
    /// it, unless its history is long.
    ///
    /// # Errors
    /// If the program is found not to be deterministic.
    pub fn describe(&mut self, node: NodeId, is_traced: bool) -> Result<Option<Description>, Diagnostic> {
        let root = self.automata.node(node).root;
        let program = Rc::clone(&self.programs[&root]);
        if is_traced {
            let (_, steps) = self.automata.history(node);
            if steps.len() <= TRACED_STEPS_MAX {
                let (instance, allocations) = recording_allocations(|| self.rebuild(root, &program, &steps));
                return Ok(Description::of(&instance?.context, Some(allocations)));
            }
        }
        let run = self.run_to(root, &program, node)?;
        let description = Description::of(&run.instance.context, None);
        self.pool.put(node, run);
        Ok(description)
    }

    /// Whether the memory of a local state can be [described](Learner::describe): a run is suspended there between two polls.
    pub fn is_describable(&self, node: NodeId) -> bool {
        let known = self.automata.node(node);
        known.kind == NodeKind::Live && !known.is_synchronous() && known.root != node
    }
}
