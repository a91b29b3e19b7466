//! Files, shaped like `std::fs`.
//!
//! In a check, a process has files of its own: those that `Registered::files` gives it, and what it makes itself. A call is
//! answered at once, and there is no choice in it. Names are read in their order. Permissions are remembered, and forbid
//! nothing; times are not kept, and there are no symbolic links. Outside of a check, files are the real ones.

mod directory;
mod file;
mod metadata;

pub use ::std::fs::Permissions;
pub use directory::{DirBuilder, DirEntry, ReadDir, read_dir};
pub use file::{File, OpenOptions};
pub use metadata::{FileType, Metadata};

pub(in crate::fs) use file::{FOREIGN, handle, within};

use crate::operation::files::{Failure, Files, Handle};
use crate::operation::storage;
use crate::unit::poll::context::{self, Context};
use metadata::Facts;
use netcheck_memory::Handed;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::panic::Location;
use std::path::{Path, PathBuf};

/// The permissions that a new file or directory does not get.
const MASK: u32 = 0o022;

/// Bytes that are copied at once.
const COPIED_BYTES: usize = 8 * 1024;

/// A call on the files of the current process.
fn call<R: Handed>(context: &Context, call: impl FnOnce(&mut Files) -> Result<R, Failure>) -> io::Result<R> {
    context.files(call).map_err(error)
}

/// A call on an open file of the current process that may fail by the declared faults.
#[track_caller]
fn call_or_fail<R: Handed>(
    (what, handle): (storage::Operation, Handle),
    call: impl FnOnce(&mut Files, Handle) -> Result<R, Failure>,
) -> io::Result<R> {
    let context = context::current();
    context.may_fail(what, handle, Location::caller()).map_err(error)?;
    self::call(&context, |files| call(files, handle))
}

/// The error with a number of Linux; with 0, that of arguments for which the system is not asked.
pub(in crate::fs) fn error(number: i32) -> io::Error {
    if number == 0 { io::ErrorKind::InvalidInput.into() } else { io::Error::from_raw_os_error(number) }
}

fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

/// Reads all of a file, as `std::fs::read`.
///
/// # Errors
/// As the original.
pub fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    let mut read = Vec::new();
    File::open(path)?.read_to_end(&mut read)?;
    Ok(read)
}

/// Reads all of a file, as `std::fs::read_to_string`.
///
/// # Errors
/// As the original.
pub fn read_to_string(path: impl AsRef<Path>) -> io::Result<String> {
    let mut read = String::new();
    File::open(path)?.read_to_string(&mut read)?;
    Ok(read)
}

/// Writes a new file, or all of one anew, as `std::fs::write`.
///
/// # Errors
/// As the original.
pub fn write(path: impl AsRef<Path>, contents: impl AsRef<[u8]>) -> io::Result<()> {
    File::create(path)?.write_all(contents.as_ref())
}

/// Copies a file and its permissions, as `std::fs::copy`.
///
/// # Errors
/// As the original.
pub fn copy(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<u64> {
    if context::within().is_none() {
        return ::std::fs::copy(from, to);
    }
    let mut reader = File::open(from)?;
    let metadata = reader.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the source path is neither a regular file nor a symlink to a regular file",
        ));
    }
    let mut writer = OpenOptions::new().write(true).create(true).truncate(true).open(to)?;
    writer.set_permissions(metadata.permissions())?;
    let (mut buffer, mut copied) = (vec![0; COPIED_BYTES], 0);
    loop {
        let length = reader.read(&mut buffer)?;
        if length == 0 {
            return Ok(copied);
        }
        writer.write_all(&buffer[..length])?;
        copied += length as u64;
    }
}

/// Renames a file or directory, as `std::fs::rename`.
///
/// # Errors
/// As the original.
pub fn rename(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
    match context::within() {
        Some(context) => call(&context, |files| files.rename(bytes(from.as_ref()), bytes(to.as_ref()))),
        None => ::std::fs::rename(from, to),
    }
}

/// Gives a file another name, as `std::fs::hard_link`.
///
/// # Errors
/// As the original.
pub fn hard_link(original: impl AsRef<Path>, link: impl AsRef<Path>) -> io::Result<()> {
    match context::within() {
        Some(context) => call(&context, |files| files.link(bytes(original.as_ref()), bytes(link.as_ref()))),
        None => ::std::fs::hard_link(original, link),
    }
}

/// Makes a symbolic link, as `std::os::unix::fs::symlink`: in a check, the file system has none.
///
/// # Errors
/// In a check, always.
pub fn symlink(original: impl AsRef<Path>, link: impl AsRef<Path>) -> io::Result<()> {
    match context::within() {
        Some(context) => call(&context, |_| Err(Failure::NotPermitted)),
        None => ::std::os::unix::fs::symlink(original, link),
    }
}

/// As [`symlink`], as `std::fs::soft_link`.
///
/// # Errors
/// In a check, always.
pub fn soft_link(original: impl AsRef<Path>, link: impl AsRef<Path>) -> io::Result<()> {
    symlink(original, link)
}

/// The path that a symbolic link leads to, as `std::fs::read_link`.
///
/// # Errors
/// In a check, always: nothing is a symbolic link.
pub fn read_link(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    match context::within() {
        Some(context) => {
            let looked: io::Result<()> =
                call(&context, |files| files.metadata(bytes(path.as_ref())).and(Err(Failure::Invalid)));
            looked.map(|()| PathBuf::new())
        }
        None => ::std::fs::read_link(path),
    }
}

/// Removes a file, as `std::fs::remove_file`.
///
/// # Errors
/// As the original.
pub fn remove_file(path: impl AsRef<Path>) -> io::Result<()> {
    match context::within() {
        Some(context) => call(&context, |files| files.unlink(bytes(path.as_ref()))),
        None => ::std::fs::remove_file(path),
    }
}

/// Removes an empty directory, as `std::fs::remove_dir`.
///
/// # Errors
/// As the original.
pub fn remove_dir(path: impl AsRef<Path>) -> io::Result<()> {
    match context::within() {
        Some(context) => call(&context, |files| files.remove_directory(bytes(path.as_ref()))),
        None => ::std::fs::remove_dir(path),
    }
}

/// Removes a directory and all that is in it, as `std::fs::remove_dir_all`.
///
/// # Errors
/// As the original.
pub fn remove_dir_all(path: impl AsRef<Path>) -> io::Result<()> {
    let path = path.as_ref();
    if context::within().is_none() {
        return ::std::fs::remove_dir_all(path);
    }
    for entry in read_dir(path)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() { remove_dir_all(entry.path()) } else { remove_file(entry.path()) }?;
    }
    remove_dir(path)
}

/// Makes a directory, as `std::fs::create_dir`.
///
/// # Errors
/// As the original.
pub fn create_dir(path: impl AsRef<Path>) -> io::Result<()> {
    DirBuilder::new().create(path)
}

/// Makes a directory and those that lead to it, as `std::fs::create_dir_all`.
///
/// # Errors
/// As the original.
pub fn create_dir_all(path: impl AsRef<Path>) -> io::Result<()> {
    DirBuilder::new().recursive(true).create(path)
}

/// Facts about a file or directory, as `std::fs::metadata`.
///
/// # Errors
/// As the original.
pub fn metadata(path: impl AsRef<Path>) -> io::Result<Metadata> {
    match context::within() {
        Some(context) => call(&context, |files| files.metadata(bytes(path.as_ref())).map(Facts)).map(Metadata::own),
        None => ::std::fs::metadata(path).map(Metadata::real),
    }
}

/// Facts about a file or directory, as `std::fs::symlink_metadata`.
///
/// # Errors
/// As the original.
pub fn symlink_metadata(path: impl AsRef<Path>) -> io::Result<Metadata> {
    match context::within() {
        Some(_) => metadata(path),
        None => ::std::fs::symlink_metadata(path).map(Metadata::real),
    }
}

/// Sets the permissions of a file or directory, as `std::fs::set_permissions`.
///
/// # Errors
/// As the original.
pub fn set_permissions(path: impl AsRef<Path>, permissions: Permissions) -> io::Result<()> {
    match context::within() {
        Some(context) => call(&context, |files| files.set_mode(bytes(path.as_ref()), permissions.mode())),
        None => ::std::fs::set_permissions(path, permissions),
    }
}

/// Whether a path leads to something, as `std::fs::exists`.
///
/// # Errors
/// As the original.
pub fn exists(path: impl AsRef<Path>) -> io::Result<bool> {
    match metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// The path from the root without `.` and `..`, as `std::fs::canonicalize`.
///
/// # Errors
/// As the original.
pub fn canonicalize(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    match context::within() {
        Some(context) => {
            let path = call(&context, |files| files.canonical(bytes(path.as_ref())).map(|path| path.to_vec()))?;
            Ok(PathBuf::from(named(path)))
        }
        None => ::std::fs::canonicalize(path),
    }
}

fn named(name: Vec<u8>) -> OsString {
    OsString::from_vec(name)
}
