//! One execution repeated for an observer: each unit on a run of its own, each poll once.
//!
//! Learning runs a program's code for every possible outcome, and again whenever a poll has to wait for an answer. Here
//! all steps are known, so that the output of the programs, and the stops of a debugger, belong to this execution
//! alone.

use crate::id::{NodeId, UnitId};
use crate::operation::{Input, OperationKey};
use crate::unit::instance::Instance;
use crate::unit::learn::{Diagnostic, Learner};
use crate::unit::panics;
use crate::unit::program::Program;
use ahash::AHashMap;
use std::rc::Rc;

/// The runs of an execution.
#[derive(Default)]
pub struct Performance {
    runs: AHashMap<UnitId, Run>,
}

struct Run {
    instance: Instance,
    program: Rc<Program>,
    /// A step and the answers to the poll that it begins.
    group: Vec<(NodeId, Input)>,
}

impl Performance {
    /// Takes a step that is recorded. If the unit's next step answers the same poll, the poll is delayed until then.
    pub fn take(
        &mut self,
        learner: &Learner,
        (unit, node, input): (UnitId, NodeId, Input),
        is_answered: bool,
    ) -> Result<(), Diagnostic> {
        if input.key == OperationKey::CRASH {
            // The destructors of what a process held are not run.
            self.runs.remove(&unit);
            return Ok(());
        }
        let run = self.runs.entry(unit).or_insert_with(|| {
            let root = learner.automata.node(node).root;
            Run {
                instance: Instance::new(unit, root, &learner.shared),
                program: learner.program(root),
                group: Vec::new(),
            }
        });
        run.group.push((node, input));
        if is_answered {
            return Ok(());
        }
        let group = std::mem::take(&mut run.group);
        panics::aloud(|| learner.follow(&mut run.instance, &run.program, &group)).map(drop)
    }
}
