//! The folder of what checks leave behind.

use std::path::{Path, PathBuf};

/// Cargo's target folder for the user's own builds, where netcheck stands in place of tokio in every crate: `cargo netcheck
/// test` sets it.
const WHOLE: &str = "NETCHECK_WHOLE";

/// Whether netcheck stands in place of tokio in every crate.
pub(crate) fn is_whole() -> bool {
    std::env::var_os(WHOLE).is_some()
}

/// `netcheck` in Cargo's target folder: the one that the test program lies in, or that of the user's own builds.
pub(crate) fn folder() -> PathBuf {
    if let Some(target) = std::env::var_os(WHOLE) {
        return PathBuf::from(target).join("netcheck");
    }
    let program = std::env::current_exe().unwrap_or_default();
    let marked = program.ancestors().find(|folder| folder.join("CACHEDIR.TAG").exists());
    marked.map_or_else(|| PathBuf::from("target"), Path::to_path_buf).join("netcheck")
}
