//! What a `#[model_check]` or `#[netcheck::test]` test does.
//!
//! - `saved`: the files that a failing test leaves under `target/netcheck/`.

mod saved;

use crate::check::Checker;
use crate::network::Network;
use crate::report::{Report, Verdict};
use crate::trace::automaton::Automaton;
use crate::trace::counterexample::Counterexample;
use crate::trace::step::Step;
use crate::trace::text::Text;
use crate::violation::ViolationKind;
use saved::{Saved, save};
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
    Monitor,
    Any,
    Inconclusive,
    Simulated,
}

impl Expect {
    fn is_met(self, report: &Report) -> bool {
        match self {
            Expect::Verified => report.verdict() == Verdict::Verified,
            Expect::Inconclusive => report.verdict() == Verdict::Inconclusive,
            Expect::Simulated => report.simulated().is_some_and(|simulated| simulated.is_complete),
            _ => self.is_met_by(report.counterexample().map(Counterexample::kind)),
        }
    }

    /// Whether it is met by one execution that violates this.
    fn is_met_by(self, found: Option<ViolationKind>) -> bool {
        match self {
            Expect::Verified => found.is_none(),
            Expect::Inconclusive | Expect::Simulated => false,
            Expect::Any => found.is_some(),
            Expect::Panic => found == Some(ViolationKind::Panic),
            Expect::Deadlock => found == Some(ViolationKind::Deadlock),
            Expect::Property => found == Some(ViolationKind::Property),
            Expect::Monitor => found == Some(ViolationKind::Monitor),
        }
    }

    fn words(self) -> &'static str {
        match self {
            Expect::Verified => "that nothing is violated",
            Expect::Panic => "a panic",
            Expect::Deadlock => "a deadlock",
            Expect::Property => "a violated property",
            Expect::Monitor => "a rejection by a monitor",
            Expect::Any => "a violation",
            Expect::Inconclusive => "a limit to be hit",
            Expect::Simulated => "executions without a violation",
        }
    }
}

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

/// Why a test does not pass.
struct Failure {
    message: String,
    /// What was violated; `None` if the check came to no answer.
    found: Option<ViolationKind>,
}

impl Failure {
    fn no_answer(message: String) -> Self {
        Failure { message, found: None }
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
    match conduct(test, &checker, expect, "", network) {
        Ok(outcome) => outcome,
        Err(Failure { message, found: None }) if should_panic == ShouldPanic::Yes => {
            println!("{message}");
            TestOutcome { report: None }
        }
        Err(failure) => fail(test, "", failure),
    }
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
    match conduct_trace(test, checker, expect, trace, network) {
        Ok(()) => {}
        Err(Failure { message, found: None }) if should_panic == ShouldPanic::Yes => println!("{message}"),
        Err(failure) => fail(test, "", failure),
    }
}

/// Fails a test, under this environment. The message says where, so no place in this crate, and no backtrace of it, is
/// shown besides.
fn fail(test: TestInfo, environment: &str, Failure { message, found }: Failure) -> ! {
    // That the note can't be written is no reason to fail in another way. In a replay, another test's is kept.
    if std::env::var_os(REPLAY).is_none() {
        let _ = saved::note(test, &message, found.is_some(), environment);
    }
    eprintln!("{}", message.trim_end());
    std::panic::resume_unwind(Box::new(message))
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
    let (environment, result) = match faults(test) {
        Ok((checker, environment)) => {
            let result = conduct(test, &checker, Expect::Verified, &environment, network);
            (environment, result)
        }
        Err(failure) => (String::new(), Err(failure)),
    };
    match result {
        Ok(_) => {}
        Err(Failure { message, found }) if should_panic == ShouldPanic::Yes && found != Some(ViolationKind::Panic) => {
            println!("{message}");
        }
        Err(failure) => fail(test, &environment, failure),
    }
}

/// The checker of the environment, and how to set the environment to it again.
fn faults(test: TestInfo) -> Result<(Checker, String), Failure> {
    let wrong = |error: &dyn fmt::Display| {
        Failure::no_answer(format!("{} can't be checked: {FAULTS} is wrong: {error}", test.name))
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

/// What an async test, and a function that registers programs, may end with.
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
    if let Some(file) = std::env::var_os(REPLAY) {
        replay(test, checker, Path::new(&file), network)?;
        return Ok(TestOutcome { report: None });
    }
    saved::forget(test);
    let at = format!("{}:{}", test.file, test.line);
    let checked = checker.try_check(&network);
    let report =
        checked.map_err(|error| Failure::no_answer(format!("{} ({at}) can't be checked: {error}", test.name)))?;
    if expect.is_met(&report) {
        println!("{}: {report}", test.name);
        return Ok(TestOutcome { report: Some(report) });
    }
    let mut message = format!("{} ({at}) is {}", test.name, report.summary());
    if expect != Expect::Verified {
        message.push_str(&format!("expected: {}\n", expect.words()));
    }
    if let Some(counterexample) = report.counterexample() {
        message.push_str(&shown(test, counterexample, report.automata(), environment));
        if report.has_printed {
            message.push_str(&printed(checker, counterexample, network));
        }
    }
    Err(Failure { message, found: report.counterexample().map(Counterexample::kind) })
}

/// What the programs print in an execution, below the steps; empty if it can't be told.
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
    saved::forget(test);
    let file = Path::new(trace.folder).join(trace.file);
    let at = format!("{}:{}", test.file, test.line);
    let unusable = |error: &dyn fmt::Display| {
        Failure::no_answer(format!("{} ({at}) can't be run: replay = {:?}: {error}", test.name, trace.file))
    };
    let counterexample = read(&file).map_err(|error| {
        unusable(&format!(
            "{}: {error}\n  put the trace there that a failing check saves under target/netcheck/",
            file.display()
        ))
    })?;
    let checker = checker.or_faults_of(&counterexample).map_err(|error| unusable(&error))?;
    let again = checker.run_again(network, &counterexample).map_err(|error| {
        unusable(&error.with_advice(
            "a trace that does not fit tests nothing: if the change is meant, remove this test \
             (a check without `replay` explores every execution), or replace the trace",
        ))
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
    let mut message = format!("{} ({at}) runs {:?} again, and ", test.name, trace.file);
    match &again {
        Some(_) if expect == Expect::Verified => message.push_str("it is violated again\n"),
        Some(_) => message.push_str(&format!("expected: {}\n", expect.words())),
        None => message.push_str(&format!("nothing is violated; expected: {}\n", expect.words())),
    }
    if let Some(again) = &again {
        let text = Text { counterexample: again, has_sources: true, is_colored: is_colored() };
        message.push_str(&(text.header() + &text.line("replay", &command(test, &file)) + &text.steps()));
    }
    Err(Failure { message, found })
}

/// A counterexample for whoever reads the output of a failed test, and where it was saved.
fn shown(test: TestInfo, counterexample: &Counterexample, automata: &[Automaton], environment: &str) -> String {
    let text = Text { counterexample, has_sources: true, is_colored: is_colored() };
    let command = |file: &Path| format!("{environment}{}", command(test, file));
    let files = match save(test, counterexample, automata, command) {
        Ok(Saved { trace, diagram }) => {
            text.line("replay", &command(&trace)) + &text.line("diagram", &diagram.display().to_string())
        }
        Err(error) => format!("the counterexample could not be saved: {error}\n"),
    };
    text.header() + &files + &text.steps()
}

/// What replays the execution in `file`.
fn command(test: TestInfo, file: &Path) -> String {
    format!("{REPLAY}={} cargo test {}", quoted(&file.display().to_string()), test.name)
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+@%:=".contains(c);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// Runs the execution in `file`: each step is printed, then what the programs print with it. Without
/// declared faults, those of the execution are.
fn replay(test: TestInfo, checker: &Checker, file: &Path, network: impl Fn(&mut Network)) -> Result<(), Failure> {
    let unreadable = |error: String| Failure::no_answer(format!("{REPLAY}={}: {error}", file.display()));
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
        Ok(Some(again)) => Err(Failure {
            message: format!("{} replayed: {}: {}", test.name, again.kind(), again.message()),
            found: Some(again.kind()),
        }),
        Ok(None) => {
            println!("{} replayed: nothing is violated any more", test.name);
            Ok(())
        }
        Err(error) => {
            let error = error.with_advice(&format!("run the test without {REPLAY} to see what the program does now"));
            Err(Failure::no_answer(format!("{} could not be replayed: {error}", test.name)))
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
