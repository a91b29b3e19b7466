//! The same systems on netcheck and on its peers, in one table: `cargo run --release --manifest-path
//! benches/peers/Cargo.toml`. What each of them is given, and what the figures mean, is in `README.md`.
//!
//! Each row comes from a process of its own, one after the other, so that the peak of its memory is its own.

mod figures;
mod system;
mod table;
mod tools;

use clap::{Parser, Subcommand, ValueEnum};
use figures::Figures;
use nix::sys::resource::{Resource, setrlimit};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use system::System;
use table::Rows;
use tools::{Tool, spin};

/// Addresses, of which a row uses few at a time.
const MEMORY_BYTES_MAX: u64 = 8 << 30;

/// Compares netcheck with stateright, must-mc, traceforge, shuttle, loom and SPIN.
#[derive(Debug, Parser)]
struct Arguments {
    /// Seconds that each row may take
    #[arg(long, default_value_t = 30)]
    limit: u64,
    /// Only these tools
    #[arg(long, value_delimiter = ',')]
    tools: Option<Vec<Tool>>,
    #[command(subcommand)]
    command: Option<Row>,
}

/// One row, as JSON: what the process of the table starts.
#[derive(Debug, Subcommand)]
enum Row {
    #[command(hide = true)]
    Run {
        tool: Tool,
        #[command(flatten)]
        system: System,
    },
    #[command(hide = true)]
    RunVerifier { verifier: PathBuf },
}

fn main() {
    let arguments = Arguments::parse();
    let limit = Duration::from_secs(arguments.limit);
    if arguments.command.is_some() {
        bound_memory();
    }
    match arguments.command {
        Some(Row::Run { tool, system }) => tool.run(system, limit).print(),
        Some(Row::RunVerifier { verifier }) => spin::run(&verifier, limit).expect("the verifier runs").print(),
        None => print_table(arguments.tools.as_deref().unwrap_or(Tool::value_variants()), limit),
    }
}

/// A row that takes more ends without figures, and leaves the others alone. Verifiers inherit the bound.
fn bound_memory() {
    setrlimit(Resource::RLIMIT_AS, MEMORY_BYTES_MAX, MEMORY_BYTES_MAX).expect("a bound can be lowered");
}

fn print_table(tools: &[Tool], limit: Duration) {
    let folder = tempfile::tempdir().expect("a folder for SPIN's verifiers");
    let is_installed = spin::is_installed();
    let mut rows = Rows::new(limit);
    for system in System::all() {
        for &tool in tools {
            match tool.verifier() {
                Some(_) if !is_installed => {}
                _ => rows.add(system, tool, figures(tool, system, limit, folder.path())),
            }
        }
    }
    rows.print();
    if !is_installed {
        println!("SPIN is skipped: `spin` and `gcc` are not installed (Debian: apt-get install spin gcc).");
    }
}

/// The figures of a process of its own, or why there are none.
fn figures(tool: Tool, system: System, limit: Duration, folder: &Path) -> Result<Figures, String> {
    if let Some(reason) = tool.cannot(system) {
        return Err(reason.to_owned());
    }
    let mut row = Command::new(std::env::current_exe().expect("this program has a path"));
    row.args(["--limit", &limit.as_secs().to_string()]);
    if let Some(build) = tool.verifier() {
        let verifier = spin::compile(build, system, folder).map_err(|error| error.to_string())?;
        row.arg("run-verifier").arg(verifier);
    } else {
        let name = tool.to_possible_value().expect("no tool is skipped");
        row.args(["run", name.get_name(), &system.connections.to_string(), &system.requests.to_string()]);
        row.args(system.loss.then_some("--loss"));
    }
    eprintln!("{}: {}", system.name(), tool.name());
    let output = row.stderr(Stdio::inherit()).output().map_err(|error| error.to_string())?;
    // The tools may print, too; the figures come last.
    let text = String::from_utf8_lossy(&output.stdout);
    let last = text.lines().last().unwrap_or_default();
    serde_json::from_str(last).map_err(|_| format!("no figures ({})", output.status))
}
