//! Where a test stands, and its package, where that is one of a workspace.

use std::path::Path;

/// Where a test stands.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct TestInfo {
    /// As cargo calls it, if cargo compiled the test.
    pub package: Option<&'static str>,
    pub module: &'static str,
    pub name: &'static str,
    pub file: &'static str,
    pub line: u32,
}

/// The package of a test, if it is a member of a workspace in another folder: the other members may have tests of the same
/// name. (`cargo test` in the folder of a package that has members runs its own tests alone.)
pub(super) fn package(test: TestInfo) -> Option<&'static str> {
    let folder = std::env::var_os("CARGO_MANIFEST_DIR")?;
    test.package.filter(|_| is_member(Path::new(&folder)))
}

/// Whether the manifest of a folder above has a workspace, and that of this one has none.
fn is_member(folder: &Path) -> bool {
    let has_workspace = |folder: &Path| {
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml"));
        manifest.is_ok_and(|manifest| manifest.lines().any(is_of_workspace))
    };
    !has_workspace(folder) && folder.ancestors().skip(1).any(has_workspace)
}

/// Whether a line of a manifest begins a table of a workspace.
fn is_of_workspace(line: &str) -> bool {
    let table = line.trim_start().strip_prefix('[').and_then(|line| line.trim_start().strip_prefix("workspace"));
    table.is_some_and(|rest| rest.trim_start().starts_with([']', '.']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_begins_with_its_table_or_a_part_of_it() {
        for line in ["[workspace]", "  [ workspace ] # all", "[workspace.dependencies]"] {
            assert!(is_of_workspace(line), "{line}");
        }
        for line in ["# [workspace]", "workspace = \"..\"", "[workspaces]", "[package.workspace]", "[[workspace]]", ""]
        {
            assert!(!is_of_workspace(line), "{line}");
        }
    }

    #[test]
    fn a_package_below_a_workspace_is_a_member_and_one_with_a_workspace_is_none() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
        assert!(is_member(&root.join("netcheck-check")));
        assert!(!is_member(root));
    }
}
