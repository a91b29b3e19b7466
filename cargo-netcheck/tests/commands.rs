//! The command as a user runs it, on notes as failing checks write them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("cargo-netcheck-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    /// A failing check of this name, with an execution or without.
    fn fail(&self, id: &str, name: &str, has_execution: bool) {
        let package = self.0.join("package");
        fs::create_dir_all(&package).unwrap();
        let note = serde_json::json!({
            "version": 1, "name": name, "at": "src/lib.rs:7", "package": "echo", "folder": package,
            "found": "panic: client panicked", "has_execution": has_execution, "environment": "NETCHECK_FAULTS='udp(loss)' ",
        });
        fs::write(self.0.join(format!("{id}.failed")), note.to_string()).unwrap();
        if has_execution {
            fs::write(self.0.join(format!("{id}.json")), "{\"a\": \"trace\"}").unwrap();
            fs::write(self.0.join(format!("{id}.html")), "<p>a page").unwrap();
        }
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-netcheck"));
        command.arg("netcheck").arg("--folder").arg(&self.0).args(arguments).output().unwrap()
    }

    /// What it prints, if it succeeds.
    #[track_caller]
    fn prints(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Its error.
    #[track_caller]
    fn fails(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(!output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn failing_checks_are_listed_with_what_was_found_and_where() {
    let folder = Folder::new("list");
    assert_eq!(folder.prints(&[]), "no check has failed in the last run\n");
    folder.fail("echo-tests-lossy", "lossy", true);
    folder.fail("echo-tests-large", "large", false);
    let output = folder.run(&["list"]);
    assert!(!output.status.success(), "as `cargo test` does not");
    let text = String::from_utf8(output.stdout).unwrap();
    let (large, lossy) = text.split_once("echo-tests-lossy  (src/lib.rs:7)").unwrap();
    assert_eq!(large, "echo-tests-large  (src/lib.rs:7)\n  panic: client panicked\n  no execution was saved\n");
    assert!(lossy.contains("page: ") && lossy.contains("echo-tests-lossy.html"), "{text}");
}

#[test]
fn a_page_is_found_by_a_part_of_the_name() {
    let folder = Folder::new("open");
    folder.fail("echo-tests-lossy", "lossy", true);
    let page = folder.0.join("echo-tests-lossy.html");
    for name in [&["lossy"][..], &["tests::lo"], &[]] {
        let shown = folder.prints(&[&["open", "--print"], name].concat());
        assert_eq!(Path::new(shown.trim_end()), page);
    }
    folder.fail("echo-tests-lossy_too", "lossy_too", true);
    assert_eq!(Path::new(folder.prints(&["open", "--print", "lossy"]).trim_end()), page, "a whole name comes first");
    assert!(folder.fails(&["open", "--print"]).contains("2 checks have failed: say which\n  echo-tests-lossy\n"));
    assert!(folder.fails(&["open", "--print", "loss"]).contains("`loss` means 2 checks"));
    let unknown = folder.fails(&["open", "--print", "lousy"]);
    assert!(unknown.contains("no failing check is named `lousy`; did you mean `echo-tests-lossy`?"), "{unknown}");
}

#[test]
fn a_trace_is_kept_beside_the_tests_and_not_written_over() {
    let folder = Folder::new("keep");
    folder.fail("echo-tests-lossy", "lossy", true);
    let text = folder.prints(&["keep", "lossy"]);
    assert!(text.contains("#[netcheck::model_check(replay = \"tests/traces/lossy.json\")]"), "{text}");
    let kept = folder.0.join("package/tests/traces/lossy.json");
    assert_eq!(fs::read_to_string(&kept).unwrap(), "{\"a\": \"trace\"}");
    assert!(folder.fails(&["keep", "lossy"]).contains("is there already"));
    folder.prints(&["keep", "lossy", "--to", "traces"]);
    assert!(folder.0.join("package/traces/lossy.json").exists());
    folder.fail("echo-tests-large", "large", false);
    assert!(folder.fails(&["keep", "large"]).contains("has saved no execution: panic: client panicked"));
}

#[test]
fn a_replay_says_why_cargo_fails() {
    let folder = Folder::new("replay");
    folder.fail("echo-tests-lossy", "lossy", true);
    // There is no package in that folder.
    assert!(folder.fails(&["replay"]).contains("Cargo.toml"));
}

#[test]
fn a_note_that_cannot_be_read_is_an_error_that_says_what_to_do() {
    let folder = Folder::new("unreadable");
    folder.fail("echo-tests-lossy", "lossy", true);
    for (text, said) in [("nonsense", "expected"), (r#"{"version": 1}"#, "missing field")] {
        fs::write(folder.0.join("echo-tests-lossy.failed"), text).unwrap();
        let error = folder.fails(&["list"]);
        assert!(error.contains(said) && error.contains("`cargo netcheck clean` removes it"), "{error}");
    }
}

#[test]
fn clean_removes_what_checks_have_left_and_nothing_else() {
    let folder = Folder::new("clean");
    folder.fail("echo-tests-lossy", "lossy", true);
    fs::write(folder.0.join("notes.txt"), "mine").unwrap();
    assert!(folder.prints(&["clean"]).starts_with("3 files removed"));
    assert_eq!(folder.prints(&[]), "no check has failed in the last run\n");
    assert!(folder.0.join("notes.txt").exists());
}
