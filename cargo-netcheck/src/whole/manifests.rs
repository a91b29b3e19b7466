//! The manifests of a mirror.

use super::graph::Package;
use crate::Result;
use crate::workspace::is_netcheck;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use toml_edit::{DocumentMut, InlineTable, Item, Table, TableLike, Value, value};

/// The name of the real tokio.
const UPSTREAM: &str = "netcheck-upstream-tokio";

/// The tables of a manifest that list dependencies, also below `target.'cfg(…)'` and `workspace`.
const DEPENDENCIES: &[&str] = &["dependencies", "dev-dependencies", "build-dependencies"];

/// The profile that makes checks fast: the engine at full speed, and the other crates at a level at which polls are cheap.
/// The types of what lies in memory are known from the debug information of the crates that spawn futures, of which
/// [`SPAWNS`] is one.
const PROFILE: &[(&str, i64)] =
    &[("netcheck-runtime", 2), ("netcheck-memory", 2), ("netcheck-models", 2), ("xxhash-rust", 2), ("*", 1)];

/// The crate of the engine whose debug information is needed.
const SPAWNS: &str = "netcheck-runtime";

/// Where the parts of a mirror lie.
pub(super) struct Places<'a> {
    /// The folder of the user's workspace.
    pub(super) from: &'a Path,
    /// Netcheck's folder, and the one of the mirror.
    pub(super) netcheck: [&'a Path; 2],
    /// The package that users depend on, if it comes from a registry.
    pub(super) unpacked: Option<&'a Package>,
    pub(super) tokio: &'a Path,
    /// The packages that are in the mirror with another file.
    pub(super) edited: &'a [(&'static str, PathBuf)],
}

fn parsed(text: &str) -> Result<DocumentMut> {
    text.parse().map_err(|error: toml_edit::TomlError| error.to_string())
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// A manifest of a package whose tests are not built.
fn without_tests(mut manifest: DocumentMut) -> DocumentMut {
    for left_out in ["dev-dependencies", "test", "bench", "example"] {
        manifest.remove(left_out);
    }
    if let Some(targets) = manifest.get_mut("target").and_then(Item::as_table_like_mut) {
        targets.iter_mut().filter_map(|(_, target)| target.as_table_like_mut()).for_each(|target| {
            target.remove("dev-dependencies");
        });
    }
    if let Some(package) = manifest.get_mut("package").and_then(Item::as_table_like_mut) {
        ["autotests", "autobenches", "autoexamples"].iter().for_each(|found| _ = package.insert(found, value(false)));
    }
    manifest
}

/// A manifest of a package without its tests, which belongs to no workspace above it.
fn alone(manifest: &str) -> Result<DocumentMut> {
    let mut manifest = without_tests(parsed(manifest)?);
    manifest["workspace"] = Item::Table(Table::new());
    Ok(manifest)
}

/// The real tokio, with another name and without its tests.
pub(super) fn of_upstream(manifest: &str) -> Result<String> {
    let mut manifest = alone(manifest)?;
    manifest["package"]["name"] = value(UPSTREAM);
    manifest["lib"].or_insert(Item::Table(Table::new()))["name"] = value("tokio");
    Ok(manifest.to_string())
}

/// A package with another file, without its tests. What the other file does not use any more is no warning.
pub(super) fn of_edited(manifest: &str) -> Result<String> {
    let mut manifest = alone(manifest)?;
    manifest["lints"].or_insert(Item::Table(Table::new()))["rust"]["dead_code"] = value("allow");
    Ok(manifest.to_string())
}

/// The package that stands in place of tokio: of its version, with all names of its features.
pub(super) fn of_tokio(tokio: &Package, (netcheck, at): (&Package, &Path), upstream: &Path) -> String {
    let mut manifest = DocumentMut::new();
    manifest["workspace"] = Item::Table(Table::new());
    manifest["package"]["name"] = value("tokio");
    manifest["package"]["version"] = value(&tokio.version);
    manifest["package"]["edition"] = value("2024");
    for feature in tokio.features.keys() {
        manifest["features"][feature] = value(Value::Array(toml_edit::Array::new()));
    }
    manifest["dependencies"]["netcheck"]["package"] = value(&netcheck.name);
    manifest["dependencies"]["netcheck"]["path"] = value(text(at));
    let mut real = InlineTable::new();
    real.insert("package", UPSTREAM.into());
    real.insert("path", text(upstream).into());
    real.insert("features", Value::Array(["full"].into_iter().collect()));
    manifest["dependencies"]["upstream"] = value(real);
    manifest.to_string()
}

/// One of netcheck's own, on the real tokio.
pub(super) fn of_netcheck(manifest: &str, upstream: &Path) -> Result<String> {
    let mut manifest = without_tests(parsed(manifest)?);
    for_each_dependency(&mut manifest, |name, dependency| {
        let is_tokio = package_of(name, dependency) == "tokio";
        if is_tokio && dependency.get("workspace").is_none() {
            dependency.remove("version");
            dependency.insert("package", value(UPSTREAM));
            dependency.insert("path", value(text(upstream)));
        }
    });
    Ok(manifest.to_string())
}

/// One of netcheck's own as a registry has it, on the real tokio, and on the others in the same folder.
pub(super) fn of_unpacked(manifest: &str, folder: &Path, upstream: &Path) -> Result<String> {
    let mut manifest = parsed(&of_netcheck(manifest, upstream)?)?;
    for_each_dependency(&mut manifest, |name, dependency| {
        let package = package_of(name, dependency);
        if package.starts_with("netcheck-") && package != UPSTREAM {
            ["version", "registry", "registry-index"].iter().for_each(|key| _ = dependency.remove(key));
            dependency.insert("path", value(text(&folder.join(package))));
        }
    });
    manifest["workspace"] = Item::Table(Table::new());
    Ok(manifest.to_string())
}

/// One of the user's.
pub(super) fn of_workspace(manifest: &str, at: &Path, places: &Places<'_>) -> Result<String> {
    let mut manifest = parsed(manifest)?;
    let folder = at.parent().expect("a manifest lies in a folder");
    for_each_dependency(&mut manifest, |name, dependency| {
        if is_netcheck(&package_of(name, dependency)) && dependency.get("git").is_some() {
            ["git", "rev", "branch", "tag"].iter().for_each(|key| _ = dependency.remove(key));
            dependency.insert("path", value(text(places.netcheck[1])));
            return;
        }
        let Some(path) = dependency.get("path").and_then(Item::as_str) else { return };
        let path = real(&folder.join(path));
        // Also where the workspace lies in netcheck's folder.
        let is_mirrored = path.starts_with(real(places.from));
        if is_mirrored {
            return;
        }
        if path == real(places.netcheck[0]) {
            dependency.insert("path", value(text(places.netcheck[1])));
        } else if let Ok(within) = path.strip_prefix(real(places.netcheck[0])) {
            dependency.insert("path", value(text(&places.netcheck[1].join(within))));
        } else {
            dependency.insert("path", value(text(&path)));
        }
    });
    if folder == places.from {
        at_root(&mut manifest, places)?;
    }
    Ok(manifest.to_string())
}

/// Adds the patch and the profile, which only the manifest at the root may have.
fn at_root(manifest: &mut DocumentMut, places: &Places<'_>) -> Result<()> {
    if manifest.get("patch").and_then(|patch| patch.get("crates-io")?.get("tokio")).is_some() {
        return Err("it has a [patch] for tokio, which netcheck would take the place of".to_owned());
    }
    manifest.entry("workspace").or_insert(Item::Table(Table::new()));
    manifest["patch"]["crates-io"]["tokio"]["path"] = value(text(places.tokio));
    for (package, folder) in places.edited {
        manifest["patch"]["crates-io"][package]["path"] = value(text(folder));
    }
    if let Some(netcheck) = places.unpacked {
        manifest["patch"]["crates-io"][&netcheck.name]["path"] = value(text(places.netcheck[1]));
    }
    for (package, level) in PROFILE {
        let of_package = &mut manifest["profile"]["dev"]["package"][package];
        if of_package.get("opt-level").is_none() {
            of_package["opt-level"] = value(*level);
            if *package != "*" && *package != SPAWNS {
                of_package["debug"] = value(false);
            }
        }
    }
    Ok(())
}

/// The package that a dependency is about.
fn package_of(name: &str, dependency: &dyn TableLike) -> String {
    dependency.get("package").and_then(Item::as_str).unwrap_or(name).to_owned()
}

/// All dependencies, as tables.
fn for_each_dependency(manifest: &mut DocumentMut, mut edit: impl FnMut(&str, &mut dyn TableLike)) {
    let mut of = |table: &mut dyn TableLike| {
        for key in DEPENDENCIES {
            let Some(dependencies) = table.get_mut(key).and_then(Item::as_table_like_mut) else { continue };
            for (name, dependency) in dependencies.iter_mut() {
                if let Some(version) = dependency.as_str().map(str::to_owned) {
                    let mut table = InlineTable::new();
                    table.insert("version", version.into());
                    *dependency = value(table);
                }
                if let Some(dependency) = dependency.as_table_like_mut() {
                    edit(name.get(), dependency);
                }
            }
        }
    };
    of(manifest.as_table_mut());
    if let Some(workspace) = manifest.get_mut("workspace").and_then(Item::as_table_like_mut) {
        of(workspace);
    }
    if let Some(targets) = manifest.get_mut("target").and_then(Item::as_table_like_mut) {
        targets.iter_mut().filter_map(|(_, target)| target.as_table_like_mut()).for_each(&mut of);
    }
}

/// The packages of a lock file: names and versions.
pub(super) fn locked(lock: &str) -> Result<BTreeSet<(String, String)>> {
    let lock = parsed(lock)?;
    let packages = lock.get("package").and_then(Item::as_array_of_tables);
    let text = |package: &Table, key: &str| package.get(key).and_then(Item::as_str).map(str::to_owned);
    let package = |package: &Table| Some((text(package, "name")?, text(package, "version")?));
    Ok(packages.into_iter().flatten().filter_map(package).collect())
}

/// A path without links; where it leads nowhere, without `..`.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| {
        path.components().fold(PathBuf::new(), |mut real, part| {
            match part {
                Component::ParentDir => _ = real.pop(),
                Component::CurDir => {}
                part => real.push(part),
            }
            real
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const USERS: &str = r#"
[package]
name = "mine" # a comment stays

[dependencies]
tokio = "1"
other = { path = "../other" }
beside = { path = "beside" }

[target.'cfg(unix)'.dev-dependencies]
netcheck = { path = "../netcheck" }

[profile.dev.package]
netcheck-runtime = { opt-level = 3 }
"#;

    fn places() -> Places<'static> {
        Places {
            from: Path::new("/nowhere/mine"),
            netcheck: [Path::new("/nowhere/netcheck"), Path::new("/mirror/netcheck")],
            unpacked: None,
            tokio: Path::new("/mirror/tokio"),
            edited: &[],
        }
    }

    fn of_users(manifest: &str) -> DocumentMut {
        let edited = [("bytes", PathBuf::from("/mirror/bytes"))];
        let edited =
            of_workspace(manifest, Path::new("/nowhere/mine/Cargo.toml"), &Places { edited: &edited, ..places() });
        parsed(&edited.expect("a manifest")).expect("a manifest")
    }

    #[test]
    fn paths_lead_where_they_led_and_netchecks_into_the_mirror() {
        let manifest = of_users(USERS);
        let path = |item: &Item| item["path"].as_str().map(str::to_owned);
        assert_eq!(path(&manifest["dependencies"]["other"]).as_deref(), Some("/nowhere/other"));
        assert_eq!(path(&manifest["dependencies"]["beside"]).as_deref(), Some("beside"), "it is mirrored");
        let netcheck = &manifest["target"]["cfg(unix)"]["dev-dependencies"]["netcheck"];
        assert_eq!(path(netcheck).as_deref(), Some("/mirror/netcheck"));
        assert_eq!(path(&manifest["patch"]["crates-io"]["tokio"]).as_deref(), Some("/mirror/tokio"));
        assert_eq!(path(&manifest["patch"]["crates-io"]["bytes"]).as_deref(), Some("/mirror/bytes"));
        assert!(manifest.to_string().contains("# a comment stays") && manifest.get("workspace").is_some());
    }

    #[test]
    fn packages_of_a_workspace_in_netchecks_folder_are_mirrored_with_it() {
        let within = Path::new("/nowhere/netcheck/tests/mine");
        let places = Places { from: within, ..places() };
        let users = "[dependencies]\nlog = { path = \"log\" }\n[dev-dependencies]\nnetcheck = { path = \"../..\" }\n";
        let edited = of_workspace(users, &within.join("Cargo.toml"), &places).expect("a manifest");
        let manifest = parsed(&edited).expect("a manifest");
        assert_eq!(manifest["dependencies"]["log"]["path"].as_str(), Some("log"));
        assert_eq!(manifest["dev-dependencies"]["netcheck"]["path"].as_str(), Some("/mirror/netcheck"));
    }

    #[test]
    fn a_netcheck_of_git_is_the_mirrors() {
        let manifest = of_users(
            "[dev-dependencies]\nnetcheck = { git = \"https://x/netcheck\", branch = \"main\", features = [] }\n",
        );
        let netcheck = &manifest["dev-dependencies"]["netcheck"];
        assert_eq!(netcheck["path"].as_str(), Some("/mirror/netcheck"));
        assert!(
            netcheck.get("git").is_none() && netcheck.get("branch").is_none() && netcheck.get("features").is_some()
        );
    }

    #[test]
    fn the_users_profile_goes_first() {
        let manifest = of_users(USERS);
        let level = |package: &str| manifest["profile"]["dev"]["package"][package]["opt-level"].as_integer();
        assert_eq!([level("netcheck-runtime"), level("netcheck-memory"), level("*")], [Some(3), Some(2), Some(1)]);
    }

    #[test]
    fn a_patch_of_tokio_is_refused() {
        let manifest = "[patch.crates-io]\ntokio = { path = \"../tokio\" }\n";
        let refused = of_workspace(manifest, Path::new("/nowhere/mine/Cargo.toml"), &places());
        assert!(refused.expect_err("it is there already").contains("[patch] for tokio"));
    }

    fn package(name: &str) -> Package {
        let json = r#"{"name": "NAME", "version": "1.50.2", "manifest_path": "/t/Cargo.toml", "source": null,
            "features": {"full": ["rt"], "rt": []}}"#;
        serde_json::from_str(&json.replace("NAME", name)).expect("a package")
    }

    #[test]
    fn a_netcheck_of_a_registry_is_patched_and_its_packages_find_each_other() {
        let netcheck = package("netcheck-tokio");
        let places = Places { unpacked: Some(&netcheck), ..places() };
        let users = "[dev-dependencies]\nnetcheck = { package = \"netcheck-tokio\", version = \"0.1\" }\n";
        let edited = of_workspace(users, Path::new("/nowhere/mine/Cargo.toml"), &places).expect("a manifest");
        let manifest = parsed(&edited).expect("a manifest");
        assert_eq!(manifest["patch"]["crates-io"]["netcheck-tokio"]["path"].as_str(), Some("/mirror/netcheck"));
        let own = "[dependencies.netcheck-check]\nversion = \"0.1.0\"\n[dependencies.tokio]\nversion = \"1\"\n";
        let own = parsed(&of_unpacked(own, Path::new("/n"), Path::new("/u")).expect("a manifest")).expect("a manifest");
        let check = &own["dependencies"]["netcheck-check"];
        assert!(check["path"].as_str() == Some("/n/netcheck-check") && check.get("version").is_none());
        assert_eq!(own["dependencies"]["tokio"]["path"].as_str(), Some("/u"));
        assert!(own["workspace"].is_table());
    }

    #[test]
    fn the_package_in_place_of_tokio_has_all_names_of_its_features() {
        let netcheck = package("netcheck-tokio");
        let edited = of_tokio(&package("tokio"), (&netcheck, Path::new("/n")), Path::new("/u"));
        let manifest = parsed(&edited).expect("a manifest");
        assert_eq!(manifest["dependencies"]["netcheck"]["package"].as_str(), Some("netcheck-tokio"));
        assert_eq!(manifest["package"]["version"].as_str(), Some("1.50.2"));
        assert!(
            ["full", "rt"]
                .iter()
                .all(|feature| manifest["features"][feature].as_array().is_some_and(|on| on.is_empty()))
        );
        assert_eq!(manifest["dependencies"]["upstream"]["package"].as_str(), Some(UPSTREAM));
    }

    #[test]
    fn the_real_tokio_has_another_name_and_no_tests() {
        let manifest = "[package]\nname = \"tokio\"\n[dev-dependencies]\nrand = \"1\"\n[[test]]\nname = \"t\"\n";
        let manifest = parsed(&of_upstream(manifest).expect("a manifest")).expect("a manifest");
        assert_eq!(manifest["package"]["name"].as_str(), Some(UPSTREAM));
        assert_eq!(manifest["lib"]["name"].as_str(), Some("tokio"));
        assert!(manifest.get("dev-dependencies").is_none() && manifest.get("test").is_none());
        assert!(manifest["workspace"].is_table(), "it belongs to no workspace above it");
    }

    #[test]
    fn netchecks_crates_use_the_real_tokio() {
        let manifest = "[workspace.dependencies]\ntokio = { version = \"1.44\", default-features = false }\n\
                        [dependencies]\ntokio = { workspace = true, features = [\"sync\"] }\n";
        let manifest = parsed(&of_netcheck(manifest, Path::new("/u")).expect("a manifest")).expect("a manifest");
        let whole = &manifest["workspace"]["dependencies"]["tokio"];
        assert_eq!((whole["package"].as_str(), whole["path"].as_str()), (Some(UPSTREAM), Some("/u")));
        assert!(whole.get("version").is_none() && whole["default-features"].as_bool() == Some(false));
        assert!(manifest["dependencies"]["tokio"].get("path").is_none(), "the workspace says it");
    }
}
