//! Known systems, one file each, to learn from: plain tokio code, what is claimed of it, the faults
//! that it is meant to bear, and how many states that makes. Each has its source, and a variant
//! that is wrong in the way that the source warns of, with the execution that shows it.
//!
//! The numbers are pinned: a change of the engine that changes one has to say why.

mod alternating_bit;
mod dining_philosophers;
mod go_back_n;
mod leader_election;
mod lost_update;
mod mutual_exclusion;
mod stop_and_wait;
mod two_phase_commit;

use netcheck::check::{Report, Verdict};

/// The system is right, by so many states and transitions.
#[track_caller]
fn verified(report: &Report, figures: (usize, u64)) {
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!((report.states(), report.transitions()), figures, "{report}");
}
