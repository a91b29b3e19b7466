//! The packages as cargo sees them, their targets, and where it builds them.

use crate::Result;
use crate::failed::Failed;
use serde::Deserialize;
use std::collections::hash_map::DefaultHasher;
use std::ffi::OsString;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The answer of `cargo metadata`, as far as it is needed.
#[derive(Debug, Deserialize)]
pub(crate) struct Workspace {
    target_directory: PathBuf,
    /// Where test programs lie, if not in the target folder.
    build_directory: Option<PathBuf>,
    #[serde(rename = "workspace_root")]
    pub(crate) root: PathBuf,
    packages: Vec<Package>,
}

#[derive(Debug, Deserialize)]
struct Package {
    name: String,
    manifest_path: PathBuf,
    targets: Vec<Target>,
}

/// Something that cargo builds.
#[derive(Debug, Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

/// Where the mirror of a workspace is, from cargo's target folder ([`crate::whole`]).
pub(crate) const MIRROR: &str = "netcheck/whole";

/// Where a mirror has the packages of a workspace, from its folder. Workspaces that share a target folder have one each:
/// cargo tells packages of one name by their folders, and what has changed by times, so that it would take the program of
/// one for that of the other.
pub(crate) fn packages_of(root: &Path, target: &Path) -> PathBuf {
    if target.starts_with(root) {
        return "workspace".into();
    }
    let mut hasher = DefaultHasher::new();
    root.hash(&mut hasher);
    format!("workspaces/{:016x}", hasher.finish()).into()
}

/// The package of the library in the registry, which has one called `netcheck` of somebody else.
pub(crate) const IN_THE_REGISTRY: &str = "netcheck-tokio";

/// Whether a package is the library: in a clone, or as the registry has it.
pub(crate) fn is_netcheck(package: &str) -> bool {
    package == "netcheck" || package == IN_THE_REGISTRY
}

/// The program of cargo that runs this one.
pub(crate) fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// The output of a command of cargo; where it fails, its own words, with advice.
pub(crate) fn answer(command: &mut Command, advice: &str) -> Result<Vec<u8>> {
    let output = command.output().map_err(not_started)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let why = String::from_utf8_lossy(&output.stderr);
    Err(format!("{}{advice}", why.trim().trim_start_matches("error: ")))
}

/// The platform on which cargo runs, if it says so.
pub(crate) fn host() -> Option<String> {
    let told = Command::new(cargo()).arg("-vV").output().ok()?;
    let lines = String::from_utf8(told.stdout).ok()?;
    lines.lines().find_map(|line| line.strip_prefix("host: ")).map(str::to_owned)
}

/// The error that cargo could not be started.
pub(crate) fn not_started(error: io::Error) -> String {
    format!("cargo could not be started: {error}")
}

/// Runs cargo, and ends as it does.
pub(crate) fn run_to_the_end(command: &mut Command) -> Result<ExitCode> {
    let status = command.status().map_err(not_started)?;
    Ok(u8::try_from(status.code().unwrap_or(1)).map_or(ExitCode::FAILURE, ExitCode::from))
}

impl Workspace {
    pub(crate) fn read(manifest: Option<&Path>, target: Option<PathBuf>) -> Result<Workspace> {
        let mut command = Command::new(cargo());
        command.args(["metadata", "--no-deps", "--format-version", "1"]);
        if let Some(manifest) = manifest {
            command.arg("--manifest-path").arg(manifest);
        }
        let advice = "\n  run this in the folder of your package, or name its Cargo.toml with `--manifest-path`";
        let mut workspace: Workspace = serde_json::from_slice(&answer(&mut command, advice)?)
            .map_err(|error| format!("the answer of `cargo metadata` is not understood: {error}"))?;
        if let Some(target) = target {
            workspace.target_directory = target;
            workspace.build_directory = None;
        }
        Ok(workspace)
    }

    /// The folders in which failing checks leave their files: one for each folder that cargo marks as one of its own,
    /// as test programs look for the mark.
    pub(crate) fn folders_of_notes(&self) -> Vec<PathBuf> {
        let built = [Some(&self.target_directory), self.build_directory.as_ref()].into_iter().flatten();
        let mut folders = Vec::new();
        for folder in built {
            folders.push(folder.clone());
            // `--target TRIPLE` makes folders of its own.
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            folders.extend(entries.map(|entry| entry.path()).filter(|path| path.join("CACHEDIR.TAG").exists()));
        }
        folders.iter_mut().for_each(|folder| folder.push("netcheck"));
        folders.sort();
        folders.dedup();
        folders
    }

    /// The folder of the package of a test: the user's, also where the test was built in a mirror.
    pub(crate) fn package_folder(&self, failed: &Failed) -> PathBuf {
        let folder = failed.folder.as_deref().unwrap_or(&self.root);
        let packages = Path::new(MIRROR).join(packages_of(&self.root, &self.target_directory));
        let mirrored = folder.ancestors().find(|above| above.ends_with(&packages));
        let within = mirrored.and_then(|mirrored| folder.strip_prefix(mirrored).ok());
        within.map_or_else(|| folder.to_owned(), |within| self.root.join(within))
    }

    /// The arguments of `cargo test` that build the program of a test as it was built, and no other program. Where that
    /// can't be told, all programs of the package, or of the workspace.
    pub(crate) fn arguments(failed: &Failed) -> Result<Vec<String>> {
        let mut arguments = Vec::new();
        if let Some(folder) = &failed.folder {
            let manifest = folder.join("Cargo.toml");
            if !manifest.exists() {
                return Err(format!(
                    "{} is not there any more: the check came from that package\n  \
                     `cargo netcheck clean {}` takes it off the list",
                    manifest.display(),
                    failed.test
                ));
            }
            arguments.extend(["--manifest-path".to_owned(), manifest.display().to_string()]);
            let workspace = Workspace::read(Some(&manifest), None)?;
            let is_in = |package: &&Package| package.manifest_path == manifest;
            if let Some(package) = workspace.packages.iter().find(is_in) {
                arguments.extend(["--package".to_owned(), package.name.clone()]);
                let targets =
                    package.targets.iter().filter(|target| target.name.replace('-', "_") == failed.crate_name);
                arguments.extend(targets.flat_map(Target::arguments));
            }
        }
        arguments.extend(profile(&failed.program));
        Ok(arguments)
    }
}

impl Target {
    fn arguments(&self) -> Vec<String> {
        let of_kind = |kind: &str| vec![format!("--{kind}"), self.name.clone()];
        match self.kind.first().map(String::as_str) {
            Some(kind @ ("bin" | "test" | "example" | "bench")) => of_kind(kind),
            Some("custom-build") | None => Vec::new(),
            Some(_) => vec!["--lib".to_owned()],
        }
    }
}

/// The arguments that choose the profile and the platform of a program at `…/PROFILE/deps/program-…`.
fn profile(program: &Path) -> Vec<String> {
    let mut folders = program.ancestors().skip(1);
    let Some(deps) = folders.next().filter(|folder| folder.ends_with("deps")) else { return Vec::new() };
    let Some(folder) = deps.parent() else { return Vec::new() };
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut arguments = match name(folder).as_str() {
        "debug" => Vec::new(),
        "release" => vec!["--release".to_owned()],
        profile => vec!["--profile".to_owned(), profile.to_owned()],
    };
    // The folder of a triple lies in the target folder, which is marked, too.
    let is_marked = |path: &Path| path.join("CACHEDIR.TAG").exists();
    if let Some(triple) = folder.parent()
        && triple.parent().is_some_and(is_marked)
    {
        arguments.extend(["--target".to_owned(), name(triple)]);
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workspaces_that_share_a_target_folder_have_a_mirror_each() {
        let of = |root: &str, target: &str| packages_of(Path::new(root), Path::new(target));
        assert_eq!(of("/a", "/a/target"), Path::new("workspace"));
        assert_ne!(of("/a", "/shared"), of("/b", "/shared"));
        assert!(of("/a", "/shared").starts_with("workspaces"));
    }
}
