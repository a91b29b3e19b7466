//! What a `#[model_check]` test does.

use crate::check::Checker;
use crate::network::Network;
use crate::report::{Report, Verdict};
use crate::trace::counterexample::Counterexample;
use crate::violation::ViolationKind;
use std::path::{Path, PathBuf};

/// Set to the file of a counterexample, a test runs just that execution.
const REPLAY: &str = "NETCHECK_REPLAY";

/// Where a test stands.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct TestInfo {
    pub module: &'static str,
    pub name: &'static str,
    pub file: &'static str,
    pub line: u32,
}

/// What a test has to find to pass.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    Verified,
    Panic,
    Deadlock,
    Property,
    Any,
    Inconclusive,
}

impl Expect {
    fn is_met(self, report: &Report) -> bool {
        let found = report.counterexample().map(Counterexample::kind);
        match self {
            Expect::Verified => report.verdict() == Verdict::Verified,
            Expect::Inconclusive => report.verdict() == Verdict::Inconclusive,
            Expect::Any => found.is_some(),
            Expect::Panic => found == Some(ViolationKind::Panic),
            Expect::Deadlock => found == Some(ViolationKind::Deadlock),
            Expect::Property => found == Some(ViolationKind::Property),
        }
    }

    fn words(self) -> &'static str {
        match self {
            Expect::Verified => "that nothing is violated",
            Expect::Panic => "a panic",
            Expect::Deadlock => "a deadlock",
            Expect::Property => "a violated property",
            Expect::Any => "a violation",
            Expect::Inconclusive => "a limit to be hit",
        }
    }
}

/// How a test ended that passed.
#[doc(hidden)]
#[derive(Debug)]
pub struct TestOutcome {
    report: Option<Report>,
}

impl TestOutcome {
    /// The text to pin.
    pub fn counterexample_text(&self) -> String {
        let counterexample = self.report.as_ref().and_then(Report::counterexample);
        counterexample.map(ToString::to_string).unwrap_or_default()
    }
}

/// Runs a check as a test.
///
/// # Panics
/// If it does not find what is expected: with the counterexample, and how to replay it.
#[doc(hidden)]
#[track_caller]
pub fn run_test(test: TestInfo, checker: Checker, expect: Expect, network: impl Fn(&mut Network)) -> TestOutcome {
    if let Some(file) = std::env::var_os(REPLAY) {
        replay(test, &checker, Path::new(&file), network);
        return TestOutcome { report: None };
    }
    let at = format!("{}:{}", test.file, test.line);
    let report = match checker.try_check(network) {
        Ok(report) => report,
        Err(error) => panic!("{} ({at}) can't be checked: {error}", test.name),
    };
    if expect.is_met(&report) {
        println!("{}: {report}", test.name);
        return TestOutcome { report: Some(report) };
    }
    let mut message = format!("{} ({at}) is {report}", test.name);
    if expect != Expect::Verified {
        message.push_str(&format!("expected: {}\n", expect.words()));
    }
    if let Some(counterexample) = report.counterexample() {
        message.push_str(&match save(test, counterexample) {
            Ok(file) => {
                format!("saved:  {}\nreplay: {REPLAY}={} cargo test {}\n", file.display(), file.display(), test.name)
            }
            Err(error) => format!("the counterexample could not be saved: {error}\n"),
        });
    }
    panic!("{message}");
}

/// Runs the execution in `file`.
#[track_caller]
fn replay(test: TestInfo, checker: &Checker, file: &Path, network: impl Fn(&mut Network)) {
    let text = std::fs::read_to_string(file);
    let text = text.unwrap_or_else(|error| panic!("{REPLAY}={}: {error}", file.display()));
    let counterexample = Counterexample::from_json(&text);
    let counterexample = counterexample.unwrap_or_else(|error| panic!("{REPLAY}={}: {error}", file.display()));
    match checker.replay(network, &counterexample) {
        Ok(Some(violation)) => panic!("{} replayed: {violation}\n{counterexample}", test.name),
        Ok(None) => println!("{} replayed: nothing is violated any more", test.name),
        Err(error) => panic!("{} could not be replayed: {error}", test.name),
    }
}

/// Writes a counterexample under `target/netcheck/`.
fn save(test: TestInfo, counterexample: &Counterexample) -> std::io::Result<PathBuf> {
    let directory = target().join("netcheck");
    std::fs::create_dir_all(&directory)?;
    let name = format!("{}-{}", test.module, test.name).replace("::", "-");
    let file = directory.join(format!("{name}.json"));
    std::fs::write(&file, counterexample.to_json())?;
    Ok(file)
}

/// Cargo's target folder: the one that the test program lies in.
fn target() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    let marked = program.ancestors().find(|folder| folder.join("CACHEDIR.TAG").exists());
    marked.map_or_else(|| PathBuf::from("target"), Path::to_path_buf)
}
