//! Alphabet: clients send digits, servers answer with letters (papers/udp-net-iocache.txt,
//! section 4.1). One source, [`checked`] by netcheck and run for [`real`] on tokio.
//!
//! ```text
//! cargo run --release --example alphabet                  # 3 connections, 2 requests, loss: the counterexample
//! cargo run --release --example alphabet -- --table       # the paper's Tables 2 and 3, Figures 8 to 10
//! cargo run --release --example alphabet -- --connections 3 --requests 3 --loss --no-reduction
//! cargo run --example alphabet -- serve                   # for real, in one shell,
//! cargo run --example alphabet -- run                     # and in another one (both with --tcp: over TCP)
//! ```
//!
//! Each client has a producer task that sends '0', '1', … and a consumer task that asserts
//! that the i-th response answers the i-th request. That holds on a reliable network. With
//! loss it fails from 2 requests on: the consumer takes the second response for the first.
//!
//! The paper's program passes with loss at 1 request, so a response that does not come is no
//! failure there. Hence our reading: the consumer waits 1 s for each response and ends
//! quietly when none comes.

mod alone;
mod checked;
mod checked_tcp;
mod real;
mod table;

use checked::Sessions;
use clap::{Parser, Subcommand};
use netcheck::check::{Checker, Udp};
use std::process::ExitCode;
use std::time::Instant;

/// Checks the alphabet client and server, or runs them.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Check the configurations of the paper's Table 3 and Figures 8 to 10, and run those of Table 2
    #[arg(long)]
    table: bool,
    /// Pairs of a client and its own server
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=12))]
    connections: Option<u16>,
    /// Digits that each client sends
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=10))]
    requests: Option<u8>,
    /// Over TCP
    #[arg(long, conflicts_with = "loss")]
    tcp: bool,
    /// Datagrams may be lost
    #[arg(long)]
    loss: bool,
    /// The consumers assert that the responses are right
    #[arg(long)]
    assertion: bool,
    /// Explore every interleaving
    #[arg(long)]
    no_reduction: bool,
    /// Distinct states to visit at the most
    #[arg(long, default_value_t = 20_000_000)]
    max_states: usize,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve for real, each connection on a port of its own
    Serve {
        #[arg(long, default_value_t = 4000)]
        port: u16,
        #[arg(long, default_value_t = 3)]
        connections: u16,
        /// Over TCP
        #[arg(long)]
        tcp: bool,
    },
    /// Run the clients for real
    Run {
        #[arg(long, default_value_t = 4000)]
        port: u16,
        #[arg(long, default_value_t = 3)]
        connections: u16,
        #[arg(long, default_value_t = 8)]
        requests: u8,
        /// Over TCP
        #[arg(long)]
        tcp: bool,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match arguments.command {
        Some(Command::Serve { port, connections, tcp }) => {
            (0..connections).for_each(|connection| println!("serving on {}", real::address(port, connection)));
            real::serve(port, connections, tcp);
        }
        Some(Command::Run { port, connections, requests, tcp }) => real::run(port, connections, requests, tcp),
        None if arguments.table => {
            alone::print();
            table::print();
        }
        None if arguments.connections.is_none() && arguments.requests.is_none() => show_counterexample(),
        None => measure(&arguments),
    }
    ExitCode::SUCCESS
}

/// The counterexample of the paper's section 4.1, as a reader sees it.
fn show_counterexample() {
    let sessions = Sessions { connections: 3, requests: 2, asserting: true };
    let reliable = Checker::new().check(|net| sessions.register(net));
    print!("3 connections, 2 requests, reliable network: {reliable}");
    let lossy = Checker::new().udp(Udp::new().loss()).check(|net| sessions.register(net));
    print!("\n3 connections, 2 requests, loss: {lossy}");
}

/// One configuration, with the figures of the run.
fn measure(arguments: &Arguments) {
    let sessions = Sessions {
        connections: arguments.connections.unwrap_or(3),
        requests: arguments.requests.unwrap_or(3),
        asserting: arguments.assertion,
    };
    let mut checker = Checker::new().max_states(arguments.max_states).reduction(!arguments.no_reduction);
    if arguments.loss {
        checker = checker.udp(Udp::new().loss());
    }
    let start = Instant::now();
    let report = checker.check(|net| match arguments.tcp {
        true => checked_tcp::register(sessions, net),
        false => sessions.register(net),
    });
    let seconds = start.elapsed().as_secs_f64();
    print!("{report}");
    println!("states:          {}", report.states());
    println!("transitions:     {}", report.transitions());
    println!("seconds:         {seconds:.3}");
    println!("transitions/s:   {:.0}", report.transitions() as f64 / seconds);
    println!("bytes per state: {:.1}", report.memory_bytes() as f64 / report.states() as f64);
    println!("polls:           {}", report.polls());
}
