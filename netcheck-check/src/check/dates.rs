//! How the programs depend on the date.

use crate::check::Checker;

/// How the programs of a check depend on the date, which they read by `SystemTime::now`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dates {
    /// States differ by the date, so a program that reads it never comes back to where it was.
    #[default]
    Absolute,
    /// Programs depend only on how far dates lie apart, and from now: a token that expires in an hour. States differ by no
    /// more than that, as by instants. What a program does at one date and not at another (at midnight, say) is left out.
    ///
    /// A sample of what the programs do is tried at another date. If it differs there, or leaves something else in memory,
    /// as a date that is sent as text does, the check begins again as with [`Dates::Absolute`].
    Relative,
}

impl Checker {
    /// Declares how the programs depend on the date: [`Dates::Absolute`] unless it is said. It matters where local states
    /// are told apart by memory. Where packets take time, all dates and instants of the standard library that a program holds
    /// at once have to lie numbers apart.
    pub fn dates(mut self, dates: Dates) -> Self {
        self.dates = dates;
        self
    }
}
