//! `cargo netcheck swarm`: the shares of checks that draw executions, on all cores of this machine.
//!
//! Tests are built once; then each share is a run of `cargo test` with the variable that says which share it is, as many at
//! a time as there are cores. Once a test of a share has failed, no other share is begun, and the output of this one is
//! shown. On Ctrl-C the terminal ends all of them.

use super::test;
use crate::Result;
use crate::workspace::not_started;
use std::ffi::OsString;
use std::io::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Output, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::{self, available_parallelism};

/// The variable by which a test is told its share.
const SWARM: &str = "NETCHECK_SWARM";

/// `arguments`: the subcommand `test`, and the arguments of `cargo test`.
pub(crate) fn run(
    manifest_path: Option<&Path>,
    shares: NonZero<u32>,
    is_whole: bool,
    arguments: &[OsString],
) -> Result<ExitCode> {
    let Some((_, arguments)) = arguments.split_first().filter(|(first, _)| *first == "test") else {
        return Err(format!("only tests are checked: with `cargo netcheck swarm {shares} test NAME`"));
    };
    let prepared = if is_whole {
        test::Prepared::whole(manifest_path.map(PathBuf::from), arguments)?
    } else {
        test::Prepared::plain(manifest_path, arguments)
    };
    let built = prepared.command(&["--no-run"]).status().map_err(not_started)?;
    if !built.success() {
        return Ok(ExitCode::FAILURE);
    }
    let cores = available_parallelism().map_or(1, NonZero::get);
    let at_a_time = cores.min(shares.get() as usize);
    println!("{shares} shares, {at_a_time} at a time");
    let (next, has_failed) = (AtomicU32::new(1), AtomicBool::new(false));
    let run_shares = || -> Result<()> {
        loop {
            let share = next.fetch_add(1, Ordering::Relaxed);
            if share > shares.get() || has_failed.load(Ordering::Relaxed) {
                return Ok(());
            }
            let mut command = prepared.command(&[]);
            command.env(SWARM, format!("{share}/{shares}")).stdin(Stdio::null());
            match command.output() {
                Ok(output) if output.status.success() => println!("share {share}: nothing found"),
                failed => {
                    has_failed.store(true, Ordering::Relaxed);
                    show(share, &failed.map_err(not_started)?);
                }
            }
        }
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..at_a_time).map(|_| scope.spawn(run_shares)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("no share panics"))
    })?;
    Ok(if has_failed.into_inner() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The output of a share that has failed, in one piece.
fn show(share: u32, output: &Output) {
    let mut out = std::io::stdout().lock();
    // Where nobody listens any more, the exit code still tells.
    let _ = writeln!(out, "share {share}: failed");
    let _ = out.write_all(&output.stderr).and_then(|()| out.write_all(&output.stdout));
}
