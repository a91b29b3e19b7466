//! TFTP (RFC 1350, 1123 and 2347 to 2349) on tokio, and its specification as monitors
//! (papers/symbolic-packet-dynamics-tftp.txt). One source, [`checked`] by netcheck and run for [`real`].
//!
//! ```text
//! cargo run --release --example tftp                        # a transfer under every delay of every packet
//! cargo run --release --example tftp -- --table             # the faults, by the methods of the paper
//! cargo run --release --example tftp -- --costs             # how the cost of all delays grows
//! cargo run --example tftp -- serve DIR                     # for real, in one shell,
//! cargo run --example tftp -- put FILE                      # and in another one
//! cargo run --example tftp -- get FILE
//! ```

mod checked;
mod methods;
mod real;
mod table;

use clap::{Args, Parser, Subcommand, ValueEnum};
use real::program::packet::Mode;
use real::program::transfer::{Settings, Version};
use std::path::PathBuf;

/// Checks the transfer, or runs it.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Find all faults, by the methods of the paper: about half a minute
    #[arg(long)]
    table: bool,
    /// Check larger and larger transfers: some minutes
    #[arg(long)]
    costs: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve a directory for real
    Serve {
        directory: PathBuf,
        #[arg(long, default_value_t = 6969)]
        port: u16,
        /// End after the first transfer
        #[arg(long)]
        once: bool,
        #[command(flatten)]
        fault: Fault,
    },
    /// Get a file for real
    Get {
        file: String,
        #[command(flatten)]
        how: How,
    },
    /// Put a file for real
    Put {
        file: PathBuf,
        #[command(flatten)]
        how: How,
    },
}

/// How a file is transferred.
#[derive(Debug, Args)]
struct How {
    /// The server and its port
    #[arg(long, default_value = "127.0.0.1:6969")]
    server: String,
    /// Send it as text
    #[arg(long)]
    netascii: bool,
    /// Bytes of a block
    #[arg(long, default_value_t = 512)]
    block_bytes: usize,
    #[command(flatten)]
    fault: Fault,
}

/// A fault of tftp-hpa, for captures of it.
#[derive(Debug, Args)]
struct Fault {
    /// Do it wrong
    #[arg(long)]
    fault: Option<Wrong>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Wrong {
    FixedTimeout,
    Apprentice,
    FinalAckForAnyData,
    NoFinalAckAgain,
    OnceTooOften,
    BlockTooMany,
}

impl Fault {
    fn settings(&self) -> Settings {
        let version = self.fault.map_or(Version::Corrected, |wrong| match wrong {
            Wrong::FixedTimeout => Version::FixedTimeout,
            Wrong::Apprentice => Version::Apprentice,
            Wrong::FinalAckForAnyData => Version::FinalAckForAnyData,
            Wrong::NoFinalAckAgain => Version::NoFinalAckAgain,
            Wrong::OnceTooOften => Version::OnceTooOften,
            Wrong::BlockTooMany => Version::BlockTooMany,
        });
        Settings { version, ..real::SETTINGS }
    }
}

impl How {
    fn mode(&self) -> Mode {
        if self.netascii { Mode::Netascii } else { Mode::Octet }
    }

    fn settings(&self) -> Settings {
        Settings { block_bytes: self.block_bytes, ..self.fault.settings() }
    }
}

fn main() -> std::io::Result<()> {
    let arguments = Arguments::parse();
    match arguments.command {
        Some(Command::Serve { directory, port, once, fault }) => real::serve(directory, port, once, fault.settings())?,
        Some(Command::Get { file, how }) => {
            let (mode, settings) = (how.mode(), how.settings());
            real::get(how.server, file, mode, settings)?;
        }
        Some(Command::Put { file, how }) => {
            let (mode, settings) = (how.mode(), how.settings());
            real::put(how.server, file, mode, settings)?;
        }
        None if arguments.table => table::print(),
        None if arguments.costs => table::costs(),
        None => table::one(),
    }
    Ok(())
}
