//! What is wrong in a capture of TFTP, at which packet, in words: the specification of `examples/tftp`, with which a check
//! judges the program, judges what tcpdump or Wireshark saw.
//!
//! ```text
//! cargo run --release --example captures -- FILE.pcap       # or FILE.pcapng
//! tcpdump -i any -w FILE.pcap udp                           # makes such a file: at the client's or the server's host
//! ```
//!
//! Each side of a transfer is judged by itself. What is captured elsewhere than at its host may be lost on the way to it,
//! or pass other packets there: say where the capture was made (`--at client`). Over loopback both sides are right.

mod follow;
mod side;
mod tftp;
mod transfers;
mod verdict;

use clap::{Parser, ValueEnum};
use netcheck::capture::Capture;
use side::Times;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use transfers::{Side, transfers};
use verdict::{Judging, explained, judge, summary, title};

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
    match Capture::read(&arguments.file) {
        Ok(capture) => told(&arguments, &capture),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Prints what is to be said about a capture; fails if something is wrong in it.
fn told(arguments: &Arguments, capture: &Capture) -> ExitCode {
    let Arguments { file, port, .. } = arguments;
    let transfers = transfers(capture, *port);
    println!("{}: {} packets, transfers: {}", file.display(), capture.packets(), transfers.len());
    if transfers.is_empty() {
        eprintln!("no request of TFTP is sent to port {port}: say with --port where the server listens");
        return ExitCode::from(2);
    }
    let times = Times {
        timeout: Duration::from_millis(arguments.timeout_ms),
        reaction: Duration::from_millis(arguments.reaction_ms),
        dally: Duration::from_millis(arguments.dally_ms),
    };
    let retries = arguments.retries.unwrap_or(u16::MAX).into();
    let judging = Judging { times, retries, until: capture.lasted() };
    let (mut wrong, mut elsewhere) = (0, false);
    for (number, transfer) in (1..).zip(&transfers) {
        println!("\ntransfer {number}: {}\n  {}", title(transfer), summary(transfer));
        for side in arguments.at.map_or(&[Side::Client, Side::Server][..], At::sides) {
            if transfer.peer.is_none() && *side == Side::Server {
                continue;
            }
            let verdict = judge(transfer, *side, &judging);
            let Some(rejected) = &verdict.rejected else {
                println!("  the {side} keeps to the specification");
                continue;
            };
            wrong += 1;
            let is_elsewhere = arguments.at.is_none() && transfer.client.ip() != transfer.server.ip();
            let provided = if is_elsewhere { ", unless packets were lost between it and the place of the capture" } else { "" };
            elsewhere |= is_elsewhere;
            let packet = transfer.packets[rejected.packet].place.number;
            println!("  the {side} is WRONG at packet {packet}{provided}:");
            explained(transfer, rejected).lines().for_each(|line| println!("    {line}"));
        }
    }
    if elsewhere {
        println!("\nsay where the capture was made, and only that side is judged: --at client, --at server, or --at both");
    }
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
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
