//! Output of the tests of the guide, run in a child: the same program, with one test to run.

use crate::book::root;
use netcheck::check::Counterexample;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The trace that the guide keeps.
pub(crate) const TRACE: &str = "tests/guide/late_answer.json";

const FIRST_EXAMPLE: &str = "answers::answers_belong_to_their_requests";

/// Whether what the guide shows is to be written anew.
pub(crate) fn is_updating() -> bool {
    env::var_os("UPDATE_GOLDEN").is_some()
}

/// The output of a test, with variables of its environment; its counterexample as Mermaid; or its replay.
pub(crate) fn by(who: &str) -> String {
    if let Some(test) = who.strip_prefix("the mermaid of ") {
        return counterexample(test).mermaid();
    }
    if let Some(test) = who.strip_prefix("the replay of ") {
        return without_place(&replay(test));
    }
    let mut words = who.split(' ');
    let test = words.next().expect("a test");
    let environment: Vec<(&str, &str)> = words.map(|word| word.split_once('=').expect("a variable")).collect();
    without_place(&said(test, &child(test, &environment)))
}

/// The counterexample that a test saves.
pub(crate) fn counterexample(test: &str) -> Counterexample {
    let file = saved(test);
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    Counterexample::from_json(&text).expect("a counterexample")
}

/// Keeps the trace of the first example, if that is wanted.
pub(crate) fn refresh_trace() {
    if is_updating() {
        // Others read it meanwhile: they see the old one or the new one.
        let unfinished = root().join(format!("{TRACE}.{:?}.tmp", std::thread::current().id()));
        fs::copy(saved(FIRST_EXAMPLE), &unfinished).expect("it is copied");
        fs::rename(unfinished, root().join(TRACE)).expect("it is in place");
    }
}

/// Where a test saves its counterexample, once it has.
fn saved(test: &str) -> PathBuf {
    child(test, &[]);
    target().join("netcheck").join(format!("guide-{}.json", test.replace("::", "-")))
}

pub(crate) fn child(test: &str, environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env::current_exe().expect("this program"));
    command.args([test, "--exact", "--include-ignored", "--nocapture", "--test-threads=1"]);
    for variable in ["NETCHECK_FAULTS", "NETCHECK_REPLAY", "RUST_BACKTRACE", "UPDATE_GOLDEN", "CLICOLOR_FORCE"] {
        command.env_remove(variable);
    }
    let output = command.env("NO_COLOR", "1").envs(environment.iter().copied()).output().expect("it runs");
    assert!(text(&output.stdout).contains("running 1 test"), "{test}: {}", text(&output.stdout));
    output
}

/// The words of a test: what it printed, or how it failed.
fn said(test: &str, output: &Output) -> String {
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    let said = if output.status.success() { between(&out, " ... ", "ok\n\ntest result") } else { Some(err.clone()) };
    said.unwrap_or_else(|| panic!("{test}:\n{out}\n{err}"))
}

/// The execution that a test saves, step by step: what is printed after the heading.
fn replay(test: &str) -> String {
    let file = saved(test).display().to_string();
    let out = text(&child(test, &[("NETCHECK_REPLAY", &file)]).stdout);
    between(&out, "was printed while its steps were looked up)\n", "FAILED\n\nfailures:\n\nfailures:")
        .expect("a replay that fails again")
}

fn between(text: &str, before: &str, after: &str) -> Option<String> {
    let (_, rest) = text.split_once(before)?;
    let (found, _) = rest.rsplit_once(after)?;
    Some(format!("{}\n", found.trim_end()))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// Wherever it was built.
fn without_place(text: &str) -> String {
    let folder = format!("{}/", root().display());
    text.replace(&target().display().to_string(), "target").replace(&folder, "")
}

/// Cargo's target folder: the one that this program lies in.
fn target() -> PathBuf {
    let program = env::current_exe().expect("this program");
    let marked = program.ancestors().find(|folder| folder.join("CACHEDIR.TAG").exists());
    marked.map(Path::to_path_buf).expect("cargo has built it")
}
