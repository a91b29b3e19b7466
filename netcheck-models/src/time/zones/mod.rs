//! Dense time: the instants at which scheduled events may happen.
//!
//! A [`Zone`] is a set of valuations: each gives every scheduled event its instant, relative to now. The set is
//! described by upper bounds of the differences between two instants, in a *difference bound matrix* (Dill, "Timing
//! assumptions and verification of finite-state concurrent systems", 1989). The present instant stands in the matrix as
//! well, in place 0, as the instant to which the others are relative.
//!
//! - All bounds are closed (≤) and whole numbers of nanoseconds. Then whole delays reach every order of events that
//!   real delays reach (*digitization*; Henzinger, Manna and Pnueli, "What good are digital clocks?", 1992).
//! - A zone is *canonical*: each bound is the tightest that follows from all bounds, that is, the matrix holds the
//!   shortest paths. So equal sets are equal values, and inclusion compares bound by bound. Each operation keeps this in
//!   O(n²) steps for n events (Bengtsson and Yi, "Timed automata: semantics, algorithms and tools", 2004, section 4).
//! - A zone is never empty: an operation that would leave no valuation returns `None`.
//! - Finite bounds are nearer than [`FAR_NS`], 146 years. A sum above becomes no bound, and one below becomes
//!   `-FAR_NS`. Both weaken the bound, so a zone can only become larger by it: a search finds each execution, and
//!   perhaps one that needs an event after 146 years to come earlier or later than it would.
//!
//! The instant of an event in the past moves away from now as time passes, so a loop that keeps one has infinitely many
//! zones, unless [`Zone::aged`] forgets how old it is.

mod aging;
mod bound;
mod comparing;
mod matrix;
mod moment;
mod parts;
mod passing;
mod zone;

pub use bound::FAR_NS;
pub use comparing::Comparison;
pub use moment::{Moment, Scheduled};
pub use zone::Zone;
