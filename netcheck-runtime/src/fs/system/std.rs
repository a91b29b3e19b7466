//! `std::fs` as it is, as far as the front needs it.

pub(in crate::fs) use crate::fs::std::error;
pub(in crate::fs) use ::std::fs::{
    DirBuilder, DirEntry, File, FileType, Metadata, OpenOptions, Permissions, ReadDir, canonicalize, copy, create_dir,
    create_dir_all, exists, hard_link, metadata, read, read_dir, read_link, read_to_string, remove_dir, remove_dir_all,
    remove_file, rename, set_permissions, symlink_metadata, write,
};
pub(in crate::fs) use ::std::os::unix::fs::symlink;

use crate::operation::files::Handle;
use ::std::os::fd::AsRawFd;
use netcheck_memory::STAND_IN_MIN;

/// The advice for a file of the machine that is made one of tokio in a check: its place would be that of all executions.
pub(in crate::fs) const FOREIGN: &str = "a file of the machine stays open across awaits: read it at once, with \
    `tokio::fs::read`, or declare it for the process (`.files([(path, contents)])`)";

/// A file in a check, or the real one.
pub(in crate::fs) fn within(file: File) -> Result<File, File> {
    if handle(&file).is_some() { Ok(file) } else { Err(file) }
}

/// The handle of a file of the check.
pub(in crate::fs) fn handle(file: &File) -> Option<Handle> {
    let number = file.as_raw_fd().checked_sub(STAND_IN_MIN)?;
    u32::try_from(number).ok().map(Handle)
}
