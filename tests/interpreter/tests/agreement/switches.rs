//! All that a check can be configured with, together: each system is checked in a few of the combinations, and all
//! of them are met often.

use std::fmt;
use std::sync::Arc;

use netcheck::check::{Keep, Report, Search, Tasks};

use interpreter::Order;

use crate::engine;
use oracle::language::program::System;
use oracle::naive::Findings;

/// Combinations in which each system is checked.
pub const CHECKS: u64 = 4;

#[derive(Clone, Copy)]
pub struct Switches {
    pub order: Order,
    pub reduction: bool,
    pub tracked: bool,
    /// Whether tasks share the look-alikes of tokio's types, which tracked tasks have to.
    pub look_alikes: bool,
    pub symmetry: bool,
    pub subsumption: bool,
    /// Whether states that no receiver can tell apart are merged as soon as there are any.
    pub merges: bool,
    pub capture: bool,
    pub threads: usize,
    pub store: Keep,
}

/// Counts of what was left out by each reduction, in all checks.
#[derive(Debug, Clone, Copy, Default)]
pub struct LeftOut {
    pub tracked: u64,
    pub symmetric: u64,
    pub subsumed: u64,
}

impl Switches {
    /// The nth combination for a seed: reduction and tracked tasks in turn, the rest as it comes.
    /// Tasks are not tracked where only the first executions of an operation fail, which would be counted in each task; nor
    /// where a receive does not wait, since it is not kept then what a driver knows, and the receive may miss more.
    pub fn of(system: &System, seed: u64, nth: u64) -> Self {
        let is_never_tracked = system.network.tcp.as_ref().is_some_and(|tcp| tcp.first.is_some()) || system.polls();
        let mut mixed = (seed * CHECKS + nth).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed ^= mixed >> 27;
        let bit = |position: u32| mixed >> position & 1 == 1;
        let order = match mixed >> 40 & 15 {
            0..2 => Order::By(Search::Bfs),
            2 => Order::By(Search::Joint),
            3 => Order::By(Search::Dfs),
            4 => Order::By(Search::Faults),
            5 => Order::By(Search::Pct { seed, depth: 3 }),
            6 => Order::By(Search::Random { seed }),
            7..9 => Order::By(Search::NetworkStates { retransmissions: None }),
            9 => Order::By(Search::NetworkStates { retransmissions: Some(2) }),
            10..13 => Order::By(Search::Retransmissions { arrivals: 1 + (mixed >> 44 & 1) as usize }),
            _ => Order::Best,
        };
        Switches {
            order,
            reduction: nth & 1 == 0,
            tracked: nth & 2 == 2 && !is_never_tracked,
            look_alikes: nth & 2 == 2 && !is_never_tracked || bit(37),
            symmetry: bit(32),
            subsumption: bit(33),
            merges: bit(38),
            capture: bit(34),
            threads: 1 + usize::from(bit(35)),
            store: if bit(36) { Keep::Fingerprint } else { Keep::Exact },
        }
    }
}

impl fmt::Display for Switches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Switches { order, reduction, tracked, look_alikes, symmetry, subsumption, merges, capture, threads, store } =
            self;
        write!(
            f,
            "{order:?}, reduction {reduction}, tracked {tracked}, look-alikes {look_alikes}, symmetry {symmetry}, subsumption {subsumption}, \
             merges {merges}, capture {capture}, {threads} threads, {store:?}"
        )
    }
}

/// A difference between a configuration of the engine and the naive explorer.
pub fn disagreement(system: &System, findings: &Findings, seed: u64, left_out: &mut LeftOut) -> Option<String> {
    let system = Arc::new(system.clone());
    (0..CHECKS).find_map(|nth| {
        let switches = Switches::of(&system, seed, nth);
        let run = || compare(&system, findings, switches, left_out);
        engine::compared_by(run).err().map(|difference| format!("{switches}: {difference}"))
    })
}

fn compare(
    system: &Arc<System>,
    findings: &Findings,
    switches: Switches,
    left_out: &mut LeftOut,
) -> Result<(), String> {
    let checker = interpreter::checker(system, (switches.order, switches.reduction, switches.subsumption))
        .tasks(if switches.tracked { Tasks::Tracked } else { Tasks::Shared })
        .symmetry(switches.symmetry)
        .merge_after(if switches.merges { 0 } else { usize::MAX })
        .capture(switches.capture)
        .threads(switches.threads)
        .store(switches.store);
    let (report, ends) = interpreter::check_with(&checker, system, |net, index| {
        interpreter::register_tracked(net, system, index, switches.look_alikes);
    });
    left_out.count(&report);
    engine::compare_report(&report, &ends, findings)
}

impl LeftOut {
    fn count(&mut self, report: &Report) {
        self.tracked += report.pruned();
        self.symmetric += u64::from(!report.like_processes().is_empty());
        self.subsumed += report.subsumed();
    }
}

add_fields!(LeftOut { tracked, symmetric, subsumed });
