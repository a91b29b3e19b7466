//! The front on one of two `std`s: see [`fs`](crate::fs).

mod directory;
mod file;

pub use directory::{DirBuilder, DirEntry, ReadDir, read_dir};
pub use file::{File, FileTimes, OpenOptions};

use super::{blocking, std};
use ::std::future::Future;
use ::std::io;
use ::std::panic::Location;
use ::std::path::{Path, PathBuf};
use std::{Metadata, Permissions};

/// Functions that make one call of `std::fs` with paths.
macro_rules! calls {
    ($($(#[doc = $doc:literal])* $name:ident($($path:ident),+) -> $Result:ty;)*) => {
        $(
            $(#[doc = $doc])*
            ///
            /// # Errors
            /// As the original.
            #[track_caller]
            pub fn $name($($path: impl AsRef<Path>),+) -> impl Future<Output = io::Result<$Result>> {
                let location = Location::caller();
                async move {
                    $(let $path = $path.as_ref().to_owned();)+
                    blocking::call(location, move || std::$name($($path),+)).await
                }
            }
        )*
    };
}

calls! {
    /// The path from the root without `.` and `..`, as `tokio::fs::canonicalize`.
    canonicalize(path) -> PathBuf;
    /// Copies a file and its permissions, as `tokio::fs::copy`.
    copy(from, to) -> u64;
    /// Makes a directory, as `tokio::fs::create_dir`.
    create_dir(path) -> ();
    /// Makes a directory and those that lead to it, as `tokio::fs::create_dir_all`.
    create_dir_all(path) -> ();
    /// Gives a file another name, as `tokio::fs::hard_link`.
    hard_link(original, link) -> ();
    /// Facts about a file or directory, as `tokio::fs::metadata`.
    metadata(path) -> Metadata;
    /// Reads all of a file, as `tokio::fs::read`.
    read(path) -> Vec<u8>;
    /// The path that a symbolic link leads to, as `tokio::fs::read_link`: in a check, nothing is one.
    read_link(path) -> PathBuf;
    /// Reads all of a file, as `tokio::fs::read_to_string`.
    read_to_string(path) -> String;
    /// Removes an empty directory, as `tokio::fs::remove_dir`.
    remove_dir(path) -> ();
    /// Removes a directory and all that is in it, as `tokio::fs::remove_dir_all`.
    remove_dir_all(path) -> ();
    /// Removes a file, as `tokio::fs::remove_file`.
    remove_file(path) -> ();
    /// Renames a file or directory, as `tokio::fs::rename`.
    rename(from, to) -> ();
    /// Makes a symbolic link, as `tokio::fs::symlink`: in a check, the file system has none.
    symlink(original, link) -> ();
    /// Facts about a file or directory, as `tokio::fs::symlink_metadata`.
    symlink_metadata(path) -> Metadata;
}

/// Sets the permissions of a file or directory, as `tokio::fs::set_permissions`.
///
/// # Errors
/// As the original.
#[track_caller]
pub fn set_permissions(path: impl AsRef<Path>, permissions: Permissions) -> impl Future<Output = io::Result<()>> {
    let location = Location::caller();
    async move {
        let path = path.as_ref().to_owned();
        blocking::call(location, move || std::set_permissions(path, permissions)).await
    }
}

/// Whether a path leads to something, as `tokio::fs::try_exists`.
///
/// # Errors
/// As the original.
#[track_caller]
pub fn try_exists(path: impl AsRef<Path>) -> impl Future<Output = io::Result<bool>> {
    let location = Location::caller();
    async move {
        let path = path.as_ref().to_owned();
        blocking::call(location, move || std::exists(path)).await
    }
}

/// Writes a new file, or all of one anew, as `tokio::fs::write`.
///
/// # Errors
/// As the original.
#[track_caller]
pub fn write(path: impl AsRef<Path>, contents: impl AsRef<[u8]>) -> impl Future<Output = io::Result<()>> {
    let location = Location::caller();
    async move {
        let (path, contents) = (path.as_ref().to_owned(), contents.as_ref().to_owned());
        blocking::call(location, move || std::write(path, contents)).await
    }
}
