//! A test that is explored by hand, in place of a check.

use super::{Failure, TestInfo, read};
use crate::check::Checker;
use crate::network::Network;
use crate::trace::counterexample::Counterexample;
use std::ffi::OsStr;
use std::path::Path;

/// Set to `1`, a test serves a page on which its executions are taken step by step; set to the file of a counterexample,
/// the page begins with that.
pub(super) const EXPLORE: &str = "NETCHECK_EXPLORE";

/// The execution to begin with: the one in a file, unless the environment names none. Then the test's own, if it has one.
fn beginning(test: TestInfo, wish: &OsStr, own: Option<&Path>) -> Result<Option<Counterexample>, Failure> {
    let file = if wish.is_empty() || wish == "1" { own } else { Some(Path::new(wish)) };
    let unreadable =
        |file: &Path, error| Failure::no_answer(test.name, &format!("can't be explored: {}: {error}", file.display()));
    file.map(|file| read(file).map_err(|error| unreadable(file, error))).transpose()
}

/// Serves the page until it is ended.
///
/// # Errors
/// Always: a test that was explored was not checked, and must not pass for one that was.
pub(super) fn explore<T>(
    test: TestInfo,
    checker: &Checker,
    (wish, own): (&OsStr, Option<&Path>),
    network: impl Fn(&mut Network),
) -> Result<T, Failure> {
    let refused = |error| Failure::no_answer(test.name, &format!("can't be explored: {error}"));
    let from = beginning(test, wish, own)?;
    let checker = match &from {
        Some(from) => checker.clone().or_faults_of(from).map_err(refused)?,
        None => checker.clone(),
    };
    serve(test, &checker, from.as_ref(), network)?;
    Err(Failure::no_answer(test.name, &format!("was explored, not checked: without {EXPLORE} it is checked")))
}

#[cfg(feature = "explore")]
fn serve(
    test: TestInfo,
    checker: &Checker,
    from: Option<&Counterexample>,
    network: impl Fn(&mut Network),
) -> Result<(), Failure> {
    use std::io::Write;
    let opened = |url: &str| {
        // Past the test harness, which would keep it until the test has ended. Who can't read it ends the test.
        let _ = writeln!(std::io::stderr(), "{} is explored at {url} (ends there, or with Ctrl-C)", test.name);
    };
    let served = checker.explore_as(test.name, network, from, opened);
    served.map_err(|error| Failure::no_answer(test.name, &format!("can't be explored: {error}")))
}

#[cfg(not(feature = "explore"))]
fn serve(
    test: TestInfo,
    _checker: &Checker,
    _from: Option<&Counterexample>,
    _network: impl Fn(&mut Network),
) -> Result<(), Failure> {
    let why = "can't be explored: this build of netcheck has no explorer; add its feature `explore`";
    Err(Failure::no_answer(test.name, why))
}
