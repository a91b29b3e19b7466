//! Source lines as text: the same on every machine.

use std::panic::Location;

/// `file:line`, with the file name normalized: a `#[path]` attribute can leave detours in it.
pub fn place(location: &Location<'_>) -> String {
    file_and_line(location.file(), location.line())
}

/// As [`place`], for a file and a line.
pub(super) fn file_and_line(path: &str, line: u32) -> String {
    // A file of a dependency is shown without the path of the registry.
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
