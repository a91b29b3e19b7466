//! Source lines as text: the same on every machine.

use std::panic::Location;

/// `file:line`, with the file name normalized: a `#[path]` attribute can leave detours in it.
pub fn place(location: &Location<'_>) -> String {
    file_and_line(location.file(), location.line())
}

/// The path of a file of a dependency from cargo's registry on: it begins with the package and its version.
pub(super) fn in_the_registry(path: &str) -> Option<&str> {
    Some(path.split_once("/registry/src/")?.1.split_once('/')?.1)
}

/// As [`place`], for a file and a line.
pub(super) fn file_and_line(path: &str, line: u32) -> String {
    let path = in_the_registry(path).unwrap_or(path);
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
