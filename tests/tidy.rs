//! The layering, made executable: which crate may use which, which module may use which, and
//! what must appear nowhere. `ARCHITECTURE.md` says why.
//!
//! A violation names its file and line, and what to do. If an edge is right after all, add it
//! to the tables below and change `ARCHITECTURE.md` in the same step.

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

// ---------------------------------------------------------------------------------------------
// The rules

/// Crates of the workspace, and which others of them each may depend on.
const CRATES: &[(&str, &[&str])] = &[
    ("netcheck", &["netcheck-macros", "netcheck-runtime"]),
    ("netcheck-macros", &[]),
    ("netcheck-models", &[]),
    ("netcheck-runtime", &["netcheck-models"]),
    // Under tests/crates/: on tokio, and checked.
    ("heartbeat", &["netcheck"]),
    ("line-protocol", &["netcheck"]),
    ("work-queue", &["netcheck"]),
];

/// A module and the modules of its crate that it may use, besides itself and what is in it;
/// no more than it does use. The row with the longest matching name counts. `""` is the crate
/// root.
type Row = (&'static str, &'static [&'static str]);

const MODELS: &[Row] = &[
    ("", &[]),
    ("event", &[]),
    ("budget", &["event"]),
    ("tcp::half_stream", &[]),
    ("tcp", &[]),
    ("udp::rules", &[]),
    ("udp", &["budget", "event"]),
];

const MACROS: &[Row] = &[
    ("", &["entry", "isolated", "model_check", "process", "program", "select"]),
    ("ctxt", &[]),
    ("function", &[]),
    ("fallback", &["function"]),
    ("words", &["ctxt"]),
    ("capture", &["ctxt", "function", "select", "testing"]),
    ("entry", &["ctxt", "fallback", "function", "testing", "words"]),
    ("isolated", &["ctxt", "testing"]),
    ("model_check", &["ctxt", "fallback", "function", "testing", "words"]),
    ("process", &["capture", "ctxt", "fallback", "function", "testing", "words"]),
    ("program", &["capture", "ctxt", "fallback", "function", "testing"]),
    ("select", &["testing"]),
    ("testing", &[]),
];

const RUNTIME: &[Row] = &[
    // Data.
    ("id", &[]),
    ("operation", &["id"]),
    ("violation", &[]),
    // Fronts, shaped like tokio: they marshal calls into operations of the current unit.
    ("capture", &["unit::checkpoint", "unit::context"]),
    ("coverage", &["operation", "unit::context", "unit::panics", "unit::wording"]),
    ("faults", &["operation", "unit::context"]),
    ("isolated", &["capture", "id", "operation", "time", "unit::context", "unit::instance"]),
    ("net", &["id", "isolated", "operation", "unit::context"]),
    ("runtime", &["task", "unit::context"]),
    ("select", &["operation", "unit::context"]),
    ("signal", &[]),
    ("sync::object", &["unit::causality", "unit::context"]),
    ("sync", &[]),
    ("task", &["capture", "id", "isolated", "operation", "sync::object", "unit::context", "unit::instance"]),
    ("time", &["capture", "operation", "unit::context"]),
    // The engine, from the bottom up.
    ("unit", &["id", "operation"]),
    ("state", &["id", "operation", "unit"]),
    (
        "reduction::symmetry",
        &[
            "id",
            "operation",
            "reduction::stubborn",
            "reduction::successors",
            "state",
            "unit::automaton",
            "unit::context",
            "unit::wording",
        ],
    ),
    ("reduction", &["id", "operation", "state", "unit::automaton", "unit::causality"]),
    ("property", &["id", "operation", "state", "unit::automaton", "unit::panics", "unit::wording", "violation"]),
    ("search::frontier", &["id", "state::store"]),
    ("search::progress", &[]),
    ("search", &["id", "property", "reduction", "state", "unit::automaton", "unit::wording", "violation"]),
    (
        "replay",
        &[
            "id",
            "property",
            "reduction",
            "state",
            "trace::describe",
            "trace::flow",
            "trace::situation",
            "trace::step",
            "unit::perform",
            "violation",
        ],
    ),
    // What happened, in words.
    ("trace::asked", &["operation", "unit::context", "unit::wording"]),
    ("trace::step", &["trace::asked"]),
    ("trace::describe", &["id", "operation", "state", "trace::asked", "trace::step", "unit::wording"]),
    ("trace::flow", &["id", "operation", "state", "trace::describe", "trace::step"]),
    ("trace::situation", &["id", "operation", "state::system", "trace::chart", "unit::automaton", "unit::wording"]),
    ("trace::source", &["trace::step"]),
    ("trace::relation", &["trace::step"]),
    ("trace::chart", &["trace::step"]),
    ("trace::automaton", &["trace::chart"]),
    ("trace::text", &["trace::counterexample", "trace::relation", "trace::step"]),
    ("trace::layout", &[]),
    ("trace::markup", &[]),
    ("trace::machine", &["trace::automaton", "trace::chart", "trace::layout", "trace::markup", "trace::step"]),
    (
        "trace::html",
        &[
            "trace::automaton",
            "trace::chart",
            "trace::counterexample",
            "trace::machine",
            "trace::markup",
            "trace::step",
            "trace::text",
        ],
    ),
    ("trace::mermaid", &["trace::chart", "trace::counterexample", "trace::relation", "trace::step"]),
    (
        "trace::counterexample",
        &["trace::html", "trace::mermaid", "trace::situation", "trace::step", "trace::text", "violation"],
    ),
    ("trace", &[]),
    ("report", &["trace::automaton", "trace::counterexample", "trace::html"]),
    ("propagation", &["trace::chart", "trace::markup"]),
    ("error", &["trace::step"]),
    // The top.
    ("network", &["capture", "property", "unit::instance"]),
    ("check::declare", &["error", "id", "operation", "state::declared", "state::tcp::connections"]),
    ("check::words", &["check", "error", "operation", "search::frontier", "state::declared", "state::store"]),
    (
        "check::job",
        &[
            "check",
            "error",
            "id",
            "network",
            "property",
            "reduction",
            "replay",
            "report",
            "search",
            "state",
            "trace",
            "unit",
            "violation",
        ],
    ),
    (
        "check::automata",
        &[
            "id",
            "operation",
            "search::explored",
            "state::system",
            "trace::automaton",
            "unit::automaton",
            "unit::wording",
        ],
    ),
    (
        "check::job::tests",
        &[
            "check",
            "coverage",
            "net",
            "reduction::successors",
            "search::frontier",
            "select",
            "state",
            "task",
            "time",
            "trace",
        ],
    ),
    (
        "check::job::orbits",
        &[
            "check",
            "id",
            "isolated",
            "net",
            "operation",
            "reduction",
            "select",
            "state::place",
            "task",
            "time",
            "unit::automaton",
        ],
    ),
    ("check::coverage", &["network", "operation", "search::explored", "state::system", "unit::wording"]),
    ("check::monitor", &["search::progress"]),
    ("check::order", &["error", "id", "network", "unit::wording"]),
    (
        "check::propagation",
        &[
            "check",
            "error",
            "id",
            "operation",
            "propagation",
            "property",
            "search::explore",
            "search::explored",
            "state",
            "trace::describe",
            "trace::flow",
            "unit::automaton",
            "unit::wording",
        ],
    ),
    (
        "check",
        &[
            "error",
            "network",
            "propagation",
            "property",
            "report",
            "search::estimate",
            "search::frontier",
            "search::progress",
            "search::score",
            "state::store",
            "trace::counterexample",
            "trace::step",
            "unit::watchdog",
        ],
    ),
    (
        "testing",
        &[
            "check",
            "network",
            "report",
            "trace::automaton",
            "trace::counterexample",
            "trace::html",
            "trace::step",
            "trace::text",
            "violation",
        ],
    ),
    (
        "",
        &[
            "error",
            "network",
            "property",
            "search::estimate",
            "search::frontier",
            "search::score",
            "state::declared",
            "trace",
            "violation",
        ],
    ),
];

/// A path that only some modules may use: crate, path, who may, and why nobody else.
const RESERVED: &[(&str, &str, &[&str], &str)] = &[
    ("netcheck-models", "std::fs", &[], "models perform no I/O"),
    ("netcheck-models", "std::future", &[], "models poll no future"),
    ("netcheck-models", "std::io", &[], "models perform no I/O"),
    ("netcheck-models", "std::net", &[], "models perform no I/O"),
    ("netcheck-models", "std::task", &[], "models poll no future"),
    ("netcheck-models", "std::thread", &[], "models spawn no thread"),
    ("netcheck-models", "std::time", &[], "models read no clock"),
    (
        "netcheck-runtime",
        "netcheck_models",
        &[
            "check::declare",
            "check::propagation",
            "operation",
            "state",
            "trace::describe",
            "trace::flow",
            "trace::step",
        ],
        "only states hold components of the network; a search knows no protocol, a front decides no outcome",
    ),
    (
        "netcheck-runtime",
        "crate::search::explore",
        &["check::job", "check::propagation", "search::explored"],
        "replay uses no search: it looks up each step among those that are possible",
    ),
    (
        "netcheck-runtime",
        "crate::search::concretize",
        &["search::explored"],
        "whether a violation is believed is decided in one place",
    ),
    (
        "netcheck-runtime",
        "std::fs",
        &["testing", "trace::source"],
        "files are read and written by tests, and read for the source lines of steps",
    ),
    (
        "netcheck-runtime",
        "std::env",
        &["check::monitor", "testing", "trace::source", "unit::caller"],
        "the environment is read by tests, for where source files are, and for what is shown of long checks",
    ),
    (
        "netcheck-runtime",
        "std::net",
        &["check::job", "isolated", "net", "operation", "state", "unit::context", "unit::wording"],
        "a search knows no protocol",
    ),
    (
        "netcheck-runtime",
        "std::thread",
        &["check", "unit::context"],
        "a check has one thread for user code and one that watches it",
    ),
    ("netcheck-runtime", "rayon", &["search::expand"], "threads meet in one place, and share what none of them writes"),
    (
        "netcheck-runtime",
        "std::time::Instant",
        &["check::monitor"],
        "the engine reads no clock: the time is a component of the state",
    ),
    (
        "netcheck-runtime",
        "std::time::SystemTime",
        &[],
        "the engine reads no clock: the time is a component of the state",
    ),
];

/// A word that the files of a folder must not have, but for some, and why.
const WORDS: &[(&str, &str, &[&str], &str)] = &[
    ("unsafe", "", &[], "nothing here is worth undefined behaviour"),
    (
        "catch_unwind",
        "netcheck-runtime/src/",
        &["netcheck-runtime/src/unit/panics.rs"],
        "it stands only around polls of user code",
    ),
];

/// Files that are longer than [`LINES_MAX`], with the reason.
const LONG_FILES: &[(&str, &str)] = &[];

const LINES_MAX: usize = 900;

// ---------------------------------------------------------------------------------------------
// The tests

#[test]
fn crates_depend_only_on_those_below() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = ["metadata", "--format-version", "1", "--no-deps", "--offline"];
    let output = Command::new(cargo).args(arguments).current_dir(root()).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let name = |value: &Value| value["name"].as_str().expect("a name").to_owned();
    let all: BTreeSet<String> = packages.iter().map(name).collect();
    let listed: BTreeSet<String> = CRATES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(all, listed, "each crate of the workspace (left) has a row in CRATES (right)");
    let mut wrong = Vec::new();
    for package in packages {
        let from = name(package);
        let (_, allowed) = CRATES.iter().find(|(name, _)| *name == from).expect("just compared");
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let to = name(dependency);
            if all.contains(&to) && !allowed.contains(&to.as_str()) {
                let manifest = package["manifest_path"].as_str().expect("a path");
                wrong.push(format!(
                    "{manifest}: {from} must not depend on {to}: move what it needs to a crate below both"
                ));
            }
        }
    }
    none(&wrong);
}

#[test]
fn modules_use_only_those_below() {
    let mut wrong = Vec::new();
    for (package, rows) in [("netcheck-models", MODELS), ("netcheck-macros", MACROS), ("netcheck-runtime", RUNTIME)] {
        let source = Package::read(package);
        for (file, module) in &source.files {
            for used in paths(&tokens(&read(file)), module) {
                let Some(("crate", to)) = used.path.split_first().map(|(head, rest)| (head.as_str(), rest)) else {
                    continue;
                };
                let (from, to) = (used.module.join("::"), source.module_of(to));
                let row = rows.iter().filter(|(name, _)| is_in(&from, name)).max_by_key(|(name, _)| name.len());
                let (name, allowed) = row.expect("the root's row matches every module");
                let own = !name.is_empty() && is_in(&to, name);
                if !own && to != from && !allowed.iter().any(|allowed| is_in(&to, allowed)) {
                    wrong.push(format!(
                        "{}:{}: `{from}` must not use `{}`; it may use: {}\n    \
                         move what both need to a module below them",
                        shown(file),
                        used.line,
                        used.path.join("::"),
                        if allowed.is_empty() { "nothing".to_owned() } else { allowed.join(", ") },
                    ));
                }
            }
        }
    }
    none(&wrong);
}

#[test]
fn every_module_has_a_row_and_every_row_a_module() {
    let mut wrong = Vec::new();
    for (package, rows) in [("netcheck-models", MODELS), ("netcheck-macros", MACROS), ("netcheck-runtime", RUNTIME)] {
        let source = Package::read(package);
        let names = || rows.iter().flat_map(|(name, allowed)| allowed.iter().chain([name]));
        for name in names().filter(|name| !name.is_empty() && !source.modules.contains(**name)) {
            wrong.push(format!("tests/tidy.rs: {package} has no module `{name}`: take it out of the table"));
        }
        for module in source.modules.iter().filter(|module| !module.contains("::") && !module.is_empty()) {
            if !rows.iter().any(|(name, _)| !name.is_empty() && is_in(name, module)) {
                wrong.push(format!("tests/tidy.rs: `{module}` of {package} has no row: say what it may use"));
            }
        }
    }
    none(&wrong);
}

#[test]
fn every_edge_of_the_tables_is_used() {
    let mut wrong = Vec::new();
    for (package, rows) in [("netcheck-models", MODELS), ("netcheck-macros", MACROS), ("netcheck-runtime", RUNTIME)] {
        let source = Package::read(package);
        let used: Vec<(String, Vec<String>)> = source
            .files
            .iter()
            .flat_map(|(file, module)| paths(&tokens(&read(file)), module))
            .map(|used| (used.module.join("::"), used.path))
            .collect();
        for (name, allowed) in rows {
            let own = |from: &str| {
                let row = rows.iter().filter(|(name, _)| is_in(from, name)).max_by_key(|(name, _)| name.len());
                row.is_some_and(|(row, _)| row == name)
            };
            // In the crate root, a path may do without `crate`.
            let reaches = |path: &[String], to: &str| match path.split_first() {
                Some((head, rest)) if head == "crate" => is_in(&source.module_of(rest), to),
                _ => name.is_empty() && is_in(&source.module_of(path), to),
            };
            for to in allowed.iter().filter(|to| !used.iter().any(|(from, path)| own(from) && reaches(path, to))) {
                wrong.push(format!("tests/tidy.rs: `{name}` of {package} does not use `{to}`: take it out of its row"));
            }
        }
        for (_, reserved, who, _) in RESERVED.iter().filter(|(owner, ..)| *owner == package) {
            let uses =
                |who: &str| used.iter().any(|(from, path)| is_in(from, who) && is_in(&path.join("::"), reserved));
            for who in who.iter().filter(|who| !uses(who)) {
                wrong.push(format!("tests/tidy.rs: `{who}` does not use `{reserved}`: take it out of RESERVED"));
            }
        }
    }
    none(&wrong);
}

#[test]
fn reserved_paths_are_used_only_where_they_may_be() {
    let mut wrong = Vec::new();
    for package in ["netcheck-models", "netcheck-runtime"] {
        for (file, module) in Package::read(package).files {
            for used in paths(&tokens(&read(&file)), &module) {
                let (path, module) = (used.path.join("::"), used.module.join("::"));
                for (_, reserved, who, why) in RESERVED.iter().filter(|(owner, ..)| *owner == package) {
                    if is_in(&path, reserved) && !who.iter().any(|who| is_in(&module, who)) {
                        wrong.push(format!("{}:{}: `{module}` must not use `{path}`: {why}", shown(&file), used.line));
                    }
                }
            }
        }
    }
    none(&wrong);
}

#[test]
fn only_the_facade_is_used_from_outside() {
    let mut wrong = Vec::new();
    for file in
        sources().iter().filter(|file| ["tests", "examples", "benches"].iter().any(|d| shown(file).starts_with(d)))
    {
        for used in paths(&tokens(&read(file)), &[]) {
            if let "netcheck_macros" | "netcheck_models" | "netcheck_runtime" =
                used.path.first().map_or("", String::as_str)
            {
                wrong.push(format!("{}:{}: use it through the crate `netcheck`", shown(file), used.line));
            }
        }
    }
    none(&wrong);
}

#[test]
fn some_words_stand_nowhere_else() {
    let mut wrong = Vec::new();
    for file in sources() {
        for token in tokens(&read(&file)) {
            for (word, folder, files, why) in WORDS {
                let name = shown(&file);
                if token.text == *word && name.starts_with(folder) && !files.contains(&name.as_str()) {
                    wrong.push(format!("{}:{}: no `{word}` here: {why}", shown(&file), token.line));
                }
            }
        }
    }
    none(&wrong);
}

#[test]
fn every_crate_root_forbids_unsafe_code_and_asks_for_docs() {
    let mut wrong = Vec::new();
    for (package, _) in CRATES {
        let file = source_folder(package).join("lib.rs");
        let tokens = tokens(&read(&file));
        let text: String = tokens.iter().map(|token| token.text.as_str()).collect();
        for attribute in ["#![forbid(unsafe_code)]", "#![deny(missing_docs)]"] {
            if !text.contains(attribute) {
                wrong.push(format!("{}: lacks {attribute}", shown(&file)));
            }
        }
    }
    none(&wrong);
}

#[test]
fn an_ignored_test_says_why() {
    let mut wrong = Vec::new();
    for file in sources() {
        for window in tokens(&read(&file)).windows(4) {
            if let ["#", "[", "ignore", "]"] = [0, 1, 2, 3].map(|index| window[index].text.as_str()) {
                wrong.push(format!("{}:{}: write #[ignore = \"why\"]", shown(&file), window[0].line));
            }
        }
    }
    none(&wrong);
}

#[test]
fn long_files_are_listed() {
    let mut wrong = Vec::new();
    for file in sources() {
        let (name, lines) = (shown(&file), read(&file).lines().count());
        let listed = LONG_FILES.iter().any(|(long, _)| *long == name);
        if lines > LINES_MAX && !listed {
            wrong.push(format!("{name}: has {lines} lines: split it, or list it in LONG_FILES with the reason"));
        }
        if lines <= LINES_MAX && listed {
            wrong.push(format!("{name}: is short enough now: take it out of LONG_FILES"));
        }
    }
    none(&wrong);
}

#[test]
fn the_reader_of_sources_sees_what_it_should() {
    let source = r##"
        //! crate::comment
        use crate::{a::{self, b::C}, d};
        mod inner { use super::e; fn f() { let _ = ('"', "crate::text", r#"crate::"raw""#, b'\''); } }
        impl<'a> X<'a> { fn g() -> crate::h::I { std::fs::read(self::j::K) } } /* crate::x /* */ */
        macro_rules! m { () => { $crate::n; crate::o::<u8>::P } }
    "##;
    let seen: Vec<String> = paths(&tokens(source), &["m".to_owned()])
        .iter()
        .map(|used| format!("{} {}", used.line, used.path.join("::")))
        .collect();
    let expected = [
        "3 crate::a",
        "3 crate::a::b::C",
        "3 crate::d",
        "4 crate::m::e",
        "5 crate::h::I",
        "5 std::fs::read",
        "5 crate::m::j::K",
        "6 crate::o",
    ];
    assert_eq!(seen, expected);
}

/// Fails with a list of what is wrong.
#[track_caller]
fn none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

// ---------------------------------------------------------------------------------------------
// Reading sources

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file's name from the root of the workspace, with `/`.
fn shown(file: &Path) -> String {
    let parts = file.strip_prefix(root()).unwrap_or(file).components();
    parts.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect::<Vec<_>>().join("/")
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Every Rust file of the workspace.
fn sources() -> Vec<PathBuf> {
    let folders = ["src", "tests", "examples", "benches", "netcheck-macros", "netcheck-models", "netcheck-runtime"];
    let files = folders.iter().flat_map(|folder| rust_files(&root().join(folder)));
    // benches/peers is no member of the workspace, and has a `target` of its own
    files.filter(|file| !file.starts_with(root().join("benches/peers/target"))).collect()
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    let files = entries.into_iter().flat_map(|entry| match entry.is_dir() {
        true => rust_files(&entry),
        false => Vec::from_iter(entry.extension().is_some_and(|extension| extension == "rs").then_some(entry)),
    });
    files.collect()
}

fn source_folder(package: &str) -> PathBuf {
    let folder = match package {
        "netcheck" => root().to_owned(),
        package if package.starts_with("netcheck") => root().join(package),
        package => root().join("tests/crates").join(package),
    };
    folder.join("src")
}

/// The files of a crate, each with the module that it is.
struct Package {
    files: Vec<(PathBuf, Vec<String>)>,
    modules: BTreeSet<String>,
}

impl Package {
    fn read(package: &str) -> Package {
        let folder = source_folder(package);
        let files: Vec<(PathBuf, Vec<String>)> = rust_files(&folder)
            .into_iter()
            .map(|file| {
                let inside = file.strip_prefix(&folder).expect("it lies there").with_extension("");
                let mut module: Vec<String> =
                    inside.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
                module.pop_if(|last| last == "mod" || last == "lib");
                (file, module)
            })
            .collect();
        let modules = files.iter().map(|(_, module)| module.join("::")).collect();
        Package { files, modules }
    }

    /// The module that a path from the crate root leads into.
    fn module_of(&self, path: &[String]) -> String {
        let prefixes = (0..=path.len()).rev().map(|length| path[..length].join("::"));
        prefixes.into_iter().find(|prefix| self.modules.contains(prefix)).unwrap_or_default()
    }
}

/// Whether `path` is `prefix` or lies in it; everything lies in the root.
fn is_in(path: &str, prefix: &str) -> bool {
    prefix.is_empty() || path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// An identifier, `::`, or any other single character. Comments are left out, literals are `"`.
struct Token {
    text: String,
    line: usize,
}

fn tokens(source: &str) -> Vec<Token> {
    let source: Vec<char> = source.chars().collect();
    let at = |index: usize| source.get(index).copied().unwrap_or('\0');
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut tokens = Vec::new();
    let (mut index, mut line) = (0, 1);
    while index < source.len() {
        let (start, first_line) = (index, line);
        let mut text = None;
        match (at(index), at(index + 1)) {
            ('/', '/') => index += source[index..].iter().take_while(|c| **c != '\n').count(),
            ('/', '*') => {
                let mut depth = 0;
                loop {
                    match (at(index), at(index + 1)) {
                        ('/', '*') => depth += 1,
                        ('*', '/') => depth -= 1,
                        _ => {
                            index += 1;
                            continue;
                        }
                    }
                    index += 2;
                    if depth == 0 {
                        break;
                    }
                }
            }
            ('"', _) => {
                index = after_quoted(&source, index, '"');
                text = Some("\"".to_owned());
            }
            ('\'', '\\') => index = after_quoted(&source, index, '\''),
            ('\'', _) if at(index + 2) == '\'' => index += 3,
            // A lifetime.
            ('\'', _) => index += 1 + source[index + 1..].iter().take_while(|c| is_word(**c)).count(),
            (':', ':') => {
                index += 2;
                text = Some("::".to_owned());
            }
            (c, _) if is_word(c) => {
                index += source[index..].iter().take_while(|c| is_word(**c)).count();
                let word: String = source[start..index].iter().collect();
                let hashes = source[index..].iter().take_while(|c| **c == '#').count();
                if ["r", "br", "cr"].contains(&word.as_str()) && at(index + hashes) == '"' {
                    index += hashes + 1;
                    let closes = |from: usize| at(from) == '"' && (1..=hashes).all(|n| at(from + n) == '#');
                    index += (index..source.len()).take_while(|from| !closes(*from)).count() + 1 + hashes;
                    text = Some("\"".to_owned());
                } else {
                    text = Some(word);
                }
            }
            (c, _) => {
                index += 1;
                text = (!c.is_whitespace()).then(|| c.to_string());
            }
        }
        line += source[start..index.min(source.len())].iter().filter(|c| **c == '\n').count();
        tokens.extend(text.map(|text| Token { text, line: first_line }));
    }
    tokens
}

/// The index after a literal in quotes.
fn after_quoted(source: &[char], start: usize, quote: char) -> usize {
    let mut index = start + 1;
    while index < source.len() && source[index] != quote {
        index += if source[index] == '\\' { 2 } else { 1 };
    }
    index + 1
}

/// A path as it is used: from `crate` where it is one of the own crate's, and the module it stands in.
struct Used {
    path: Vec<String>,
    module: Vec<String>,
    line: usize,
}

/// Every path in a file of several segments, or in a `use`, that begins at a crate or with
/// `self` or `super`.
fn paths(tokens: &[Token], file: &[String]) -> Vec<Used> {
    let at = |index: usize| tokens.get(index).map_or("", |token| token.text.as_str());
    let mut used = Vec::new();
    // Modules in the file: name and the depth of braces outside.
    let mut inside: Vec<(String, usize)> = Vec::new();
    let mut depth = 0;
    let mut index = 0;
    while index < tokens.len() {
        match at(index) {
            "mod" if at(index + 2) == "{" => inside.push((at(index + 1).to_owned(), depth)),
            "{" => depth += 1,
            "}" => {
                depth -= 1;
                inside.pop_if(|(_, outside)| *outside == depth);
            }
            head if at(index + 1) == "::" && is_name(head) && !["::", "$"].contains(&at(index.wrapping_sub(1))) => {
                let module: Vec<String> =
                    file.iter().cloned().chain(inside.iter().map(|(name, _)| name.clone())).collect();
                let mut prefix = vec!["crate".to_owned()];
                match head {
                    "crate" => {}
                    "self" => prefix.extend(module.iter().cloned()),
                    "super" => prefix.extend(module[..module.len().saturating_sub(1)].iter().cloned()),
                    other => prefix = vec![other.to_owned()],
                }
                let mut leaves = Vec::new();
                index = tree(tokens, index + 2, &prefix, &mut leaves);
                used.extend(leaves.into_iter().map(|(path, line)| Used { path, module: module.clone(), line }));
                continue;
            }
            _ => {}
        }
        index += 1;
    }
    used
}

/// Collects the leaves of a `use` tree, or the one path, that goes on at `index` after a `::`.
fn tree(tokens: &[Token], mut index: usize, prefix: &[String], leaves: &mut Vec<(Vec<String>, usize)>) -> usize {
    let at = |index: usize| tokens.get(index).map_or("", |token| token.text.as_str());
    let line = tokens.get(index).map_or(0, |token| token.line);
    match at(index) {
        "{" => {
            index += 1;
            while index < tokens.len() && at(index) != "}" {
                index = if at(index) == "," { index + 1 } else { tree(tokens, index, prefix, leaves) };
            }
            index + 1
        }
        "super" if at(index + 1) == "::" => tree(tokens, index + 2, &prefix[..prefix.len().saturating_sub(1)], leaves),
        "self" | "*" => {
            leaves.push((prefix.to_vec(), line));
            skip_alias(tokens, index + 1)
        }
        word if is_name(word) => {
            let path: Vec<String> = prefix.iter().cloned().chain([word.to_owned()]).collect();
            if at(index + 1) == "::" && at(index + 2) != "<" {
                return tree(tokens, index + 2, &path, leaves);
            }
            leaves.push((path, line));
            skip_alias(tokens, index + 1)
        }
        // `::<…>` of something without a path.
        _ => {
            leaves.push((prefix.to_vec(), line));
            index
        }
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The index after `as name`.
fn skip_alias(tokens: &[Token], index: usize) -> usize {
    if tokens.get(index).is_some_and(|token| token.text == "as") { index + 2 } else { index }
}
