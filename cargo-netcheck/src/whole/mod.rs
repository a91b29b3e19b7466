//! A program with the crates that it uses: a mirror of the user's workspace in which netcheck stands in place of tokio for
//! every crate of the dependency graph.
//!
//! Cargo takes a package from `[patch.crates-io]` only if it has the name and a version that the lock file allows, and
//! refuses two packages of one name and version range; netcheck itself is built on tokio. So the mirror, below cargo's
//! target folder, has
//! - `upstream`: the locked tokio under another name, for netcheck's crates;
//! - `tokio`: a package of that name, version and feature names, which re-exports netcheck;
//! - `netcheck`: netcheck's crates, on the renamed one;
//! - `registry/src/edited`, which has the form of cargo's registry, so that its lines are told as those of a library: the
//!   locked `bytes` with buffers that begin at the front again ([`buffers`]), and the locked `tokio-util` with a queue whose
//!   deadlines are instants ([`queues`]);
//! - `workspace`, or one of `workspaces` where several share the target folder: the user's workspace, with the patch.
//!
//! All files but manifests are links ([`links`]), so that compilers, tests and their messages see the user's own; manifests
//! are written anew ([`manifests`]). Nothing is written outside of the mirror. What has not changed is left as it is, since
//! cargo goes by the time of a change.

mod buffers;
mod edits;
mod graph;
mod links;
mod manifests;
mod queues;

pub(crate) use graph::Graph;

use crate::Result;
use crate::workspace::{MIRROR, packages_of};
use edits::Edit;
use graph::Package;
use links::Mirrored;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The library of the package `tokio`.
const LIBRARY: &str = include_str!("tokio.in");

/// Where a mirror has packages of the registry with another file, from its folder.
const EDITED: &str = "registry/src/edited";

/// Where a mirror is built, from its folder.
const BUILT: &str = "target";

/// Tells the tests of a whole program where failing checks leave their files: cargo's target folder for the user's own
/// builds.
const WHOLE: &str = "NETCHECK_WHOLE";

/// How many tests run at once. One after another, each process of a check has statics of its own.
const THREADS: &str = "RUST_TEST_THREADS";

/// The environment of cargo, and of the tests, for a mirror below cargo's target folder.
pub(crate) fn environment(target: &Path) -> [(&'static str, OsString); 3] {
    let threads = std::env::var_os(THREADS).unwrap_or_else(|| "1".into());
    [("CARGO_TARGET_DIR", target.join(MIRROR).join(BUILT).into()), (WHOLE, target.into()), (THREADS, threads)]
}

/// The same for a test program, if it was built in a mirror.
pub(crate) fn environment_of(program: &Path) -> Option<[(&'static str, OsString); 3]> {
    let built = program.ancestors().find(|above| above.ends_with(Path::new(MIRROR).join(BUILT)))?;
    let target = built.ancestors().nth(Path::new(MIRROR).join(BUILT).components().count())?;
    Some(environment(target))
}

/// The mark of a folder that is no loss, as cargo writes it into a target folder that it makes.
const MARK: &str = "Signature: 8a477f597d28d172789f06886806bc55\n# This file is a cache directory tag created by cargo.\n\
                    # For information about cache directory tags see https://bford.info/cachedir/\n";

/// Makes cargo's target folder with cargo's mark, if there is none: cargo marks none that is there, and the user's test
/// programs look for the mark ([`Workspace::folders_of_notes`](crate::workspace::Workspace::folders_of_notes)).
fn mark(target: &Path) -> Result<()> {
    if target.exists() {
        return Ok(());
    }
    fs::create_dir_all(target).map_err(links::not_written(target))?;
    links::write(&target.join("CACHEDIR.TAG"), MARK)
}

/// The mirror of a workspace.
pub(crate) struct Mirror {
    folder: PathBuf,
    /// Where it has the user's packages, from its folder.
    packages: PathBuf,
}

impl Mirror {
    /// Writes the mirror of a workspace, or what has changed since it was written.
    pub(crate) fn write(graph: &Graph) -> Result<Mirror> {
        let mirror = Mirror { folder: graph.target.join(MIRROR), packages: packages_of(&graph.root, &graph.target) };
        mark(&graph.target)?;
        mirror.write_upstream(graph)?;
        mirror.write_tokio(graph)?;
        mirror.write_netcheck(graph)?;
        let edited = graph.edited.iter().map(|(package, edit)| mirror.write_edited(package, edit));
        let edited: Vec<(&str, PathBuf)> = edited.collect::<Result<_>>()?;
        let places = manifests::Places {
            from: &graph.root,
            netcheck: [graph.netcheck_root(), &mirror.netcheck(graph)],
            unpacked: (!graph.unpacked.is_empty()).then_some(&graph.netcheck),
            tokio: &mirror.part("tokio"),
            edited: &edited,
        };
        let edit = |text: &str, manifest: &Path| manifests::of_workspace(text, manifest, &places);
        links::mirror(&Mirrored { from: &graph.root, to: &mirror.packages(), manifests: &graph.manifests() }, edit)?;
        mirror.write_lock(graph)?;
        Ok(mirror)
    }

    fn part(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn packages(&self) -> PathBuf {
        self.folder.join(&self.packages)
    }

    /// The folder of the mirror for one of the user's: that of the same package.
    pub(crate) fn folder_for(&self, graph: &Graph, folder: &Path) -> PathBuf {
        let manifests = graph.manifests();
        let of_package =
            folder.ancestors().find(|above| manifests.iter().any(|manifest| manifest.parent() == Some(above)));
        let within = of_package.and_then(|folder| folder.strip_prefix(&graph.root).ok()).unwrap_or(Path::new(""));
        self.packages().join(within)
    }

    /// The manifest of the mirror for one of the user's.
    pub(crate) fn manifest_for(&self, graph: &Graph, manifest: &Path) -> PathBuf {
        let within = manifest.strip_prefix(&graph.root).unwrap_or(Path::new("Cargo.toml"));
        self.packages().join(within)
    }

    fn write_upstream(&self, graph: &Graph) -> Result<()> {
        let (from, to) = (graph.tokio.folder(), self.part("upstream"));
        let manifests = [graph.tokio.manifest_path.clone()];
        links::mirror(&Mirrored { from, to: &to, manifests: &manifests }, |text, _| manifests::of_upstream(text))
    }

    /// The name and the folder of a package with another file.
    fn write_edited(&self, package: &Package, edit: &'static Edit) -> Result<(&'static str, PathBuf)> {
        let from = package.folder();
        let to = self.part(EDITED).join(format!("{}-{}", package.name, package.version));
        let manifests = [package.manifest_path.clone(), from.join(edit.file)];
        links::mirror(&Mirrored { from, to: &to, manifests: &manifests }, |text, file| match file {
            manifest if manifest == package.manifest_path => manifests::of_edited(text),
            _ => Ok((edit.edited)(text)),
        })?;
        Ok((edit.package, to))
    }

    /// The folder of the package that users depend on.
    fn netcheck(&self, graph: &Graph) -> PathBuf {
        let folder = self.part("netcheck");
        if graph.unpacked.is_empty() { folder } else { folder.join(&graph.netcheck.name) }
    }

    fn write_netcheck(&self, graph: &Graph) -> Result<()> {
        let (folder, upstream) = (self.part("netcheck"), self.part("upstream"));
        for package in &graph.unpacked {
            let (from, to) = (package.folder(), folder.join(&package.name));
            let manifests = [package.manifest_path.clone()];
            let edit = |text: &str, _: &Path| manifests::of_unpacked(text, &folder, &upstream);
            links::mirror(&Mirrored { from, to: &to, manifests: &manifests }, edit)?;
        }
        if !graph.unpacked.is_empty() {
            return Ok(());
        }
        let mirrored =
            Mirrored { from: graph.netcheck_root(), to: &folder, manifests: &graph.manifests_of_netcheck()? };
        links::mirror(&mirrored, |text, _| manifests::of_netcheck(text, &upstream))
    }

    fn write_tokio(&self, graph: &Graph) -> Result<()> {
        let folder = self.part("tokio");
        fs::create_dir_all(folder.join("src")).map_err(links::not_written(&folder))?;
        links::write(
            &folder.join("Cargo.toml"),
            &manifests::of_tokio(&graph.tokio, (&graph.netcheck, &self.netcheck(graph)), &self.part("upstream")),
        )?;
        links::write(&folder.join("src/lib.rs"), LIBRARY)
    }

    /// The lock file of the mirror is the user's, until cargo has put the packages of the mirror into it; and again when the
    /// user's has changed.
    fn write_lock(&self, graph: &Graph) -> Result<()> {
        let (seen, lock) = (self.packages().with_extension("lock"), self.packages().join("Cargo.lock"));
        let users = fs::read_to_string(graph.root.join("Cargo.lock")).unwrap_or_default();
        if fs::read_to_string(&seen).is_ok_and(|seen| seen == users) && lock.exists() {
            return Ok(());
        }
        links::write(&lock, &users)?;
        links::write(&seen, &users)
    }

    /// The note that the lock file of the mirror differs from the user's in the packages of the mirror alone: names of
    /// packages of which it has another version.
    pub(crate) fn differing(&self, graph: &Graph) -> Result<Vec<String>> {
        let read = |file: PathBuf| -> Result<BTreeSet<(String, String)>> {
            let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
            manifests::locked(&text).map_err(|error| format!("{}: {error}", file.display()))
        };
        let users = read(graph.root.join("Cargo.lock"))?;
        let mirrors = read(self.packages().join("Cargo.lock"))?;
        let is_ours = |name: &str| name == "tokio" || name.starts_with("netcheck");
        let others = mirrors.difference(&users).filter(|(name, _)| !is_ours(name));
        Ok(others.map(|(name, version)| format!("{name} {version}")).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_folder_is_marked_where_it_is_made() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("target");
        mark(&target).expect("it is made");
        assert!(fs::read_to_string(target.join("CACHEDIR.TAG")).is_ok_and(|text| text.starts_with("Signature: ")));
        mark(folder.path()).expect("it is there");
        assert!(!folder.path().join("CACHEDIR.TAG").exists(), "it may be somebody else's");
    }

    #[test]
    fn a_program_of_a_mirror_is_run_as_it_was_built() {
        let told = environment_of(Path::new("/mine/target/netcheck/whole/target/debug/deps/checks-0"));
        assert_eq!(told, Some(environment(Path::new("/mine/target"))));
        assert_eq!(environment_of(Path::new("/mine/target/debug/deps/checks-0")), None);
    }
}
