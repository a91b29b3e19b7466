//! `cargo netcheck`: what to do with checks that failed in the last `cargo test`.
//!
//! - `failures`: the notes and files that failing tests have left under `target/netcheck/`;
//! - `commands`: what each command does with them.
//!
//! A failing check of netcheck writes `NAME.failed`, and with a counterexample `NAME.json` (the trace) and `NAME.html`
//! (the page). Nothing here knows what a trace says: tests replay it.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod commands;
mod failures;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// The failing checks of the last test run.
#[derive(Parser)]
#[command(name = "cargo netcheck", bin_name = "cargo netcheck", version)]
struct Arguments {
    /// The folder with the failures, instead of `netcheck` in cargo's target folder
    #[arg(long, global = true)]
    folder: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// List the failing checks (the default)
    List,
    /// Show the page of a failing check in the browser
    Open {
        /// The check, or a part of its name; may be left out if only one has failed
        name: Option<String>,
        /// Print where the page is, and open nothing
        #[arg(long)]
        print: bool,
    },
    /// Run the failing execution again on the real code, step by step
    Replay {
        /// The check, or a part of its name; may be left out if only one has failed
        name: Option<String>,
    },
    /// Keep the failing execution as a regression test: copies the trace, and prints the test
    Keep {
        /// The check, or a part of its name; may be left out if only one has failed
        name: Option<String>,
        /// Where traces are kept, from the folder of the package's Cargo.toml
        #[arg(long, default_value = "tests/traces")]
        to: PathBuf,
    },
    /// Remove what failing checks have left
    Clean,
}

fn main() -> ExitCode {
    // Cargo gives its own name of the command as the first argument.
    let mut arguments: Vec<_> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(|first| first == "netcheck") {
        arguments.remove(1);
    }
    match run(Arguments::parse_from(arguments)) {
        Ok(code) => code,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(Arguments { folder, command }: Arguments) -> Result<ExitCode, String> {
    let folder = folder.map_or_else(failures::folder, Ok)?;
    match command.unwrap_or(Command::List) {
        Command::List => commands::list(&folder),
        Command::Open { name, print } => commands::open(&folder, name.as_deref(), print),
        Command::Replay { name } => commands::replay(&folder, name.as_deref()),
        Command::Keep { name, to } => commands::keep(&folder, name.as_deref(), &to),
        Command::Clean => commands::clean(&folder),
    }
}
