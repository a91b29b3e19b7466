//! The calls on TCP that may fail.

/// The operations that may fail (Table 2 of the paper on TCP transmission failures).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Failures {
    pub open: bool,
    pub close: bool,
    pub read: bool,
    pub write: bool,
    pub reset: bool,
    pub hang: bool,
    /// Whether a failed accept, read, write or shutdown leaves its connection as it was.
    pub transient: bool,
}

impl Failures {
    /// The operations that may fail by these failures or by others.
    pub(crate) fn or(self, other: Failures) -> Failures {
        Failures {
            open: self.open || other.open,
            close: self.close || other.close,
            read: self.read || other.read,
            write: self.write || other.write,
            reset: self.reset || other.reset,
            hang: self.hang || other.hang,
            transient: self.transient || other.transient,
        }
    }
}
