//! A chat server and its clients (papers/tcp-transmission-failures.txt, section 5). One source,
//! [`checked`] by netcheck and run for [`real`] on tokio.
//!
//! ```text
//! cargo run --release --example chat                      # the two counterexamples
//! cargo run --release --example chat -- --table           # the paper's Tables 4 and 5
//! cargo run --example chat -- serve                       # for real, in one shell,
//! cargo run --example chat -- connect hello               # and in another one, twice
//! ```
//!
//! The server sends each line of a client to all of them. A worker for each client shares the
//! set of clients with the others. Two faults show only when the network fails: a worker that
//! cannot close its connection is removed twice, and a line that one client cannot be sent is
//! kept from the others, who wait for it for ever.

mod checked;
#[path = "../echo/failures.rs"]
mod failures;
#[path = "../echo/overhead.rs"]
mod overhead;
mod real;
mod table;

use checked::Chat;
use checked::program::Version;
use clap::{Parser, Subcommand};
use failures::{Category, failing};

/// Checks the chat server and its clients, or runs them.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Check every combination of failures, as the paper's Tables 4 and 5
    #[arg(long)]
    table: bool,
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
        line: String,
    },
}

fn main() {
    let arguments = Arguments::parse();
    match arguments.command {
        Some(Command::Serve { port, clients }) => real::serve(port, clients, real::program::Version::Corrected),
        Some(Command::Connect { port, line }) => real::connect(port, line),
        None if arguments.table => {
            table::print_4();
            println!();
            table::print_5();
        }
        None => {
            println!("{}", Chat::of_two(Version::DoubleRemoval).check(failing(&[Category::Close])));
            print!("{}", Chat::of_two(Version::HaltedSend).check(failing(&[Category::Write])));
        }
    }
}
