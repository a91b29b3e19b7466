//! Whether a check has its system process to itself.
//!
//! Each process of a check has statics of its own only there: other tests that run at the same time use the same ones. A test
//! program that runs one test after another says so in its arguments, or in its environment.

use std::ffi::OsString;

/// Whether no other test runs at the same time in this system process.
pub(crate) fn is_alone() -> bool {
    let has = |variable: &str, value: &str| std::env::var_os(variable).is_some_and(|set| set == value);
    // One that was asked for counts more than the environment.
    match threads(std::env::args_os()) {
        Some(threads) => threads == "1",
        None => has("RUST_TEST_THREADS", "1") || has("NEXTEST_EXECUTION_MODE", "process-per-test"),
    }
}

/// The value of the argument `--test-threads`, as the standard test harness takes it.
fn threads(arguments: impl IntoIterator<Item = OsString>) -> Option<OsString> {
    let mut arguments = arguments.into_iter();
    arguments
        .by_ref()
        .find_map(|argument| {
            let rest = argument.to_str()?.strip_prefix("--test-threads")?.to_owned();
            Some(rest)
        })
        .and_then(|rest| match rest.strip_prefix('=') {
            Some(value) => Some(value.into()),
            None if rest.is_empty() => arguments.next(),
            None => None,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn the_threads_of_tests_are_read_as_the_harness_reads_them() {
        let asked = |arguments: &[&str]| threads(arguments.iter().map(OsString::from));
        assert_eq!(asked(&["program", "--test-threads=1", "name"]).as_deref(), Some(OsStr::new("1")));
        assert_eq!(asked(&["program", "--test-threads", "4"]).as_deref(), Some(OsStr::new("4")));
        assert_eq!(asked(&["program", "--nocapture"]), None);
    }
}
