//! What the macros accept, what they refuse, and with which words.
//!
//! A file under `pass/` is a module of `src/main.rs`, which is built as a program is built that is shipped. A file under
//! `fail/` is a program of its own; mistakes that are told together share one.
//!
//! After changing a message: `TRYBUILD=overwrite cargo test -p ui`, then read the difference.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

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

#[test]
fn what_is_right_compiles() {
    let program = Command::new(env!("CARGO_BIN_EXE_right")).output().expect("it runs");
    assert!(program.status.success(), "{}", String::from_utf8_lossy(&program.stderr));
    let ran: BTreeSet<String> = String::from_utf8_lossy(&program.stdout).lines().map(str::to_owned).collect();
    let files = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/pass")).expect("the programs");
    let stem = |entry: fs::DirEntry| entry.path().file_stem().expect("a name").to_string_lossy().into_owned();
    let files: BTreeSet<String> = files.map(|entry| stem(entry.expect("a program"))).collect();
    assert_eq!(ran, files, "each file under pass/ (right) is a module of src/main.rs (left)");
}

#[test]
fn what_is_wrong_is_explained() {
    trybuild::TestCases::new().compile_fail("fail/*.rs");
}
