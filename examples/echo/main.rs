//! An echo server and its clients (papers/tcp-transmission-failures.txt, section 5). One
//! source, [`checked`] by netcheck and run for [`real`] on tokio.
//!
//! ```text
//! cargo run --release --example echo                      # the counterexample
//! cargo run --release --example echo -- --table           # the paper's Table 3
//! cargo run --release --example echo -- --propagation     # which failure is seen by whom
//! cargo run --example echo -- serve                       # for real, in one shell,
//! cargo run --example echo -- connect                     # and in another one, twice
//! ```
//!
//! The client sends its lines, then reads as many answers. It expects that a failure is an
//! error. But where the server cannot write, what the client reads is the end of the stream.

mod checked;
mod failures;
mod overhead;
mod real;

use checked::program::Version;
use clap::{Parser, Subcommand};
use failures::{Category, failing};

/// Checks the echo server and its clients, or runs them.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Check every combination of failures, as the paper's Table 3
    #[arg(long)]
    table: bool,
    /// Tell which failure of which call is seen at the ends of which processes
    #[arg(long)]
    propagation: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve for real
    Serve {
        #[arg(long, default_value_t = 4000)]
        port: u16,
        /// End after so many
        #[arg(long, default_value_t = 2)]
        clients: usize,
    },
    /// Run a client for real
    Connect {
        #[arg(long, default_value_t = 4000)]
        port: u16,
        #[arg(long, default_value_t = 3)]
        lines: usize,
        /// Use the client that the paper found wrong
        #[arg(long)]
        seeded: bool,
    },
}

/// The paper's Table 3: overhead of each combination.
const TABLE_3: [&str; 16] = [
    "1.00", "7.81", "7.52", "2.29", "1.13", "17.95", "14.74", "15.31", "8.02", "7.58", "3.73", "33.63", "18.38",
    "34.96", "38.22", "85.01",
];

fn main() {
    let arguments = Arguments::parse();
    match arguments.command {
        Some(Command::Serve { port, clients }) => real::serve(port, clients),
        Some(Command::Connect { port, lines, seeded }) => {
            use real::program::Version;
            real::connect(port, lines, if seeded { Version::Seeded } else { Version::Corrected });
        }
        None if arguments.table => overhead::print(TABLE_3, |tcp| checked::check(Version::Corrected, tcp)),
        None if arguments.propagation => print!("{}", checked::propagation(Version::Seeded, failing(&Category::ALL))),
        None => print!("{}", checked::check(Version::Seeded, failing(&[Category::Write]))),
    }
}
