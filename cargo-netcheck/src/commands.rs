//! What each command does.

use crate::failures::{self, Failure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Prints the failing checks. Fails if there are any, as `cargo test` has.
pub fn list(folder: &Path) -> Result<ExitCode, String> {
    let failures = failures::all(folder)?;
    if failures.is_empty() {
        println!("no check has failed in the last run");
        return Ok(ExitCode::SUCCESS);
    }
    for Failure { id, at, found, page, trace, .. } in &failures {
        println!("{id}  ({at})\n  {found}");
        if let Some(page) = page {
            println!("  page: {}", page.display());
        }
        if trace.is_none() {
            println!("  no execution was saved");
        }
    }
    if failures.iter().any(|failure| failure.trace.is_some()) {
        println!("`cargo netcheck open`, `replay` and `keep` take a name, or a part of it");
    }
    Ok(ExitCode::FAILURE)
}

/// Shows the page of a failing check.
pub fn open(folder: &Path, name: Option<&str>, prints_only: bool) -> Result<ExitCode, String> {
    let failure = failures::named(failures::all(folder)?, name)?;
    let page = failure.page.as_ref().ok_or_else(|| without_execution(&failure))?;
    println!("{}", page.display());
    if !prints_only {
        open::that(page).map_err(|error| format!("no browser could be started: {error}"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs the execution of a failing check again.
pub fn replay(folder: &Path, name: Option<&str>) -> Result<ExitCode, String> {
    let failure = failures::named(failures::all(folder)?, name)?;
    let trace = failure.trace.as_ref().ok_or_else(|| without_execution(&failure))?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut test = Command::new(cargo);
    test.arg("test");
    if let Some(package) = &failure.package {
        test.args(["--package", package]);
    }
    if let Some(folder) = &failure.folder {
        test.current_dir(folder);
    }
    test.args([&failure.name, "--", "--nocapture"]).envs(failure.environment.iter().map(|(name, value)| (name, value)));
    let trace = fs::canonicalize(trace).map_err(|error| format!("{}: {error}", trace.display()))?;
    let status = test.env("NETCHECK_REPLAY", trace).status();
    let status = status.map_err(|error| format!("cargo could not be run: {error}"))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Copies the trace of a failing check to where it is kept, and says which test runs it.
pub fn keep(folder: &Path, name: Option<&str>, to: &Path) -> Result<ExitCode, String> {
    let failure = failures::named(failures::all(folder)?, name)?;
    let trace = failure.trace.as_ref().ok_or_else(|| without_execution(&failure))?;
    let package = failure.folder.clone().unwrap_or_else(|| PathBuf::from("."));
    let file = to.join(format!("{}.json", failure.name));
    let kept = package.join(&file);
    if kept.exists() {
        return Err(format!("{} is there already: remove it, or choose another folder with `--to`", kept.display()));
    }
    let failed = |error: std::io::Error| format!("{}: {error}", kept.display());
    fs::create_dir_all(package.join(to)).map_err(failed)?;
    fs::copy(trace, &kept).map_err(failed)?;
    let shown = file.display().to_string().replace('\\', "/");
    println!(
        "kept as {}\nThis attribute, on the function at {}, is a test that runs it:\n\n    \
         #[netcheck::model_check(replay = \"{shown}\")]\n\n\
         It passes once the execution violates nothing any more.",
        kept.display(),
        failure.at
    );
    if !failure.environment.is_empty() {
        println!("A `#[tokio::test]` has no such attribute: register what it runs in a `#[netcheck::model_check]`.");
    }
    Ok(ExitCode::SUCCESS)
}

/// Removes what failing checks have left: notes, traces and pages.
pub fn clean(folder: &Path) -> Result<ExitCode, String> {
    let mut removed = 0;
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(ExitCode::SUCCESS),
        Err(error) => return Err(format!("{}: {error}", folder.display())),
    };
    for file in entries.flatten().map(|entry| entry.path()) {
        let is_ours =
            file.extension().is_some_and(|extension| ["failed", "json", "html"].iter().any(|own| *own == extension));
        if is_ours && file.is_file() {
            fs::remove_file(&file).map_err(|error| format!("{}: {error}", file.display()))?;
            removed += 1;
        }
    }
    println!("{removed} files removed from {}", folder.display());
    Ok(ExitCode::SUCCESS)
}

fn without_execution(failure: &Failure) -> String {
    format!("`{}` has saved no execution: {}", failure.id, failure.found)
}
