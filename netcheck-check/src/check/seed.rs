//! Seeds: of the random numbers that programs draw, and of what a check draws itself.
//!
//! Several runs of a check, on as many cores or machines, look at different executions if each is given a [`Share`].

use super::Checker;
use super::simulation::{Simulation, Until};
use netcheck_runtime::search::frontier::Search;
use std::num::NonZero;
use std::str::FromStr;

/// The seeds of two shares are as far apart: 2⁶⁴ divided by the golden ratio, so that those of many shares are spread evenly.
const BETWEEN_SEEDS: u64 = 0x9e37_79b9_7f4a_7c15;

/// One of so many shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    /// From 0 on.
    number: u64,
    of: NonZero<u64>,
}

impl FromStr for Share {
    type Err = &'static str;

    /// Reads `3/16`, the third of sixteen. The error says what is expected.
    fn from_str(text: &str) -> Result<Share, Self::Err> {
        let parts = text.split_once('/').and_then(|(number, of)| Some((number.parse::<u64>().ok()?, of.parse().ok()?)));
        match parts {
            Some((number, of)) if (1..=NonZero::get(of)).contains(&number) => Ok(Share { number: number - 1, of }),
            _ => Err("a share such as `3/16`, the third of sixteen"),
        }
    }
}

impl Share {
    /// The first share has the seed as it is.
    fn seed(self, seed: u64) -> u64 {
        seed.wrapping_add(self.number.wrapping_mul(BETWEEN_SEEDS))
    }

    /// Executions of this share, at least one. All shares together run at least as many as were declared.
    fn runs(self, runs: u64) -> u64 {
        runs.div_ceil(self.of.get())
    }
}

impl Checker {
    /// Gives the programs other random numbers: `getrandom`, `rand::rng()`, `fastrand`, and the order of a `HashMap`. They
    /// are fixed, not explored: each run of a check draws the same ones, which follow from this number (0 unless it is
    /// set), the name of the process or isolated task, and the draws that it has made. `netcheck::choose` explores.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The check of one share: a simulation runs its share of the executions, or as long as ever, with a seed of its own, and a
    /// random search has a seed of its own. `None` if nothing of the check is drawn.
    pub(crate) fn of_share(&self, share: Share) -> Option<Checker> {
        if let Some(simulation) = self.simulation {
            let until = match simulation.until {
                Until::Runs(runs) => Until::Runs(share.runs(runs)),
                Until::Time(time) => Until::Time(time),
            };
            let simulation = Simulation { until, ..simulation.seeded(share.seed(simulation.seed)) };
            return (!simulation.in_order).then(|| self.clone().simulation(simulation));
        }
        let search = match self.search? {
            Search::Random { seed } => Search::Random { seed: share.seed(seed) },
            Search::Pct { seed, depth } => Search::Pct { seed: share.seed(seed), depth },
            _ => return None,
        };
        Some(self.clone().search(search))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::time::Duration;

    fn share(text: &str) -> Share {
        text.parse().expect("a share")
    }

    #[test]
    fn what_is_no_share_is_refused() {
        for wrong in ["", "3", "0/4", "5/4", "1/0", "-1/4", "1/4/2", "a/b", "1/"] {
            assert!(wrong.parse::<Share>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn shares_have_seeds_of_their_own_and_all_executions_together() {
        let declared = Simulation::new(5).runs(10);
        let simulations = ["1/4", "2/4", "3/4", "4/4"].map(|text| {
            let checker = Checker::new().simulation(declared).of_share(share(text)).expect("executions are drawn");
            checker.simulation.expect("it is one still")
        });
        assert_eq!(simulations.iter().map(|simulation| simulation.seed).collect::<BTreeSet<_>>().len(), 4);
        assert!(simulations.iter().all(|simulation| simulation.until == Until::Runs(3)));
        assert_eq!(simulations[0].seed, 5);
        assert_eq!(Checker::new().simulation(declared).of_share(share("1/1")).unwrap().simulation, Some(declared));
        let for_a_second = Checker::new().simulation(declared.time(Duration::from_secs(1)));
        let of_two = for_a_second.of_share(share("2/2")).unwrap().simulation.unwrap();
        assert_eq!(of_two.until, Until::Time(Duration::from_secs(1)));
    }

    #[test]
    fn a_random_search_has_a_share_and_an_exhaustive_one_has_none() {
        let seeds = |search: Search| {
            let of = |text: &str| Checker::new().search(search).of_share(share(text))?.search;
            ["1/2", "2/2"].map(of)
        };
        let [first, second] = seeds(Search::Random { seed: 1 });
        assert!(first == Some(Search::Random { seed: 1 }) && second.is_some() && second != first);
        let [first, second] = seeds(Search::Pct { seed: 1, depth: 3 });
        assert!(first == Some(Search::Pct { seed: 1, depth: 3 }) && second.is_some() && second != first);
        assert_eq!(seeds(Search::Bfs), [None, None]);
        assert!(Checker::new().of_share(share("1/2")).is_none());
        assert!(Checker::new().simulation(Simulation::new(0).depth_first()).of_share(share("1/2")).is_none());
    }
}
