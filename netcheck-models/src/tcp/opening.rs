//! How far connects have come.

/// How far a connect has come, where packets take time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Opening {
    /// The program has its stream.
    #[default]
    Over,
    /// The connect or its answer is under way.
    UnderWay,
    /// The connect waits for room in a backlog.
    Waits,
    /// The answer has come.
    Answered(Answer),
}

/// The answer to a connect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Answer {
    /// There is a connection.
    Connected,
    /// No socket listens at the address.
    Refused,
}

impl Opening {
    /// Whether a connect that is given up now leaves nothing behind.
    pub(super) fn is_fruitless(self) -> bool {
        matches!(self, Opening::Waits | Opening::Answered(Answer::Refused))
    }
}
