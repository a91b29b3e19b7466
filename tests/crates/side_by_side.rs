//! The systems of a program with local states told apart by their pasts, and by the memory of the programs, too.
//!
//! `cargo test --release -p chat -p endless -p gossip -p key-value -p pool -p proxy -- --ignored side_by_side --nocapture`

use netcheck::Network;
use netcheck::check::{Checker, Identity, Verdict};
use std::time::{Duration, Instant};

/// A name, how it is checked, and what is checked.
type System = (&'static str, Checker, fn(&mut Network));

/// Seconds until a check is given up.
const PATIENCE: Duration = Duration::from_secs(20);

/// Checks each system both ways, and prints what each cost. Where both come to an end, they find the same.
pub fn check(program: &str, systems: Vec<System>) {
    for (name, checker, network) in systems {
        let verdicts = [Identity::History, Identity::Memory].map(|identity| {
            let began = Instant::now();
            let report = checker.clone().identity(identity).max_time(PATIENCE).check(network);
            let identity = format!("{identity:?}").to_lowercase();
            println!(
                "{program:10} | {name:55} | {identity:7} | {:12} | {:>9} states | {:>7} local | {:>8} polls | {:6.2} s",
                format!("{:?}", report.verdict()),
                report.states(),
                report.local_states(),
                report.polls(),
                began.elapsed().as_secs_f64(),
            );
            report.verdict()
        });
        if !verdicts.contains(&Verdict::Inconclusive) {
            assert_eq!(verdicts[0], verdicts[1], "{program}: {name}");
        }
    }
}
