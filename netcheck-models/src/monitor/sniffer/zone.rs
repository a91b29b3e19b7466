//! Sets of readings of clocks, as difference bound matrices.

use crate::monitor::guard::Window;
use smallvec::{SmallVec, smallvec};
use std::cmp::min;

const NONE: i64 = i64::MAX;

/// Readings of the monitor's clocks, and of one more that reads the time since the sniffer's last packet. All bounds
/// are closed and whole nanoseconds. A zone is canonical and never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Zone {
    side: usize,
    /// In row `i` and column `j`, how much clock `i` reads more than clock `j` at most. Clock 0 always reads zero, the
    /// last one counts from the sniffer's last packet, the monitor's clocks stand between.
    bounds: SmallVec<[i64; 16]>,
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
        for from in 0..self.side {
            let to_row = plus(self.at(from, row), bound);
            for to in 0..self.side {
                let over = plus(to_row, self.at(column, to));
                self.set(from, to, min(self.at(from, to), over));
            }
        }
        true
    }

    /// The readings after any time that keeps the deadlines, and ends no more than `gap_ns` after the last packet.
    pub(super) fn later(mut self, deadlines: &[(usize, u64)], gap_ns: u64) -> Option<Zone> {
        for clock in 1..self.side {
            self.set(clock, 0, NONE);
        }
        let packet = self.side - 1;
        let mut within = self.within_deadlines(deadlines)?;
        within.tighten(packet, 0, signed(gap_ns)).then_some(within)
    }

    /// The readings at the instant of the next packet, `gap_ns` after the last one.
    pub(super) fn at_packet(mut self, gap_ns: u64) -> Option<Zone> {
        let packet = self.side - 1;
        self.tighten(0, packet, -signed(gap_ns)).then_some(self)
    }

    /// The readings with which no deadline is missed.
    pub(super) fn within_deadlines(mut self, deadlines: &[(usize, u64)]) -> Option<Zone> {
        let kept = deadlines.iter().all(|&(clock, most)| self.tighten(clock + 1, 0, signed(most)));
        kept.then_some(self)
    }

    /// The readings within a window.
    pub(super) fn within(mut self, window: &Window) -> Option<Zone> {
        let kept = window.0.iter().enumerate().all(|(clock, &(least, most))| {
            let least = signed(least);
            least != NONE && self.tighten(0, clock + 1, -least) && self.tighten(clock + 1, 0, signed(most))
        });
        kept.then_some(self)
    }

    /// The readings after some clocks are reset.
    pub(super) fn reset(mut self, clocks: &[usize]) -> Zone {
        for clock in clocks {
            self.reset_place(clock + 1);
        }
        self
    }

    /// The readings with the time since the last packet at zero.
    pub(super) fn count_from_here(mut self) -> Zone {
        self.reset_place(self.side - 1);
        self
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
        let most: SmallVec<[i64; 4]> = (0..self.side).map(most).collect();
        let mut changed = false;
        for row in 0..self.side {
            for column in (0..self.side).filter(|column| *column != row) {
                let bound = self.at(row, column);
                let weaker = match bound {
                    NONE => NONE,
                    bound if bound > most[row] => NONE,
                    bound => bound.max(-most[column]),
                };
                changed |= weaker != bound;
                self.set(row, column, weaker);
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
