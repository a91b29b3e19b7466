//! Disjoint sets of indices.

/// Disjoint sets of indices (union-find).
#[derive(Default)]
pub(super) struct Sets(Vec<usize>);

impl Sets {
    /// Each index in a set of its own.
    pub(super) fn new(count: usize) -> Self {
        Sets((0..count).collect())
    }

    /// Adds indices, each in a set of its own, until there are `count`.
    pub(super) fn grow(&mut self, count: usize) {
        self.0.extend(self.0.len()..count);
    }

    /// Lets each index lead to its representative in one step.
    pub(super) fn flatten(&mut self) {
        // Each leads to a lower one, which is flat already.
        (0..self.0.len()).for_each(|index| self.0[index] = self.0[self.0[index]]);
    }

    /// The representative of an index: the lowest member of its set.
    pub(super) fn lowest(&self, mut index: usize) -> usize {
        while self.0[index] != index {
            index = self.0[index];
        }
        index
    }

    /// The representative of an index of flat sets, if there is such an index.
    pub(super) fn lowest_of_flat(&self, index: usize) -> Option<usize> {
        self.0.get(index).copied()
    }

    pub(super) fn are_joined(&self, a: usize, b: usize) -> bool {
        self.lowest(a) == self.lowest(b)
    }

    pub(super) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.lowest(a), self.lowest(b));
        self.0[a.max(b)] = a.min(b);
    }
}
