//! The local state of each process after each step, in words, and where each monitor is.
//!
//! Only changes are kept: most steps change one process, and most local states come again.

use crate::printable::printable;
use crate::trace::chart::shortened;
use netcheck_runtime::id::{NodeId, UnitId};
use netcheck_runtime::operation::{Offer, Operation};
use netcheck_runtime::unit::automaton::NodeKind;
use netcheck_runtime::unit::wording;
use netcheck_runtime::world::system::System;
use netcheck_runtime::world::tasks;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Characters of the output of a process, or of its panic, that are kept.
const WORDS_CHARS_MAX: usize = 200;

/// The words for a monitor that rejects.
pub(crate) const REJECTS: &str = "rejects";

/// The local states of all processes, step by step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Situations {
    /// Each local state once, however many of them read the same.
    states: Vec<Local>,
    /// At the start, then after each step: the processes, isolated tasks and monitors that are in another one of `states`.
    changes: Vec<BTreeMap<String, usize>>,
}

/// A local state in words.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Local {
    /// The state of the whole process, that it has not started, or has ended; or that of a monitor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    is: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pending: Vec<Pending>,
}

/// An operation that has not been answered.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Pending {
    /// The task within the process, where there are several; 0 is the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    task: Option<u32>,
    operation: String,
    /// `file:line`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    location: Option<String>,
}

impl Situations {
    /// For how many steps of an execution there are situations.
    pub(crate) fn steps(&self) -> usize {
        self.changes.len().saturating_sub(1)
    }

    /// The situations of one monitor: where it is at the start and after each step, in words.
    pub(crate) fn of_monitor(name: &str, words: impl IntoIterator<Item = String>) -> Situations {
        let mut watcher = Watcher::default();
        let mut last = None;
        for is in words {
            let number = watcher.number(Local { is: Some(is), pending: Vec::new() });
            let change = (last.replace(number) != Some(number)).then(|| (name.to_owned(), number));
            watcher.situations.changes.push(change.into_iter().collect());
        }
        watcher.situations
    }

    /// Where a monitor or a process is as a whole, in words, each with the number of the step after which it is there.
    pub(crate) fn walk(&self, name: &str) -> Vec<(usize, &str)> {
        let changes = self.changes.iter().enumerate();
        let states = changes.filter_map(|(step, changes)| Some((step, self.states.get(*changes.get(name)?)?)));
        states.filter_map(|(step, local)| Some((step, local.is.as_deref()?))).collect()
    }
}

/// Watches an execution.
#[derive(Default)]
pub(crate) struct Watcher {
    situations: Situations,
    known: BTreeMap<Local, usize>,
    /// By unit: the node that was seen last.
    nodes: Vec<NodeId>,
    /// By monitor: the status that was seen last; none before the start.
    statuses: Vec<Option<u32>>,
}

impl Watcher {
    /// Sees the next state of the execution.
    pub(crate) fn see(&mut self, system: &mut System, state: &[u32]) {
        let mut changes = BTreeMap::new();
        for index in 0..system.shared().units() {
            let unit = UnitId(index as u32);
            let node = NodeId(system.unit_component(unit).of(state));
            if self.nodes.len() == index {
                self.nodes.push(NodeId::ABSENT);
            }
            if std::mem::replace(&mut self.nodes[index], node) != node {
                let number = self.number(Local::of(system, node));
                changes.insert(system.shared().unit(unit).name, number);
            }
        }
        self.statuses.resize(system.monitors.len(), None);
        for (monitor, status) in system.monitors.statuses(state).enumerate() {
            if self.statuses[monitor].replace(status) != Some(status) {
                let (name, words) = system.monitors.in_words(monitor, status);
                let is = if words.is_empty() { REJECTS.to_owned() } else { words.join(", or ") };
                let number = self.number(Local { is: Some(is), pending: Vec::new() });
                changes.insert(name, number);
            }
        }
        self.situations.changes.push(changes);
    }

    /// The number of a local state.
    fn number(&mut self, local: Local) -> usize {
        let next = self.known.len();
        let number = *self.known.entry(local.clone()).or_insert(next);
        if number == next {
            self.situations.states.push(local);
        }
        number
    }

    pub(crate) fn situations(self) -> Situations {
        self.situations
    }
}

/// A local state in words: what it is, or a line for each operation that has not been answered.
#[cfg(feature = "explore")]
pub(crate) fn in_words(system: &System, node: NodeId) -> String {
    let Local { is, pending } = Local::of(system, node);
    let each = pending.into_iter().map(|Pending { task, operation, location }| {
        let task = task.map(|task| format!("task {task}: ")).unwrap_or_default();
        let location = location.map(|location| format!(" at {location}")).unwrap_or_default();
        format!("{task}{operation}{location}")
    });
    is.into_iter().chain(each).collect::<Vec<_>>().join("\n")
}

impl Local {
    fn of(system: &System, node: NodeId) -> Local {
        let node = system.learner.automata.node(node);
        let is = match &node.kind {
            NodeKind::Live => match &node.offers[..] {
                [] => "waits for nothing that could ever wake it".to_owned(),
                [only] if only.operation == Operation::Tasks(tasks::Operation::Start) => "has not started".to_owned(),
                [only] if only.operation == Operation::Tasks(tasks::Operation::Restart) => "has crashed".to_owned(),
                offers => {
                    let pending = offers.iter().map(|offer| Pending::of(system, offer)).collect();
                    return Local { is: None, pending };
                }
            },
            NodeKind::Ended { output } => format!("ended with {}", system.shared().output(*output).text),
            NodeKind::Panicked(panic) => format!("panicked at {}: {}", panic.location, panic.message),
            NodeKind::Parked { .. } => "waits for ever".to_owned(),
            NodeKind::Gone => "ended".to_owned(),
        };
        Local { is: Some(shortened(&printable(&is), WORDS_CHARS_MAX)), pending: Vec::new() }
    }
}

impl Pending {
    fn of(system: &System, offer: &Offer) -> Pending {
        let is_woken = matches!(offer.operation, Operation::Tasks(tasks::Operation::Run(_)));
        Pending {
            task: (offer.task.0 > 0).then_some(offer.task.0),
            operation: if is_woken {
                "can go on".to_owned()
            } else {
                wording::operation_of(&offer.operation, system.shared())
            },
            location: (!is_woken).then(|| wording::line(offer, system.shared())),
        }
    }
}
