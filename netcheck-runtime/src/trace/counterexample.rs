//! The steps from the start to a violation, as text and as JSON.

use crate::trace::step::Step;
use crate::violation::ViolationKind;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The version of the JSON form. Files of another version are refused.
pub(crate) const VERSION: u32 = 1;

/// The steps from the start to a violation, confirmed on the real code.
///
/// Its `Display` form is stable across runs and machines, so that it can be pinned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counterexample {
    version: u32,
    kind: ViolationKind,
    message: String,
    steps: Vec<Step>,
}

impl Counterexample {
    pub(crate) fn new(kind: ViolationKind, message: String, steps: Vec<Step>) -> Self {
        Counterexample { version: VERSION, kind, message, steps }
    }

    /// What was violated.
    pub fn kind(&self) -> ViolationKind {
        self.kind
    }

    /// What happened, and where.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The steps, from the start.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// As JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a counterexample is plain data")
    }

    /// From JSON.
    ///
    /// # Errors
    /// If the text is no counterexample, or one of another version.
    pub fn from_json(text: &str) -> Result<Counterexample, String> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let Versioned { version } =
            serde_json::from_str(text).map_err(|error| format!("not a counterexample: {error}"))?;
        if version != VERSION {
            return Err(format!(
                "it has version {version}, and this netcheck reads version {VERSION}: run the check again to make a new one"
            ));
        }
        serde_json::from_str(text).map_err(|error| format!("not a counterexample: {error}"))
    }
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.kind, self.message)?;
        let who = |step: &Step| match step.task {
            Some(task) => format!("{} (task {task})", step.process),
            None => step.process.clone(),
        };
        let numbers = self.steps.len().to_string().len();
        let names = self.steps.iter().map(|step| who(step).chars().count()).max().unwrap_or(0);
        for (number, step) in (1..).zip(&self.steps) {
            write!(f, "{number:>numbers$}. {:<names$}  {}", who(step), step.operation)?;
            if step.outcome != "done" {
                write!(f, " -> {}", step.outcome)?;
            }
            match &step.location {
                Some(location) => writeln!(f, "  ({location})")?,
                None => writeln!(f)?,
            }
            for doing in &step.network {
                writeln!(f, "{:>numbers$}  {:<names$}  ! {doing}", "", "")?;
            }
        }
        Ok(())
    }
}
