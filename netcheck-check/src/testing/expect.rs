//! The result that a test has to find to pass.

use crate::report::{Report, Verdict};
use crate::trace::counterexample::Counterexample;
use netcheck_runtime::violation::ViolationKind;

/// The result that a test has to find to pass.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    Verified,
    Panic,
    Deadlock,
    Property,
    Monitor,
    Liveness,
    Any,
    Inconclusive,
    Simulated,
}

impl Expect {
    pub(super) fn is_met(self, report: &Report) -> bool {
        match self {
            Expect::Verified => report.verdict() == Verdict::Verified,
            Expect::Inconclusive => report.verdict() == Verdict::Inconclusive,
            Expect::Simulated => report.simulated().is_some_and(|simulated| simulated.is_complete),
            _ => self.is_met_by(report.counterexample().map(Counterexample::kind)),
        }
    }

    /// Whether it is met by one execution that violates this.
    pub(super) fn is_met_by(self, found: Option<ViolationKind>) -> bool {
        match self {
            Expect::Verified => found.is_none(),
            Expect::Inconclusive | Expect::Simulated => false,
            Expect::Any => found.is_some(),
            Expect::Panic => found == Some(ViolationKind::Panic),
            Expect::Deadlock => found == Some(ViolationKind::Deadlock),
            Expect::Property => found == Some(ViolationKind::Property),
            Expect::Liveness => found == Some(ViolationKind::Liveness),
            Expect::Monitor => found == Some(ViolationKind::Monitor),
        }
    }

    /// The result that was found in place of the expected one, in a line; `without` stands for no violation.
    pub(super) fn unmet(self, found: Option<&Counterexample>, without: &str) -> String {
        let found = found.map(|found| format!("{}: {}", found.kind(), found.message()));
        let line = found.as_deref().unwrap_or(without).lines().next().unwrap_or_default().to_owned();
        if self == Expect::Verified { line } else { format!("{line}; expected: {}", self.words()) }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Expect::Verified => "that nothing is violated",
            Expect::Panic => "a panic",
            Expect::Deadlock => "a deadlock",
            Expect::Property => "a violated property",
            Expect::Monitor => "a rejection by a monitor",
            Expect::Liveness => "an execution that never ends",
            Expect::Any => "a violation",
            Expect::Inconclusive => "a limit to be hit",
            Expect::Simulated => "executions without a violation",
        }
    }
}
