//! Facts about files and directories.

use super::Permissions;
use crate::operation::files as storage;
use netcheck_memory::Handed;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::time::SystemTime;

/// The size of a block, as `stat(2)` tells it.
const BLOCK_BYTES: u64 = 4096;

/// The unit in which `stat(2)` counts blocks.
const COUNTED_BYTES: u64 = 512;

/// The model's facts, handed to programs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts(pub(super) storage::Metadata);

impl Handed for Facts {
    fn handed(&self) -> Self {
        let storage::Metadata { is_directory, length, mode, links, number } = &self.0;
        Facts(storage::Metadata {
            is_directory: is_directory.handed(),
            length: length.handed(),
            mode: mode.handed(),
            links: links.handed(),
            number: number.handed(),
        })
    }
}

/// Facts about a file or directory, as `std::fs::Metadata`.
#[derive(Clone, Debug)]
pub struct Metadata(Known);

#[derive(Clone, Debug)]
enum Known {
    Real(::std::fs::Metadata),
    Own(storage::Metadata),
}

impl Metadata {
    pub(super) fn real(metadata: ::std::fs::Metadata) -> Self {
        Metadata(Known::Real(metadata))
    }

    pub(super) fn own(Facts(metadata): Facts) -> Self {
        Metadata(Known::Own(metadata))
    }

    /// Whether it is a file or a directory.
    pub fn file_type(&self) -> FileType {
        match &self.0 {
            Known::Real(metadata) => FileType::real(metadata.file_type()),
            Known::Own(metadata) => FileType::own(metadata.is_directory),
        }
    }

    /// Whether it is a directory.
    pub fn is_dir(&self) -> bool {
        self.file_type().is_dir()
    }

    /// Whether it is a file.
    pub fn is_file(&self) -> bool {
        self.file_type().is_file()
    }

    /// Whether it is a symbolic link: in a check, never.
    pub fn is_symlink(&self) -> bool {
        self.file_type().is_symlink()
    }

    /// The number of bytes.
    #[allow(clippy::len_without_is_empty, reason = "as the original")]
    pub fn len(&self) -> u64 {
        match &self.0 {
            Known::Real(metadata) => metadata.len(),
            Known::Own(metadata) => metadata.length,
        }
    }

    /// The permissions.
    pub fn permissions(&self) -> Permissions {
        match &self.0 {
            Known::Real(metadata) => metadata.permissions(),
            Known::Own(_) => Permissions::from_mode(self.mode()),
        }
    }

    /// The time of the last change of the bytes.
    ///
    /// # Errors
    /// In a check: times are not kept.
    pub fn modified(&self) -> io::Result<SystemTime> {
        self.time(::std::fs::Metadata::modified)
    }

    /// The time of the last access.
    ///
    /// # Errors
    /// In a check: times are not kept.
    pub fn accessed(&self) -> io::Result<SystemTime> {
        self.time(::std::fs::Metadata::accessed)
    }

    /// The time at which it was made.
    ///
    /// # Errors
    /// In a check: times are not kept.
    pub fn created(&self) -> io::Result<SystemTime> {
        self.time(::std::fs::Metadata::created)
    }

    fn time(&self, of: impl Fn(&::std::fs::Metadata) -> io::Result<SystemTime>) -> io::Result<SystemTime> {
        match &self.0 {
            Known::Real(metadata) => of(metadata),
            Known::Own(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    fn number(&self, real: fn(&::std::fs::Metadata) -> u64, own: fn(&storage::Metadata) -> u64) -> u64 {
        match &self.0 {
            Known::Real(metadata) => real(metadata),
            Known::Own(metadata) => own(metadata),
        }
    }

    fn seconds(&self, real: fn(&::std::fs::Metadata) -> i64) -> i64 {
        match &self.0 {
            Known::Real(metadata) => real(metadata),
            Known::Own(_) => 0,
        }
    }
}

impl From<::std::fs::Metadata> for Metadata {
    fn from(metadata: ::std::fs::Metadata) -> Self {
        Metadata::real(metadata)
    }
}

/// In a check, all files are on one device and of one user, and times are 0.
impl MetadataExt for Metadata {
    fn dev(&self) -> u64 {
        self.number(MetadataExt::dev, |_| 1)
    }

    fn ino(&self) -> u64 {
        self.number(MetadataExt::ino, |metadata| metadata.number)
    }

    fn mode(&self) -> u32 {
        match &self.0 {
            Known::Real(metadata) => metadata.mode(),
            Known::Own(metadata) => metadata.mode | if metadata.is_directory { 0o040_000 } else { 0o100_000 },
        }
    }

    fn nlink(&self) -> u64 {
        self.number(MetadataExt::nlink, |metadata| metadata.links)
    }

    fn uid(&self) -> u32 {
        self.number(|metadata| metadata.uid().into(), |_| 0) as u32
    }

    fn gid(&self) -> u32 {
        self.number(|metadata| metadata.gid().into(), |_| 0) as u32
    }

    fn rdev(&self) -> u64 {
        self.number(MetadataExt::rdev, |_| 0)
    }

    fn size(&self) -> u64 {
        self.len()
    }

    fn atime(&self) -> i64 {
        self.seconds(MetadataExt::atime)
    }

    fn atime_nsec(&self) -> i64 {
        self.seconds(MetadataExt::atime_nsec)
    }

    fn mtime(&self) -> i64 {
        self.seconds(MetadataExt::mtime)
    }

    fn mtime_nsec(&self) -> i64 {
        self.seconds(MetadataExt::mtime_nsec)
    }

    fn ctime(&self) -> i64 {
        self.seconds(MetadataExt::ctime)
    }

    fn ctime_nsec(&self) -> i64 {
        self.seconds(MetadataExt::ctime_nsec)
    }

    fn blksize(&self) -> u64 {
        self.number(MetadataExt::blksize, |_| BLOCK_BYTES)
    }

    fn blocks(&self) -> u64 {
        let used = |metadata: &storage::Metadata| metadata.length.div_ceil(BLOCK_BYTES) * (BLOCK_BYTES / COUNTED_BYTES);
        self.number(MetadataExt::blocks, used)
    }
}

/// Whether something is a file or a directory, as `std::fs::FileType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileType(Sort);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Sort {
    Real(::std::fs::FileType),
    Own { is_directory: bool },
}

impl FileType {
    pub(super) fn real(sort: ::std::fs::FileType) -> Self {
        FileType(Sort::Real(sort))
    }

    pub(super) fn own(is_directory: bool) -> Self {
        FileType(Sort::Own { is_directory })
    }

    /// Whether it is a directory.
    pub fn is_dir(&self) -> bool {
        match self.0 {
            Sort::Real(sort) => sort.is_dir(),
            Sort::Own { is_directory } => is_directory,
        }
    }

    /// Whether it is a file.
    pub fn is_file(&self) -> bool {
        match self.0 {
            Sort::Real(sort) => sort.is_file(),
            Sort::Own { is_directory } => !is_directory,
        }
    }

    /// Whether it is a symbolic link: in a check, never.
    pub fn is_symlink(&self) -> bool {
        match self.0 {
            Sort::Real(sort) => sort.is_symlink(),
            Sort::Own { .. } => false,
        }
    }
}
