//! Sets of readings of clocks, as difference bound matrices.

use crate::monitor::guard::Window;
use smallvec::{SmallVec, smallvec};
use std::cmp::min;

const NONE: i64 = i64::MAX;

/// Readings of the monitor's clocks, and of one more that reads the time since the sniffer's last packet. All bounds
/// are closed and whole nanoseconds. A zone is canonical and never empty.
///
/// The operations change a zone in its place; one that leaves no readings says so, and the zone is of no use then.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Zone {
    side: usize,
    /// In row `i` and column `j`, how much clock `i` reads more than clock `j` at most. Clock 0 always reads zero, the
    /// last one counts from the sniffer's last packet, the monitor's clocks stand between.
    bounds: SmallVec<[i64; 16]>,
}

impl Clone for Zone {
    /// As a copy of the bounds: the derived one would go through them one by one.
    fn clone(&self) -> Self {
        Zone { side: self.side, bounds: SmallVec::from_slice(&self.bounds) }
    }
}

fn plus(one: i64, other: i64) -> i64 {
    if one == NONE || other == NONE { NONE } else { one.saturating_add(other) }
}

fn signed(ns: u64) -> i64 {
    i64::try_from(ns).unwrap_or(NONE)
}

impl Zone {
    /// All clocks read zero.
    pub(super) fn zero(clocks: usize) -> Self {
        Zone { side: clocks + 2, bounds: smallvec![0; (clocks + 2) * (clocks + 2)] }
    }

    fn at(&self, row: usize, column: usize) -> i64 {
        self.bounds[row * self.side + column]
    }

    fn set(&mut self, row: usize, column: usize, bound: i64) {
        self.bounds[row * self.side + column] = bound;
    }

    fn tighten(&mut self, row: usize, column: usize, bound: i64) -> bool {
        if bound >= self.at(row, column) {
            return true;
        }
        if plus(bound, self.at(column, row)) < 0 {
            return false;
        }
        let side = self.side;
        let bounds = self.bounds.as_mut_slice();
        // The ways on from `column` do not change: none of them is shorter by the way over it.
        for from in 0..side {
            let to_row = plus(bounds[from * side + row], bound);
            if to_row < bounds[from * side + column] {
                for to in 0..side {
                    let over = plus(to_row, bounds[column * side + to]);
                    bounds[from * side + to] = min(bounds[from * side + to], over);
                }
            }
        }
        true
    }

    /// The readings after any time that keeps the deadlines, and ends no more than `gap_ns` after the last packet.
    pub(super) fn later(&mut self, deadlines: &[(usize, u64)], gap_ns: u64) -> bool {
        for clock in 1..self.side {
            self.set(clock, 0, NONE);
        }
        self.within_deadlines(deadlines) && self.tighten(self.side - 1, 0, signed(gap_ns))
    }

    /// The readings at the instant of the next packet, `gap_ns` after the last one.
    pub(super) fn at_packet(&mut self, gap_ns: u64) -> bool {
        self.tighten(0, self.side - 1, -signed(gap_ns))
    }

    /// The readings with which no deadline is missed.
    pub(super) fn within_deadlines(&mut self, deadlines: &[(usize, u64)]) -> bool {
        deadlines.iter().all(|&(clock, most)| self.tighten(clock + 1, 0, signed(most)))
    }

    /// The readings within a window.
    pub(super) fn within(&mut self, window: &Window) -> bool {
        window.0.iter().enumerate().all(|(clock, &(least, most))| {
            let least = signed(least);
            least != NONE && self.tighten(0, clock + 1, -least) && self.tighten(clock + 1, 0, signed(most))
        })
    }

    /// The readings after some clocks are reset.
    pub(super) fn reset(&mut self, clocks: &[usize]) {
        for clock in clocks {
            self.reset_place(clock + 1);
        }
    }

    /// The readings with the time since the last packet at zero.
    pub(super) fn count_from_here(&mut self) {
        self.reset_place(self.side - 1);
    }

    fn reset_place(&mut self, place: usize) {
        for other in (0..self.side).filter(|other| *other != place) {
            self.set(place, other, self.at(0, other));
            self.set(other, place, self.at(other, 0));
        }
    }

    /// Forgets how far a clock is beyond everything that it is compared with, so that there are finitely many zones:
    /// the extrapolation by greatest constants, right for guards that compare no two clocks (Bouyer, "Forward analysis
    /// of updatable timed automata", 2004).
    pub(super) fn extrapolate(&mut self, longest_ns: &[u64], gap_ns: u64) {
        let most = |place: usize| match place {
            0 => 0,
            place if place + 1 == self.side => signed(gap_ns),
            place => signed(longest_ns[place - 1]).saturating_add(1),
        };
        let most: SmallVec<[i64; 8]> = (0..self.side).map(most).collect();
        let mut changed = false;
        let bounds = self.bounds.as_mut_slice();
        for (row, of_row) in bounds.chunks_exact_mut(self.side).enumerate() {
            for (column, bound) in of_row.iter_mut().enumerate().filter(|(column, _)| *column != row) {
                let weaker = if *bound > most[row] { NONE } else { (*bound).max(-most[column]) };
                changed |= weaker != *bound;
                *bound = weaker;
            }
        }
        if changed {
            self.close();
        }
    }

    /// Makes the matrix canonical (Floyd and Warshall).
    fn close(&mut self) {
        for over in 0..self.side {
            for row in 0..self.side {
                for column in 0..self.side {
                    let way = plus(self.at(row, over), self.at(over, column));
                    self.set(row, column, min(self.at(row, column), way));
                }
            }
        }
    }

    /// Whether all readings of the other zone are in this one.
    pub(super) fn includes(&self, other: &Zone) -> bool {
        self.bounds.iter().zip(&other.bounds).all(|(one, other)| one >= other)
    }
}
