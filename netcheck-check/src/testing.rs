//! The course of a `#[model_check]` or `#[netcheck::test]` test.
//!
//! - `expect`: what a test has to find;
//! - `apart`: a test that is run in a system process of its own;
//! - `explored`: a test that is explored by hand, in place of a check;
//! - `noted`: what `cargo netcheck` is told of how a test ended;
//! - `place`: where a test stands, and its package, where that is one of a workspace;
//! - `saved`: the files that a test leaves behind;
//! - `shown`: a counterexample in the output of a test;
//! - `variables`: what the environment says about checks.

mod apart;
mod expect;
mod explored;
mod noted;
mod place;
mod saved;
mod shown;
mod variables;

pub use expect::Expect;
pub use place::TestInfo;

use crate::check::Checker;
use crate::network::Network;
use crate::report::Report;
use crate::trace::counterexample::Counterexample;
use crate::trace::step::Step;
use crate::trace::text::Text;
use explored::{EXPLORE, explore};
use netcheck_runtime::violation::ViolationKind;
use noted::{is_other_run, noted_if_it_panics, unless_noted};
use saved::{Origin, Saved};
use shown::{command, shown};
use std::env::VarError;
use std::fmt;
use std::future::Future;
use std::path::Path;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// Set to the file of a counterexample, a test runs just that execution.
const REPLAY: &str = "NETCHECK_REPLAY";

/// Set to words of `#[model_check]`, every `#[netcheck::test]` is checked under these faults.
const FAULTS: &str = "NETCHECK_FAULTS";

/// An execution that a test runs again.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Trace {
    /// Where paths begin: the folder of the package.
    pub folder: &'static str,
    pub file: &'static str,
}

/// How a test ended that passed.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct TestOutcome {
    report: Option<Report>,
    /// Whether the test was run once more, apart.
    is_from_apart: bool,
}

impl TestOutcome {
    /// Shows the whole report.
    fn shown(self, test: TestInfo) -> Self {
        self.report.iter().for_each(|report| println!("{}: {report}", test.name));
        self
    }
}

/// Why a test does not pass.
struct Failure {
    message: String,
    /// The kind of violation; `None` if the check came to no answer.
    found: Option<ViolationKind>,
    /// The message in a line.
    violation: String,
    /// Words that the execution needs besides its faults.
    settings: String,
    saved: Option<Box<Saved>>,
    /// Whether the test is to be run in a system process of its own.
    needs_to_be_apart: bool,
}

impl Failure {
    /// `whose` begins the message.
    fn no_answer(whose: &str, why: &str) -> Self {
        Failure { found: None, message: format!("{whose} {why}"), ..Failure::new(why) }
    }

    fn new(violation: &str) -> Self {
        let violation = violation.lines().next().unwrap_or_default().to_owned();
        let (message, settings) = (String::new(), String::new());
        Failure { message, found: None, violation, settings, saved: None, needs_to_be_apart: false }
    }
}

/// Runs a check as a test.
///
/// # Panics
/// If it does not find what is expected: with the counterexample, and how to replay it. With
/// `ShouldPanic::Yes` only if it finds a violation: a check that comes to no answer returns, and the
/// test harness then reports that nothing panicked.
#[doc(hidden)]
#[track_caller]
pub fn run_test(
    test: TestInfo,
    should_panic: ShouldPanic,
    checker: Checker,
    expect: Expect,
    network: impl Fn(&mut Network),
) -> TestOutcome {
    let conducted = || conduct(test, &checker, expect, "", network);
    let result = noted_if_it_panics(test, Origin::Check, should_panic, conducted);
    conclude(test, Origin::Check, should_panic, result, |_| true).shown(test)
}

/// Runs a check as a test that pins its counterexample: returns the text; `None` if it was compared where the test was run
/// once more.
///
/// # Panics
/// As [`run_test`].
#[doc(hidden)]
#[track_caller]
pub fn run_pinned(
    test: TestInfo,
    should_panic: ShouldPanic,
    checker: Checker,
    expect: Expect,
    network: impl Fn(&mut Network),
) -> Option<String> {
    let conducted = || conduct(test, &checker, expect, "", network);
    let result = noted_if_it_panics(test, Origin::Check, should_panic, conducted);
    let outcome = conclude(test, Origin::Check, should_panic, result, |_| true);
    if outcome.is_from_apart {
        return None;
    }
    // The counterexample is shown where it differs from the pinned one.
    outcome.report.iter().for_each(|report| print!("{}: {}", test.name, report.summary()));
    let counterexample = outcome.report.as_ref().and_then(Report::counterexample);
    Some(counterexample.map(Counterexample::without_lines).unwrap_or_default())
}

/// Runs one execution as a test: what it violated once, it must not violate any more, unless that is
/// expected. Without declared faults, those of the execution are.
///
/// # Panics
/// If it ends otherwise, or does not fit the programs any more; with `ShouldPanic::Yes` only if it
/// violates something.
#[doc(hidden)]
#[track_caller]
pub fn run_trace(
    test: TestInfo,
    should_panic: ShouldPanic,
    checker: Checker,
    expect: Expect,
    trace: Trace,
    network: impl Fn(&mut Network),
) {
    let conducted = || conduct_trace(test, checker, expect, trace, network);
    let result = noted_if_it_panics(test, Origin::Trace, should_panic, conducted);
    conclude(test, Origin::Trace, should_panic, result.map(|()| TestOutcome::default()), |_| true);
}

/// Ends a test, with a panic if it has failed; if it should panic, only where a violation is meant by that. Notes
/// whether it passes in the eyes of the test harness, unless it was replayed or explored.
///
/// The message says where, so no place in this crate, and no backtrace of it, is shown besides.
fn conclude(
    test: TestInfo,
    origin: Origin,
    should_panic: ShouldPanic,
    result: Result<TestOutcome, Failure>,
    is_meant: impl Fn(ViolationKind) -> bool,
) -> TestOutcome {
    if result.as_ref().is_err_and(|failure| failure.needs_to_be_apart) {
        apart::run(test, should_panic);
        return TestOutcome { is_from_apart: true, ..TestOutcome::default() };
    }
    let is_meant = result.as_ref().is_err_and(|failure| failure.found.is_some_and(is_meant));
    let panics = match should_panic {
        ShouldPanic::No => result.is_err(),
        ShouldPanic::Yes => is_meant,
    };
    if !is_other_run() {
        let noted = match &result {
            // Another share may have found something.
            _ if panics == (should_panic == ShouldPanic::Yes) && variables::is_share() => Ok(()),
            _ if panics == (should_panic == ShouldPanic::Yes) => saved::note_success(test),
            Ok(_) => saved::note_failure(test, origin, &Failure::new("nothing is violated, and the test should panic")),
            Err(failure) => saved::note_failure(test, origin, failure),
        };
        unless_noted(test, noted);
    }
    match result {
        Ok(outcome) => outcome,
        Err(Failure { message, .. }) if panics => {
            eprintln!("{}", message.trim_end());
            std::panic::resume_unwind(Box::new(message))
        }
        Err(Failure { message, .. }) => {
            println!("{message}");
            TestOutcome::default()
        }
    }
}

/// Whether a test has `#[should_panic]`.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShouldPanic {
    No,
    Yes,
}

/// Runs an async fn that was written for a runtime as a check of one process, under the faults of
/// the environment. Nobody connects to it from outside.
///
/// # Panics
/// If an execution violates a property. With `ShouldPanic::Yes` only if one panics: everything
/// else returns, and the test harness then reports that nothing panicked.
#[doc(hidden)]
#[track_caller]
pub fn run_async_test(test: TestInfo, should_panic: ShouldPanic, process: impl Fn(&mut Network)) {
    let network = |net: &mut Network| {
        process(net);
        net.closed = true;
    };
    let result = noted_if_it_panics(test, Origin::AsyncTest, should_panic, || {
        faults(test).and_then(|(checker, environment)| conduct(test, &checker, Expect::Verified, &environment, network))
    });
    conclude(test, Origin::AsyncTest, should_panic, result, |found| found == ViolationKind::Panic).shown(test);
}

/// The checker of the environment, and how to set the environment to it again.
fn faults(test: TestInfo) -> Result<(Checker, String), Failure> {
    let wrong = |error: &dyn fmt::Display| {
        Failure::no_answer(test.name, &format!("can't be checked: {FAULTS} is wrong: {error}"))
    };
    match std::env::var(FAULTS) {
        Ok(words) => {
            let checker = words.parse::<Checker>().map_err(|error| wrong(&error))?;
            Ok((checker, format!("{FAULTS}='{}' ", words.replace('\'', "'\\''"))))
        }
        Err(VarError::NotPresent) => Ok((Checker::new(), String::new())),
        Err(error @ VarError::NotUnicode(_)) => Err(wrong(&error)),
    }
}

/// Values that an async test, and a function that registers programs, may end with.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a test ends with `()`, or with a `Result<(), E>` whose error has a `Debug` text",
    label = "not with `{Self}`"
)]
pub trait Ending {
    /// Why the test has failed.
    fn error(self) -> Option<String>;
}

impl Ending for () {
    fn error(self) -> Option<String> {
        None
    }
}

impl<T: Ending, E: fmt::Debug> Ending for Result<T, E> {
    fn error(self) -> Option<String> {
        self.map_or_else(|error| Some(format!("{error:?}")), Ending::error)
    }
}

/// Ends a function that registers programs.
///
/// # Panics
/// If it has ended with an error.
#[doc(hidden)]
#[track_caller]
pub fn registered(ending: impl Ending) {
    if let Some(error) = ending.error() {
        panic!("the programs could not be registered: {error}");
    }
}

/// Runs an async function that registers programs. Nothing is running yet that it could wait for.
///
/// # Panics
/// If it waits.
#[doc(hidden)]
#[track_caller]
pub fn at_once<T>(registration: impl Future<Output = T>) -> T {
    match pin!(registration).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(ended) => ended,
        Poll::Pending => panic!(
            "the function that registers programs waits, and nothing is running yet: \
             what has to be waited for is done by a process that it registers"
        ),
    }
}

/// Ends an async test.
///
/// # Panics
/// If it has ended with an error.
#[doc(hidden)]
#[track_caller]
pub fn ended(ending: impl Ending) {
    if let Some(error) = ending.error() {
        panic!("the test has ended with an error: {error}");
    }
}

/// Stands where a runtime would run an async `main`.
///
/// # Panics
/// Always: a check runs registered processes, and no `main`.
#[doc(hidden)]
#[track_caller]
pub fn refuse_to_run<T>(_main: impl Future<Output = T>) -> T {
    panic!(
        "this was compiled against netcheck, which checks programs and does not run them: \
         build it against tokio to run it; in a check, register what it runs as a process"
    )
}

/// Checks, or replays if the environment says so; `environment` is to be set besides for a replay.
fn conduct(
    test: TestInfo,
    checker: &Checker,
    expect: Expect,
    environment: &str,
    network: impl Fn(&mut Network),
) -> Result<TestOutcome, Failure> {
    if let Some(wish) = std::env::var_os(EXPLORE) {
        return explore(test, checker, (&wish, None), network);
    }
    if let Some(file) = std::env::var_os(REPLAY) {
        replay(test, checker, Path::new(&file), network)?;
        return Ok(TestOutcome::default());
    }
    let whose = format!("{} ({}:{})", test.name, test.file, test.line);
    let checker = &variables::obeyed(checker, &whose)?.may_run_apart(apart::is_possible(test));
    let report = checker.try_check(&network).map_err(|error| Failure {
        needs_to_be_apart: error.has_changed_statics,
        ..Failure::no_answer(&whose, &format!("can't be checked: {error}"))
    })?;
    if expect.is_met(&report) {
        return Ok(TestOutcome { report: Some(report), is_from_apart: false });
    }
    let summary = report.summary();
    let mut failure = Failure::no_answer(&whose, &format!("is {summary}"));
    failure.violation = expect.unmet(report.counterexample(), summary.split(" (").next().unwrap_or_default());
    if expect != Expect::Verified {
        failure.message.push_str(&format!("expected: {}\n", expect.words()));
    }
    if let Some(counterexample) = report.counterexample() {
        let (text, saved) = shown(test, counterexample, &report, environment);
        failure.message.push_str(&text);
        if report.has_printed {
            failure.message.push_str(&printed(checker, counterexample, network));
        }
        (failure.found, failure.saved) = (Some(counterexample.kind()), saved.map(Box::new));
        failure.settings = checker.settings_in_words();
    }
    Err(failure)
}

/// The lines that the programs print in an execution, below the steps; empty if they can't be told.
fn printed(checker: &Checker, counterexample: &Counterexample, network: impl Fn(&mut Network)) -> String {
    let Ok(printed) = checker.printed(network, counterexample) else { return String::new() };
    let lines =
        printed.iter().flat_map(|(number, text)| text.lines().map(move |line| format!("{number:>4}  {line}\n")));
    let lines: String = lines.collect();
    if lines.is_empty() { lines } else { format!("what the programs print, by the number of the step:\n{lines}") }
}

/// Runs the execution of a test again, or another one if the environment says so.
fn conduct_trace(
    test: TestInfo,
    checker: Checker,
    expect: Expect,
    trace: Trace,
    network: impl Fn(&mut Network),
) -> Result<(), Failure> {
    if let Some(file) = std::env::var_os(REPLAY) {
        return replay(test, &checker, Path::new(&file), network);
    }
    let file = Path::new(trace.folder).join(trace.file);
    if let Some(wish) = std::env::var_os(EXPLORE) {
        return explore(test, &checker, (&wish, Some(&file)), network);
    }
    let whose = format!("{} ({}:{})", test.name, test.file, test.line);
    let unusable = |error: &dyn fmt::Display| {
        Failure::no_answer(&whose, &format!("can't be run: replay = {:?}: {error}", trace.file))
    };
    let counterexample = read(&file).map_err(|error| {
        unusable(&format!(
            "{}: {error}\n  put the trace there that a failing check saves under target/netcheck/",
            file.display()
        ))
    })?;
    let checker = checker.or_faults_of(&counterexample).map_err(|error| unusable(&error))?;
    let checker = checker.may_run_apart(apart::is_possible(test));
    let saved = Some(Box::new(Saved { trace: file.clone(), diagram: None }));
    let again = checker.run_again(network, &counterexample).map_err(|error| {
        let needs_to_be_apart = error.has_changed_statics;
        let error = error.with_advice(
            "a trace that does not fit tests nothing: if the change is meant, remove this test \
             (a check without `replay` explores every execution), or replace the trace",
        );
        Failure { saved: saved.clone(), needs_to_be_apart, ..unusable(&error) }
    })?;
    let found = again.as_ref().map(Counterexample::kind);
    if expect.is_met_by(found) {
        println!(
            "{}: {} violated, as expected",
            test.name,
            found.map_or("nothing".to_owned(), |kind| kind.to_string())
        );
        return Ok(());
    }
    let mut message = format!("{whose} runs {:?} again, and ", trace.file);
    match &again {
        Some(_) if expect == Expect::Verified => message.push_str("it is violated again\n"),
        Some(_) => message.push_str(&format!("expected: {}\n", expect.words())),
        None => message.push_str(&format!("nothing is violated; expected: {}\n", expect.words())),
    }
    if let Some(again) = &again {
        let text = Text { counterexample: again, has_sources: true, is_colored: is_colored() };
        message.push_str(&(text.header() + &text.line("replay", &command(test, &file)) + &text.steps()));
    }
    let violation = expect.unmet(again.as_ref(), "nothing is violated");
    Err(Failure { message, found, saved, ..Failure::new(&violation) })
}

/// Runs the execution in `file`: each step is printed, then what the programs print with it. Without
/// declared faults, those of the execution are.
fn replay(test: TestInfo, checker: &Checker, file: &Path, network: impl Fn(&mut Network)) -> Result<(), Failure> {
    let unreadable = |error: String| Failure::no_answer(&format!("{REPLAY}={}:", file.display()), &error);
    let counterexample = read(file).map_err(unreadable)?;
    let checker = checker.clone().or_faults_of(&counterexample).map_err(|error| unreadable(error.to_string()))?;
    let shown = counterexample.clone();
    let is_colored = is_colored();
    let heading = format!(
        "{} replays {} (what stands above was printed while its steps were looked up)",
        test.name,
        file.display()
    );
    let show = move |number: usize, step: &Step| {
        if number == 1 {
            println!("{heading}");
        }
        print!("{}", Text { counterexample: &shown, has_sources: true, is_colored }.step_alone(number, step));
    };
    match checker.perform(network, &counterexample, show) {
        Ok(Some(again)) => {
            let violation = format!("{}: {}", again.kind(), again.message());
            let message = format!("{} replayed: {violation}", test.name);
            Err(Failure { message, found: Some(again.kind()), ..Failure::new(&violation) })
        }
        Ok(None) => {
            println!("{} replayed: nothing is violated any more", test.name);
            Ok(())
        }
        Err(error) => {
            let error = error.with_advice(&format!("run the test without {REPLAY} to see what the program does now"));
            Err(Failure::no_answer(test.name, &format!("could not be replayed: {error}")))
        }
    }
}

/// A counterexample that was saved.
fn read(file: &Path) -> Result<Counterexample, String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    Counterexample::from_json(&text)
}

fn is_colored() -> bool {
    anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
}
