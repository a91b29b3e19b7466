//! `cargo netcheck test`: the user's tests, with netcheck in place of tokio in the whole dependency graph.

use crate::Result;
use crate::whole::{Graph, Mirror, environment};
use crate::workspace::{answer, cargo, run_to_the_end};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// The arguments of `cargo test`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Arguments {
    manifest_path: Option<PathBuf>,
    is_locked: bool,
    is_offline: bool,
    /// All others, as they were.
    others: Vec<OsString>,
}

impl Arguments {
    fn of(arguments: &[OsString]) -> Arguments {
        let mut parts = Arguments::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.to_str() {
                Some("--") => {
                    parts.others.push(argument.clone());
                    parts.others.extend(rest.by_ref().cloned());
                }
                Some("--locked") => parts.is_locked = true,
                Some("--offline") => parts.is_offline = true,
                Some("--frozen") => (parts.is_locked, parts.is_offline) = (true, true),
                Some("--manifest-path") => parts.manifest_path = rest.next().map(PathBuf::from),
                Some(text) if text.starts_with("--manifest-path=") => {
                    parts.manifest_path = text.split_once('=').map(|(_, path)| PathBuf::from(path));
                }
                _ => parts.others.push(argument.clone()),
            }
        }
        parts
    }
}

/// `variables`: for the environment of the tests.
pub(crate) fn run(
    manifest_path: Option<PathBuf>,
    arguments: &[OsString],
    variables: &[(&str, &str)],
) -> Result<ExitCode> {
    let arguments = Arguments::of(arguments);
    let manifest_path = arguments.manifest_path.clone().or(manifest_path);
    let mut asked: Vec<OsString> = Vec::new();
    if let Some(manifest) = &manifest_path {
        asked.extend(["--manifest-path".into(), manifest.into()]);
    }
    asked.extend(arguments.is_locked.then(|| "--locked".into()));
    asked.extend(arguments.is_offline.then(|| "--offline".into()));
    let graph = Graph::read(&asked)?;
    let mirror = Mirror::write(&graph)?;
    let folder = std::env::current_dir().map_err(|error| format!("the current folder is not known: {error}"))?;
    let folder = folder.canonicalize().unwrap_or(folder);
    let cargo = |subcommand: &str| {
        let mut command = Command::new(cargo());
        command.current_dir(mirror.folder_for(&graph, &folder)).arg(subcommand);
        if let Some(manifest) = manifest_path.as_ref().and_then(|manifest| manifest.canonicalize().ok()) {
            command.arg("--manifest-path").arg(mirror.manifest_for(&graph, &manifest));
        }
        command.args(arguments.is_offline.then_some("--offline")).envs(environment(&graph.target));
        command
    };
    if arguments.is_locked {
        // Cargo puts the packages of the mirror into its lock file.
        answer(cargo("metadata").args(["--format-version", "1"]), "")?;
        let others = mirror.differing(&graph)?;
        if !others.is_empty() {
            return Err(format!(
                "with `--locked`, no other versions may be taken than Cargo.lock has: {}",
                others.join(", ")
            ));
        }
    }
    run_to_the_end(cargo("test").args(&arguments.others).envs(variables.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_the_tests_themselves_are_left_alone() {
        let arguments = ["--lib", "--locked", "--manifest-path=a/Cargo.toml", "name", "--", "--locked", "--nocapture"];
        let parts = Arguments::of(&arguments.map(OsString::from));
        assert_eq!(
            parts,
            Arguments {
                manifest_path: Some("a/Cargo.toml".into()),
                is_locked: true,
                is_offline: false,
                others: ["--lib", "name", "--", "--locked", "--nocapture"].map(OsString::from).into(),
            }
        );
    }
}
