//! Files: what programs see of them, and what a power failure leaves.
//!
//! A host has a [`Tree`] of directories, files and hard links. [`Files`] is what its program sees: the tree, the files
//! that it has opened, and the results of calls as Linux gives them. Each call that changes something tells
//! [`Operation`]s. A [`Storage`] is told them: it keeps what is durable, `D`, and a list `P` of operations that are
//! pending, in their order. The program sees `P` applied to `D`; a sync makes operations durable; after a power failure
//! the files are one of the [images](Storage::images).
//!
//! No symbolic links, no owners, no times, no quota; permissions are remembered and forbid nothing. The working directory is
//! the root.

mod area;
mod aside;
mod durable;
mod failure;
mod files;
mod images;
mod names;
mod operation;
mod tree;
mod walk;

pub use durable::{PENDING_MAX, Storage};
pub use failure::Failure;
pub use files::{Access, Entry, FILE_BYTES_MAX, Files, Handle, Metadata, Seek};
pub use images::{IMAGES_MAX, Policy, Survives, TooMany};
pub use operation::{Operation, Subject};
pub use tree::{Content, Inode, Name, Node, Path, Tree, shown};
