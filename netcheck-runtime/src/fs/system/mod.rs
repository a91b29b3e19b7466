//! Files, shaped like `tokio::fs`, with the types of `std::fs`: for programs of which every crate is compiled on netcheck.
//!
//! The calls are those of `std::fs` as it is, so that a program which uses both finds the same files. Where the functions of
//! the C library are not netcheck's, nothing of it is modelled.

#[path = "../front/mod.rs"]
#[allow(
    clippy::duplicate_mod,
    clippy::useless_conversion,
    reason = "the types of `std::fs` in place of those of `fs::std` are what it is for"
)]
mod front;
mod std;

use super::blocking;

pub use front::{
    DirBuilder, DirEntry, File, FileTimes, OpenOptions, ReadDir, canonicalize, copy, create_dir, create_dir_all,
    hard_link, metadata, read, read_dir, read_link, read_to_string, remove_dir, remove_dir_all, remove_file, rename,
    set_permissions, symlink, symlink_metadata, try_exists, write,
};
