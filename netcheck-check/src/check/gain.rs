//! The saving of a word of the attribute, as far as it was tried ([`super::trial`]).

use indicatif::HumanCount;

/// A word that may make a check smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// `duration`, in seconds.
    Duration(u64),
    /// `deviations`
    Deviations(usize),
    Fifo,
    ByMemory,
    RelativeDates,
    Symmetry,
    Reads,
    AtMost(usize),
}

impl Word {
    /// As it stands in the attribute.
    pub(super) fn in_words(self) -> String {
        match self {
            Word::Duration(seconds) => format!("duration = {seconds}s"),
            Word::Deviations(steps) => format!("deviations = {steps}"),
            Word::Fifo => "tasks = fifo".to_owned(),
            Word::ByMemory => "identity = memory".to_owned(),
            Word::RelativeDates => "dates = relative".to_owned(),
            Word::Symmetry => "symmetry = true".to_owned(),
            Word::Reads => "search = reads".to_owned(),
            Word::AtMost(faults) => format!("at_most = {faults}"),
        }
    }

    /// Whether fewer states within as many steps are a gain: a bound leaves things out, and other orders count
    /// no steps.
    pub(super) fn saves_by_depth(self) -> bool {
        !matches!(self, Word::Duration(_) | Word::Deviations(_) | Word::Reads)
    }
}

/// The saving of a word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Gain {
    /// A violation was found, after so many states.
    Violation(usize),
    /// The search has ended, with so many states.
    End(usize),
    /// An end is in sight, with about so many states.
    InSight(u64),
    /// So many times fewer states within so many steps.
    Fewer(f64, usize),
}

impl Gain {
    pub(super) fn in_words(self) -> String {
        match self {
            Gain::Violation(states) => format!("a violation is found then, after {} states", HumanCount(states as u64)),
            Gain::End(states) => format!("the search ends then, with {} states", HumanCount(states as u64)),
            Gain::InSight(states) => format!("the search ends then, with about {} states", HumanCount(states)),
            Gain::Fewer(times, depth) => format!("{times:.1} times fewer states within {depth} steps"),
        }
    }

    /// Whether the check would end.
    pub(super) fn is_end(self) -> bool {
        !matches!(self, Gain::Fewer(..))
    }
}

/// The knowledge of some words' savings.
#[derive(Clone, Copy, Debug)]
pub(super) enum Trial {
    /// They were not tried: the time of the check is over, or real peers would take part.
    Untried,
    /// They save nothing.
    Nothing,
    Gained(Gain),
}
