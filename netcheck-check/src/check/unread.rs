//! Bytes of memory that no program can read.

use crate::check::Checker;

/// With more local states, unread bytes are cleared: to find out which these are takes up to a second, once in a process.
const NODES_MAX: usize = 1_000;

/// With more states, they are cleared as well: a few local states more are many states more.
const STATES_MAX: usize = 100_000;

/// The number that is written over unread bytes where none must make a difference: no address, not small, and not zero.
const OVERWRITTEN: u64 = 0xa5a5_a5a5_a5a5_a5a5;

/// How bytes are treated that no program can read, where local states are told apart by memory.
///
/// Padding is such bytes, variables that an `async fn` does not use after the `.await` at which it waits, variants that an
/// enum is not, and room in a vector for elements that are not there. They hold what was there before, so they may differ
/// where nothing else does. Where they lie is known from the debug information of the test program (`debug = true` or 2 in
/// its profile, which is the default of `cargo test`); without it, all bytes are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unread {
    /// They stay as they are, and are compared as all others are.
    Compared,
    /// They are cleared after each step once a check has met more than 1,000 local states, or 100,000 states. It begins
    /// again then.
    #[default]
    ClearedOfMany,
    /// They are cleared after each step.
    Cleared,
    /// A number is written over them after each step. What is found does not depend on it, unless a program reads them
    /// nonetheless, in unsafe code that has undefined behaviour, or netcheck is wrong about what can be read.
    Overwritten,
}

impl Unread {
    /// As it is called in an environment variable; else the words that there are.
    pub(crate) fn of_word(word: &str) -> Result<Unread, &'static str> {
        match word {
            "compared" => Ok(Unread::Compared),
            "cleared_of_many" => Ok(Unread::ClearedOfMany),
            "cleared" => Ok(Unread::Cleared),
            "overwritten" => Ok(Unread::Overwritten),
            _ => Err("`compared`, `cleared_of_many`, `cleared` or `overwritten`"),
        }
    }

    /// With more local states, they are overwritten.
    pub(super) fn nodes_max(self) -> usize {
        self.max(NODES_MAX)
    }

    /// With more states, they are overwritten.
    pub(super) fn states_max(self) -> usize {
        self.max(STATES_MAX)
    }

    fn max(self, of_many: usize) -> usize {
        match self {
            Unread::Compared => usize::MAX,
            Unread::ClearedOfMany => of_many,
            Unread::Cleared | Unread::Overwritten => 0,
        }
    }

    /// The number that is written over them.
    pub(super) fn number(self) -> u64 {
        if self == Unread::Overwritten { OVERWRITTEN } else { 0 }
    }
}

impl Checker {
    /// Declares how bytes of memory are treated that no program can read. Under `cargo test`, the environment variable
    /// `NETCHECK_UNREAD` says it, too: `compared`, `cleared_of_many`, `cleared` or `overwritten`.
    pub fn unread(mut self, unread: Unread) -> Self {
        self.unread = unread;
        self
    }
}
