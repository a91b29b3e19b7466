//! Remarks for readers on the steps of programs.

use crate::id::CallerId;

/// A remark on a step, if calls are traced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// Words about the program.
    Words(String),
    /// A change of files, or a sync: those effects of the step that readers are told of, in the same order.
    Files {
        /// The change in words.
        words: String,
        /// The source line of the call, if it is known.
        line: Option<CallerId>,
    },
}
