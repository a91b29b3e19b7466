//! A client whose server is a real Redis, in the check as well: every failing call, reset and split, and what the
//! server then answers.
//!
//! ```text
//! cargo run --release --example redis                        # the counterexample, then the mended client
//! cargo run --release --example redis -- visit --as Ann      # for real, beside a redis-server
//! ```
//!
//! The first check starts `redis-server` where it needs one with another past; a second one finds all answers in
//! `target/netcheck/cache/redis.json`.

mod checked;
mod real;

use checked::program::{Lines, Version};
use checked::{check_keep, check_ping, check_visit, failures, redis};
use clap::{Parser, Subcommand};
use comfy_table::{Table, presets::ASCII_MARKDOWN};
use netcheck::check::{Error, Report};
use std::path::Path;
use std::time::Instant;

/// Checks a client of Redis, or runs it.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Count a visit for real
    Visit {
        #[arg(long, default_value = "127.0.0.1:6379")]
        server: String,
        /// The visitor
        #[arg(long = "as", default_value = "somebody")]
        visitor: String,
    },
}

/// The file of the server's answers.
const ANSWERS: &str = "target/netcheck/cache/redis.json";

fn main() {
    match Arguments::parse().command {
        Some(Command::Visit { server, visitor }) => real::visit(&server, &visitor),
        None => {
            if let Err(error) = check_all() {
                println!("{error}");
            }
        }
    }
}

fn check_all() -> Result<(), Error> {
    let peer = || redis(Path::new(ANSWERS));
    let mut table = Table::new();
    table.load_preset(ASCII_MARKDOWN);
    table.set_header([
        "program",
        "verdict",
        "states",
        "answers asked for",
        "runs of Redis",
        "from the file",
        "seconds",
    ]);
    type Check = fn(netcheck::External) -> Result<Report, Error>;
    let checks: [(&str, Check); 5] = [
        ("INCR, and again", |peer| check_visit(peer, Version::Incremented, failures())),
        ("SADD, and again", |peer| check_visit(peer, Version::Added, failures())),
        ("SET and GET", |peer| check_keep(peer, failures())),
        ("PING, in pieces", |peer| check_ping(peer, Lines::AsRead, failures().split())),
        ("PING, whole lines", |peer| check_ping(peer, Lines::Whole, failures().split())),
    ];
    for round in ["first", "second"] {
        for (name, check) in checks {
            let begun = Instant::now();
            let report = check(peer())?;
            if table.is_empty() {
                println!("{report}");
            }
            let (_, counts) = &report.peers()[0];
            table.add_row([
                format!("{name} ({round} time)"),
                format!("{:?}", report.verdict()),
                report.states().to_string(),
                counts.learned.to_string(),
                counts.runs.to_string(),
                counts.from_cache.to_string(),
                format!("{:.2}", begun.elapsed().as_secs_f64()),
            ]);
        }
    }
    println!("{table}");
    Ok(())
}
