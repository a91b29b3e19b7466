//! A folder in which all is a link to another folder's, but for manifests, which are written anew.

use crate::Result;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A folder to mirror, and where.
pub(super) struct Mirrored<'a> {
    pub(super) from: &'a Path,
    pub(super) to: &'a Path,
    /// In `from`, or below it.
    pub(super) manifests: &'a [PathBuf],
}

/// Names of which nothing is mirrored: what cargo and git keep in a folder.
const LEFT_OUT: &[&str] = &["target", ".git", "Cargo.lock"];

/// Folders of a package in which cargo looks for programs.
const PROGRAMS: &[&str] = &["src/bin", "tests", "examples", "benches"];

/// The error that something could not be written.
pub(super) fn not_written(path: &Path) -> impl FnOnce(io::Error) -> String + '_ {
    move |error| format!("{} can't be written: {error}", path.display())
}

/// Writes a file, unless it says the same already.
pub(super) fn write(path: &Path, text: &str) -> Result<()> {
    match fs::read_to_string(path) {
        Ok(written) if written == text => Ok(()),
        _ => fs::write(path, text).map_err(not_written(path)),
    }
}

/// Mirrors a folder; `edit` gets the text of each manifest, and where it lies.
pub(super) fn mirror(mirrored: &Mirrored<'_>, edit: impl Fn(&str, &Path) -> Result<String>) -> Result<()> {
    let Mirrored { from, to, manifests } = *mirrored;
    let folders = folders(mirrored);
    for folder in &folders {
        let within = folder.strip_prefix(from).expect("it lies below");
        let here = to.join(within);
        if here.is_symlink() {
            fs::remove_file(&here).map_err(not_written(&here))?;
        }
        fs::create_dir_all(&here).map_err(not_written(&here))?;
        let mut names = BTreeSet::new();
        let entries = fs::read_dir(folder).map_err(|error| format!("{} can't be read: {error}", folder.display()))?;
        for entry in entries.flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            if LEFT_OUT.iter().any(|left_out| name == *left_out) {
                continue;
            }
            if !folders.contains(&path) && !manifests.contains(&path) {
                link(&path, &here.join(&name))?;
            }
            names.insert(name);
        }
        for stale in fs::read_dir(&here).map_err(not_written(&here))?.flatten() {
            if !names.contains(&stale.file_name()) {
                remove_links(&stale.path()).map_err(not_written(&here))?;
            }
        }
    }
    for manifest in manifests {
        let text = fs::read_to_string(manifest).map_err(|error| format!("{}: {error}", manifest.display()))?;
        let edited = edit(&text, manifest).map_err(|error| format!("{}: {error}", manifest.display()))?;
        write(&to.join(manifest.strip_prefix(from).expect("it lies below")), &edited)?;
    }
    Ok(())
}

/// Removes what was mirrored and is not there any more: a link, or a folder but for what tests have written into it.
fn remove_links(at: &Path) -> io::Result<()> {
    if at.is_symlink() {
        return fs::remove_file(at);
    }
    if !at.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(at)?.flatten() {
        // The only mirrored file that is no link.
        if entry.file_name() == "Cargo.toml" {
            fs::remove_file(entry.path())?;
        } else {
            remove_links(&entry.path())?;
        }
    }
    if fs::read_dir(at)?.next().is_none() { fs::remove_dir(at) } else { Ok(()) }
}

/// The folders that are folders in a mirror, too: those with manifests, those in which cargo looks for programs, which
/// follows no link to a folder, and all above.
fn folders(&Mirrored { from, manifests, .. }: &Mirrored<'_>) -> BTreeSet<PathBuf> {
    let mut folders = BTreeSet::new();
    for folder in manifests.iter().filter_map(|manifest| manifest.parent()) {
        let with_programs = PROGRAMS.iter().map(|name| folder.join(name)).filter(|folder| folder.is_dir());
        let of_programs = with_programs.clone().flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
        let of_programs = of_programs.map(|entry| entry.path()).filter(|path| path.join("main.rs").is_file());
        let all = with_programs.chain(of_programs).chain([folder.to_owned()]);
        for folder in all {
            folders.extend(folder.ancestors().take_while(|folder| folder.starts_with(from)).map(Path::to_owned));
        }
    }
    folders
}

/// Makes a link, unless it is there.
fn link(to: &Path, at: &Path) -> Result<()> {
    if fs::read_link(at).is_ok_and(|linked| linked == to) {
        return Ok(());
    }
    if at.is_symlink() || at.is_file() {
        fs::remove_file(at).map_err(not_written(at))?;
    } else if at.is_dir() {
        fs::remove_dir_all(at).map_err(not_written(at))?;
    }
    #[cfg(unix)]
    return std::os::unix::fs::symlink(to, at).map_err(not_written(at));
    #[cfg(not(unix))]
    return Err(format!("whole programs are checked on Unix only: {} would be a link", at.display()));
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A mirror of a folder with a package, and one of a package in it.
    fn mirrored(folder: &Path, edit: impl Fn(&str, &Path) -> Result<String>) -> PathBuf {
        let (from, to) = (folder.join("from"), folder.join("to"));
        let manifests = ["Cargo.toml", "inner/Cargo.toml"].map(|name| from.join(name));
        mirror(&Mirrored { from: &from, to: &to, manifests: &manifests }, edit).expect("it is written");
        to
    }

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for file in [
            "Cargo.toml",
            "src/lib.rs",
            "tests/a/main.rs",
            "tests/b.rs",
            "inner/Cargo.toml",
            "inner/src/lib.rs",
            "target/x",
        ] {
            let path = folder.path().join("from").join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, file).expect("a file");
        }
        folder
    }

    #[test]
    fn all_but_manifests_is_a_link_and_folders_of_programs_are_folders() {
        let folder = folder();
        let to = mirrored(folder.path(), |text, _| Ok(format!("edited {text}")));
        let is_link = |name: &str| to.join(name).is_symlink();
        assert!(is_link("src") && is_link("tests/a/main.rs") && is_link("tests/b.rs") && is_link("inner/src"));
        assert!(!is_link("tests") && !is_link("tests/a") && !is_link("inner") && !to.join("target").exists());
        assert_eq!(fs::read_to_string(to.join("inner/Cargo.toml")).expect("a file"), "edited inner/Cargo.toml");
        assert_eq!(fs::read_to_string(folder.path().join("from/Cargo.toml")).expect("a file"), "Cargo.toml");
    }

    #[test]
    fn a_mirror_that_is_written_again_follows_and_leaves_alone_what_is_the_same() {
        let folder = folder();
        let same = |text: &str, _: &Path| Ok(text.to_owned());
        let to = mirrored(folder.path(), same);
        let changed = |name: &str| fs::metadata(to.join(name)).and_then(|data| data.modified()).expect("a time");
        let before = changed("Cargo.toml");
        fs::remove_file(folder.path().join("from/tests/b.rs")).expect("it was there");
        fs::write(folder.path().join("from/notes"), "new").expect("a file");
        mirrored(folder.path(), same);
        assert_eq!(changed("Cargo.toml"), before);
        assert!(!to.join("tests/b.rs").is_symlink() && to.join("notes").is_symlink());
    }

    #[test]
    fn a_folder_of_programs_that_is_gone_is_gone_in_the_mirror_but_for_what_tests_have_written() {
        let folder = folder();
        let same = |text: &str, _: &Path| Ok(text.to_owned());
        let to = mirrored(folder.path(), same);
        fs::write(to.join("tests/a/written"), "by a test").expect("a file");
        fs::remove_dir_all(folder.path().join("from/tests")).expect("it was there");
        mirrored(folder.path(), same);
        assert!(!to.join("tests/b.rs").is_symlink() && !to.join("tests/a/main.rs").is_symlink());
        assert_eq!(fs::read_to_string(to.join("tests/a/written")).expect("it stays"), "by a test");
        fs::remove_file(to.join("tests/a/written")).expect("it was there");
        mirrored(folder.path(), same);
        assert!(!to.join("tests").exists());
    }
}
