//! Whether the host of an end answers.

/// The host of an end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Host {
    /// It answers, also for an end that is closed.
    #[default]
    Up,
    /// It has no power.
    Silent {
        /// Whether the end of the peer's stream had come before.
        knew_end: bool,
    },
    /// It is back, or has given up, and knows nothing of the connection.
    Back,
}
