//! How a relation is tried on many systems, and what of a check's report a relation compares.
//!
//! Nothing here knows what a right answer is: a relation only holds one report against another.

use std::collections::BTreeSet;
use std::fmt::{self, Debug, Display};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use netcheck::check::{Report, Verdict, ViolationKind};

use interpreter::{Ends, text_of};
use random::Random;

/// The result of a relation on one system.
#[derive(Debug, PartialEq)]
pub enum Trial {
    Holds,
    /// A check reached a limit, or there is nothing to compare.
    Skipped,
    /// How the reports contradict the relation.
    Fails(String),
}

/// Counts of the systems of one relation.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Tally {
    pub held: u64,
    pub skipped: u64,
}

impl Tally {
    /// Panics unless a share of the systems was compared.
    #[track_caller]
    pub fn assert_skipped_at_most(self, percent: u64) {
        let all = self.held + self.skipped;
        assert!(self.skipped * 100 <= all * percent, "too many checks reached a limit: {self:?}");
    }
}

/// The seeds that are asked for by the environment: `NETCHECK_METAMORPHIC_SEED=17` or
/// `NETCHECK_METAMORPHIC_SEEDS=5000..9000`.
pub fn seeds_asked_for() -> Option<Range<u64>> {
    random::seeds_asked_for("METAMORPHIC")
}

/// Tries a relation on the system of each seed. Panics with every seed on which it fails, and with the first of their
/// systems, shrunk.
#[track_caller]
pub fn holds<S: Clone + Display>(
    seeds: Range<u64>,
    generate: impl Fn(u64) -> S,
    relation: impl Fn(u64, &S) -> Trial,
    shrink: impl Fn(&S, &mut dyn FnMut(&S) -> bool) -> S,
) -> Tally {
    let guarded = |seed: u64, system: &S| {
        catch_unwind(AssertUnwindSafe(|| relation(seed, system)))
            .unwrap_or_else(|panic| Trial::Fails(format!("the engine panicked: {}", text_of(panic.as_ref()))))
    };
    let seeds = seeds_asked_for().unwrap_or(seeds);
    let is_single = seeds.end - seeds.start == 1;
    let mut tally = Tally::default();
    let mut failures: Vec<(u64, S, String)> = Vec::new();
    for seed in seeds {
        let system = generate(seed);
        if is_single {
            println!("seed {seed}\n{system}");
        }
        match guarded(seed, &system) {
            Trial::Holds => tally.held += 1,
            Trial::Skipped => tally.skipped += 1,
            Trial::Fails(difference) => failures.push((seed, system, difference)),
        }
    }
    println!("{tally:?}");
    let Some((seed, system, difference)) = failures.first() else { return tally };
    let smallest = shrink(system, &mut |smaller| matches!(guarded(*seed, smaller), Trial::Fails(_)));
    let again = guarded(*seed, &smallest);
    let Trial::Fails(again) = again else { panic!("seed {seed} fails now and then: {difference}\n{again:?}") };
    let all: Vec<u64> = failures.iter().map(|(seed, ..)| *seed).collect();
    panic!(
        "{} of {} systems fail, seeds {all:?}\n\nseed {seed}:\n{system}\n{difference}\n\nshrunk:\n{smallest}\n{again}",
        all.len(),
        tally.held + tally.skipped + all.len() as u64,
    );
}

/// The parts of a report that relations compare.
#[derive(Clone)]
pub struct Outcome {
    pub verdict: Verdict,
    pub violation: Option<ViolationKind>,
    /// of the processes that the relation is about, in its order
    pub outputs: Vec<BTreeSet<String>>,
    /// what these processes ended with together, in each end
    pub ends: BTreeSet<Ends>,
    pub states: usize,
    /// how often runs were set back
    pub set_back: u64,
    text: String,
}

impl Outcome {
    pub fn new(report: &Report, names: impl IntoIterator<Item = String>, ends: BTreeSet<Ends>) -> Self {
        let outputs = names.into_iter().map(|name| report.outputs(&name).iter().cloned().collect());
        let text = report.counterexample().map(ToString::to_string);
        Outcome {
            verdict: report.verdict(),
            violation: report.counterexample().map(|counterexample| counterexample.kind()),
            outputs: outputs.collect(),
            ends,
            states: report.states(),
            set_back: report.set_back(),
            text: text.or_else(|| report.limit().map(str::to_owned)).unwrap_or_default(),
        }
    }

    /// The same for other processes or in another order: `places[index]` is where the process `index` is now.
    pub fn seen_at(&self, places: &[usize]) -> Self {
        Outcome {
            outputs: places.iter().map(|&place| self.outputs[place].clone()).collect(),
            ends: self.ends.iter().map(|end| places.iter().map(|&place| end[place].clone()).collect()).collect(),
            ..self.clone()
        }
    }
}

impl Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:?} {:?}, {} states", self.verdict, self.violation, self.states)?;
        for (index, outputs) in self.outputs.iter().enumerate() {
            writeln!(f, "  outputs {index}: {outputs:?}")?;
        }
        writeln!(f, "{}", self.text)
    }
}

/// Which parts of two reports of the same behaviour have to agree.
#[derive(Clone, Copy, PartialEq)]
pub enum Sameness {
    /// verdict and outputs
    Outputs,
    /// what all processes ended with together, too
    Ends,
    /// and how many states there are
    States,
}

/// A search that finds a violation stops: then only the verdicts are compared.
pub fn same(what: &str, one: &Outcome, other: &Outcome, sameness: Sameness) -> Trial {
    if [one, other].iter().any(|outcome| outcome.verdict == Verdict::Inconclusive) {
        return Trial::Skipped;
    }
    let differs = |part: &str| Trial::Fails(format!("{what}, {part}:\n{one}\n{other}"));
    if one.verdict != other.verdict {
        return differs("another verdict");
    }
    if one.verdict == Verdict::Violated {
        return Trial::Holds;
    }
    if one.outputs != other.outputs {
        return differs("other outputs");
    }
    if sameness != Sameness::Outputs && one.ends != other.ends {
        return differs(&format!("other ends: {:?} and {:?}", one.ends, other.ends));
    }
    if sameness == Sameness::States && one.states != other.states {
        return differs("another number of states");
    }
    Trial::Holds
}

/// The first trial that fails; held if any held.
pub fn all(trials: impl IntoIterator<Item = Trial>) -> Trial {
    let mut sum = Trial::Skipped;
    for trial in trials {
        match trial {
            Trial::Fails(_) => return trial,
            Trial::Holds => sum = Trial::Holds,
            Trial::Skipped => {}
        }
    }
    sum
}

/// The numbers below `count` in another order.
pub fn permutation(random: &mut Random, count: usize) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        numbers.swap(last, random.index(last + 1));
    }
    numbers
}
