//! Questions of a monitor about the readings of its clocks.

use super::guard::{Window, shown};

/// A question about the time since a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// The mark.
    pub mark: u32,
    /// The time in nanoseconds.
    pub ns: u64,
    /// The question.
    pub asked: Asked,
}

/// A question about the time since a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Whether so much time has passed at most. Where both may be, the monitor has to go on either way.
    IsAtMost,
    /// Whether so much time has passed at most, for certain.
    IsSurelyAtMost,
    /// Whether more time has passed, for certain.
    IsSurelyMore,
}

/// How readings are compared. A configuration holds one number for each clock: in quiet time and on a trace the reading
/// itself, in dense time the name of the instant since which the clock has run.
pub(super) trait Readings {
    /// Whether a reading is at most so many nanoseconds.
    fn is_at_most(&mut self, reading: u64, most_ns: u64) -> Result<bool, Question>;

    /// A reading in words; one above `longest_ns` is not told from a longer one.
    fn in_words(&self, reading: u64, longest_ns: u64) -> String;

    /// The reading of a clock that is reset now.
    const RESET: u64;
}

/// Readings that are numbers of nanoseconds.
pub(super) struct Exact;

impl Readings for Exact {
    fn is_at_most(&mut self, reading: u64, most_ns: u64) -> Result<bool, Question> {
        Ok(reading <= most_ns)
    }

    fn in_words(&self, reading: u64, longest_ns: u64) -> String {
        if reading > longest_ns { format!("more than {}", shown(longest_ns)) } else { shown(reading) }
    }

    const RESET: u64 = 0;
}

impl Window {
    /// Whether all readings are within their bounds.
    pub(super) fn takes(&self, readings: &[u64], asked: &mut impl Readings) -> Result<bool, Question> {
        for (&(least_ns, most_ns), &reading) in self.0.iter().zip(readings) {
            if let Some(before_ns) = least_ns.checked_sub(1)
                && asked.is_at_most(reading, before_ns)?
            {
                return Ok(false);
            }
            if most_ns < u64::MAX && !asked.is_at_most(reading, most_ns)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
