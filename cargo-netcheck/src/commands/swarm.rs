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
use std::sync::{Mutex, PoisonError};
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
    println!("{shares} shares, {} at a time", cores.min(shares.get() as usize));
    let next = AtomicU32::new(1);
    let has_failed = AtomicBool::new(false);
    let wrong: Mutex<Vec<String>> = Mutex::default();
    thread::scope(|scope| {
        for _ in 0..cores.min(shares.get() as usize) {
            scope.spawn(|| {
                loop {
                    let share = next.fetch_add(1, Ordering::Relaxed);
                    if share > shares.get() || has_failed.load(Ordering::Relaxed) {
                        return;
                    }
                    let mut command = prepared.command(&[]);
                    command.env(SWARM, format!("{share}/{shares}")).stdin(Stdio::null());
                    match command.output() {
                        Ok(output) if output.status.success() => println!("share {share}: nothing found"),
                        Ok(output) => {
                            has_failed.store(true, Ordering::Relaxed);
                            show(share, &output);
                        }
                        Err(error) => {
                            has_failed.store(true, Ordering::Relaxed);
                            wrong.lock().unwrap_or_else(PoisonError::into_inner).push(not_started(error));
                        }
                    }
                }
            });
        }
    });
    if let Some(error) = wrong.into_inner().unwrap_or_else(PoisonError::into_inner).pop() {
        return Err(error);
    }
    Ok(if has_failed.into_inner() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The output of a share that has failed, in one piece.
fn show(share: u32, output: &Output) {
    let mut out = std::io::stdout().lock();
    // Where nobody listens any more, the exit code still tells.
    let _ = writeln!(out, "share {share}: failed");
    let _ = out.write_all(&output.stderr).and_then(|()| out.write_all(&output.stdout));
}
