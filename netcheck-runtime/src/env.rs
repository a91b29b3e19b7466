//! The arguments and the directories of a program, shaped like `std::env`.
//!
//! In a check, each process has arguments of its own, which `Registered::args` gives it. Outside
//! of a check, they are the real ones.

use crate::unit::poll::context;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::vec::IntoIter;

/// The arguments of the process, as `std::env::args`: its name, and those that the check has given it.
///
/// # Panics
/// Outside of a check, if one of them is not Unicode, as the original; while it is iterated.
pub fn args() -> IntoIter<String> {
    let text = |argument: OsString| match argument.into_string() {
        Ok(text) => text,
        Err(argument) => panic!("the argument {argument:?} is not Unicode"),
    };
    args_os().map(text).collect::<Vec<_>>().into_iter()
}

/// As [`args`], as `std::env::args_os`.
pub fn args_os() -> IntoIter<OsString> {
    let given: Vec<OsString> = match context::try_current() {
        Some(context) => {
            let host = context.host();
            std::iter::once(&host.name).chain(&*host.args).map(OsString::from).collect()
        }
        None => std::env::args_os().collect(),
    };
    given.into_iter()
}

/// The working directory, as `std::env::current_dir`: in a check, the root.
///
/// # Errors
/// As the original.
pub fn current_dir() -> io::Result<PathBuf> {
    match context::try_current() {
        Some(_) => Ok(PathBuf::from("/")),
        None => std::env::current_dir(),
    }
}

/// The directory of temporary files, as `std::env::temp_dir`: in a check, `/tmp`.
pub fn temp_dir() -> PathBuf {
    match context::try_current() {
        Some(_) => PathBuf::from("/tmp"),
        None => std::env::temp_dir(),
    }
}
