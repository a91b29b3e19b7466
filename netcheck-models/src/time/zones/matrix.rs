//! Square matrices of bounds.

use super::bound::Bound;
use smallvec::SmallVec;

/// The upper bounds of the differences between instants: in row `i` and column `j` that of instant `i` minus instant
/// `j`. It is canonical between operations: no bound is above the sum of the bounds on another way.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Matrix {
    side: usize,
    bounds: SmallVec<[Bound; 9]>,
}

/// Copies all bounds at once, where a derived clone takes one after the other.
impl Clone for Matrix {
    fn clone(&self) -> Self {
        Matrix { side: self.side, bounds: SmallVec::from_slice(&self.bounds) }
    }
}

impl Matrix {
    /// The matrix of one instant.
    pub(super) fn new() -> Self {
        Matrix { side: 1, bounds: SmallVec::from_slice(&[Bound::ZERO]) }
    }

    pub(super) fn side(&self) -> usize {
        self.side
    }

    pub(super) fn at(&self, row: usize, column: usize) -> Bound {
        self.bounds[row * self.side + column]
    }

    pub(super) fn set(&mut self, row: usize, column: usize, bound: Bound) {
        self.bounds[row * self.side + column] = bound;
    }

    pub(super) fn row(&self, row: usize) -> &[Bound] {
        &self.bounds[row * self.side..(row + 1) * self.side]
    }

    /// The matrix of some of the instants, in an order of one's own. A part of a canonical matrix is canonical.
    pub(super) fn select(&self, instants: &[usize]) -> Matrix {
        let mut bounds = SmallVec::with_capacity(instants.len() * instants.len());
        for &row in instants {
            let row = self.row(row);
            bounds.extend(instants.iter().map(|&column| row[column]));
        }
        Matrix { side: instants.len(), bounds }
    }

    /// Adds an instant before which `place` others stand, between bounds from the instant `base`: at most `most` after
    /// it, and it at most `least` after the new one. All ways to and from the new instant lead over `base`, so the
    /// matrix stays canonical if `least` plus `most` is not negative.
    pub(super) fn insert(&mut self, place: usize, base: usize, least: Bound, most: Bound) {
        let mut instants: SmallVec<[usize; 8]> = (0..self.side).collect();
        instants.insert(place, base);
        *self = self.select(&instants);
        // It is the same instant as `base` so far.
        self.replace(place, place, least, most);
    }

    /// Puts an instant in place of another one, between bounds from the instant `base`, as [`Matrix::insert`] does;
    /// `base` may be the instant that is replaced.
    pub(super) fn replace(&mut self, place: usize, base: usize, least: Bound, most: Bound) {
        for other in (0..self.side).filter(|other| *other != place) {
            self.set(place, other, self.at(base, other).plus(most));
            self.set(other, place, self.at(other, base).plus(least));
        }
    }

    /// Replaces all that is known of an instant: it comes before the instants `after`, by at least as much as the negative
    /// bound `far` says. Each way from it leads over one of these first, and none leads to it, so the matrix stays canonical.
    pub(super) fn put_before(&mut self, place: usize, after: &[usize], far: Bound) {
        for other in (0..self.side).filter(|other| *other != place) {
            let way = after.iter().map(|&first| far.plus(self.at(first, other))).min();
            self.set(place, other, way.unwrap_or(Bound::NONE));
            self.set(other, place, Bound::NONE);
        }
    }

    /// Adds the bound of one difference; `false` if no valuation is left, and the matrix is of no use then. Each bound
    /// is compared with the way over the new one (Bengtsson and Yi 2004, algorithm `and`).
    pub(super) fn tighten(&mut self, row: usize, column: usize, bound: Bound) -> bool {
        if bound >= self.at(row, column) {
            return true;
        }
        if bound.plus(self.at(column, row)) < Bound::ZERO {
            return false;
        }
        let onwards: SmallVec<[Bound; 8]> = self.row(column).iter().map(|onward| bound.plus(*onward)).collect();
        self.relax(row, &onwards);
        true
    }

    /// Compares each bound with the way that leads to the instant `over`, and on from there by new bounds.
    pub(super) fn relax(&mut self, over: usize, onwards: &[Bound]) {
        for way in self.bounds.chunks_exact_mut(self.side) {
            let to = way[over];
            if to == Bound::NONE {
                continue;
            }
            for (bound, onward) in way.iter_mut().zip(onwards) {
                *bound = (*bound).min(to.plus(*onward));
            }
        }
    }

    /// Makes the instant 0 equal to another one; whatever was the instant 0 before is forgotten.
    pub(super) fn rebase(&mut self, to: usize) {
        for other in 1..self.side {
            self.set(0, other, self.at(to, other));
            self.set(other, 0, self.at(other, to));
        }
    }

    /// Whether no bound is tighter than that of the other matrix, which has the same side.
    pub(super) fn includes(&self, other: &Matrix) -> bool {
        self.bounds.iter().zip(&other.bounds).all(|(one, other)| one >= other)
    }
}
