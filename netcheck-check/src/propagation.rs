//! Error propagation: which fault of the network is seen at the outputs of which processes
//! (papers/jpf-jointstates.txt, sections 2.2 and 6). Data and its forms only.
//!
//! - `text`: as a table;
//! - `html`: as a page for a browser, with a graph.

mod html;
mod text;

use crate::printable::printable;
use netcheck_peer::json::{self, Json};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The version of the JSON form. Others are refused.
const VERSION: u64 = 1;

/// For each fault that an execution may have first, its effects at the ends of all processes.
///
/// [`Checker::propagation`](crate::check::Checker::propagation) computes it from all executions. Its
/// `Display` form is a table, stable across runs and machines, so that it can be pinned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Propagation {
    pub(crate) version: u64,
    pub(crate) faults: String,
    /// Which limit was reached, and where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) limit: Option<String>,
    pub(crate) states: usize,
    pub(crate) reference: Vec<Reference>,
    pub(crate) rows: Vec<Row>,
}

/// A process, and how it ends without any fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// Its name.
    pub name: String,
    /// Whether it may wait for ever.
    pub daemon: bool,
    /// How it ends in the executions without faults.
    pub endings: Vec<Ending>,
}

/// How a process ends in an execution.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "end", content = "text", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Ending {
    /// With this value, as its Debug text.
    Output(String),
    /// By this panic, with its source line.
    Panicked(String),
    /// It waits for ever, for this. It is a daemon, or another process waits for a next client, so that it is no
    /// deadlock.
    Waits(String),
    /// It waits for ever, for this, in a deadlock.
    Blocked(String),
}

impl Ending {
    /// The value, the panic, or what is waited for.
    pub fn text(&self) -> &str {
        match self {
            Ending::Output(text) | Ending::Panicked(text) | Ending::Waits(text) | Ending::Blocked(text) => text,
        }
    }

    /// The kind of end, in a word.
    pub(crate) fn how(&self) -> &'static str {
        match self {
            Ending::Output(_) => "value",
            Ending::Panicked(_) => "panic",
            Ending::Waits(_) => "waits",
            Ending::Blocked(_) => "deadlock",
        }
    }

    /// Whether the process does not come to an end.
    pub(crate) fn is_endless(&self) -> bool {
        matches!(self, Ending::Waits(_) | Ending::Blocked(_))
    }
}

/// The first fault of an execution, and the operation that it befell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Fault {
    /// The process whose operation it is. The process of a datagram is its sender, however late its fate is decided.
    pub process: String,
    /// The sort of operation: `send`, `read`, `connect` …
    pub operation: String,
    /// Its `file:line`.
    pub location: String,
    /// The process at the other end, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer: Option<String>,
    /// The act of the network.
    pub did: Did,
}

/// The act of the network on an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "did", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Did {
    /// The datagram never arrives.
    #[default]
    Lost,
    /// The datagram arrives more than once.
    Duplicated,
    /// The datagram arrives after one that was sent later, or is not received any more.
    Overtaken,
    /// The call fails.
    Failed {
        /// With this error.
        error: String,
    },
    /// The call fails because the connection was reset for both ends.
    Reset,
    /// The call is never answered.
    Hung,
    /// Links are cut when the call is made.
    Cut,
    /// The process is killed while it waits for the call.
    Killed,
    /// The host of the process loses its power while it waits for the call.
    Silenced,
}

/// A fault, and its effects in the executions that have it first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The fault.
    pub fault: Fault,
    /// Distinct states in which these executions end; 0 if they go on for ever.
    pub ends: u64,
    /// Ends in which every process has ended as it does without faults.
    pub correct_ends: u64,
    /// The effects on each process, in the order of processes and modes.
    pub effects: Vec<Effect>,
    /// Whether all of its executions end, with every process as it ends without faults.
    pub masked: bool,
}

/// One way in which a process ends after a fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effect {
    /// The process.
    pub process: String,
    /// How that compares with executions without faults.
    pub mode: Mode,
    /// The values, panics, or what is waited for.
    pub endings: Vec<Ending>,
}

/// How the end of a process compares with its ends in executions without faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Mode {
    /// It ends so without faults, too; or it waits for ever, as it may without faults.
    Correct,
    /// It ends with a value that it never has without faults.
    Wrong,
    /// It ends with an `Err(…)` that it never has without faults.
    Error,
    /// It waits for ever, and without faults it always ends. It is no deadlock: the process is a daemon, or another one
    /// waits for a next client.
    Omission,
    /// It waits for ever in a deadlock, and without faults it always ends.
    Deadlock,
    /// It panics as it never does without faults.
    Crash,
}

impl Propagation {
    /// The declared faults, in the words of `#[model_check]`.
    pub fn faults(&self) -> &str {
        &self.faults
    }

    /// Which limit was reached, if one was: then rows and effects may be missing, and no fault is said to be masked.
    pub fn limit(&self) -> Option<&str> {
        self.limit.as_deref()
    }

    /// Whether all executions were seen.
    pub fn is_complete(&self) -> bool {
        self.limit.is_none()
    }

    /// Distinct states that were visited, told apart by the first fault too.
    pub fn states(&self) -> usize {
        self.states
    }

    /// How the processes end without faults, in the order of their registration.
    pub fn reference(&self) -> &[Reference] {
        &self.reference
    }

    /// The faults, by process, source line and what the network did.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The masked faults: after them every process ends as it does without faults.
    pub fn masked(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.masked)
    }

    /// The faults that are seen at some process, at least in some executions.
    pub fn seen(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.failures().next().is_some())
    }

    /// As a page for a browser, complete in itself: faults on the left, processes on the right.
    pub fn html(&self) -> String {
        html::page(self)
    }

    /// As JSON.
    pub fn to_json(&self) -> String {
        json::to_string_pretty(self)
    }

    /// From JSON.
    ///
    /// # Errors
    /// If the text is no such table, or one of a version that is not known.
    pub fn from_json(text: &str) -> Result<Propagation, String> {
        let wrong = |error: json::Error| format!("not a table of error propagation: {error}");
        let table: Json = json::from_str(text).map_err(wrong)?;
        match table.get("version").and_then(Json::as_u64) {
            Some(VERSION) => table.into_data().map_err(wrong),
            Some(version) => Err(format!(
                "it has version {version}, and this netcheck reads version {VERSION}: compute the table again"
            )),
            None => Err("not a table of error propagation: it has no version".to_owned()),
        }
    }

    pub(crate) fn new(faults: String, limit: Option<String>, states: usize, reference: Vec<Reference>) -> Self {
        Propagation { version: VERSION, faults, limit, states, reference, rows: Vec::new() }
    }
}

impl fmt::Display for Propagation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&printable(&text::table(self)))
    }
}

impl Row {
    /// The failures after the fault: the effects that are no correct ends.
    pub fn failures(&self) -> impl Iterator<Item = &Effect> {
        self.effects.iter().filter(|effect| effect.mode != Mode::Correct)
    }

    /// How a process ends after the fault: each mode once.
    pub fn modes(&self, process: &str) -> impl Iterator<Item = Mode> {
        self.effects.iter().filter(move |effect| effect.process == process).map(|effect| effect.mode)
    }

    /// The values that a process ends with after the fault, sorted.
    pub fn outputs(&self, process: &str) -> Vec<&str> {
        let effects = self.effects.iter().filter(|effect| effect.process == process);
        let outputs = effects.flat_map(|effect| &effect.endings).filter_map(|ending| match ending {
            Ending::Output(text) => Some(text.as_str()),
            _ => None,
        });
        let mut outputs: Vec<&str> = outputs.collect();
        outputs.sort_unstable();
        outputs
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { process, operation, location, peer, did } = self;
        let preposition = match operation.as_str() {
            "send" | "write" | "try_write" | "connect" => "to",
            _ => "with",
        };
        write!(f, "{process}: {operation}")?;
        peer.iter().try_for_each(|peer| write!(f, " {preposition} {peer}"))?;
        if !location.is_empty() {
            write!(f, " at {location}")?;
        }
        write!(f, ": {did}")
    }
}

impl fmt::Display for Did {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Did::Lost => f.write_str("lost"),
            Did::Duplicated => f.write_str("duplicated"),
            Did::Overtaken => f.write_str("overtaken"),
            Did::Failed { error } => write!(f, "failed, {error}"),
            Did::Reset => f.write_str("connection reset by the network"),
            Did::Hung => f.write_str("never answered"),
            Did::Cut => f.write_str("links cut"),
            Did::Killed => f.write_str("process killed"),
            Did::Silenced => f.write_str("host without power"),
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mode::Correct => "ok",
            Mode::Wrong => "wrong value",
            Mode::Error => "error",
            Mode::Omission => "omission",
            Mode::Deadlock => "deadlock",
            Mode::Crash => "crash",
        })
    }
}
