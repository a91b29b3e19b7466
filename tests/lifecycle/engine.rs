//! The same systems as real async programs, checked by netcheck, and what its reports must say.

use std::collections::BTreeSet;
use std::fmt;
use std::iter;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use netcheck::check::{Checker, Direction, Keep, Report, Search, Tasks, Udp, Verdict, ViolationKind};

use crate::checked::interpret::root;
use crate::naive::Findings;
use crate::program::{Shared, System, name};
use random::Random;

/// How a system is checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Configuration {
    pub search: Search,
    pub reduction: bool,
    pub tracked: bool,
    pub symmetry: bool,
    pub subsumption: bool,
    pub capture: bool,
    pub threads: usize,
    pub fingerprint: bool,
}

impl Configuration {
    /// The configuration unless another one is asked for.
    pub const DEFAULT: Configuration = Configuration {
        search: Search::Bfs,
        reduction: true,
        tracked: false,
        symmetry: false,
        subsumption: false,
        capture: true,
        threads: 1,
        fingerprint: false,
    };
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Configuration { search, reduction, tracked, symmetry, subsumption, capture, threads, fingerprint } = self;
        write!(f, "{search:?}")?;
        let words = [
            (!reduction, "no reduction"),
            (*tracked, "tracked"),
            (*symmetry, "symmetry"),
            (*subsumption, "subsumption"),
            (!capture, "no capture"),
            (*threads > 1, "threads"),
            (*fingerprint, "fingerprint"),
        ];
        words.into_iter().filter(|(is_so, _)| *is_so).try_for_each(|(_, word)| write!(f, ", {word}"))
    }
}

/// How the system of a seed is checked: always with and without the reduction, with tasks that share memory and
/// tracked ones; and in some ways that are drawn from all others.
pub fn configurations(seed: u64) -> Vec<Configuration> {
    let mut random = Random::new(seed ^ 0xc0ff);
    let mut all = Vec::new();
    for reduction in [true, false] {
        for tracked in [false, true] {
            all.push(Configuration { reduction, tracked, ..Configuration::DEFAULT });
        }
    }
    all.extend((0..4).map(|_| drawn(&mut random)));
    all
}

fn drawn(random: &mut Random) -> Configuration {
    let search = match random.below(4) {
        0 => Search::Bfs,
        1 | 2 => Search::Dfs,
        _ => Search::Random { seed: random.below(100) },
    };
    Configuration {
        search,
        reduction: random.percent(70),
        tracked: random.percent(30),
        symmetry: random.percent(50),
        subsumption: random.percent(40),
        capture: random.percent(50),
        threads: 1 + random.below(2) as usize,
        fingerprint: random.percent(50),
    }
}

/// A way in which the engine and the naive explorer disagree.
#[derive(Debug, Clone)]
pub struct Difference {
    pub configuration: Configuration,
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.configuration, self.what)
    }
}

/// Every disagreement in these configurations.
pub fn differences(system: &System, findings: &Findings, configurations: &[Configuration]) -> Vec<Difference> {
    let shared = Shared(Arc::new(system.clone()));
    let difference = |&configuration: &Configuration| {
        let run = || compare(&shared, findings, configuration);
        let compared = catch_unwind(AssertUnwindSafe(run))
            .unwrap_or_else(|panic| Err(format!("the engine panicked: {}", text_of(panic.as_ref()))));
        compared.err().map(|what| Difference { configuration, what })
    };
    configurations.iter().filter_map(difference).collect()
}

fn compare(system: &Shared, findings: &Findings, configuration: Configuration) -> Result<(), String> {
    // A violation, or a task left behind, may be met before a scope is.
    let mut all = iter::once(findings).chain(findings.unscoped.as_deref());
    let (report, ends) = match check(system, configuration) {
        Ok(checked) => checked,
        Err(error) if error.contains(LEFT_BEHIND) => {
            let is_right = all.any(|findings| findings.met.left_behind);
            return if is_right { Ok(()) } else { Err(format!("error: {error}")) };
        }
        Err(error) => return Err(format!("error: {error}")),
    };
    if let Some(counterexample) = report.counterexample() {
        let text = counterexample.to_string();
        let is_known = |findings: &Findings| match counterexample.kind() {
            ViolationKind::Panic => {
                findings.panics.iter().any(|(process, message)| text.contains(process) && text.contains(message))
            }
            ViolationKind::Deadlock => findings.deadlock,
            _ => false,
        };
        return if all.any(is_known) { Ok(()) } else { Err(format!("a violation that is none\n{text}")) };
    }
    if report.verdict() != Verdict::Verified || !findings.is_clean() {
        let limit = report.limit().unwrap_or_default();
        let expected = if findings.is_clean() { Verdict::Verified } else { Verdict::Violated };
        return Err(format!("{:?} instead of {expected:?} {limit}", report.verdict()));
    }
    if findings.met.left_behind {
        return Err("no error, although an isolated task leaves an ordinary one behind".to_owned());
    }
    for (index, expected) in findings.outputs.iter().enumerate() {
        let name = name(index);
        let outputs: BTreeSet<String> = report.outputs(&name).iter().cloned().collect();
        if outputs != *expected {
            return Err(format!("{name} ends with {}", difference(&outputs, expected)));
        }
    }
    // `finally` is asked about ends, too, that were come to before a scope was met.
    let before = findings.unscoped.as_deref().map(|unscoped| &unscoped.terminals);
    let is_expected =
        |end: &Ends| findings.terminals.contains(end) || before.is_some_and(|before| before.contains(end));
    if !ends.is_superset(&findings.terminals) || !ends.iter().all(is_expected) {
        return Err(format!("the system ends with {}", difference(&ends, &findings.terminals)));
    }
    Ok(())
}

/// The engine's message on an ordinary task that goes on when the isolated task that has spawned it has ended.
const LEFT_BEHIND: &str = "goes on: a check can't follow it";

/// The output of each process.
type Ends = Vec<Option<String>>;

/// The report of one configuration, and all ends that `finally` was asked about.
fn check(system: &Shared, configuration: Configuration) -> Result<(Report, BTreeSet<Ends>), String> {
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let processes = system.0.processes.len();
    let report = checker(&system.0, configuration).try_check(|net| {
        for (index, process) in system.0.processes.iter().enumerate() {
            let system = system.clone();
            let factory = move || root(system.clone(), index);
            if process.daemon {
                net.daemon(name(index), factory)
            } else {
                net.process(name(index), factory)
            };
        }
        let seen = Arc::clone(&seen);
        net.finally(move |end| {
            let ends = (0..processes).map(|index| end.output(&name(index)).map(str::to_owned));
            seen.lock().expect("no one panics with it").insert(ends.collect());
        });
    });
    let report = report.map_err(|error| error.to_string())?;
    let ends = seen.lock().expect("no one panics with it").clone();
    Ok((report, ends))
}

fn checker(system: &System, configuration: Configuration) -> Checker {
    let Configuration { search, reduction, tracked, symmetry, subsumption, capture, threads, fingerprint } =
        configuration;
    let network = &system.network;
    let udp = Udp::new().copies(network.copies.iter().copied()).window(network.window).direction(Direction::Send);
    let checker = Checker::new()
        .udp(udp)
        .search(search)
        .reduction(reduction)
        .tasks(if tracked { Tasks::Tracked } else { Tasks::Shared })
        .symmetry(symmetry)
        .subsumption(subsumption)
        .capture(capture)
        .threads(threads)
        .store(if fingerprint { Keep::Fingerprint } else { Keep::Exact })
        .max_states(200_000);
    match network.at_most {
        Some(faults) => checker.at_most(faults),
        None => checker,
    }
}

fn difference<T: Ord + fmt::Debug>(engine: &BTreeSet<T>, naive: &BTreeSet<T>) -> String {
    let missing: Vec<&T> = naive.difference(engine).collect();
    let extra: Vec<&T> = engine.difference(naive).collect();
    format!("{engine:?}; missing: {missing:?}; extra: {extra:?}")
}

fn text_of(panic: &(dyn std::any::Any + Send)) -> &str {
    let string = panic.downcast_ref::<String>().map(String::as_str);
    string.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("something that is no text")
}
