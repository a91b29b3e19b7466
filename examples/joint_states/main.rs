//! Pairs of a client and a server that are checked together, message by message
//! (papers/jpf-jointstates.txt, section 5), and three processes that are client and server at
//! once. One source, [`checked`] by netcheck and run for [`real`] on tokio.
//!
//! ```text
//! cargo run --release --example joint_states              # the table, and the counterexample
//! cargo run --release --example joint_states -- --table   # the table alone: the paper's section 5
//! cargo run --example joint_states -- run buggy           # for real: also dummy, lucky, peers, ports
//! ```
//!
//! The client sends a number and is answered ten times that. The Lucky client would wait for
//! ever after any other answer, but its server gives none; the Buggy one does by chance.

mod checked;
mod real;
mod table;

use checked::program::Pair;
use clap::{Parser, Subcommand, ValueEnum};

/// Checks clients and servers together, or runs them.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Only the results of the paper's section 5 beside ours
    #[arg(long)]
    table: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a system for real
    Run {
        system: System,
        #[arg(long, default_value_t = 4000)]
        port: u16,
        /// Peers ask before they answer; the client's threads take turns
        #[arg(long)]
        one_by_one: bool,
        /// Port B opens after a client has come to port A
        #[arg(long)]
        later: bool,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum System {
    Dummy,
    Lucky,
    Buggy,
    /// Three processes, on ports in a row
    Peers,
    /// The paper's Figures 5 and 6: a client with two threads, for two ports
    Ports,
}

fn main() {
    let Arguments { command, table } = Arguments::parse();
    if let Some(Command::Run { system, port, one_by_one, later }) = command {
        use real::program::{Halves, Opening, Pair, Threads};
        return match system {
            System::Dummy => real::pair(port, Pair::Dummy),
            System::Lucky => real::pair(port, Pair::Lucky),
            System::Buggy => real::pair(port, Pair::Buggy),
            System::Peers => real::peers(port, 3, if one_by_one { Halves::OneByOne } else { Halves::AtOnce }),
            System::Ports => {
                let opening = if later { Opening::Later } else { Opening::Together };
                real::two_ports(port, opening, if one_by_one { Threads::OneByOne } else { Threads::AtOnce });
            }
        };
    }
    table::print();
    if !table {
        println!();
        print!("{}", checked::checker().check(|net| checked::pair(net, Pair::Buggy)));
    }
}
