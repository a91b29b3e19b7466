//! Mistakes in the declaration of a monitor.

use std::fmt;

/// All mistakes in the declaration of a monitor, each with what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistakes(pub(super) Vec<String>);

impl Mistakes {
    /// The mistakes, one text each.
    #[must_use]
    pub fn texts(&self) -> &[String] {
        &self.0
    }
}

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.join("\n"))
    }
}

impl std::error::Error for Mistakes {}
