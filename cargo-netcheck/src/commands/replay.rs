//! `cargo netcheck replay` and `cargo netcheck explore`: a test is run with a variable of the environment in place of its
//! check.

use crate::Result;
use crate::failed::{Failed, Origin};
use crate::whole::environment_of;
use crate::workspace::{Workspace, cargo, not_started};
use std::io::Write;
use std::path::{Path, absolute};
use std::process::{Command, ExitCode, Stdio};

/// The way in which a test takes the trace in place of its check.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// It runs the execution.
    Replay,
    /// It serves the page on which the execution is taken step by step.
    Explore,
}

impl Purpose {
    /// The variable that names the trace.
    fn variable(self) -> &'static str {
        match self {
            Purpose::Replay => "NETCHECK_REPLAY",
            Purpose::Explore => "NETCHECK_EXPLORE",
        }
    }

    fn command(self) -> &'static str {
        match self {
            Purpose::Replay => "replay",
            Purpose::Explore => "explore",
        }
    }
}

/// Words of the faults of every `#[netcheck::test]`.
const FAULTS: &str = "NETCHECK_FAULTS";

/// The arguments of the test program: that test, whatever its attributes say, with what it prints; alone, so that processes
/// have statics of their own.
const OF_TEST: [&str; 4] = ["--exact", "--include-ignored", "--nocapture", "--test-threads=1"];

pub(crate) fn run(failed: &Failed, purpose: Purpose, further: &[String]) -> Result<ExitCode> {
    let trace = failed.trace()?;
    let trace = absolute(trace).map_err(|error| format!("{}: {error}", trace.display()))?;
    let arguments = [Workspace::arguments(failed)?, further.to_vec(), vec![failed.test.clone()]].concat();
    let test = || {
        let mut command = Command::new(cargo());
        command.arg("test").args(&arguments).arg("--").args(OF_TEST).env(purpose.variable(), &trace);
        command.envs(environment_of(&failed.program_file()).into_iter().flatten());
        if failed.origin == Origin::AsyncTest {
            // The faults that it failed under, not those of today.
            match &failed.faults {
                Some(faults) => command.env(FAULTS, faults),
                None => command.env_remove(FAULTS),
            };
        }
        command
    };
    // A test program that does not have the test runs no test, and calls that a success.
    let output = test().args(["--list", "--format", "terse"]).stderr(Stdio::inherit()).output();
    let output = output.map_err(not_started)?;
    if !output.status.success() {
        let _ = std::io::stdout().write_all(&output.stdout);
        return Err(format!("{} can't be built: {}", failed.test, shown(failed, purpose, &trace, &arguments)));
    }
    let listed = String::from_utf8_lossy(&output.stdout);
    if !listed.lines().any(|line| line == format!("{}: test", failed.test)) {
        return Err(format!(
            "there is no test {0} any more, or not with these features\n  `cargo netcheck {1} {0} -- --features …` \
             builds it as it was; `cargo netcheck clean {0}` takes it off the list",
            failed.test,
            purpose.command()
        ));
    }
    eprintln!("{}", shown(failed, purpose, &trace, &arguments));
    let status = test().status().map_err(not_started)?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The command, for whoever wants to change it.
fn shown(failed: &Failed, purpose: Purpose, trace: &Path, arguments: &[String]) -> String {
    let mut words = vec![format!("{}={}", purpose.variable(), quoted(&trace.display().to_string()))];
    words.extend(failed.faults.iter().map(|faults| format!("{FAULTS}={}", quoted(faults))));
    for (name, value) in environment_of(&failed.program_file()).into_iter().flatten() {
        words.push(format!("{name}={}", quoted(&value.display().to_string())));
    }
    words.extend(["cargo", "test"].map(str::to_owned));
    words.extend(arguments.iter().map(|argument| quoted(argument)));
    words.push("--".to_owned());
    words.extend(OF_TEST.map(str::to_owned));
    words.join(" ")
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+@%:=,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_take_them_apart() {
        assert_eq!(quoted("target/netcheck/a-b.json"), "target/netcheck/a-b.json");
        assert_eq!(quoted("udp(loss)"), "'udp(loss)'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
