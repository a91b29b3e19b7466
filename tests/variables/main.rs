//! Statics and thread-locals of programs: each process of a check has its own, as part of its memory.
//!
//! That needs a system process in which one test runs after another. So the tests here are those of a program that
//! [`each_process_has_its_own`] runs.

use netcheck as tokio;

mod shared;
mod taken_over;

use std::env::current_exe;
use std::process::Command;

#[test]
fn each_process_has_its_own() {
    let mut tests = Command::new(current_exe().expect("this program"));
    let output = tests.args(["--test-threads=1", "--ignored", "taken_over::"]).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && !text.contains(" 0 passed"), "{text}");
}
