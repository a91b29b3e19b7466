//! The notes of failing checks, and which of them a name means.
//!
//! A test writes its note when it fails, and removes it when it passes (`netcheck-check/src/testing/saved.rs`).

use crate::Result;
use serde::Deserialize;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The version of the notes that are understood.
const VERSION: u64 = 1;

/// Where a test comes from.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Origin {
    Check,
    /// A kept trace.
    Trace,
    AsyncTest,
}

/// A check that has failed.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Failed {
    /// The package of the test, if it is one of a workspace.
    pub(crate) package: Option<String>,
    /// The crate of the test program, as its modules' paths begin.
    pub(crate) crate_name: String,
    /// As the test harness calls it.
    pub(crate) test: String,
    /// The test's function, from which several tests may come.
    pub(crate) function: String,
    pub(crate) origin: Origin,
    /// The folder of the package's Cargo.toml, if cargo ran the test.
    pub(crate) folder: Option<PathBuf>,
    /// The test program.
    pub(crate) program: PathBuf,
    pub(crate) file: PathBuf,
    pub(crate) line: usize,
    /// The finding, in a line.
    pub(crate) violation: String,
    /// Words of the attribute that the execution needs besides its faults.
    pub(crate) settings: String,
    /// NETCHECK_FAULTS, where the test has its faults from there.
    pub(crate) faults: Option<String>,
    pub(crate) trace: Option<PathBuf>,
    pub(crate) page: Option<PathBuf>,
    /// The note that says so.
    #[serde(skip)]
    pub(crate) note: PathBuf,
    #[serde(skip)]
    pub(crate) at: Option<SystemTime>,
}

impl Failed {
    /// The test program, where it lies: a note names it from its own folder.
    pub(crate) fn program_file(&self) -> PathBuf {
        self.note.parent().map_or_else(|| self.program.clone(), |folder| folder.join(&self.program))
    }

    fn read(note: PathBuf) -> Result<Failed> {
        let wrong =
            |error: String| format!("{}: {error}\n  `cargo netcheck clean` removes it; it comes again", note.display());
        let text = fs::read_to_string(&note).map_err(|error| wrong(error.to_string()))?;
        let value: serde_json::Value = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let version = value["version"].as_u64();
        if version != Some(VERSION) {
            let version = version.map_or("no version".to_owned(), |version| format!("version {version}"));
            return Err(format!(
                "{} has {version}, and this program reads version {VERSION}: netcheck and cargo-netcheck are of \
                 different versions\n  `cargo install cargo-netcheck --version` with the version of netcheck in Cargo.lock",
                note.display()
            ));
        }
        let mut failed: Failed = serde_json::from_value(value).map_err(|error| wrong(error.to_string()))?;
        let folder = note.parent().unwrap_or(Path::new(""));
        for file in [&mut failed.trace, &mut failed.page].into_iter().flatten() {
            *file = folder.join(&*file);
        }
        failed.at = fs::metadata(&note).and_then(|metadata| metadata.modified()).ok();
        failed.note = note;
        Ok(failed)
    }

    /// Whether the test's function may still be there: a source file of this name, in the folder of the package or one
    /// above it, names it. (The compiler names files from where it was started.)
    fn is_there(&self) -> bool {
        let Some(folder) = &self.folder else { return true };
        let is_part_of_name = |c: char| c.is_alphanumeric() || c == '_';
        let names_it = |source: String| source.split(|c| !is_part_of_name(c)).any(|word| word == self.function);
        folder.is_dir()
            && folder.ancestors().filter_map(|above| fs::read_to_string(above.join(&self.file)).ok()).any(names_it)
    }

    /// The name that no other check of this target folder has.
    pub(crate) fn full_name(&self) -> String {
        let package = self.package.as_ref().map_or_else(String::new, |package| format!("{package}/"));
        format!("{package}{}::{}", self.crate_name, self.test)
    }

    /// Whether `name` is the end of the path, or how the files are called.
    fn is_called(&self, name: &str) -> bool {
        let full = self.full_name();
        full == name
            || ["::", "/"].iter().any(|before| full.ends_with(&format!("{before}{name}")))
            || self.note.file_stem().is_some_and(|stem| stem == name)
            || self.function == name
    }

    /// The counterexample.
    pub(crate) fn trace(&self) -> Result<&Path> {
        let trace = self.trace.as_deref().ok_or_else(|| {
            format!(
                "{} has no counterexample: {}\n  it came to no execution that is violated",
                self.test, self.violation
            )
        })?;
        self.still_there(trace)
    }

    pub(crate) fn page(&self) -> Result<&Path> {
        let page = self.page.as_deref().ok_or_else(|| match self.trace {
            Some(_) => format!(
                "{0} runs a kept trace, which has no page: `cargo netcheck replay {0}` shows its steps",
                self.test
            ),
            None => format!("{} has no page, since it has no counterexample: {}", self.test, self.violation),
        })?;
        self.still_there(page)
    }

    fn still_there<'a>(&self, file: &'a Path) -> Result<&'a Path> {
        if file.exists() {
            return Ok(file);
        }
        Err(format!("{} is not there any more: `cargo test {}` writes it again", file.display(), self.test))
    }
}

/// The notes in some folders.
#[derive(Debug)]
pub(crate) struct Notes(pub(crate) Vec<PathBuf>);

impl Notes {
    /// All files in the folders.
    pub(crate) fn files(&self) -> Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for folder in &self.0 {
            let wrong = |error: io::Error| format!("{}: {error}", folder.display());
            match fs::read_dir(folder) {
                Ok(entries) => {
                    for entry in entries {
                        files.push(entry.map_err(wrong)?.path());
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(wrong(error)),
            }
        }
        files.sort();
        Ok(files)
    }

    /// The failing checks whose functions are still there: a target folder outlives tests, and packages, too.
    pub(crate) fn still_there(&self) -> Result<Vec<Failed>> {
        let mut all = self.all()?;
        all.retain(Failed::is_there);
        Ok(all)
    }

    /// The failing checks, by name.
    pub(crate) fn all(&self) -> Result<Vec<Failed>> {
        let notes = self.files()?.into_iter().filter(|file| file.extension().is_some_and(|it| it == "failed"));
        let mut all = notes.map(Failed::read).collect::<Result<Vec<Failed>>>()?;
        all.sort_by_key(Failed::full_name);
        Ok(all)
    }

    /// The failing check that is called so; the only one, if no name is given.
    pub(crate) fn named(&self, name: Option<&str>) -> Result<Failed> {
        let there = if name.is_none() { self.still_there()? } else { Vec::new() };
        // The error for a check that is gone names what is missing.
        named(if there.is_empty() { self.all()? } else { there }, name)
    }
}

fn named(all: Vec<Failed>, name: Option<&str>) -> Result<Failed> {
    if all.is_empty() {
        let name = name.map_or_else(String::new, |name| format!(": `{name}` has passed, or was never run"));
        return Err(format!("no check failed when it was run last{name}\n  `cargo test` runs them"));
    }
    let Some(name) = name else {
        return match <[Failed; 1]>::try_from(all) {
            Ok([only]) => Ok(only),
            Err(all) => Err(format!("{} checks have failed: say which{}", all.len(), lines(&all))),
        };
    };
    // The more exact rules first.
    let rules: [fn(&Failed, &str) -> bool; 4] = [
        |failed, name| failed.full_name() == name,
        |failed, name| failed.test == name,
        Failed::is_called,
        |failed, name| !name.is_empty() && failed.full_name().contains(name),
    ];
    for rule in rules {
        let meant: Vec<Failed> = all.iter().filter(|failed| rule(failed, name)).cloned().collect();
        match <[Failed; 1]>::try_from(meant) {
            Ok([one]) => return Ok(one),
            Err(meant) if meant.is_empty() => {}
            Err(meant) => return Err(format!("`{name}` may be {} checks: say which{}", meant.len(), lines(&meant))),
        }
    }
    Err(format!("no failing check is called `{name}`: {}", nearest(&all, name)))
}

/// The checks that were probably meant; else all of them.
fn nearest(all: &[Failed], name: &str) -> String {
    let last = |path: &str| path.rsplit("::").next().unwrap_or(path).to_owned();
    let mistakes = |failed: &Failed| {
        let names = [failed.full_name(), failed.test.clone(), last(&failed.test), failed.function.clone()];
        names.iter().map(|known| strsim::osa_distance(known, name)).min().unwrap_or(usize::MAX)
    };
    let is_near = |failed: &&Failed| mistakes(failed) <= (name.chars().count() / 3).max(1);
    let mut near: Vec<Failed> = all.iter().filter(is_near).cloned().collect();
    near.sort_by_key(mistakes);
    match near.is_empty() {
        false => format!("did you mean{}", lines(&near)),
        true => format!("the failing ones are{}", lines(all)),
    }
}

fn lines(failed: &[Failed]) -> String {
    failed.iter().fold(String::new(), |mut text, failed| {
        let _ = write!(text, "\n  {}", failed.full_name());
        text
    })
}
