//! The command line.

use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::num::NonZero;
use std::path::PathBuf;

/// Cargo calls `cargo-netcheck netcheck …`.
#[derive(Debug, Parser)]
#[command(name = "cargo", bin_name = "cargo")]
enum Cargo {
    Netcheck(Arguments),
}

/// The checks that failed when `cargo test` ran them last
#[derive(Debug, clap::Args)]
#[command(version)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// The Cargo.toml of the package or workspace, if it is not the one of this folder
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) manifest_path: Option<PathBuf>,
    /// Cargo's target folder, if it is not the one that cargo would use here
    #[arg(long, global = true, value_name = "FOLDER")]
    pub(crate) target_dir: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    OfFailed(OfFailed),
    /// Run the tests with netcheck in place of tokio in every crate that they use; takes the arguments of `cargo test`
    Test {
        /// The arguments of `cargo test`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Run a test, which then says why the local states of its programs differ: where in memory, and the line that made it
    Why {
        /// The test, or a part of its path
        name: String,
        /// With netcheck in place of tokio in every crate that the tests use, as `cargo netcheck test`
        #[arg(long)]
        whole: bool,
        /// Further arguments of `cargo test`, such as `--features`
        #[arg(last = true)]
        arguments: Vec<OsString>,
    },
    /// Run the shares of a test that draws executions at random, on all cores: `cargo netcheck swarm 16 test NAME`
    Swarm {
        /// How many shares there are; each draws other executions, and all together as many as the test declares
        shares: NonZero<u32>,
        /// With netcheck in place of tokio in every crate that the tests use, as `cargo netcheck test`
        #[arg(long)]
        whole: bool,
        /// `test`, and the arguments of `cargo test`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "test NAME")]
        arguments: Vec<OsString>,
    },
    /// Add netcheck to the dev-dependencies of a package
    Init {
        /// The package, if the workspace has several
        #[arg(long, short, value_name = "NAME")]
        package: Option<String>,
    },
    #[command(hide = true)]
    Run {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    #[command(hide = true)]
    Bench {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
}

/// With the checks that failed.
#[derive(Debug, Subcommand)]
pub(crate) enum OfFailed {
    /// List the failing checks, and what each has found (the default); fails if there are any
    List,
    /// Show the page of a failing check in the browser, and print where it is
    Open {
        /// The test, or a part of its path; not needed if one check has failed
        name: Option<String>,
        /// Print where it is, and start no browser
        #[arg(long)]
        print: bool,
    },
    /// Run the counterexample of a failing check again on the real code, step by step
    Replay {
        /// The test, or a part of its path; not needed if one check has failed
        name: Option<String>,
        /// Further arguments of `cargo test`, such as `--features`
        #[arg(last = true)]
        arguments: Vec<String>,
    },
    /// Explore around the counterexample of a failing check: serve a page that shows what else could have happened
    Explore {
        /// The test, or a part of its path; not needed if one check has failed
        name: Option<String>,
        /// Further arguments of `cargo test`, such as `--features`
        #[arg(last = true)]
        arguments: Vec<String>,
    },
    /// Keep the counterexample of a failing check as a regression test
    Keep {
        /// The test, or a part of its path; not needed if one check has failed
        name: Option<String>,
        /// The folder to copy the trace to, or the file, from the folder of the package
        #[arg(long, value_name = "PATH", default_value = "tests/traces")]
        to: PathBuf,
        /// Write the attribute into the source file instead of printing it
        #[arg(long)]
        write: bool,
    },
    /// Remove what failing checks have left: of one check, or of all
    Clean {
        /// The test, or a part of its path; all, if none is named
        name: Option<String>,
    },
}

impl Arguments {
    /// The arguments of a command line; one that is not understood ends the process, with a sentence.
    pub(crate) fn of(given: Vec<OsString>) -> Arguments {
        let Cargo::Netcheck(arguments) = Cargo::parse_from(with_arguments_of_cargo(given));
        arguments
    }
}

/// With a `--` before the arguments that are for cargo, so that clap leaves them as they are, also a `--` among them.
fn with_arguments_of_cargo(mut given: Vec<OsString>) -> Vec<OsString> {
    let asks_for_help = given.get(3).is_some_and(|first| first == "--help" || first == "-h");
    if given.get(2).is_some_and(|command| command == "test") && !asks_for_help {
        given.insert(3, "--".into());
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_of_cargo_stay_as_they_are() {
        let parsed = |rest: &[&str]| {
            let given = ["cargo-netcheck", "netcheck", "test"].iter().chain(rest).map(OsString::from).collect();
            match Arguments::of(given).command {
                Some(Command::Test { arguments }) => arguments,
                other => panic!("{other:?}"),
            }
        };
        for rest in
            [&["--", "--nocapture"][..], &["--lib", "name", "--", "--exact", "--"], &["--manifest-path", "x"], &[]]
        {
            assert_eq!(parsed(rest), rest.iter().map(OsString::from).collect::<Vec<_>>());
        }
    }

    #[test]
    fn shares_come_before_the_test_and_its_arguments() {
        let given = ["cargo-netcheck", "netcheck", "swarm", "16", "--whole", "test", "name", "--", "--exact"];
        match Arguments::of(given.map(OsString::from).into()).command {
            Some(Command::Swarm { shares, whole: true, arguments }) => {
                assert_eq!(shares.get(), 16);
                assert_eq!(arguments, ["test", "name", "--", "--exact"]);
            }
            other => panic!("{other:?}"),
        }
    }
}
