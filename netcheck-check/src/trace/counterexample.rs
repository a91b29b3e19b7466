//! The steps from the start to a violation, and their JSON form.

use crate::trace::situation::Situations;
use crate::trace::step::{Doing, Kind, Step};
use netcheck_runtime::unit::payload;
use netcheck_runtime::violation::{Found, ViolationKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::ops::Not;

/// The version of the JSON form that is written. Versions 1 and 2 are read too; others are refused.
pub(crate) const VERSION: u64 = 3;

/// The steps from the start to a violation, confirmed on the real code.
///
/// Its `Display` form is stable across runs and machines, so that it can be pinned. The
/// alternate form, `{:#}`, has the source line of each step too, where the file could be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counterexample {
    version: u64,
    kind: ViolationKind,
    message: String,
    /// The processes and isolated tasks in which the violation happened; empty: in all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    units: Vec<String>,
    /// The declared faults; `None`: not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    faults: Option<String>,
    /// Whether the search for a lesser one was given up.
    #[serde(default, skip_serializing_if = "Not::not")]
    perhaps_not_least: bool,
    /// When that was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gave_up: Option<String>,
    steps: Vec<Step>,
    /// The local states of all processes after each step, for the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    situations: Option<Situations>,
}

impl Counterexample {
    pub(crate) fn new(found: Found, faults: String, steps: Vec<Step>, situations: Situations) -> Self {
        let Found { kind, message, units, .. } = found;
        Counterexample {
            version: VERSION,
            kind,
            message,
            units,
            faults: Some(faults),
            perhaps_not_least: false,
            gave_up: None,
            steps,
            situations: Some(situations),
        }
    }

    /// It was not found by a check: nothing is said of declared faults.
    pub(crate) fn without_faults(self) -> Self {
        Counterexample { faults: None, ..self }
    }

    /// The search for a lesser one was given up; `when` says at which limit.
    pub(crate) fn perhaps_not_least(self, when: String) -> Self {
        Counterexample { perhaps_not_least: true, gave_up: Some(when), ..self }
    }

    /// The property that was violated.
    pub fn kind(&self) -> ViolationKind {
        self.kind
    }

    /// The violation in words, and where it happened.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The processes, and isolated tasks as `process/function`, in which the violation happened: those that panicked,
    /// or wait. Empty for a property of the end, which concerns all processes.
    pub fn units(&self) -> &[String] {
        &self.units
    }

    /// The faults under which it was found, in the words of `#[model_check]`; empty: none.
    /// `None` for traces of version 1, which do not say.
    pub fn faults(&self) -> Option<&str> {
        self.faults.as_deref()
    }

    /// Whether the search for a lesser execution was given up, at a limit. If a check found it and did not give
    /// up, no execution with a violation of this kind has fewer faults, none with as many faults has fewer
    /// steps, and none with as many of both has fewer context switches.
    pub fn may_not_be_least(&self) -> bool {
        self.perhaps_not_least
    }

    /// At which limit the search for a lesser execution was given up, if it is known.
    pub(crate) fn gave_up(&self) -> Option<&str> {
        self.gave_up.as_deref()
    }

    /// The steps, from the start.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    pub(crate) fn situations(&self) -> Option<&Situations> {
        self.situations.as_ref()
    }

    /// As JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a counterexample is plain data")
    }

    /// From JSON.
    ///
    /// # Errors
    /// If the text is no counterexample, or one of a version that is not known.
    pub fn from_json(text: &str) -> Result<Counterexample, String> {
        let wrong = |error: serde_json::Error| format!("not a counterexample: {error}");
        let mut trace: Value = serde_json::from_str(text).map_err(wrong)?;
        match trace["version"].as_u64() {
            Some(VERSION) => {}
            Some(version @ (1 | 2)) => {
                if version == 1 {
                    from_version_1(&mut trace);
                }
                from_version_2(&mut trace);
            }
            Some(version) => {
                return Err(format!(
                    "it has version {version}, and this netcheck reads versions 1 to {VERSION}: \
                     run the check again to make a new one"
                ));
            }
            None => return Err("not a counterexample: it has no version".to_owned()),
        }
        serde_json::from_value(trace).map_err(wrong)
    }
}

/// In version 1, the acts of the network are texts, and arrivals do not name the steps that sent them.
fn from_version_1(trace: &mut Value) {
    let steps = trace.get_mut("steps").and_then(Value::as_array_mut);
    for step in steps.into_iter().flatten().filter_map(Value::as_object_mut) {
        let text = |field: &str| step.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (process, operation, outcome) = (text("process"), text("operation"), text("outcome"));
        let kind = kind_of_version_1(&process, &operation, &outcome);
        step.insert("kind".to_owned(), serde_json::to_value(kind).expect("it is plain data"));
        for text in step.get_mut("network").and_then(Value::as_array_mut).into_iter().flatten() {
            let doing = text.as_str().and_then(|text| doing_of_version_1(text, &outcome));
            if let Some(doing) = doing {
                *text = serde_json::to_value(doing).expect("it is plain data");
            }
        }
    }
}

/// In version 2, steps have no data: they are found again by their words, in which bytes were hexadecimal.
fn from_version_2(trace: &mut Value) {
    trace["version"] = VERSION.into();
    let rewrite = |words: Option<&mut Value>| {
        if let Some(words) = words
            && let Some(old) = words.as_str()
        {
            *words = payload::from_hexadecimal(old).into();
        }
    };
    let steps = trace.get_mut("steps").and_then(Value::as_array_mut);
    for step in steps.into_iter().flatten().filter_map(Value::as_object_mut) {
        if matches!(step.get("kind").and_then(Value::as_str), Some("send" | "receive" | "read" | "write")) {
            ["operation", "outcome", "payload"].into_iter().for_each(|words| rewrite(step.get_mut(words)));
        }
        for doing in step.get_mut("network").and_then(Value::as_array_mut).into_iter().flatten() {
            rewrite(doing.get_mut("datagram"));
        }
    }
}

fn kind_of_version_1(process: &str, operation: &str, outcome: &str) -> Kind {
    match operation.split(' ').next().unwrap_or_default() {
        "lose" | "never" if process == "network" => Kind::Network,
        "start" | "run" => Kind::Run,
        "send" => Kind::Send,
        "recv" | "try_recv" => Kind::Receive,
        // The connect of a datagram socket is answered with an address.
        "bind" | "listen" => Kind::Bind,
        "connect" if !outcome.starts_with(|first: char| first == '[' || first.is_ascii_digit()) => Kind::Connect,
        "connect" => Kind::Bind,
        "accept" => Kind::Accept,
        "read" | "try_read" => Kind::Read,
        "write" | "try_write" => Kind::Write,
        "shutdown" => Kind::Shutdown,
        "timer" => Kind::Timer,
        _ => Kind::Other,
    }
}

fn doing_of_version_1(text: &str, outcome: &str) -> Option<Doing> {
    let (word, rest) = text.split_once(": ").unwrap_or((text, ""));
    let copy = |rest: &str| rest.split(' ').find_map(|part| part.parse().ok());
    Some(match word {
        "lost" => Doing::Lost { datagram: rest.to_owned(), sent: None },
        "overtook" => Doing::Overtook { datagram: rest.to_owned(), sent: None },
        "duplicated" => Doing::Duplicated { copy: copy(rest)? },
        "dropped" => Doing::Unbound,
        "failed" if outcome == "connection reset" => Doing::Reset,
        "failed" => Doing::Failed,
        "hung" => Doing::Hung,
        _ => return None,
    })
}
