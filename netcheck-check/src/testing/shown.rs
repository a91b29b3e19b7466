//! A counterexample in the output of a failed test.

use super::place::package;
use super::saved::{self, Saved};
use super::{REPLAY, TestInfo, is_colored};
use crate::folder::is_whole;
use crate::report::Report;
use crate::trace::counterexample::Counterexample;
use crate::trace::text::Text;
use std::path::Path;

/// A counterexample for whoever reads the output of a failed test, and where it was saved.
pub(super) fn shown(
    test: TestInfo,
    counterexample: &Counterexample,
    report: &Report,
    environment: &str,
) -> (String, Option<Saved>) {
    let text = Text { counterexample, has_sources: true, is_colored: is_colored() };
    // `cargo netcheck test` runs one test after another anyway.
    let alone = if report.has_own_statics && !is_whole() { " -- --test-threads=1" } else { "" };
    let command = |file: &Path| format!("{environment}{}{alone}", command(test, file));
    let (files, saved) = match saved::save(test, counterexample, &report.machines(), command) {
        Ok(saved) => {
            let diagram = saved.diagram.iter().map(|page| text.line("diagram", &page.display().to_string()));
            (text.line("replay", &command(&saved.trace)) + &diagram.collect::<String>(), Some(saved))
        }
        Err(error) => (format!("the counterexample could not be saved: {error}\n"), None),
    };
    (text.header() + &files + &text.steps(), saved)
}

/// The command that replays the execution in `file`.
pub(super) fn command(test: TestInfo, file: &Path) -> String {
    let command = if is_whole() { "cargo netcheck test" } else { "cargo test" };
    // Another package of the workspace may have a test of that name.
    let package = package(test).map_or_else(String::new, |package| format!("-p {package} "));
    format!("{REPLAY}={} {command} {package}{}", quoted(&file.display().to_string()), test.name)
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+@%:=".contains(c);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}
