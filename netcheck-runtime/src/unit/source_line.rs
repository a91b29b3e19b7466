//! Source lines in words: the same on every machine.

use std::panic::Location;

/// `file:line`, without the detours that a `#[path]` attribute leaves in file names.
pub(crate) fn place(location: &Location<'_>) -> String {
    file_and_line(location.file(), location.line())
}

/// As [`place`], of a file and a line in it.
pub(super) fn file_and_line(path: &str, line: u32) -> String {
    // A file of a dependency, without where the registry is on this machine.
    let path =
        path.split_once("/registry/src/").and_then(|(_, rest)| rest.split_once('/')).map_or(path, |(_, rest)| rest);
    let mut file: Vec<&str> = Vec::new();
    for part in path.split(['/', '\\']) {
        match (part, file.last()) {
            ("..", Some(&folder)) if folder != ".." => {
                file.pop();
            }
            _ => file.push(part),
        }
    }
    format!("{}:{line}", file.join("/"))
}
