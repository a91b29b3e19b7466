//! The folder of what checks leave behind.

use std::path::{Path, PathBuf};

/// `netcheck` in Cargo's target folder: the one that the test program lies in.
pub(crate) fn folder() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    let marked = program.ancestors().find(|folder| folder.join("CACHEDIR.TAG").exists());
    marked.map_or_else(|| PathBuf::from("target"), Path::to_path_buf).join("netcheck")
}
