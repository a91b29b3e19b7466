//! `cargo netcheck test`: the user's tests, with netcheck in place of tokio in the whole dependency graph.

use crate::Result;
use crate::whole::{Graph, Mirror, environment};
use crate::workspace::{answer, cargo, host, run_to_the_end};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The arguments of `cargo test`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Arguments {
    manifest_path: Option<PathBuf>,
    is_locked: bool,
    is_offline: bool,
    /// The platforms that are named.
    platforms: Vec<OsString>,
    /// All others, as they were; platforms are among them.
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
                Some("--target") => {
                    let platform = rest.next();
                    parts.platforms.extend(platform.cloned());
                    parts.others.push(argument.clone());
                    parts.others.extend(platform.cloned());
                }
                Some(text) => {
                    let platform = text.split_once('=').filter(|(name, _)| *name == "--target");
                    parts.platforms.extend(platform.map(|(_, platform)| platform.into()));
                    parts.others.push(argument.clone());
                }
                None => parts.others.push(argument.clone()),
            }
        }
        parts
    }
}

/// `cargo test` with its arguments, ready to be run.
pub(crate) struct Prepared {
    folder: Option<PathBuf>,
    /// The manifest, and what cargo has to know before the tests are named.
    before: Vec<OsString>,
    /// The arguments as they were given.
    arguments: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
}

impl Prepared {
    /// As a user runs it, with the packages as they are.
    pub(crate) fn plain(manifest_path: Option<&Path>, arguments: &[OsString]) -> Prepared {
        let before = manifest_path.into_iter().flat_map(of_manifest).collect();
        Prepared { folder: None, before, arguments: arguments.to_vec(), variables: Vec::new() }
    }

    /// With netcheck in place of tokio in every crate that the tests use.
    pub(crate) fn whole(manifest_path: Option<PathBuf>, arguments: &[OsString]) -> Result<Prepared> {
        let arguments = Arguments::of(arguments);
        let manifest_path = arguments.manifest_path.or(manifest_path);
        let mut asked: Vec<OsString> = manifest_path.iter().flat_map(|path| of_manifest(path)).collect();
        asked.extend(arguments.is_locked.then(|| "--locked".into()));
        asked.extend(arguments.is_offline.then(|| "--offline".into()));
        let platforms = platforms(&arguments.platforms);
        let graph = Graph::read(asked.iter().chain(&platforms))?;
        let mirror = Mirror::write(&graph)?;
        let folder = std::env::current_dir().map_err(|error| format!("the current folder is not known: {error}"))?;
        let folder = folder.canonicalize().unwrap_or(folder);
        let manifest = manifest_path.as_ref().and_then(|manifest| manifest.canonicalize().ok());
        let manifest = manifest.map(|manifest| mirror.manifest_for(&graph, &manifest));
        let mut before: Vec<OsString> = manifest.iter().flat_map(|path| of_manifest(path)).collect();
        before.extend(arguments.is_offline.then(|| "--offline".into()));
        let variables = environment(&graph.target).into_iter().chain(snapshots(&graph.root));
        let prepared = Prepared {
            folder: Some(mirror.folder_for(&graph, &folder)),
            before,
            arguments: arguments.others,
            variables: variables.map(|(name, value)| (name.into(), value)).collect(),
        };
        if arguments.is_locked {
            // Cargo puts the packages of the mirror into its lock file.
            answer(prepared.cargo("metadata").args(["--format-version", "1"]).args(&platforms), "")?;
            let others = mirror.differing(&graph)?;
            if !others.is_empty() {
                return Err(format!(
                    "with `--locked`, no other versions may be taken than Cargo.lock has: {}",
                    others.join(", ")
                ));
            }
        }
        Ok(prepared)
    }

    /// `cargo test`, with further arguments before those that were given.
    pub(crate) fn command(&self, further: &[&str]) -> Command {
        let mut command = self.cargo("test");
        command.args(further).args(&self.arguments);
        command
    }

    fn cargo(&self, subcommand: &str) -> Command {
        let mut command = Command::new(cargo());
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command.arg(subcommand).args(&self.before).envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// The arguments of `cargo metadata` for this platform and those that tests are built for: without them, it wants packages
/// that only other ones need, which a build has not fetched.
fn platforms(named: &[OsString]) -> Vec<OsString> {
    let Some(host) = host() else { return Vec::new() };
    let named = named.iter().cloned().chain(std::env::var_os("CARGO_BUILD_TARGET"));
    let others = named.filter(|platform| platform != "host-tuple");
    others.chain([host.into()]).flat_map(|platform| ["--filter-platform".into(), platform]).collect()
}

/// Tells insta that snapshots lie in the user's folders, where it would make those that are missing in the mirror.
fn snapshots(root: &Path) -> Option<(&'static str, OsString)> {
    const FOLDER: &str = "INSTA_WORKSPACE_ROOT";
    std::env::var_os(FOLDER).is_none().then(|| (FOLDER, root.into()))
}

/// The arguments that name a manifest.
fn of_manifest(path: &Path) -> [OsString; 2] {
    ["--manifest-path".into(), path.into()]
}

/// `variables`: for the environment of the tests.
pub(crate) fn run(
    manifest_path: Option<PathBuf>,
    arguments: &[OsString],
    variables: &[(&str, &str)],
) -> Result<ExitCode> {
    let prepared = Prepared::whole(manifest_path, arguments)?;
    run_to_the_end(prepared.command(&[]).envs(variables.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_the_tests_themselves_are_left_alone() {
        let own = ["--lib", "--locked", "--manifest-path=a/Cargo.toml", "--target", "one", "--target=other", "name"];
        let arguments = [&own[..], &["--", "--locked", "--target=third"]].concat();
        let others = ["--lib", "--target", "one", "--target=other", "name", "--", "--locked", "--target=third"];
        let parts = Arguments::of(&arguments.into_iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(
            parts,
            Arguments {
                manifest_path: Some("a/Cargo.toml".into()),
                is_locked: true,
                is_offline: false,
                platforms: ["one", "other"].map(OsString::from).into(),
                others: others.map(OsString::from).into(),
            }
        );
    }
}
