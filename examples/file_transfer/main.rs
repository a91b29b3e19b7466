//! A file transfer over UDP (papers/udp-net-iocache.txt, section 4.2). One source, [`checked`]
//! by netcheck and run for [`real`] on tokio.
//!
//! ```text
//! cargo run --release --example file_transfer             # the paper's Table 4, and the counterexample
//! cargo run --example file_transfer -- serve              # for real, in one shell,
//! cargo run --example file_transfer -- get                # and in another one
//! ```
//!
//! The client asks again for what does not come, and drops what comes twice. It was tested, and
//! it works. But when the last packet of file 1 arrives twice, the second one is still under
//! way when the client asks for file 2, and is taken for a packet of that. Packets that name
//! their file, and a client that looks at it, mend this.

mod checked;
mod real;
mod table;

use checked::program::Version;
use clap::{Parser, Subcommand};

/// Checks the file transfer, or runs it.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the files for real: packets on this port (UDP), sizes on the next one (TCP)
    Serve {
        #[arg(long, default_value_t = 4000)]
        port: u16,
    },
    /// Get the files for real
    Get {
        #[arg(long, default_value_t = 4000)]
        port: u16,
        /// Use the client that the paper found wrong
        #[arg(long)]
        seeded: bool,
    },
}

fn main() {
    match Arguments::parse().command {
        Some(Command::Serve { port }) => real::serve(port),
        Some(Command::Get { port, seeded }) => {
            use real::program::Version;
            real::get(port, if seeded { Version::Seeded } else { Version::Corrected });
        }
        None => {
            table::print();
            let report = checked::checker(&[2], 1).check(|net| checked::register(net, Version::Seeded));
            let counterexample = report.counterexample().expect("the seeded fault is found");
            print!("\nM = [2], c = 1, fault seeded:\n{counterexample}");
        }
    }
}
