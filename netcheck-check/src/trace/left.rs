//! The files that a process finds when it starts again, against those that it had.

use netcheck_runtime::id::{CallerId, ProcessId};
use netcheck_runtime::operation::files::{self, Path, Tree, shown};
use netcheck_runtime::operation::{Effect, Operation, Outcome, storage};
use netcheck_runtime::unit::automaton::EdgeId;
use netcheck_runtime::unit::remark::Remark;
use netcheck_runtime::unit::wording;
use netcheck_runtime::world::step::{Move, Transition};
use netcheck_runtime::world::storage::lost::{MissingSync, Past, lost, missing_syncs};
use netcheck_runtime::world::system::System;
use netcheck_runtime::world::tasks;
use std::sync::Arc;

/// The files that a process which starts again has lost.
pub(super) fn left_behind(
    system: &System,
    state: &[u32],
    process: ProcessId,
    operation: &Operation,
    answer: &Outcome,
) -> Option<String> {
    let lost = lost(system, process, state, &*left(system, process, operation, answer)?);
    let all: Vec<String> = lost.iter().map(named).collect();
    (!all.is_empty()).then(|| format!("what was not synced is lost: {}", all.join(", ")))
}

/// The syncs of which each would have excluded the last step of a path: a process that starts again and has lost files.
pub(crate) fn would_have_prevented(system: &System, path: &[Transition], state: &[u32]) -> Option<String> {
    let (last, before) = path.split_last()?;
    let (process, _, Some(left)) = step_of(system, last)? else { return None };
    let mut begun_with = Arc::clone(&system.shared().hosts[process.0 as usize].files);
    let mut made = Vec::new();
    for (number, transition) in (1..).zip(before) {
        let Some((_, edge, left)) = step_of(system, transition).filter(|(other, ..)| *other == process) else {
            continue;
        };
        if let Some(left) = left {
            (begun_with, made) = (left, Vec::new());
        }
        made.extend(operations(system, edge).map(|(operation, line)| (operation, line, number)));
    }
    let all: Vec<&files::Operation> = made.iter().map(|(operation, ..)| *operation).collect();
    let past = Past { files: &begun_with, operations: &all };
    let in_words = |MissingSync { after, path }: &MissingSync| {
        let (_, line, number): (_, Option<CallerId>, usize) = made[*after];
        match line {
            Some(line) => format!("of {} after {} (#{number})", named(path), wording::line_of(line, system.shared())),
            None => format!("of {} after #{number}", named(path)),
        }
    };
    let missing: Vec<String> = missing_syncs(system, process, state, past, &left).iter().map(in_words).collect();
    (!missing.is_empty()).then(|| format!("a sync {} would have prevented this", missing.join(", or ")))
}

/// The process of a step and its edge, and the files with which the process starts again, if it does.
fn step_of(system: &System, transition: &Transition) -> Option<(ProcessId, EdgeId, Option<Arc<Tree>>)> {
    let Move::Unit { unit, node, input, edge, .. } = transition.step else { return None };
    let process = system.shared().process_of(unit);
    let offer = system.learner.automata.node(node).offer(input)?;
    let answer = system.learner.automata.outcome(input.outcome);
    Some((process, edge, left(system, process, offer.operation.itself(), answer)))
}

/// The files with which a process starts again; `None` if it does not with this operation.
fn left(system: &System, process: ProcessId, operation: &Operation, answer: &Outcome) -> Option<Arc<Tree>> {
    match (operation, answer) {
        (Operation::Tasks(tasks::Operation::Restart), Outcome::Files(tree)) => Some(Arc::clone(tree)),
        (Operation::Tasks(tasks::Operation::Restart), _) => {
            Some(Arc::clone(&system.shared().hosts[process.0 as usize].files))
        }
        _ => None,
    }
}

/// The operations on files of a step, each with the source line of its call if calls are traced.
fn operations(system: &System, edge: EdgeId) -> impl Iterator<Item = (&files::Operation, Option<CallerId>)> {
    let mut lines = system.learner.remarks(edge).iter().filter_map(|remark| match remark {
        Remark::Files { line, .. } => Some(*line),
        Remark::Words(_) => None,
    });
    let effects = system.learner.automata.edge(edge).effects.iter();
    effects.filter_map(move |effect| match effect {
        Effect::Storage(storage::Effect(operation)) => {
            let line = if operation.is_told() { lines.next().flatten() } else { None };
            Some((operation, line))
        }
        _ => None,
    })
}

/// A path as it is shown.
fn named(path: &Path) -> String {
    match shown(path) {
        path if path.is_empty() => "the root".to_owned(),
        path => format!("`{path}`"),
    }
}
