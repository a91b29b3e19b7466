//! Reasons why a call of a file system fails.

/// Why a call fails, in the terms of Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Failure {
    /// `EPERM`: a hard link to a directory, or a symbolic link.
    NotPermitted,
    /// `ENOENT`: nothing has the name.
    NotFound,
    /// `EBADF`: the file was not opened for this.
    BadDescriptor,
    /// `EBUSY`: the path ends with the root, `.` or `..`.
    Busy,
    /// `EEXIST`: something has the name.
    Exists,
    /// `ENOTDIR`: a file stands where a directory is needed.
    NotADirectory,
    /// `EISDIR`: a directory stands where a file is needed.
    IsADirectory,
    /// `EINVAL`: the call makes no sense.
    Invalid,
    /// `EFBIG`: a file would have more than [`FILE_BYTES_MAX`](super::FILE_BYTES_MAX).
    TooBig,
    /// The system is not asked: `std` refuses the arguments.
    Refused,
    /// `ENAMETOOLONG`: a name has more than 255 bytes, or a path 4096 or more.
    NameTooLong,
    /// `ENOTEMPTY`: names are left in a directory.
    NotEmpty,
}

impl Failure {
    /// Its number on Linux; 0 if the system is not asked.
    pub fn number(self) -> i32 {
        match self {
            Failure::Refused => 0,
            Failure::NotPermitted => 1,
            Failure::NotFound => 2,
            Failure::BadDescriptor => 9,
            Failure::Busy => 16,
            Failure::Exists => 17,
            Failure::NotADirectory => 20,
            Failure::IsADirectory => 21,
            Failure::Invalid => 22,
            Failure::TooBig => 27,
            Failure::NameTooLong => 36,
            Failure::NotEmpty => 39,
        }
    }
}
