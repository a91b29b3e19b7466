//! The Sorcerer's Apprentice: a sender that answers an old Ack by sending its block again. Every block arrives, nothing
//! panics and nothing waits for ever; but once an Ack is doubled, each later block is sent twice. A monitor that says
//! when a block may be sent finds it. One source, `checked` by netcheck and run for `real` on tokio.
//!
//! ```text
//! cargo run --example apprentice                   # the counterexample
//! cargo run --example apprentice -- --draw         # the monitor, for Mermaid
//! cargo run --example apprentice -- receive        # for real, in one shell,
//! cargo run --example apprentice -- send           # and in another one
//! cargo test --test systems apprentice             # the check as a test
//! ```

mod checked;
mod real;

use checked::Sender;
use checked::program::Version;
use clap::{Parser, Subcommand};
use netcheck::check::Udp;
use netcheck::monitor::IntoMonitor;

/// Checks the sender, or runs it.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Draw the monitor
    #[arg(long)]
    draw: bool,
    /// Check the corrected sender
    #[arg(long)]
    corrected: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Receive for real
    Receive {
        #[arg(long, default_value_t = 4000)]
        port: u16,
    },
    /// Send for real
    Send {
        #[arg(long, default_value_t = 4000)]
        port: u16,
        #[arg(long, default_value_t = 3)]
        blocks: u8,
    },
}

fn main() -> std::io::Result<()> {
    let arguments = Arguments::parse();
    match arguments.command {
        Some(Command::Receive { port }) => real::receive(port)?,
        Some(Command::Send { port, blocks }) => real::send(port, blocks, real::program::Version::Corrected)?,
        None if arguments.draw => print!("{}", Sender::new(3).into_monitor().to_mermaid()),
        None => {
            let version = if arguments.corrected { Version::Corrected } else { Version::Seeded };
            print!("{}", checked::check(version, Udp::new().duplication()));
        }
    }
    Ok(())
}
