//! Why a peer gives no answer.

use std::fmt;

/// Why a peer gives no answer, in words: what happened, what the peer printed, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    text: String,
}

impl Error {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Error { text: text.into() }
    }

    /// With what the peer has printed.
    pub(crate) fn printed(mut self, printed: &str) -> Self {
        match printed.trim_end() {
            "" => self.text.push_str("\n  it has printed nothing"),
            printed => {
                self.text.push_str("\n  it has printed:");
                printed.lines().for_each(|line| self.text.push_str(&format!("\n  | {line}")));
            }
        }
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {}
