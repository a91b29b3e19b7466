//! The files that a failing test leaves under `target/netcheck/`, by the test's name: the counterexample as JSON and as a
//! page, and a note that it has failed, for `cargo netcheck`. A test that runs again removes its note first.

use super::TestInfo;
use crate::trace::automaton::Automaton;
use crate::trace::counterexample::Counterexample;
use crate::trace::html;
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};

/// The version of [`Failed`]'s form.
const VERSION: u32 = 1;

/// The files of one counterexample.
pub(super) struct Saved {
    pub(super) trace: PathBuf,
    pub(super) diagram: PathBuf,
}

/// That a test has failed, as it is saved; `cargo netcheck` reads it.
#[derive(Serialize)]
struct Failed<'a> {
    version: u32,
    /// The test's function.
    name: &'a str,
    /// Where it stands, as `file:line`.
    at: String,
    /// The package, and the folder of its `Cargo.toml`, if cargo runs the test.
    package: Option<String>,
    folder: Option<String>,
    /// What was found, in one line.
    found: &'a str,
    /// Whether this failure has saved an execution.
    has_execution: bool,
    /// Variables to be set besides for a replay, as `NAME='value' `.
    environment: &'a str,
}

/// Writes a counterexample: as JSON, and as a page that says how to replay it.
pub(super) fn save(
    test: TestInfo,
    counterexample: &Counterexample,
    automata: &[Automaton],
    command: impl Fn(&Path) -> String,
) -> io::Result<Saved> {
    let (trace, diagram) = (file(test, "json"), file(test, "html"));
    write(&trace, &counterexample.to_json())?;
    write(&diagram, &html::page(counterexample, automata, test.name, Some(&command(&trace))))?;
    Ok(Saved { trace, diagram })
}

/// Notes that a test has failed, with this message, of which the first lines say what was found.
pub(super) fn note(test: TestInfo, message: &str, has_execution: bool, environment: &str) -> io::Result<()> {
    let mut lines = message.lines();
    let first = lines.next().unwrap_or_default();
    // The second line of a violation names it; other failures are told in the first.
    let found = lines.next().filter(|_| first.contains(" is violated ")).unwrap_or(first);
    let cargo = |variable: &str| std::env::var(variable).ok();
    let failed = Failed {
        version: VERSION,
        name: test.name,
        at: format!("{}:{}", test.file, test.line),
        package: cargo("CARGO_PKG_NAME"),
        folder: cargo("CARGO_MANIFEST_DIR"),
        found,
        has_execution,
        environment,
    };
    let text = serde_json::to_string_pretty(&failed).map_err(io::Error::other)?;
    write(&file(test, "failed"), &text)
}

/// Removes the note of an earlier failure.
pub(super) fn forget(test: TestInfo) {
    // Most often there is none.
    let _ = std::fs::remove_file(file(test, "failed"));
}

/// A file of a test.
fn file(test: TestInfo, extension: &str) -> PathBuf {
    let name = format!("{}-{}", test.module, test.name).replace("::", "-");
    target().join("netcheck").join(format!("{name}.{extension}"))
}

/// Writes a file that others may be reading, or writing: they see the old one or the new one.
fn write(file: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let unfinished = file.with_extension(format!("{}.tmp", std::process::id()));
    std::fs::write(&unfinished, text)?;
    std::fs::rename(&unfinished, file)
}

/// Cargo's target folder: the one that the test program lies in.
fn target() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    let marked = program.ancestors().find(|folder| folder.join("CACHEDIR.TAG").exists());
    marked.map_or_else(|| PathBuf::from("target"), Path::to_path_buf)
}
