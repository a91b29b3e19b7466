//! `cargo netcheck`: what can be done with the checks that failed when `cargo test` ran them last.
//!
//! A check that fails leaves three files in the folder `netcheck` of cargo's target folder: the note `NAME.failed`, the
//! trace `NAME.json` and the page `NAME.html`. This program reads the notes; traces and pages are files to it.
//!
//! - `arguments`: what the command line may say;
//! - `failed`: the notes, and which of them a name means;
//! - `workspace`: what cargo says about packages and their targets;
//! - `whole`: a program with the crates that it uses;
//! - `commands`: a file for each command.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![warn(clippy::too_many_lines)]

mod arguments;
mod commands;
mod failed;
mod whole;
mod workspace;

use arguments::{Arguments, Command, OfFailed};
use commands::replay::Purpose;
use failed::Notes;
use std::process::ExitCode;
use workspace::Workspace;

/// A mistake, and what to do about it.
type Result<T> = std::result::Result<T, String>;

fn main() -> ExitCode {
    run(Arguments::of(std::env::args_os().collect())).unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::FAILURE
    })
}

fn run(Arguments { command, manifest_path, target_dir }: Arguments) -> Result<ExitCode> {
    let command = match command {
        Some(Command::Test { arguments }) => return commands::test::run(manifest_path, &arguments, &[]),
        Some(Command::Why { name, whole, arguments }) => {
            return commands::why::run(manifest_path, &name, whole, arguments);
        }
        Some(Command::Swarm { shares, whole, arguments }) => {
            return commands::swarm::run(manifest_path.as_deref(), shares, whole, &arguments);
        }
        Some(Command::Init { package }) => return commands::init::run(manifest_path, package.as_deref()),
        Some(Command::Run { arguments: _ } | Command::Bench { arguments: _ }) => {
            return Err("only tests are checked: with `cargo netcheck test`".to_owned());
        }
        Some(Command::OfFailed(command)) => command,
        None => OfFailed::List,
    };
    let workspace = Workspace::read(manifest_path.as_deref(), target_dir)?;
    let notes = Notes(workspace.folders_of_notes());
    match command {
        OfFailed::List => commands::list::run(&notes),
        OfFailed::Open { name, print } => commands::open::run(&notes.named(name.as_deref())?, print),
        OfFailed::Replay { name, arguments } => {
            commands::replay::run(&notes.named(name.as_deref())?, Purpose::Replay, &arguments)
        }
        OfFailed::Explore { name, arguments } => {
            commands::replay::run(&notes.named(name.as_deref())?, Purpose::Explore, &arguments)
        }
        OfFailed::Keep { name, to, write } => {
            commands::keep::run(&workspace, &notes.named(name.as_deref())?, &to, write)
        }
        OfFailed::Clean { name } => commands::clean::run(&notes, name.as_deref()),
    }
}
