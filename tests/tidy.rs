//! The layering, made executable: which crate may use which, which module may use which, and
//! what must appear nowhere. `ARCHITECTURE.md` says why.
//!
//! A violation names its file and line, and what to do. If an edge is right after all, add it
//! to the tables below and change `ARCHITECTURE.md` in the same step.

#[path = "tidy/edge_layers.rs"]
mod edge_layers;
#[path = "tidy/layers.rs"]
mod layers;
#[path = "tidy/memory_layers.rs"]
mod memory_layers;
#[path = "tidy/published.rs"]
mod published;
#[path = "tidy/source.rs"]
mod source;

use layers::TABLES;
use serde_json::Value;
use source::{Package, is_in, paths, read, shown, source_folder, sources, tokens};
use std::collections::BTreeSet;

// ---------------------------------------------------------------------------------------------
// The rules

/// Crates of the workspace, and which others of them each may depend on.
const CRATES: &[(&str, &[&str])] = &[
    ("cargo-netcheck", &[]),
    ("netcheck", &["netcheck-capture", "netcheck-check", "netcheck-macros", "netcheck-runtime", "netcheck-words"]),
    ("netcheck-capture", &["netcheck-models"]),
    ("netcheck-check", &["netcheck-memory", "netcheck-models", "netcheck-peer", "netcheck-runtime", "netcheck-words"]),
    ("netcheck-macros", &["netcheck-words"]),
    ("netcheck-memory", &[]),
    // The definition of files, for its tests alone.
    ("netcheck-models", &["oracle"]),
    ("netcheck-peer", &[]),
    ("netcheck-runtime", &["netcheck-memory", "netcheck-models"]),
    // netcheck once more, as crates that stand in for tokio and std.
    ("netcheck-tracked", &["netcheck"]),
    ("netcheck-tracked-std", &["netcheck"]),
    // The oracle of the engine shares no code with it.
    ("oracle", &["random"]),
    ("interpreter", &["netcheck", "oracle", "random"]),
    ("netcheck-words", &[]),
    // The dice of all random tests.
    ("random", &[]),
    // Under tests/crates/: on tokio, and checked.
    ("chat", &["netcheck"]),
    ("echo", &["netcheck"]),
    ("endless", &["netcheck"]),
    ("gossip", &["netcheck"]),
    ("heartbeat", &["netcheck"]),
    ("key-value", &["netcheck"]),
    ("line-protocol", &["netcheck"]),
    ("pool", &["netcheck"]),
    ("proxy", &["netcheck"]),
    ("switchboard", &["netcheck", "netcheck-tracked", "netcheck-tracked-std"]),
    ("work-queue", &["netcheck"]),
    // Tests and benchmarks that need crates which nothing else needs.
    ("benches", &["netcheck"]),
    ("captures", &["netcheck", "netcheck-capture"]),
    ("tftp", &["netcheck"]),
    ("tftp-captures", &["netcheck", "netcheck-capture"]),
    ("wifi", &["netcheck"]),
    ("pages", &["netcheck"]),
    ("peers", &["netcheck", "random"]),
    ("third-party", &["netcheck"]),
    ("ui", &["netcheck"]),
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
        &["history", "monitor", "operation", "unit::names", "world"],
        "only states hold components of the network; a search knows no protocol, a front decides no outcome",
    ),
    (
        "netcheck-check",
        "netcheck_models",
        &["check", "trace"],
        "replay and reports know no protocol: the engine's events say what happened",
    ),
    (
        "netcheck-check",
        "netcheck_runtime::search::explore",
        &["check::fixpoint", "check::propagation"],
        "replay uses no search: it looks up each step among those that are possible",
    ),
    (
        "netcheck-runtime",
        "crate::search::concretize",
        &["search::explored", "search::judge"],
        "whether a violation is believed is decided in one place",
    ),
    ("netcheck-check", "netcheck_runtime::search::concretize", &[], "whether a violation is believed is decided below"),
    (
        "netcheck-runtime",
        "std::fs",
        &["net::unix::pipe", "unit::poll::file_calls"],
        "the engine neither reads nor writes files; a front refuses one, and a change to none of the machine is let pass",
    ),
    (
        "netcheck-check",
        "std::fs",
        &["testing", "trace::source"],
        "files are read and written by tests, and read for the source lines of steps",
    ),
    (
        "netcheck-runtime",
        "std::env",
        &["env", "unit::caller"],
        "the environment is read outside of checks, and for where source files are",
    ),
    (
        "netcheck-check",
        "std::env",
        &["alone", "check::monitor", "folder", "testing", "trace::source"],
        "the environment is read by tests, for where source files are, and for what is shown of long checks",
    ),
    (
        "netcheck-runtime",
        "std::net",
        &["isolated", "net", "operation", "unit::wording", "world"],
        "a search knows no protocol",
    ),
    (
        "netcheck-check",
        "std::net",
        &["check::setup", "explore::http", "explore::server", "external"],
        "the engine says in words what happened",
    ),
    (
        "netcheck-runtime",
        "std::thread",
        &["unit::poll::attempts", "unit::poll::context", "unit::watchdog"],
        "a check has one thread for user code and one that watches it",
    ),
    (
        "netcheck-check",
        "std::thread",
        &["check", "explore::server", "testing::apart"],
        "a check has one thread for user code and one that watches it",
    ),
    ("netcheck-check", "httparse", &["explore::http"], "what is explored does not depend on how it is served"),
    ("netcheck-runtime", "rayon", &["search::expand"], "threads meet in one place, and share what none of them writes"),
    (
        "netcheck-runtime",
        "std::time::Instant",
        &["time::of_std"],
        "the engine reads no clock: the time is a component of the state",
    ),
    ("netcheck-check", "std::time::Instant", &["check::simulation", "check::spent"], "a report depends on no clock"),
    (
        "netcheck-runtime",
        "std::time::SystemTime",
        &["fs"],
        "the engine reads no clock: the time is a component of the state; the times of real files are what they are",
    ),
    ("netcheck-check", "std::time::SystemTime", &[], "a report depends on no clock"),
];

/// A word that the files of a folder must not have, but for some, and why.
const WORDS: &[(&str, &str, &[&str], &str)] = &[
    ("unsafe", "", &["netcheck-memory/"], "nothing here is worth undefined behaviour"),
    (
        "catch_unwind",
        "netcheck-runtime/src/",
        &["netcheck-runtime/src/unit/panics.rs"],
        "it stands only around polls of user code",
    ),
    ("catch_unwind", "netcheck-check/src/", &[], "it stands only around polls of user code"),
];

/// Files that are longer than [`lines_max`] allows, with the reason.
const LONG_FILES: &[(&str, &str)] =
    &[("netcheck-macros/src/capture/lower.rs", "one transformation, with a case for each kind of expression")];

/// Lines that a file may have: less in the engine than in tests.
fn lines_max(file: &str) -> usize {
    if ["netcheck-", "cargo-netcheck/"].iter().any(|crates| file.starts_with(crates)) && file.contains("/src/") {
        500
    } else {
        900
    }
}

// ---------------------------------------------------------------------------------------------
// The tests

#[test]
fn crates_depend_only_on_those_below() {
    let packages = published::packages();
    let name = |value: &Value| published::name(value).to_owned();
    let all: BTreeSet<String> = packages.iter().map(name).collect();
    let listed: BTreeSet<String> = CRATES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(all, listed, "each crate of the workspace (left) has a row in CRATES (right)");
    let mut wrong = Vec::new();
    for package in &packages {
        let from = name(package);
        let (_, allowed) = CRATES.iter().find(|(name, _)| *name == from).expect("just compared");
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let to = name(dependency);
            // A package may depend on itself for a feature of its own, and the tests of any on random numbers.
            let is_dice = to == "random" && dependency["kind"] == "dev";
            if to != from && !is_dice && all.contains(&to) && !allowed.contains(&to.as_str()) {
                let manifest = package["manifest_path"].as_str().expect("a path");
                wrong.push(format!(
                    "{manifest}: {from} must not depend on {to}: move what it needs to a crate below both"
                ));
            }
        }
    }
    none(&wrong);
}

/// Modules that any module may use, as it uses `std`. By their own rows they use none.
const ANYWHERE: &[(&str, &str)] = &[("netcheck-runtime", "sorted")];

#[test]
fn modules_use_only_those_below() {
    let mut wrong = Vec::new();
    for &(package, rows) in TABLES {
        let source = Package::read(package);
        for (file, module) in &source.files {
            for used in paths(&tokens(&read(file)), module) {
                let Some(to) = source.reached(&used.path) else { continue };
                let from = used.module.join("::");
                let row = rows.iter().filter(|(name, _)| is_in(&from, name)).max_by_key(|(name, _)| name.len());
                let (name, allowed) = row.expect("the root's row matches every module");
                let own = !name.is_empty() && is_in(&to, name);
                let is_anywhere = ANYWHERE.iter().any(|(owner, module)| *owner == package && to == *module);
                if !own && !is_anywhere && to != from && !allowed.iter().any(|allowed| is_in(&to, allowed)) {
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

/// Files that use each other in a circle, with the reason; every other circle is to be cut.
const CIRCLES: &[(&str, &[&str], &str)] = &[];

/// A folder shows what is built upon what only if its files do not use each other in circles. A file may be used by the
/// files in its own folder, which are parts of it, and may use them.
#[test]
fn files_use_each_other_in_no_circle() {
    let mut wrong = Vec::new();
    for &(package, _) in TABLES {
        let found = Package::read(package).circles();
        let is_listed = |circle: &Vec<String>| {
            CIRCLES.iter().any(|(owner, modules, _)| {
                *owner == package && circle.iter().map(String::as_str).eq(modules.iter().copied())
            })
        };
        for circle in found.iter().filter(|circle| !is_listed(circle)) {
            wrong.push(format!("{package}: these use each other in a circle: {}", circle.join(", ")));
        }
        for (_, modules, _) in CIRCLES.iter().filter(|(owner, ..)| *owner == package) {
            if !found.iter().any(|circle| circle.iter().map(String::as_str).eq(modules.iter().copied())) {
                wrong.push(format!("{package}: no circle any more: take it out of CIRCLES: {}", modules.join(", ")));
            }
        }
    }
    none(&wrong);
}

#[test]
fn every_module_has_a_row_and_every_row_a_module() {
    let mut wrong = Vec::new();
    for &(package, rows) in TABLES {
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
    for &(package, rows) in TABLES {
        let source = Package::read(package);
        let used: BTreeSet<(String, Vec<String>)> = source
            .files
            .iter()
            .flat_map(|(file, module)| paths(&tokens(&read(file)), module))
            .map(|used| (used.module.join("::"), used.path))
            .collect();
        for (name, allowed) in rows {
            let is_own = |from: &str| {
                let row = rows.iter().filter(|(name, _)| is_in(from, name)).max_by_key(|(name, _)| name.len());
                row.is_some_and(|(row, _)| row == name)
            };
            // In the crate root, a path may do without `crate`.
            let reached = |path: &[String]| match path.split_first() {
                Some((head, rest)) if head == "crate" => vec![source.module_of(rest)],
                _ => {
                    let beside = name.is_empty().then(|| source.module_of(path));
                    source.reached(path).into_iter().chain(beside).collect()
                }
            };
            let own = used.iter().filter(|(from, _)| is_own(from));
            let own: BTreeSet<String> = own.flat_map(|(_, path)| reached(path)).collect();
            for to in allowed.iter().filter(|to| !own.iter().any(|reached| is_in(reached, to))) {
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
    for package in ["netcheck-models", "netcheck-runtime", "netcheck-check"] {
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
            let used_crate = used.path.first().map_or("", String::as_str);
            // the facade's feature would compile it for all examples that `cargo run --example` finds
            let is_allowed = used_crate == "netcheck_capture" && shown(file).starts_with("examples/captures/");
            if let "netcheck_capture" | "netcheck_check" | "netcheck_macros" | "netcheck_models" | "netcheck_runtime" =
                used_crate
                && !is_allowed
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
        let name = shown(&file);
        let forbidden: Vec<_> = WORDS
            .iter()
            .filter(|(_, folder, files, _)| {
                name.starts_with(folder) && !files.iter().any(|file| name.starts_with(file))
            })
            .collect();
        for token in tokens(&read(&file)) {
            for (word, .., why) in forbidden.iter().filter(|(word, ..)| token.text == *word) {
                wrong.push(format!("{name}:{}: no `{word}` here: {why}", token.line));
            }
        }
    }
    none(&wrong);
}

#[test]
fn every_crate_root_forbids_unsafe_code_and_asks_for_docs() {
    let mut wrong = Vec::new();
    for (package, _) in CRATES {
        let roots = ["lib.rs", "main.rs"].map(|root| source_folder(package).join(root));
        let file = roots.into_iter().find(|root| root.exists()).expect("a crate has a root");
        let tokens = tokens(&read(&file));
        let text: String = tokens.iter().map(|token| token.text.as_str()).collect();
        // Arenas and images cannot be made without unsafe code: one small crate has it for all.
        let on_unsafe_code = match *package {
            "netcheck-memory" => "#![deny(unsafe_op_in_unsafe_fn)]",
            _ => "#![forbid(unsafe_code)]",
        };
        // A language of forty instructions, whose names and tests say what they do.
        let on_docs = if matches!(*package, "interpreter" | "oracle") { "" } else { "#![deny(missing_docs)]" };
        for attribute in [on_unsafe_code, on_docs] {
            if !text.contains(attribute) {
                wrong.push(format!("{}: lacks {attribute}", shown(&file)));
            }
        }
    }
    none(&wrong);
}

/// All of `std` would be two pages for each function of each processor.
#[test]
fn what_other_crates_document_has_no_page_here() {
    let mut wrong = Vec::new();
    for file in sources() {
        let tokens = tokens(&read(&file));
        let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
        for at in (0..tokens.len()).filter(|&at| text(at) == "pub" && text(at + 1) == "use") {
            let path = at + 2..(at..).find(|&end| matches!(text(end), ";" | "")).expect("a path ends");
            let is_glob = text(path.end - 1) == "*";
            let first = path.clone().map(text).find(|part| *part != "::" && *part != ":").unwrap_or_default();
            let is_inline =
                at.checked_sub(2).is_none_or(|before| text(before) != ")" || text(before - 1) != "no_inline");
            if is_glob && matches!(first, "std" | "tokio") && is_inline {
                wrong.push(format!("{}:{}: write #[doc(no_inline)]", shown(&file), tokens[at].line));
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
        if lines > lines_max(&name) && !listed {
            wrong.push(format!("{name}: has {lines} lines: split it, or list it in LONG_FILES with the reason"));
        }
        if lines <= lines_max(&name) && listed {
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
        pub(in crate::q) struct R(pub(in crate::s) crate::t::U);
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
        "7 crate::t::U",
    ];
    assert_eq!(seen, expected);
}

/// Fails with a list of what is wrong.
#[track_caller]
fn none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}
