//! SPIN: `promela/alphabet.pml`, for which SPIN writes a verifier in C, compiled before the time is taken.

use crate::figures::{Counts, Figures, Verdict, after};
use crate::system::System;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/promela/alphabet.pml");

/// More than the longest execution has steps.
const DEPTH_MAX: usize = 100_000;

/// The size of the hash table, which grows when it is full; by default it takes 128 MB from the start.
const SLOTS_LOG2: u32 = 20;

#[derive(Clone, Copy, Debug)]
pub struct Build {
    pub reduction: bool,
    /// Consumers give up; else they wait for ever.
    pub timeouts: bool,
}

pub fn is_installed() -> bool {
    let is_there =
        |tool, version| Command::new(tool).arg(version).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    is_there("spin", "-V") && is_there("gcc", "--version")
}

/// The verifier, in a folder of its own below `folder`.
pub fn compile(build: Build, system: System, folder: &Path) -> io::Result<PathBuf> {
    let Build { reduction, timeouts } = build;
    let System { connections, requests, loss } = system;
    let folder = folder.join(format!("{connections}-{requests}-{loss}-{reduction}-{timeouts}"));
    std::fs::create_dir(&folder)?;
    let mut spin = Command::new("spin");
    spin.arg("-a").arg(format!("-DC={connections}")).arg(format!("-DR={requests}"));
    spin.args(loss.then_some("-DLOSS")).args(timeouts.then_some("-DTIMEOUTS"));
    succeed(spin.arg(MODEL).current_dir(&folder))?;
    let mut gcc = Command::new("gcc");
    gcc.args(["-O2", "-w", "-DSAFETY"]).args((!reduction).then_some("-DNOREDUCE"));
    succeed(gcc.args(["-o", "pan", "pan.c"]).current_dir(&folder))?;
    Ok(folder.join("pan"))
}

/// In a process that starts nothing else.
pub fn run(verifier: &Path, limit: Duration) -> io::Result<Figures> {
    let start = Instant::now();
    let mut pan = Command::new(verifier);
    pan.arg(format!("-m{DEPTH_MAX}"))
        .arg(format!("-w{SLOTS_LOG2}"))
        .current_dir(verifier.parent().unwrap_or(Path::new(".")));
    let pan = pan.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let id = Pid::from_raw(pan.id().cast_signed());
    // A verifier that is interrupted says what it has seen.
    after(limit, move || {
        let _ = kill(id, Signal::SIGINT);
    });
    let Output { stdout, .. } = pan.wait_with_output()?;
    let seconds = start.elapsed().as_secs_f64();
    let text = String::from_utf8_lossy(&stdout);
    let number = |after: &str| {
        let line = text.lines().find(|line| line.contains(after))?;
        line.split_whitespace().next()?.parse::<f64>().ok().map(|number| number as u64)
    };
    let verdict = match text.contains("errors: 0") {
        _ if text.contains("Search not completed") => Verdict::NoEnd,
        true => Verdict::Holds,
        false => Verdict::Violated,
    };
    let counts = Counts {
        states: number("states, stored"),
        // "stored + matched", of which the first state is no transition
        transitions: number("transitions (=").map(|transitions| transitions - 1),
        executions: None,
    };
    let peak_kilobytes = getrusage(UsageWho::RUSAGE_CHILDREN)?.max_rss().cast_unsigned();
    Ok(Figures { verdict, counts, seconds, memory_bytes: peak_kilobytes * 1024 })
}

fn succeed(command: &mut Command) -> io::Result<()> {
    let Output { status, stdout, stderr } = command.output()?;
    let said = || [stdout, stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("{command:?}: {status}\n{}", said()))) }
}
