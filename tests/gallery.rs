//! Known systems, one file each, to learn from: plain tokio code, what is claimed of it, the faults
//! that it is meant to bear, and how many states that makes. Each has its source, and a variant
//! that is wrong in the way that the source warns of, with the execution that shows it.
//!
//! The numbers are pinned: a change of the engine that changes one has to say why.

#[path = "gallery/alternating_bit.rs"]
mod alternating_bit;
#[path = "gallery/dining_philosophers.rs"]
mod dining_philosophers;
#[path = "gallery/estimates.rs"]
mod estimates;
#[path = "gallery/go_back_n.rs"]
mod go_back_n;
#[path = "gallery/leader_election.rs"]
mod leader_election;
#[path = "gallery/lost_update.rs"]
mod lost_update;
#[path = "gallery/mutual_exclusion.rs"]
mod mutual_exclusion;
#[path = "gallery/stop_and_wait.rs"]
mod stop_and_wait;
#[path = "gallery/two_phase_commit.rs"]
mod two_phase_commit;

use netcheck::check::{Report, Verdict};

/// The system is right, by so many states and transitions.
#[track_caller]
fn verified(report: &Report, figures: (usize, u64)) {
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!((report.states(), report.transitions()), figures, "{report}");
}
