//! Files, shaped like `tokio::fs`.
//!
//! As in tokio, each call is made in a task of its own, which the caller awaits, and goes on if the caller does not.
//! [`File`] writes behind: a write is begun, and its caller goes on at once. Until it is flushed, others may read what was
//! there before; an error comes with the next call. When the process ends, its runtime waits for the writes that were begun,
//! and for nothing else.
//!
//! One source, `front`, is compiled twice: on the files of [`std`], which are all the check's; and in `system` on those of
//! `std::fs` as it is, with its types, whose calls come to the check by the C library. Outside of a check, all of it is tokio's
//! own.

mod blocking;
mod front;
pub mod std;
#[cfg(all(
    feature = "memory",
    target_os = "linux",
    target_env = "gnu",
    target_pointer_width = "64",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(target_feature = "crt-static"),
    not(miri)
))]
pub mod system;

// Without the functions of the C library, the files of `std` stand in for it.
#[cfg(not(all(
    feature = "memory",
    target_os = "linux",
    target_env = "gnu",
    target_pointer_width = "64",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(target_feature = "crt-static"),
    not(miri)
)))]
pub use crate::fs as system;

pub use front::{
    DirBuilder, DirEntry, File, FileTimes, OpenOptions, ReadDir, canonicalize, copy, create_dir, create_dir_all,
    hard_link, metadata, read, read_dir, read_link, read_to_string, remove_dir, remove_dir_all, remove_file, rename,
    set_permissions, symlink, symlink_metadata, try_exists, write,
};
pub use std::Permissions;

impl From<std::File> for File {
    fn from(file: std::File) -> Self {
        File::from_std(file)
    }
}
