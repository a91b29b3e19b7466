//! The steps from the start to a violation, and their JSON form.

use crate::printable::printable;
use crate::trace::history::CallHistory;
use crate::trace::situation::Situations;
use crate::trace::step::Step;
use netcheck_peer::json::{self, Json};
use netcheck_runtime::violation::{Found, ViolationKind};
use serde::{Deserialize, Serialize};
use std::ops::Not;

/// The version of the JSON form. Others are refused.
const VERSION: u64 = 1;

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
    /// The index of the step with which the loop of an execution that never ends begins. It goes on to the last step, and is
    /// repeated for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    loop_from: Option<usize>,
    steps: Vec<Step>,
    /// The calls, if an answer of one of them is explained by no order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    history: Option<CallHistory>,
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
            message: printable(&message).into_owned(),
            units,
            faults: Some(faults),
            perhaps_not_least: false,
            gave_up: None,
            loop_from: None,
            steps,
            history: None,
            situations: Some(situations),
        }
    }

    /// The calls up to an answer that no order of them explains.
    pub(crate) fn with_history(self, history: Option<CallHistory>) -> Self {
        Counterexample { history, ..self }
    }

    /// It was not found by a check: nothing is said of declared faults.
    pub(crate) fn without_faults(self) -> Self {
        Counterexample { faults: None, ..self }
    }

    /// It never ends: from the step with this index on, it is repeated.
    pub(crate) fn repeating(self, loop_from: Option<usize>) -> Self {
        Counterexample { loop_from, ..self }
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
    /// `None` if no check has found it.
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

    /// The calls on an object, if an answer of one of them is explained by no order (`Network::linearizable`,
    /// `Network::sequentially_consistent`).
    pub fn history(&self) -> Option<&CallHistory> {
        self.history.as_ref()
    }

    /// The index of the step with which the loop of an execution that never ends begins ([`ViolationKind::Liveness`]). The
    /// steps from there to the last one are repeated for ever.
    pub fn loop_from(&self) -> Option<usize> {
        self.loop_from
    }

    /// Why a replay of its steps says nothing, although nothing is violated: the violation came after some that are missing.
    /// `None` if none are missing, or if that is not known.
    pub(crate) fn cut_off(&self) -> Option<String> {
        let all = self.situations.as_ref()?.steps();
        (self.steps.len() < all).then(|| {
            format!(
                "the trace has {} of the {all} steps to the violation: its end was cut off, and nothing is violated \
                 before\n  \
                 take the whole file, or run the check again to make a new one",
                self.steps.len()
            )
        })
    }

    pub(crate) fn situations(&self) -> Option<&Situations> {
        self.situations.as_ref()
    }

    /// As JSON.
    pub fn to_json(&self) -> String {
        json::to_string_pretty(self)
    }

    /// From JSON.
    ///
    /// # Errors
    /// If the text is no counterexample, or one of a version that is not known.
    pub fn from_json(text: &str) -> Result<Counterexample, String> {
        let wrong = |error: json::Error| format!("not a counterexample: {error}");
        let trace: Json = json::from_str(text).map_err(wrong)?;
        match trace.get("version").and_then(Json::as_u64) {
            Some(VERSION) => trace.into_data().map_err(wrong),
            Some(version) => Err(format!(
                "it has version {version}, and this netcheck reads version {VERSION}: \
                 run the check again to make a new one"
            )),
            None => Err("not a counterexample: it has no version".to_owned()),
        }
    }
}
