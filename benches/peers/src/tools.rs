//! The tools, and what each of them can express.

mod engine;
mod forge;
mod messages;
pub mod spin;
mod states;
mod threads;

use crate::figures::Figures;
use crate::system::System;
use clap::ValueEnum;
use netcheck::check::Checker;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Tool {
    Netcheck,
    NetcheckSubsumption,
    NetcheckUnreduced,
    SpinReduced,
    SpinReducedTimeouts,
    SpinUnreduced,
    Stateright,
    MustMc,
    Traceforge,
    Shuttle,
    Loom,
}

/// loom's, the main thread being one of them.
const LOOM_THREADS_MAX: u16 = 5;

impl Tool {
    /// As the table calls it.
    pub fn name(self) -> &'static str {
        match self {
            Tool::Netcheck => "netcheck",
            Tool::NetcheckSubsumption => "netcheck, subsumption",
            Tool::NetcheckUnreduced => "netcheck, reduction off",
            Tool::SpinReduced => "SPIN, reduction, no time-outs",
            Tool::SpinReducedTimeouts => "SPIN, reduction",
            Tool::SpinUnreduced => "SPIN, -DNOREDUCE",
            Tool::Stateright => "stateright",
            Tool::MustMc => "must-mc",
            Tool::Traceforge => "traceforge",
            Tool::Shuttle => "shuttle, check_dfs",
            Tool::Loom => "loom",
        }
    }

    /// Why the system cannot be put to it.
    pub fn cannot(self, system: System) -> Option<&'static str> {
        match self {
            Tool::Shuttle | Tool::Loom if system.loss => Some("loss is not expressed"),
            Tool::Loom if 1 + 3 * system.connections > LOOM_THREADS_MAX => Some("more than 5 threads"),
            Tool::NetcheckSubsumption if !system.loss => Some("nothing gets lost"),
            _ => None,
        }
    }

    /// How SPIN's verifier is built for it.
    pub fn verifier(self) -> Option<spin::Build> {
        match self {
            Tool::SpinReduced => Some(spin::Build { reduction: true, timeouts: false }),
            Tool::SpinReducedTimeouts => Some(spin::Build { reduction: true, timeouts: true }),
            Tool::SpinUnreduced => Some(spin::Build { reduction: false, timeouts: true }),
            _ => None,
        }
    }

    /// In a process that does nothing else; not for SPIN.
    pub fn run(self, system: System, limit: Duration) -> Figures {
        match self {
            Tool::Netcheck => engine::run(system, &Checker::new(), limit),
            Tool::NetcheckSubsumption => engine::run(system, &Checker::new().subsumption(true), limit),
            Tool::NetcheckUnreduced => engine::run(system, &Checker::new().reduction(false), limit),
            Tool::Stateright => states::run(system, limit),
            Tool::MustMc => messages::run(system, limit),
            Tool::Traceforge => forge::run(system, limit),
            Tool::Shuttle => threads::run_shuttle(system, limit),
            Tool::Loom => threads::run_loom(system, limit),
            Tool::SpinReduced | Tool::SpinReducedTimeouts | Tool::SpinUnreduced => {
                unreachable!("SPIN runs a verifier of its own")
            }
        }
    }
}
