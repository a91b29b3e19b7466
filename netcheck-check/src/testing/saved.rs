//! The files under `target/netcheck/`: what failed, for readers and for `cargo netcheck`.
//!
//! A check that fails leaves `NAME.json`, the execution, and `NAME.html`, the page. `NAME.failed` says that it failed
//! when it was run last, and how to run it again; it is removed when the check passes. `cargo-netcheck/src/failed.rs`
//! reads it.

use crate::folder::folder;
use crate::testing::place::package;
use crate::testing::{FAULTS, Failure, TestInfo};
use crate::trace::automaton::Automaton;
use crate::trace::counterexample::Counterexample;
use crate::trace::html;
use netcheck_peer::json;
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};

/// The version of the JSON form of `NAME.failed`.
const VERSION: u64 = 1;

/// The files of one counterexample.
#[derive(Clone, Debug)]
pub(super) struct Saved {
    pub(super) trace: PathBuf,
    /// `None` where an execution that was kept is violated again.
    pub(super) diagram: Option<PathBuf>,
}

/// Where a test comes from.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Origin {
    /// A `#[model_check]`.
    Check,
    /// A `#[model_check(replay = …)]`.
    Trace,
    /// A `#[netcheck::test]`.
    AsyncTest,
}

/// The content of `NAME.failed`.
#[derive(Serialize)]
struct Failed<'a> {
    version: u64,
    /// The package of the test, if it is one of a workspace.
    package: Option<&'a str>,
    /// The crate of the test program, as its modules' paths begin.
    crate_name: &'a str,
    /// As the test harness calls it.
    test: &'a str,
    /// The test's function, from which several tests may come.
    function: &'a str,
    origin: Origin,
    /// The folder of the package's `Cargo.toml`, if cargo ran the test.
    folder: Option<String>,
    program: String,
    /// As the compiler names it: from where it was started.
    file: &'a str,
    line: u32,
    violation: &'a str,
    /// Words that the execution needs besides its faults.
    settings: &'a str,
    faults: Option<String>,
    /// From the folder of this file.
    trace: Option<String>,
    /// From the folder of this file.
    page: Option<String>,
}

/// Writes a counterexample: as JSON, and as a page that says how to replay it.
pub(super) fn save(
    test: TestInfo,
    counterexample: &Counterexample,
    automata: &[Automaton],
    command: impl Fn(&Path) -> String,
) -> io::Result<Saved> {
    let trace = file(test, "json");
    create_folder_of(&trace)?;
    write(&trace, &counterexample.to_json())?;
    let diagram = file(test, "html");
    write(&diagram, &html::page(counterexample, automata, test.name, Some(&command(&trace))))?;
    Ok(Saved { trace, diagram: Some(diagram) })
}

/// Notes that a test has failed.
pub(super) fn note_failure(test: TestInfo, origin: Origin, failure: &Failure) -> io::Result<()> {
    let (crate_name, module) = test.module.split_once("::").unwrap_or((test.module, ""));
    let path = if module.is_empty() { test.name.to_owned() } else { format!("{module}::{}", test.name) };
    let note = file(test, "failed");
    let folder = create_folder_of(&note)?;
    let shown = |file: &Path| file.strip_prefix(folder).unwrap_or(file).display().to_string();
    let failed = Failed {
        version: VERSION,
        package: package(test),
        crate_name,
        test: &path,
        function: test.name.split("::").next().unwrap_or(test.name),
        origin,
        folder: std::env::var("CARGO_MANIFEST_DIR").ok(),
        program: std::env::current_exe().map(|program| shown(&program)).unwrap_or_default(),
        file: test.file,
        line: test.line,
        violation: &failure.violation,
        settings: &failure.settings,
        faults: std::env::var(FAULTS).ok().filter(|_| matches!(origin, Origin::AsyncTest)),
        trace: failure.saved.as_ref().map(|saved| shown(&saved.trace)),
        page: failure.saved.as_ref().and_then(|saved| saved.diagram.as_deref()).map(shown),
    };
    write(&note, &json::to_string_pretty(&failed))
}

/// Notes that a test has passed.
pub(super) fn note_success(test: TestInfo) -> io::Result<()> {
    match std::fs::remove_file(file(test, "failed")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The file of a test: `target/netcheck/NAME.EXTENSION`. The packages of a workspace have one target folder, and may have
/// tests of one name.
fn file(test: TestInfo, extension: &str) -> PathBuf {
    let package = package(test).map_or_else(String::new, |package| format!("{package}."));
    let name = format!("{package}{}-{}", test.module, test.name).replace("::", "-");
    folder().join(format!("{name}.{extension}"))
}

fn create_folder_of(file: &Path) -> io::Result<&Path> {
    let folder = file.parent().unwrap_or(file);
    std::fs::create_dir_all(folder)?;
    Ok(folder)
}

/// Writes a file that others may be reading, or writing: they see the old one or the new one.
fn write(file: &Path, text: &str) -> io::Result<()> {
    let unfinished = file.with_extension(format!("{}.tmp", std::process::id()));
    std::fs::write(&unfinished, text)?;
    std::fs::rename(&unfinished, file)
}
