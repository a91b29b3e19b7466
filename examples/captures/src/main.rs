//! Mistakes in a capture of TFTP, at which packet, in words: the specification of `examples/tftp`, with which a check
//! judges the program, judges what tcpdump or Wireshark saw.
//!
//! ```text
//! cargo run --release --example captures -- FILE.pcap       # or FILE.pcapng
//! tcpdump -i any -w FILE.pcap udp                           # makes such a file: at the client's or the server's host
//! ```
//!
//! Each side of a transfer is judged by itself. What is captured elsewhere than at its host may be lost on the way to it,
//! or pass other packets there: say where the capture was made (`--at client`). Over loopback both sides are right.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod analysis;

use analysis::{Settings, Side, Times, analysis};
use clap::{Parser, ValueEnum};
use netcheck_capture::{Capture, Error};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Says what is wrong in a capture of TFTP, and at which packet.
#[derive(Debug, Parser)]
struct Arguments {
    /// A pcap or pcapng file
    file: PathBuf,
    /// The port that requests are sent to
    #[arg(long, default_value_t = 69)]
    port: u16,
    /// The side at which the capture was made: only that one is judged
    #[arg(long)]
    at: Option<At>,
    /// How often a packet may be sent again [default: as often as it is]
    #[arg(long)]
    retries: Option<u16>,
    /// The least time-out, unless the capture shows it: what is sent again sooner, after something has come, is taken for
    /// an answer
    #[arg(long, default_value_t = 100)]
    timeout_ms: u64,
    /// How long a program takes at most to receive what has come
    #[arg(long, default_value_t = 50)]
    reaction_ms: u64,
    /// How long a receiver has to wait for the last data to come again
    #[arg(long, default_value_t = 2_000)]
    dally_ms: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum At {
    Client,
    Server,
    /// Nothing is lost between the two
    Both,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    told(&arguments).unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::from(2)
    })
}

/// Prints what is to be said about the file; fails if something is wrong in it.
fn told(arguments: &Arguments) -> Result<ExitCode, Error> {
    let settings = Settings {
        port: arguments.port,
        at: arguments.at.map(At::sides),
        times: Times {
            timeout: Duration::from_millis(arguments.timeout_ms),
            reaction: Duration::from_millis(arguments.reaction_ms),
            dally: Duration::from_millis(arguments.dally_ms),
        },
        retries: arguments.retries.unwrap_or(u16::MAX),
    };
    let analysis = analysis(&Capture::read(&arguments.file)?, &settings)?;
    print!("{}: {}", arguments.file.display(), analysis.text);
    if analysis.transfers == 0 {
        eprintln!("no request of TFTP is sent to port {}: say with --port where the server listens", settings.port);
        return Ok(ExitCode::from(2));
    }
    Ok(if analysis.wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl At {
    fn sides(self) -> &'static [Side] {
        match self {
            At::Client => &[Side::Client],
            At::Server => &[Side::Server],
            At::Both => &[Side::Client, Side::Server],
        }
    }
}
