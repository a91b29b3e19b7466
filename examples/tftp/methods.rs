//! The methods that the paper compares, sections 4 and 5.2: the same check, in other orders or by single executions.

use crate::checked::{Transfer, any_delay};
use netcheck::check::{Checker, Report, Search, Simulation, Verdict};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use rand_distr::{Distribution, Gamma};
use std::fmt;
use std::time::{Duration, Instant};

/// A way to look for a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Executions one after the other, depth-first: no state is known again.
    Spd,
    /// Executions with random delays, as of packets on the Internet.
    Ran,
    /// By states of the network.
    Ns,
    /// Executions in which a packet arrives so often at the most first.
    Pr(usize),
    /// Both.
    NsPr(usize),
    /// To the end, if there is time: by messages, reduced, states that others cover left out.
    Exhaustive,
}

impl Method {
    /// The columns of the paper's tables, the parameters of its Figures 11 and 12, and this tool's own order.
    pub const ALL: [Method; 9] = [
        Method::Spd,
        Method::Ran,
        Method::Ns,
        Method::Pr(1),
        Method::NsPr(1),
        Method::Pr(2),
        Method::NsPr(2),
        Method::Pr(5),
        Method::Exhaustive,
    ];

    fn checker(self, budget: Budget) -> Checker {
        let checker = Checker::new().udp(any_delay()).max_time(budget.time).max_states(budget.states);
        match self {
            Method::Spd => checker.simulation(Simulation::new(0).runs(budget.executions).depth_first()),
            Method::Ran => checker.simulation(Simulation::new(0).runs(budget.executions)).drawn_delays(internet_delay),
            Method::Ns => checker.search(Search::NetworkStates { retransmissions: None }),
            Method::Pr(arrivals) => checker.search(Search::Retransmissions { arrivals }),
            Method::NsPr(arrivals) => checker.search(Search::NetworkStates { retransmissions: Some(arrivals) }),
            Method::Exhaustive => checker.search(Search::Reads),
        }
    }

    /// Looks for a violation.
    pub fn run(self, transfer: Transfer, budget: Budget) -> Outcome {
        let began = Instant::now();
        let report = self.checker(budget).check(|net| transfer.register(net));
        Outcome { seconds: began.elapsed().as_secs_f64(), report }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::Spd => f.write_str("SPD"),
            Method::Ran => f.write_str("RAN"),
            Method::Ns => f.write_str("NS"),
            Method::Pr(arrivals) => write!(f, "PR{arrivals}"),
            Method::NsPr(arrivals) => write!(f, "NSPR{arrivals}"),
            Method::Exhaustive => f.write_str("exhaustive"),
        }
    }
}

/// When a method gives up.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// The executions of `SPD` and `RAN`.
    pub executions: u64,
    /// The states of the other methods.
    pub states: usize,
    pub time: Duration,
}

/// The finding of a method.
pub struct Outcome {
    pub report: Report,
    /// With the time to make the counterexample the least one, and to run it again.
    pub seconds: f64,
}

impl Outcome {
    pub fn is_violated(&self) -> bool {
        self.report.verdict() == Verdict::Violated
    }

    /// How many executions were run, or states visited, in all rounds of the search.
    pub fn cost(&self) -> String {
        match self.report.simulated() {
            Some(simulated) => format!("{} executions", simulated.executions()),
            None => format!("{} states", self.report.states_of_all_rounds()),
        }
    }
}

/// The delay of a packet on the Internet: milliseconds by a Gamma distribution of scale 1 and shape 2.5, shifted by 107.5;
/// and one packet in a hundred is lost (section 5.2).
fn internet_delay(random: u64) -> Option<Duration> {
    let mut random = SmallRng::seed_from_u64(random);
    let gamma = Gamma::new(2.5, 1.0).expect("shape and scale are positive");
    let delay_ms = 107.5 + gamma.sample(&mut random);
    (!random.random_bool(0.01)).then(|| Duration::from_secs_f64(delay_ms / 1_000.0))
}
