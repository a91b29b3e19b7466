//! Code that the macros accept, code that they refuse, and with which words.
//!
//! A file under `pass/` is a module of `src/main.rs`, which is built as a program is built that is shipped. A file under
//! `fail/` is a program of its own; mistakes that are told together share one. The compiler gets it with the library
//! that this test was linked with, and its complaints are a snapshot.
//!
//! After changing a message: `INSTA_UPDATE=always cargo test -p ui`, then read the difference.

mod compiler;

use std::collections::BTreeSet;
use std::fs;
use std::panic::catch_unwind;
use std::process::Command;
use std::thread;

/// Checks are tests, and a program that is shipped has none: they are run here.
#[allow(dead_code)]
#[path = "pass"]
mod checks {
    #[path = "model_check_all_words.rs"]
    mod all_words;
    #[path = "model_check_attributes_stay.rs"]
    mod attributes_stay;
    #[path = "model_check_capture.rs"]
    mod capture;
    #[path = "model_check_expects.rs"]
    mod expects;
    #[path = "model_check_in_a_macro.rs"]
    mod in_a_macro;
    #[path = "model_check_limits_are_expressions.rs"]
    mod limits_are_expressions;
    #[path = "model_check_names_are_hygienic.rs"]
    mod names_are_hygienic;
    #[path = "model_check_outputs.rs"]
    mod outputs;
    #[path = "model_check_several.rs"]
    mod several;
    #[path = "model_check_tcp_words.rs"]
    mod tcp_words;
    #[path = "test_arguments.rs"]
    mod test_arguments;
}

/// The names of the programs in a folder of this package.
fn programs(folder: &str) -> BTreeSet<String> {
    let files = fs::read_dir(format!("{}/{folder}", env!("CARGO_MANIFEST_DIR"))).expect("the programs");
    let stem = |entry: fs::DirEntry| entry.path().file_stem().expect("a name").to_string_lossy().into_owned();
    files.map(|entry| stem(entry.expect("a program"))).collect()
}

#[test]
fn what_is_right_compiles() {
    let program = Command::new(env!("CARGO_BIN_EXE_right")).output().expect("it runs");
    assert!(program.status.success(), "{}", String::from_utf8_lossy(&program.stderr));
    let ran: BTreeSet<String> = String::from_utf8_lossy(&program.stdout).lines().map(str::to_owned).collect();
    assert_eq!(ran, programs("pass"), "each file under pass/ (right) is a module of src/main.rs (left)");
}

/// The compiler's messages on each program under `fail/`.
fn complaints(names: &[String]) -> Vec<String> {
    names.iter().map(|name| compiler::complaints(&format!("fail/{name}.rs"))).collect()
}

#[test]
fn what_is_wrong_is_explained() {
    let names: Vec<String> = programs("fail").into_iter().collect();
    let share = names.len().div_ceil(thread::available_parallelism().map_or(1, usize::from));
    let said: Vec<String> = thread::scope(|scope| {
        let compile = |names| scope.spawn(move || complaints(names));
        let compiling: Vec<_> = names.chunks(share).map(compile).collect();
        compiling.into_iter().flat_map(|thread| thread.join().expect("none of them compiles")).collect()
    });
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let differ = |(name, said): &(&String, &String)| {
        settings.bind(|| catch_unwind(|| insta::assert_snapshot!(name.as_str(), said))).is_err()
    };
    let differing: Vec<_> = names.iter().zip(&said).filter(differ).map(|(name, _)| name).collect();
    assert!(differing.is_empty(), "explained in other words: {differing:?}");
    assert_eq!(programs("snapshots"), names.into_iter().collect(), "snapshots (left) of programs that exist (right)");
}
