//! A test that is run once more, in a system process of its own.
//!
//! Tests run at the same time in one system process, and share its statics. A check whose programs change one needs statics
//! that nobody else uses ([`Error::has_changed_statics`](crate::error::Error)). So its test program is started again, with
//! this test alone: as that ends, the test ends.

use super::{ShouldPanic, TestInfo};
use std::io;
use std::process::Command;

/// Whether the test runs on a thread that the standard test harness has named after it: then the test program can be asked
/// for it by that name.
pub(super) fn is_possible(test: TestInfo) -> bool {
    name_of(test).is_some()
}

fn name_of(test: TestInfo) -> Option<String> {
    let name = std::thread::current().name()?.to_owned();
    (name == test.name || name.ends_with(&format!("::{}", test.name))).then_some(name)
}

/// Runs the test alone, and ends as it does: what it prints is printed.
///
/// # Panics
/// If it panics there.
pub(super) fn run(test: TestInfo, should_panic: ShouldPanic) {
    let (has_passed, text) = match ended(test) {
        Ok(ended) => ended,
        Err(error) => (should_panic == ShouldPanic::Yes, format!("{} could not be run alone: {error}", test.name)),
    };
    let has_panicked = has_passed == (should_panic == ShouldPanic::Yes);
    if has_panicked {
        eprintln!("{}", text.trim_end());
        std::panic::resume_unwind(Box::new(text));
    }
    print!("{text}");
}

/// Whether the test passed in the eyes of the test harness, and what it has printed.
fn ended(test: TestInfo) -> io::Result<(bool, String)> {
    let name = name_of(test).ok_or(io::ErrorKind::NotFound)?;
    let mut alone = Command::new(std::env::current_exe()?);
    alone.args([&name, "--exact", "--include-ignored", "--show-output", "--test-threads=1"]);
    let output = alone.stderr(std::process::Stdio::inherit()).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok((output.status.success(), printed(&text, &name).unwrap_or(&text).to_owned()))
}

/// The output of a test, out of all that the test harness shows.
fn printed<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, from) = text.split_once(&format!("---- {name} stdout ----\n"))?;
    let ends = ["\nsuccesses:\n", "\nfailures:\n"].iter().filter_map(|end| from.rfind(end));
    Some(ends.min().map_or(from, |end| &from[..end]))
}

#[cfg(test)]
mod tests {
    use super::printed;

    #[test]
    fn what_a_test_has_printed_is_told_from_what_the_harness_says() {
        let harness = "\nrunning 1 test\ntest a::b ... FAILED\n\nfailures:\n\n---- a::b stdout ----\nit says\nso\n\n\
                       failures:\n    a::b\n\ntest result: FAILED.\n";
        assert_eq!(printed(harness, "a::b"), Some("it says\nso\n"));
        assert_eq!(printed("running 1 test\n", "a::b"), None);
    }
}
