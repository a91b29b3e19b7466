//! The compiler, as it is run for a program that uses the library, and what it says of the program.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// The folder in which cargo runs the compiler, so that what libraries remember of their files is found.
const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Where this package is in it.
const PACKAGE: &str = "tests/ui/";

/// What the compiler says of `program`, a path in this package, as it says it on each machine and whatever the lines of
/// the library are.
///
/// # Panics
///
/// Panics if the program compiles.
pub(crate) fn complaints(program: &str) -> String {
    let test = env::current_exe().expect("this test is a file");
    let libraries = test.parent().expect("it lies beside the libraries that it was linked with");
    let output = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .current_dir(WORKSPACE)
        .args(["--edition=2024", "--emit=metadata", "--diagnostic-width=140", "--allow=dead_code", "--out-dir"])
        .arg(env!("CARGO_TARGET_TMPDIR"))
        .arg(format!("-Ldependency={}", libraries.display()))
        .arg(format!("--extern=netcheck={}", newest(libraries, "libnetcheck-").display()))
        .arg(format!("--extern=tokio={}", newest(libraries, "libfull_tokio-").display()))
        .arg(format!("{PACKAGE}{program}"))
        .output()
        .expect("the compiler runs");
    assert!(!output.status.success(), "{program} compiles");
    anywhere(&String::from_utf8(output.stderr).expect("the compiler writes UTF-8"))
}

/// The library that this test was linked with. Cargo has just seen to it that it is built; others of the name were built
/// earlier, or for other features.
fn newest(folder: &Path, prefix: &str) -> PathBuf {
    let is_one = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(prefix) && name.ends_with(".rlib")
    };
    let built = |path: &PathBuf| fs::metadata(path).and_then(|file| file.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let newest = files.filter(is_one).max_by_key(built);
    newest.unwrap_or_else(|| panic!("{} has no {prefix}*.rlib: the test looks for it beside itself", folder.display()))
}

/// `said` without its summary, the folders of this machine, the numbers of lines outside the program, and how many more
/// types there are that implement a trait.
fn anywhere(said: &str) -> String {
    let summary = said.find("error: aborting due to").unwrap_or(said.len());
    let diagnostics = said[..summary].trim_end().split("\n\n");
    diagnostics.map(diagnostic).collect::<Vec<_>>().join("\n\n")
}

fn diagnostic(said: &str) -> String {
    // The margin has room for the longest number of a line, which may be one of the library.
    let mut margin = 0;
    let mut longest = 1;
    let mut is_program = true;
    let mut lines = Vec::new();
    for line in said.lines() {
        // such a section is about the program, unless a place follows
        is_program |= line.starts_with("help: ");
        if let Some((before, sign, place)) = place(line) {
            margin = before.len();
            is_program = place.starts_with(PACKAGE);
            let path = match place.strip_prefix(PACKAGE) {
                Some(place) => place.to_owned(),
                None => format!("$WORKSPACE/{}", place.split(':').next().unwrap_or(place)),
            };
            lines.push(format!("{before}{sign} {path}"));
        } else if let Some(number) = number(line) {
            if is_program {
                longest = longest.max(number.len());
                lines.push(line.to_owned());
            } else {
                lines.push(line.replacen(number, &" ".repeat(number.len()), 1));
            }
        } else {
            lines.push(others(line));
        }
    }
    let room = " ".repeat(margin.saturating_sub(longest));
    let narrower = |line: &String| line.strip_prefix(&room).unwrap_or(line).to_owned();
    lines.iter().map(narrower).collect::<Vec<_>>().join("\n")
}

/// The margin, the arrow and the place of a line that says where something is.
fn place(line: &str) -> Option<(&str, &str, &str)> {
    let signed = |sign| line.split_once(sign).map(|(before, place)| (before, sign, place.trim_start()));
    let found = signed("-->").or_else(|| signed(":::"));
    found.filter(|(before, ..)| before.chars().all(|c| c == ' '))
}

/// The number of a line of source.
fn number(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let end = line.find(|c: char| !c.is_ascii_digit())?;
    (end > 0 && line[end..].trim_start().starts_with(['|', '+', '-', '~'])).then(|| &line[..end])
}

/// `and 55 others` without the number, which is that of all libraries.
fn others(text: &str) -> String {
    let counted = text.trim_start().strip_prefix("and ").and_then(|text| text.strip_suffix(" others"));
    match counted {
        Some(number) => text.replace(number, "$N"),
        None => text.to_owned(),
    }
}
