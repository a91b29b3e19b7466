//! The failing checks of the last run: read from the notes that they have left.

use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of a note that is understood.
const VERSION: u32 = 1;

/// A note that a check has failed, as the check writes it.
#[derive(Debug, Deserialize)]
struct Note {
    version: u32,
    name: String,
    at: String,
    package: Option<String>,
    folder: Option<PathBuf>,
    found: String,
    has_execution: bool,
    environment: String,
}

/// A failing check.
#[derive(Debug)]
pub struct Failure {
    /// The name of the test, with its module: unique.
    pub id: String,
    /// The function of the test.
    pub name: String,
    /// `file:line`.
    pub at: String,
    pub package: Option<String>,
    /// The folder of the package's `Cargo.toml`.
    pub folder: Option<PathBuf>,
    /// What was found, in a line.
    pub found: String,
    /// Variables that the check ran under, and their values.
    pub environment: Vec<(String, String)>,
    /// The counterexample, if there is one.
    pub trace: Option<PathBuf>,
    /// Its page.
    pub page: Option<PathBuf>,
}

/// `netcheck` in cargo's target folder.
pub fn folder() -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .output()
        .map_err(|error| format!("cargo could not be run: {error}"))?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr);
        return Err(format!("there is no package here: run this in the folder of one\n{}", why.trim()));
    }
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata can't be read: {error}"))?;
    let target = metadata["target_directory"].as_str().ok_or("cargo metadata names no target folder")?;
    Ok(Path::new(target).join("netcheck"))
}

/// The failing checks, by name.
pub fn all(folder: &Path) -> Result<Vec<Failure>, String> {
    let mut failures = Vec::new();
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(failures),
        Err(error) => return Err(format!("{}: {error}", folder.display())),
    };
    for entry in entries {
        let file = entry.map_err(|error| format!("{}: {error}", folder.display()))?.path();
        if file.extension().is_some_and(|extension| extension == "failed") {
            failures.push(read(&file)?);
        }
    }
    failures.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(failures)
}

fn read(file: &Path) -> Result<Failure, String> {
    let wrong = |error: String| format!("{}: {error}\n  `cargo netcheck clean` removes it", file.display());
    let text = fs::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
    let note: Note = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    if note.version != VERSION {
        return Err(wrong(format!(
            "written by another version of netcheck (form {}, and this reads form {VERSION}): use the cargo-netcheck of \
             that version",
            note.version
        )));
    }
    let is_new = |file: &PathBuf| note.has_execution && file.exists();
    let beside = |extension: &str| Some(file.with_extension(extension)).filter(is_new);
    let (trace, page) = (beside("json"), beside("html"));
    Ok(Failure {
        id: file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        name: note.name,
        at: note.at,
        package: note.package,
        folder: note.folder,
        found: note.found,
        environment: variables(&note.environment),
        trace,
        page,
    })
}

/// `NAME='value' ` as a shell reads it.
fn variables(text: &str) -> Vec<(String, String)> {
    let unquoted = |value: &str| {
        let inner = value.strip_prefix('\'').and_then(|value| value.strip_suffix('\'')).unwrap_or(value);
        inner.replace("'\\''", "'")
    };
    let pair = |text: &str| text.trim().split_once('=').map(|(name, value)| (name.to_owned(), unquoted(value)));
    pair(text).into_iter().collect()
}

/// The failing check that a name means: the whole name, or a part of one only.
pub fn named(failures: Vec<Failure>, name: Option<&str>) -> Result<Failure, String> {
    if failures.is_empty() {
        return Err("no check has failed in the last run: `cargo test` writes down those that do".to_owned());
    }
    let ids = |failures: &[Failure]| {
        let lines: Vec<String> = failures.iter().map(|failure| format!("\n  {}", failure.id)).collect();
        lines.concat()
    };
    let Some(name) = name else {
        let count = failures.len();
        return match <[Failure; 1]>::try_from(failures) {
            Ok([only]) => Ok(only),
            Err(failures) => Err(format!("{count} checks have failed: say which{}", ids(&failures))),
        };
    };
    let is_whole = |failure: &Failure| failure.id == name || failure.name == name;
    let has_whole = failures.iter().any(is_whole);
    let (mut meant, others): (Vec<Failure>, Vec<Failure>) = failures
        .into_iter()
        .partition(|failure| is_whole(failure) || !has_whole && failure.id.contains(&name.replace("::", "-")));
    match meant.len() {
        1 => Ok(meant.remove(0)),
        0 => {
            let closeness = |failure: &&Failure| (strsim::jaro_winkler(&failure.name, name) * 1_000.0) as u32;
            let nearest = others.iter().max_by_key(closeness).map(|failure| failure.id.clone());
            Err(format!(
                "no failing check is named `{name}`; did you mean `{}`?{}",
                nearest.unwrap_or_default(),
                ids(&others)
            ))
        }
        count => Err(format!("`{name}` means {count} checks: say which{}", ids(&meant))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_read_as_a_shell_reads_them() {
        assert_eq!(variables(""), []);
        let faults = |value: &str| [("NETCHECK_FAULTS".to_owned(), value.to_owned())];
        assert_eq!(variables("NETCHECK_FAULTS='tcp(write), at_most = 1' "), faults("tcp(write), at_most = 1"));
        assert_eq!(variables(r"NETCHECK_FAULTS='it'\''s' "), faults("it's"));
    }
}
