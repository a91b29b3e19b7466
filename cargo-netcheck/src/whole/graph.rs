//! The dependency graph, as cargo resolves it.

use super::edits::{EDITS, Edit};
use crate::Result;
use crate::workspace::{answer, cargo, is_netcheck};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How cargo names the registry, also where a folder or another registry stands in its place.
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// The answer of `cargo metadata`, as far as it is needed.
#[derive(Debug, Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_root: PathBuf,
    target_directory: PathBuf,
}

/// A package of the graph.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) manifest_path: PathBuf,
    /// `None`: a folder.
    source: Option<String>,
    pub(crate) features: BTreeMap<String, Vec<String>>,
}

impl Package {
    pub(crate) fn folder(&self) -> &Path {
        self.manifest_path.parent().expect("a manifest lies in a folder")
    }
}

/// The packages that a mirror is made of.
#[derive(Debug)]
pub(crate) struct Graph {
    /// The folder of the workspace.
    pub(crate) root: PathBuf,
    /// Cargo's target folder.
    pub(crate) target: PathBuf,
    pub(crate) tokio: Package,
    /// The packages that a mirror has with another file, if they come from the registry.
    pub(super) edited: Vec<(Package, &'static Edit)>,
    pub(crate) netcheck: Package,
    /// Netcheck's packages, if they come from a registry, where each has a folder of its own.
    pub(crate) unpacked: Vec<Package>,
    /// Packages that lie in the folder of the workspace.
    local: Vec<Package>,
}

impl Graph {
    /// Asks cargo, with these of its arguments.
    pub(crate) fn read<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Result<Graph> {
        let mut command = Command::new(cargo());
        command.args(["metadata", "--format-version", "1"]).args(arguments);
        let Metadata { packages, workspace_root, target_directory } = understood(&mut command)?;
        let netcheck = one(&packages, |package| is_netcheck(&package.name), "netcheck")?.ok_or(
            "nothing here depends on netcheck\n  `cargo netcheck init` adds it to the dev-dependencies of a package",
        )?;
        let tokio = one(&packages, |package| package.name == "tokio" && package.version.starts_with("1."), "tokio 1")?
            .ok_or("nothing here uses tokio 1: `cargo test` is enough")?;
        // A folder that stands in place of the registry may lie in the workspace.
        if netcheck.source.is_none() && netcheck.manifest_path.starts_with(&workspace_root) {
            return Err("netcheck is a part of this workspace: its own tests run under `cargo test`".to_owned());
        }
        let is_unpacked =
            |package: &&Package| package.name.starts_with("netcheck-") && package.source == netcheck.source;
        let unpacked = match netcheck.source.as_deref() {
            Some(CRATES_IO) => packages.iter().filter(is_unpacked).cloned().collect(),
            Some(source) if !source.starts_with("git+") => {
                return Err(format!(
                    "netcheck comes from {source}: whole programs need it from crates.io, git or a folder"
                ));
            }
            _ => Vec::new(),
        };
        let edited = |edit: &'static Edit| {
            let of_registry = packages.iter().filter(|package| package.source.as_deref() == Some(CRATES_IO));
            let mut its = of_registry.filter(|package| edit.is_for(&package.name, &package.version));
            its.next().map(|package| (package.clone(), edit))
        };
        let edited = EDITS.iter().filter_map(edited).collect();
        let is_local =
            |package: &&Package| package.source.is_none() && package.manifest_path.starts_with(&workspace_root);
        let local = packages.iter().filter(is_local).cloned().collect();
        Ok(Graph { root: workspace_root, target: target_directory, tokio, edited, netcheck, unpacked, local })
    }

    /// The folder of netcheck's workspace.
    pub(crate) fn netcheck_root(&self) -> &Path {
        self.netcheck.folder()
    }

    /// The manifests in the folder of the workspace, with the one at its root.
    pub(crate) fn manifests(&self) -> Vec<PathBuf> {
        let mut manifests: Vec<PathBuf> = self.local.iter().map(|package| package.manifest_path.clone()).collect();
        manifests.push(self.root.join("Cargo.toml"));
        manifests.sort();
        manifests.dedup();
        manifests
    }

    /// The manifests of netcheck's workspace: it is what cargo reads to know one of its members.
    pub(crate) fn manifests_of_netcheck(&self) -> Result<Vec<PathBuf>> {
        let mut command = Command::new(cargo());
        command.args(["metadata", "--format-version", "1", "--no-deps", "--offline", "--manifest-path"]);
        let Metadata { packages, .. } = understood(command.arg(&self.netcheck.manifest_path))?;
        Ok(packages.into_iter().map(|package| package.manifest_path).collect())
    }
}

/// The answer of `cargo metadata`.
fn understood(command: &mut Command) -> Result<Metadata> {
    let answer = answer(command, "")?;
    serde_json::from_slice(&answer)
        .map_err(|error| format!("the answer of `cargo metadata` is not understood: {error}"))
}

/// The one package for which something holds; an error if there are two of it.
fn one(packages: &[Package], is_it: impl Fn(&Package) -> bool, name: &str) -> Result<Option<Package>> {
    let found: Vec<&Package> = packages.iter().filter(|package| is_it(package)).collect();
    match &found[..] {
        [] => Ok(None),
        &[only] => Ok(Some(only.clone())),
        some => {
            let versions: Vec<String> = some.iter().map(|package| package.version.clone()).collect();
            Err(format!("there are {} versions of {name} here: {}\n  one is needed", some.len(), versions.join(", ")))
        }
    }
}
