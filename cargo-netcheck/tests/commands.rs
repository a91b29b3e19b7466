//! The command as a user calls it, on notes as failing checks write them, in a package of a temporary folder.

use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A package with the source of two tests, which is never built.
struct Package(TempDir);

const SOURCE: &str = "\
#[netcheck::model_check(udp(loss))]
// An answer may be lost.
fn asks(net: &mut netcheck::Network) {
    net.process(\"client\", client);
}

mod inner {
    use netcheck::model_check;

    #[model_check]
    fn waits(net: &mut netcheck::Network) {}
}
";

impl Package {
    fn new() -> Package {
        let package = Package(tempfile::tempdir().expect("a folder"));
        let manifest = "[package]\nname = \"of-a-user\"\nedition = \"2024\"\n[workspace]\n";
        package.write("Cargo.toml", manifest);
        package.write("src/lib.rs", SOURCE);
        package
    }

    fn path(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    fn write(&self, file: &str, text: &str) {
        let file = self.path(file);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, text).expect("a file");
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    /// A note, in which some members are other ones; and its files.
    fn fails(&self, test: &str, line: u32, others: Value) {
        let name = format!("of_a_user-{}", test.replace("::", "-"));
        let mut note = json!({
            "version": 1, "crate_name": "of_a_user", "test": test, "function": test.rsplit("::").next(),
            "origin": "check", "folder": self.0.path(), "program": "/target/debug/deps/of_a_user-0",
            "file": "src/lib.rs", "line": line, "violation": "panic: client panicked at src/lib.rs:9: no answer",
            "settings": "", "faults": null, "trace": format!("{name}.json"), "page": format!("{name}.html"),
        });
        note.as_object_mut().expect("an object").extend(others.as_object().expect("an object").clone());
        self.write(&format!("target/netcheck/{name}.failed"), &note.to_string());
        self.write(&format!("target/netcheck/{name}.json"), &format!("the trace of {test}"));
        self.write(&format!("target/netcheck/{name}.html"), "<p>the page</p>");
    }

    /// What the list says; it fails where a check does.
    #[track_caller]
    fn lists(&self, arguments: &[&str]) -> String {
        let (succeeds, text) = self.run(arguments, &[]);
        assert_eq!(succeeds, text.starts_with("no check failed"), "{text}");
        text
    }

    /// Whether a command succeeds, and what it prints.
    fn run(&self, arguments: &[&str], environment: &[(&str, &Path)]) -> (bool, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-netcheck"));
        command.arg("netcheck").args(arguments).current_dir(self.0.path());
        for name in ["CARGO_TARGET_DIR", "DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "WSL_DISTRO_NAME"] {
            command.env_remove(name);
        }
        let output = command.envs(environment.iter().copied()).output().expect("it runs");
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("text")).concat();
        (output.status.success(), text)
    }

    #[track_caller]
    fn succeeds(&self, arguments: &[&str]) -> String {
        let (succeeds, text) = self.run(arguments, &[]);
        assert!(succeeds, "{text}");
        text
    }

    #[track_caller]
    fn refuses(&self, arguments: &[&str], why: &[&str]) {
        let (succeeds, text) = self.run(arguments, &[]);
        assert!(!succeeds && text.starts_with("error: "), "{text}");
        for why in why {
            assert!(text.contains(why), "{why}\nis missing in\n{text}");
        }
    }
}

fn nothing() -> Value {
    json!({})
}

#[test]
fn the_list_says_what_failed_where_and_what_can_be_done() {
    let package = Package::new();
    assert_eq!(package.succeeds(&["list"]), "no check failed when it was run last\n");
    package.fails("inner::waits", 11, json!({ "trace": null, "page": null, "violation": "inconclusive: 10 states" }));
    package.fails("asks", 3, nothing());
    let listed = package.lists(&["list"]);
    assert_eq!(
        listed,
        "\
of_a_user::asks  (src/lib.rs:3, just now)
    panic: client panicked at src/lib.rs:9: no answer
of_a_user::inner::waits  (src/lib.rs:11, just now)
    inconclusive: 10 states
    no counterexample
2 checks have failed; `cargo netcheck` can `open` the page of one, `replay` it, `explore` around it, `keep` it as a test, and `clean` the list
"
    );
    assert_eq!(package.lists(&[]), listed);
}

#[test]
fn notes_are_found_in_the_folders_of_platforms_and_in_other_target_folders() {
    let package = Package::new();
    package.fails("asks", 3, nothing());
    package.write("target/CACHEDIR.TAG", "");
    fs::create_dir(package.path("target/wasm32-wasip1")).expect("a folder");
    fs::rename(package.path("target/netcheck"), package.path("target/wasm32-wasip1/netcheck")).expect("moved");
    assert!(package.lists(&[]).starts_with("no check"), "cargo has not marked the folder");
    package.write("target/wasm32-wasip1/CACHEDIR.TAG", "");
    assert!(package.lists(&[]).starts_with("of_a_user::asks"));
    fs::rename(package.path("target/wasm32-wasip1"), package.path("elsewhere")).expect("moved");
    assert!(package.lists(&["list", "--target-dir", "elsewhere"]).starts_with("of_a_user::asks"));
    let manifest = package.path("Cargo.toml");
    let manifest = manifest.to_str().expect("a path of letters");
    assert!(package.succeeds(&["--manifest-path", manifest]).starts_with("no check"));
}

#[test]
fn outside_of_a_package_it_says_what_to_name() {
    let package = Package::new();
    fs::remove_file(package.path("Cargo.toml")).expect("removed");
    package.refuses(&[], &["could not find `Cargo.toml`", "with `--manifest-path`"]);
}

#[test]
fn a_check_is_called_by_the_end_of_its_path_or_as_its_files() {
    let package = Package::new();
    package.fails("asks", 3, nothing());
    let page = |name: &str| package.succeeds(&["open", "--print", name]);
    assert!(package.succeeds(&["open", "--print"]).ends_with("of_a_user-asks.html\n"), "the only one");
    package.fails("inner::waits", 11, nothing());
    for name in ["waits", "inner::waits", "inner", "wait", "of_a_user::inner::waits", "of_a_user-inner-waits"] {
        assert!(page(name).ends_with("of_a_user-inner-waits.html\n"), "{name}");
    }
    package.fails("outer::waits", 11, nothing());
    package.fails("waits", 11, nothing());
    assert!(page("waits").ends_with("of_a_user-waits.html\n"), "the whole path comes first");
    fs::remove_file(package.path("target/netcheck/of_a_user-waits.failed")).expect("removed");
    let both = "say which\n  of_a_user::inner::waits\n  of_a_user::outer::waits\n";
    package.refuses(&["open", "waits"], &["`waits` may be 2 checks: ", both]);
    package.refuses(&["open"], &["3 checks have failed: say which\n  of_a_user::asks\n"]);
}

#[test]
fn checks_of_one_name_in_two_packages_are_told_apart() {
    let package = Package::new();
    for name in ["one", "other"] {
        let file = format!("{name}.of_a_user-asks");
        let note = json!({ "package": name, "trace": format!("{file}.json"), "page": format!("{file}.html") });
        package.fails("asks", 3, note);
        for extension in ["failed", "json", "html"] {
            let of_one = package.path(&format!("target/netcheck/of_a_user-asks.{extension}"));
            fs::rename(of_one, package.path(&format!("target/netcheck/{file}.{extension}"))).expect("moved");
        }
    }
    let both = "say which\n  one/of_a_user::asks\n  other/of_a_user::asks\n";
    for name in ["asks", "of_a_user::asks"] {
        package.refuses(&["open", name], &["may be 2 checks: ", both]);
    }
    for name in ["other/of_a_user::asks", "other.of_a_user-asks", "other"] {
        assert!(package.succeeds(&["open", "--print", name]).ends_with("other.of_a_user-asks.html\n"), "{name}");
    }
    assert_eq!(package.succeeds(&["clean", "one/of_a_user::asks"]), "removed 3 files\n");
    assert!(package.lists(&[]).starts_with("other/of_a_user::asks  (src/lib.rs:3"));
}

#[test]
fn an_unknown_name_is_answered_with_the_nearest() {
    let package = Package::new();
    package.refuses(&["open", "asks"], &["no check failed when it was run last: `asks` has passed, or was never run"]);
    package.fails("asks", 3, nothing());
    package.fails("inner::waits", 11, nothing());
    package.refuses(&["open", "aks"], &["no failing check is called `aks`: did you mean\n  of_a_user::asks\n"]);
    package.refuses(&["keep", "inner::wiats"], &["did you mean\n  of_a_user::inner::waits\n"]);
    package.refuses(&["replay", "nothing_like_it"], &["the failing ones are\n  of_a_user::asks\n  of_a_user::inner"]);
}

#[test]
fn a_page_is_opened_where_there_is_a_browser() {
    let package = Package::new();
    package.fails("asks", 3, nothing());
    let page = package.path("target/netcheck/of_a_user-asks.html");
    let page = page.canonicalize().expect("a file").display().to_string();
    let text = package.succeeds(&["open", "asks"]);
    if cfg!(target_os = "linux") {
        assert!(text.starts_with(&page) && text.contains("no display is known here"), "{text}");
    }
}

/// `xdg-open` is what starts a browser on Linux.
#[cfg(target_os = "linux")]
#[test]
fn the_browser_is_given_the_page() {
    use std::os::unix::fs::PermissionsExt;
    let package = Package::new();
    package.fails("asks", 3, nothing());
    let (asked, pipe) = (package.path("asked"), package.path("bin/xdg-open"));
    // A pipe is read to its end when the browser has been started, however long that takes.
    package.write("bin/xdg-open", &format!("#!/bin/sh\necho \"$1\" > {}\n", asked.display()));
    fs::set_permissions(&pipe, fs::Permissions::from_mode(0o755)).expect("a program");
    assert!(Command::new("mkfifo").arg(&asked).status().expect("it runs").success());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let bins = [package.path("bin")].into_iter().chain(std::env::split_paths(&path));
    let path = PathBuf::from(std::env::join_paths(bins).expect("a path"));
    let (succeeds, text) = package.run(&["open", "asks"], &[("PATH", &path), ("DISPLAY", Path::new(":0"))]);
    assert!(succeeds && !text.contains("note:"), "{text}");
    let page = fs::read_to_string(&asked).expect("text");
    assert!(page.trim().ends_with("target/netcheck/of_a_user-asks.html"), "{page}");
}

#[test]
fn what_was_not_saved_or_is_gone_is_said() {
    let package = Package::new();
    package.fails("asks", 3, json!({ "trace": null, "page": null, "violation": "inconclusive: 10 states" }));
    package.refuses(&["open"], &["asks has no page, since it has no counterexample: inconclusive: 10 states"]);
    package.refuses(&["replay"], &["asks has no counterexample: inconclusive: 10 states"]);
    package.refuses(&["keep"], &["asks has no counterexample"]);
    package.fails("asks", 3, json!({ "origin": "trace", "page": null }));
    package.refuses(&["open"], &["a kept trace, which has no page", "`cargo netcheck replay asks` shows its steps"]);
    package.refuses(&["keep"], &["asks runs a kept trace already"]);
    package.fails("asks", 3, nothing());
    fs::remove_file(package.path("target/netcheck/of_a_user-asks.html")).expect("removed");
    package.refuses(&["open"], &["of_a_user-asks.html is not there any more: `cargo test asks` writes it again"]);
    package.fails("asks", 3, json!({ "folder": package.path("gone") }));
    package.refuses(&["replay"], &["Cargo.toml is not there any more", "`cargo netcheck clean asks`"]);
}

#[test]
fn checks_whose_functions_or_packages_are_gone_are_not_listed() {
    let package = Package::new();
    package.fails("asks", 3, nothing());
    package.fails("inner::waits", 11, nothing());
    package.fails("other::asks", 3, json!({ "folder": package.path("gone") }));
    package.fails("moved::asks", 3, json!({ "file": "src/gone.rs" }));
    let text = package.lists(&[]);
    assert!(text.contains("2 checks have failed") && !text.contains("other") && !text.contains("moved"), "{text}");
    package.write("src/lib.rs", &SOURCE.replace("fn asks(", "fn asks_again("));
    let text = package.lists(&[]);
    assert!(text.contains("1 check has failed") && text.contains("of_a_user::inner::waits"), "{text}");
    // The only one that is still there is meant.
    assert!(package.succeeds(&["keep"]).contains("above `fn waits`"));
    package.write("src/lib.rs", "");
    assert!(package.lists(&[]).starts_with("no check failed"));
}

#[test]
fn a_note_of_another_version_is_refused() {
    let package = Package::new();
    package.fails("asks", 3, json!({ "version": 2 }));
    package.refuses(&[], &["has version 2, and this program reads version 1", "`cargo install cargo-netcheck"]);
    package.write("target/netcheck/of_a_user-asks.failed", "{");
    package.refuses(&[], &["of_a_user-asks.failed: EOF", "`cargo netcheck clean` removes it"]);
    package.succeeds(&["clean"]);
    assert!(package.lists(&[]).starts_with("no check"));
}

#[test]
fn a_trace_is_kept_under_a_name_that_is_free() {
    let package = Package::new();
    package.fails("asks", 3, json!({ "settings": "tasks = fifo" }));
    let text = package.succeeds(&["keep"]);
    assert!(text.contains("above `fn asks` (src/lib.rs:3)"), "{text}");
    assert!(text.contains("#[netcheck::model_check(replay = \"tests/traces/asks.json\", tasks = fifo)]\n"), "{text}");
    assert_eq!(package.read("tests/traces/asks.json"), "the trace of asks");
    assert_eq!(package.read("src/lib.rs"), SOURCE);
    assert!(package.succeeds(&["keep"]).contains("\"tests/traces/asks.json\""), "it is kept already");
    package.write("tests/traces/asks.json", "another one");
    assert!(package.succeeds(&["keep"]).contains("\"tests/traces/asks_2.json\""));
    assert_eq!(package.read("tests/traces/asks.json"), "another one");

    assert!(package.succeeds(&["keep", "--to", "traces"]).contains("(replay = \"traces/asks.json\""));
    assert!(package.succeeds(&["keep", "--to", "./tests/lost.json"]).contains("(replay = \"tests/lost.json\""));
    assert_eq!(package.read("tests/lost.json"), "the trace of asks");
    package.refuses(&["keep", "--to", "tests/traces/asks.json"], &["is there already, and is not this trace"]);
    for outside in ["../asks.json", "/asks.json"] {
        package.refuses(&["keep", "--to", outside], &["is not in the folder of the package"]);
    }
}

#[test]
fn the_attribute_is_written_above_the_function() {
    let package = Package::new();
    package.fails("asks", 3, nothing());
    package.succeeds(&["keep", "--write"]);
    let with_one = SOURCE.replace("fn asks", "#[netcheck::model_check(replay = \"tests/traces/asks.json\")]\nfn asks");
    assert_eq!(package.read("src/lib.rs"), with_one);
    assert!(package.succeeds(&["keep", "--write"]).contains("has the attribute already"));
    assert_eq!(package.read("src/lib.rs"), with_one);
    // The function has moved by a line meanwhile.
    package.fails("inner::waits", 11, nothing());
    package.succeeds(&["keep", "waits", "--write"]);
    let with_two =
        with_one.replace("    fn waits", "    #[model_check(replay = \"tests/traces/waits.json\")]\n    fn waits");
    assert_eq!(package.read("src/lib.rs"), with_two);
}

#[test]
fn a_source_that_is_not_understood_is_left_alone() {
    let package = Package::new();
    package.fails("asks", 3, nothing());
    package.write("src/lib.rs", "fn asks_again() {}\n");
    package.refuses(&["keep", "--write"], &["has no `fn asks` any more", "without `--write`"]);
    package.write("src/lib.rs", "mod a { fn asks() {} }\nmod b { fn asks() {} }\n");
    package.refuses(&["keep", "--write"], &["more than one `fn asks`"]);
    fs::remove_file(package.path("src/lib.rs")).expect("removed");
    package.write("src/main.rs", "fn main() {}\n");
    package.refuses(&["keep", "--write"], &["src/lib.rs is not there any more"]);
    assert!(!package.path("tests").exists(), "nothing is copied");
}

#[test]
fn an_async_test_is_kept_as_a_check_of_its_body() {
    let package = Package::new();
    package.fails("asks", 3, json!({ "origin": "async_test", "faults": "udp(loss)" }));
    let text = package.succeeds(&["keep"]);
    let test = "#[netcheck::model_check(replay = \"tests/traces/asks.json\")]\n    fn asks_again(net: &mut netcheck::Network) {";
    assert!(text.contains(test) && text.contains("move the body of `asks`"), "{text}");
    package.refuses(&["keep", "--write"], &["asks is an async test"]);
}

#[test]
fn clean_removes_what_checks_have_left_and_nothing_else() {
    let package = Package::new();
    assert_eq!(package.succeeds(&["clean"]), "removed 0 files\n");
    package.fails("asks", 3, nothing());
    package.fails("inner::waits", 11, nothing());
    package.write("target/netcheck/notes.txt", "of a user");
    package.write("target/netcheck/deps/of_a_user.json", "of a profile that is called netcheck");
    assert_eq!(package.succeeds(&["clean", "waits"]), "removed 3 files\n");
    assert!(package.lists(&[]).starts_with("of_a_user::asks"));
    package.refuses(&["clean", "waits"], &["no failing check is called `waits`"]);
    assert_eq!(package.succeeds(&["clean"]), "removed 3 files\n");
    assert!(package.path("target/netcheck/notes.txt").exists());
    assert!(package.path("target/netcheck/deps/of_a_user.json").exists());
}

#[test]
fn init_adds_netcheck_to_the_dev_dependencies_and_nothing_else() {
    let package = Package::new();
    let text = package.succeeds(&["init"]);
    assert!(text.contains("cargo netcheck test"), "{text}");
    let clone = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let manifest = package.read("Cargo.toml");
    let (before, added) = manifest.split_once("\n[dev-dependencies]\nnetcheck = { ").expect("a dev-dependency");
    assert!(before.contains("of-a-user") && added.contains(&format!("{}\"", clone.file_name().unwrap().display())));
    assert_eq!(package.read("src/lib.rs"), SOURCE);
    let (succeeds, text) = package.run(&["init", "--package", "another"], &[]);
    assert!(!succeeds && text.contains("another"), "{text}");
}

#[test]
fn a_swarm_is_of_tests_and_has_shares() {
    let package = Package::new();
    package.refuses(&["swarm", "4", "bench"], &["only tests are checked: with `cargo netcheck swarm 4 test NAME`"]);
    package.refuses(&["swarm", "4"], &["only tests are checked"]);
    package.refuses(&["swarm", "0", "test"], &["'0'"]);
    package.refuses(&["swarm", "test"], &["'test'"]);
}

#[test]
fn help_names_the_commands() {
    let text = Package::new().succeeds(&["--help"]);
    for command in ["list", "open", "replay", "explore", "keep", "test", "why", "swarm", "init", "clean"] {
        assert!(text.contains(&format!("\n  {command} ")), "{command} is missing in\n{text}");
    }
    let (succeeds, text) = Package::new().run(&["oepn"], &[]);
    assert!(!succeeds && text.contains("'open'"), "{text}");
}
