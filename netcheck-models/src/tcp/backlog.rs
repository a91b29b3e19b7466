//! The backlog: connections that were not accepted yet.

use smallvec::SmallVec;

/// A listener's queue of established connections, in the order in which they were made.
///
/// A connection is an opaque number.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Backlog {
    capacity: usize,
    waiting: SmallVec<[u32; 2]>,
    /// The driver of the listener knows of so many of the first connections.
    known: usize,
}

impl Backlog {
    /// A queue for `backlog + 1` connections: Linux lets one more in than `listen` asks for.
    #[must_use]
    pub fn new(backlog: usize) -> Self {
        Backlog { capacity: backlog.saturating_add(1), waiting: SmallVec::new(), known: 0 }
    }

    /// Whether one more connection can be made; if not, connects wait.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.waiting.len() < self.capacity
    }

    /// The queue with one more connection at its end.
    #[must_use]
    pub fn with(&self, connection: u32) -> Self {
        let mut longer = self.clone();
        longer.waiting.push(connection);
        longer
    }

    /// The connection that is accepted next, and the queue without it.
    #[must_use]
    pub fn accept(&self) -> Option<(u32, Self)> {
        let first = *self.waiting.first()?;
        let mut shorter = self.clone();
        shorter.waiting.remove(0);
        shorter.known = self.known.saturating_sub(1);
        Some((first, shorter))
    }

    /// The same queue with other numbers for its connections.
    #[must_use]
    pub fn renumbered(&self, number: impl FnMut(u32) -> u32) -> Self {
        Backlog { capacity: self.capacity, waiting: self.waiting.iter().copied().map(number).collect(), ..*self }
    }

    /// The queue after the driver was asked.
    #[must_use]
    pub fn looked_at(&self) -> Self {
        Backlog { known: self.waiting.len(), ..self.clone() }
    }

    /// Whether the driver knows of a connection.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.known > 0
    }

    /// The connections in the queue.
    #[must_use]
    pub fn waiting(&self) -> &[u32] {
        &self.waiting
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driver_knows_of_the_connections_that_were_there_when_it_was_asked() {
        let asked = Backlog::new(8).with(1).looked_at().with(2);
        assert!(asked.is_known());
        let (_, rest) = asked.accept().unwrap();
        assert!(!rest.is_known() && rest.looked_at().is_known());
    }
}
