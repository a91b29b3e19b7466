//! Operations that change files, as a host's storage sees them.

use super::tree::{Content, Inode, Name, Node, Path, Tree};
use std::fmt;
use std::sync::Arc;

/// A file or directory that an operation is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// By its path.
    Path(Path),
    /// By the number of an [`Operation::Keep`]: no name leads to it any more. A power failure may bring its name back.
    Nameless(u32),
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Path(path) => write!(f, "`{}`", String::from_utf8_lossy(path)),
            Subject::Nameless(_) => f.write_str("a file without a name"),
        }
    }
}

/// A change of a tree. Paths begin at the root; of a file with several names, any one of them names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// A new, empty file.
    Create {
        /// Its path.
        path: Path,
        /// Its permissions.
        mode: u32,
    },
    /// A new, empty directory.
    MakeDirectory {
        /// Its path.
        path: Path,
        /// Its permissions.
        mode: u32,
    },
    /// Bytes that are written to a file.
    Write {
        /// The file.
        file: Subject,
        /// The place of the first byte.
        at: usize,
        /// The bytes.
        bytes: Arc<[u8]>,
    },
    /// A file is cut, or gets zeros at its end.
    SetLength {
        /// The file.
        file: Subject,
        /// Its new length.
        length: usize,
    },
    /// A file or directory gets another path, and what had that one before loses it.
    Rename {
        /// The path before.
        from: Path,
        /// The path after.
        to: Path,
    },
    /// A file loses a name.
    Unlink {
        /// The path that it loses.
        path: Path,
    },
    /// An empty directory is removed.
    RemoveDirectory {
        /// Its path.
        path: Path,
    },
    /// A file gets another name.
    Link {
        /// A path of the file.
        from: Path,
        /// The new path.
        to: Path,
    },
    /// The permissions of a file or directory.
    SetMode {
        /// The file or directory.
        file: Subject,
        /// The permissions.
        mode: u32,
    },
    /// A sync of a file, which makes its bytes and its length durable; or of a directory, which makes the names in it
    /// durable.
    Sync {
        /// The file or directory.
        file: Subject,
    },
    /// A sync of a file that has failed: what it was about may be lost, and no later sync is about it.
    FailedSync {
        /// The file.
        file: Subject,
    },
    /// A file is open and about to lose its last name: [`Subject::Nameless`] names it from now on.
    Keep {
        /// Its path.
        path: Path,
        /// Its number: no other file has it.
        number: u32,
    },
    /// A file without a name is closed.
    Forget {
        /// Its number.
        number: u32,
    },
}

/// The directory and the last name of a path.
pub(super) fn split(tree: &Tree, path: &[u8]) -> Option<(Inode, Name)> {
    let slash = path.iter().rposition(|&byte| byte == b'/')?;
    let name = &path[slash + 1..];
    (!name.is_empty()).then_some(())?;
    Some((tree.at(&path[..slash])?, Arc::from(name)))
}

/// An empty file.
pub(super) fn empty_file(mode: u32) -> Node {
    Node { mode, content: Content::File(Arc::from(&b""[..])) }
}

/// An empty directory.
pub(super) fn empty_directory(mode: u32) -> Node {
    Node { mode, content: Content::Directory(Default::default()) }
}

impl Operation {
    /// Whether readers are told of it: not of the numbers of files without names, nor of what is kept beside the files.
    pub fn is_told(&self) -> bool {
        !matches!(self, Operation::Keep { .. } | Operation::Forget { .. }) && !self.is_aside()
    }

    /// The path of the file or directory that the operation is about, before the operation; `None` if no name leads to it.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Operation::Create { path, .. }
            | Operation::MakeDirectory { path, .. }
            | Operation::Unlink { path }
            | Operation::RemoveDirectory { path }
            | Operation::Keep { path, .. }
            | Operation::Rename { from: path, .. }
            | Operation::Link { from: path, .. } => Some(path),
            Operation::Write { file, .. }
            | Operation::SetLength { file, .. }
            | Operation::SetMode { file, .. }
            | Operation::Sync { file }
            | Operation::FailedSync { file } => match file {
                Subject::Path(path) => Some(path),
                Subject::Nameless(_) => None,
            },
            Operation::Forget { .. } => None,
        }
    }
}
