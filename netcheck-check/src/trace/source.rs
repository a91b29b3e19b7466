//! The source lines of steps, where the files can be read.

use crate::trace::step::Step;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Adds to each step the line that its location names.
pub(crate) fn read_lines(steps: &mut [Step]) {
    let roots = roots();
    let mut files: BTreeMap<String, Option<String>> = BTreeMap::new();
    for step in steps {
        let Some((file, line)) = step.location.as_deref().and_then(|location| location.rsplit_once(':')) else {
            continue;
        };
        let text = files
            .entry(file.to_owned())
            .or_insert_with(|| roots.iter().find_map(|root| std::fs::read_to_string(root.join(file)).ok()));
        let number = line.parse::<usize>().ok().and_then(|line| line.checked_sub(1));
        let line = text.as_ref().zip(number).and_then(|(text, number)| text.lines().nth(number));
        step.source = line.map(|line| line.trim().replace('\t', " ")).filter(|line| !line.is_empty());
    }
}

/// Where paths of source files may begin: cargo compiles a workspace from its root, and runs a
/// test in the folder of its package.
fn roots() -> Vec<PathBuf> {
    let Ok(here) = std::env::current_dir() else { return Vec::new() };
    let workspace = here.ancestors().find(|folder| folder.join("Cargo.lock").exists()).map(Path::to_path_buf);
    workspace.into_iter().chain([here]).collect()
}
