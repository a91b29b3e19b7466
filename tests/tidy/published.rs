//! Packages as the registry gets them: packages that say what they are, with the files that users need and no others.
//!
//! `.ci/package` makes them.

use crate::none;
use crate::source::{Token, read, root, rust_files, shown, tokens};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The output of cargo when it is asked from the root of the workspace.
fn cargo(arguments: &[&str]) -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo).args(arguments).current_dir(root()).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("cargo writes text")
}

/// The packages of the workspace, as cargo sees them.
pub fn packages() -> Vec<Value> {
    let metadata = cargo(&["metadata", "--format-version", "1", "--no-deps", "--offline"]);
    let metadata: Value = serde_json::from_str(&metadata).expect("cargo writes JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

pub fn name(package: &Value) -> &str {
    package["name"].as_str().expect("a name")
}

/// A package that does not say `publish = false`.
fn is_published(package: &Value) -> bool {
    package["publish"].is_null()
}

fn folder(package: &Value) -> PathBuf {
    let manifest = Path::new(package["manifest_path"].as_str().expect("a path"));
    manifest.parent().expect("a manifest lies in a folder").to_owned()
}

/// Slugs that the registry knows; it refuses a package with another one.
const CATEGORIES: &[&str] = &[
    "asynchronous",
    "concurrency",
    "development-tools::cargo-plugins",
    "development-tools::testing",
    "memory-management",
    "network-programming",
];

/// A target that is not built as a test has none: they would never run.
#[test]
fn targets_that_are_no_tests_have_none() {
    let mut wrong = Vec::new();
    for package in packages() {
        let targets = package["targets"].as_array().expect("targets").clone();
        for target in targets.iter().filter(|target| target["test"] == false) {
            let root = PathBuf::from(target["src_path"].as_str().expect("a path"));
            let is_library = target["kind"].as_array().is_some_and(|kinds| kinds.contains(&Value::from("lib")));
            let beside = if is_library { rust_files(root.parent().expect("a folder")) } else { vec![root.clone()] };
            for file in beside.iter().filter(|file| !file.ends_with("main.rs") || **file == root) {
                let tokens = tokens(&read(file));
                let is_test = |window: &[Token]| ["#", "[", "test", "]"].iter().zip(window).all(|(a, b)| *a == b.text);
                if tokens.windows(4).any(is_test) {
                    wrong.push(format!("{}: it has `test = false` in its Cargo.toml", shown(file)));
                }
            }
        }
    }
    none(&wrong);
}

#[test]
fn the_crates_of_users_are_published_and_no_others() {
    let published = |package: &&Value| is_published(package);
    let names: BTreeSet<String> = packages().iter().filter(published).map(|package| name(package).to_owned()).collect();
    let expected = [
        "cargo-netcheck",
        "netcheck",
        "netcheck-capture",
        "netcheck-check",
        "netcheck-macros",
        "netcheck-memory",
        "netcheck-models",
        "netcheck-peer",
        "netcheck-runtime",
        "netcheck-tracked",
        "netcheck-tracked-std",
        "netcheck-words",
    ];
    assert!(
        names.iter().eq(expected),
        "write `publish = false`, or add it here and to the folders of .ci/package: {names:?}"
    );
}

/// The release renames one package, and copies into the folders of the others.
#[test]
fn the_release_knows_the_published_crates() {
    let release = read(&root().join(".ci/package"));
    let line = |begin: &str| release.lines().find_map(|line| line.strip_prefix(begin)).expect("the release sets it");
    let (renamed, folders) = (line("name="), line("folders=("));
    let of_library = |package: &Value| name(package) == "netcheck";
    let packages = packages();
    let others = packages.iter().filter(|package| is_published(package) && !of_library(package));
    let others: BTreeSet<&str> = others.map(name).collect();
    assert!(folders.trim_end_matches(')').split(' ').collect::<BTreeSet<_>>() == others, "{folders}");
    let library = packages.iter().find(|package| of_library(package)).expect("the library");
    assert_eq!(library["documentation"], format!("https://docs.rs/{renamed}"));
    for page in ["README.md", "docs/src/getting-started.md"] {
        let wanted = format!("{renamed} = \"{}\"", minor(library["version"].as_str().expect("a version")));
        assert!(read(&root().join(page)).contains(&wanted), "{page} says: {wanted}");
    }
}

/// The text that users write for a version: `0.1` for `0.1.3`.
fn minor(version: &str) -> &str {
    version.rsplit_once('.').expect("three numbers").0
}

#[test]
fn published_packages_say_what_they_are() {
    let mut wrong = Vec::new();
    for package in packages().iter().filter(|package| is_published(package)) {
        let mut demand = |holds: bool, what: &str| {
            if !holds {
                wrong.push(format!("{}: {what}", shown(&folder(package).join("Cargo.toml"))));
            }
        };
        for field in ["description", "license", "repository", "documentation", "readme", "rust_version"] {
            demand(package[field].is_string(), &format!("`{field}` is missing"));
        }
        let list = |field: &str| {
            let values = package[field].as_array().expect("a list").iter();
            values.map(|value| value.as_str().expect("text").to_owned()).collect::<Vec<String>>()
        };
        let (keywords, categories) = (list("keywords"), list("categories"));
        demand((1..=5).contains(&keywords.len()), "it has one to five keywords");
        demand(keywords.iter().all(|word| is_keyword(word)), "a keyword has at most 20 letters, digits or hyphens");
        demand(!categories.is_empty(), "it has a category");
        for category in categories.iter().filter(|category| !CATEGORIES.contains(&category.as_str())) {
            demand(false, &format!("`{category}` is none of {CATEGORIES:?}"));
        }
        let readme = package["readme"].as_str().unwrap_or_default();
        demand(folder(package).join(readme).is_file(), "its readme is no file of its folder");
        let version = package["version"].as_str().expect("a version");
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let (to, wanted) = (name(dependency), dependency["req"].as_str().expect("a requirement"));
            // Cargo leaves out a dev-dependency without a version.
            let is_left_out = dependency["kind"] == "dev" && wanted == "*";
            let is_ours = dependency["path"].is_string() && !is_left_out;
            demand(!is_ours || wanted == format!("^{version}"), &format!("it wants {to} {wanted}, not {version}"));
        }
    }
    none(&wrong);
}

fn is_keyword(word: &str) -> bool {
    word.len() <= 20
        && word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// Files that cargo adds, that a registry shows, and with which every file has to come.
const BESIDE_SOURCES: &[&str] = &[
    ".cargo_vcs_info.json",
    "CHANGELOG.md",
    "Cargo.lock",
    "Cargo.toml",
    "Cargo.toml.orig",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "build.rs",
];

/// Files under `src/` that only tests compile, besides modules that are called so.
const FOR_TESTS: &[(&str, &[&str])] = &[("netcheck-macros", &["src/model_check/table.in", "src/testing.rs"])];

fn is_for_tests(package: &str, file: &str) -> bool {
    let listed = FOR_TESTS.iter().any(|(owner, files)| *owner == package && files.contains(&file));
    listed || file.ends_with("/tests.rs") || file.split('/').any(|part| part == "tests")
}

/// The files under a folder, from there.
fn files_below(folder: &Path, from: &str, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder.join(from)).expect("a folder") {
        let entry = entry.expect("an entry");
        let inside = format!("{from}/{}", entry.file_name().to_str().expect("a name in UTF-8"));
        match entry.path().is_dir() {
            true => files_below(folder, &inside, found),
            false => {
                found.insert(inside);
            }
        }
    }
}

#[test]
fn packages_have_the_files_that_users_need_and_no_tests() {
    let mut wrong = Vec::new();
    for package in packages().iter().filter(|package| is_published(package)) {
        let name = name(package);
        let listed = cargo(&["package", "--list", "--package", name, "--allow-dirty", "--offline"]);
        let packaged: BTreeSet<String> = listed.lines().map(|line| line.replace('\\', "/")).collect();
        let mut needed = BTreeSet::new();
        files_below(&folder(package), "src", &mut needed);
        needed.retain(|file| !is_for_tests(name, file));
        for file in needed.difference(&packaged) {
            wrong.push(format!("{name}: {file} is not packaged: see `include`, or FOR_TESTS"));
        }
        for file in packaged.difference(&needed).filter(|file| !BESIDE_SOURCES.contains(&file.as_str())) {
            wrong.push(format!("{name}: {file} is packaged, and no user needs it: see `include`"));
        }
    }
    none(&wrong);
}
