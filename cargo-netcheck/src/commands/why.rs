//! `cargo netcheck why`: a test is run, and says why the local states of its programs differ.

use super::test;
use crate::Result;
use crate::workspace::run_to_the_end;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// The variable by which a test is asked why local states differ.
const WHY: &str = "NETCHECK_WHY";

/// The arguments of the test program: what it prints is seen, and one check at a time has the cores.
const OF_TESTS: [&str; 2] = ["--nocapture", "--test-threads=1"];

/// `is_whole`: with netcheck in place of tokio in every crate; `further`: arguments of `cargo test`.
pub(crate) fn run(
    manifest_path: Option<PathBuf>,
    name: &str,
    is_whole: bool,
    further: Vec<OsString>,
) -> Result<ExitCode> {
    let mut arguments = further;
    arguments.extend([name, "--"].into_iter().chain(OF_TESTS).map(OsString::from));
    if is_whole {
        return test::run(manifest_path, &arguments, &[(WHY, "1")]);
    }
    run_to_the_end(test::Prepared::plain(manifest_path.as_deref(), &arguments).command(&[]).env(WHY, "1"))
}
