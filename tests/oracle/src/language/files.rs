//! Instructions on the files of a process, all in one directory.

use std::fmt;

use super::program::Value;

/// A call on files. Tasks have a handle each, for the file that they have opened last.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FileCall {
    pub word: FileWord,
    /// by `std::fs`, in no time; else each call is made by `tokio::fs` in a task that blocks
    pub at_once: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FileWord {
    /// writes a whole file
    Put {
        file: File,
        value: Value,
        length: usize,
    },
    /// writes a code of the bytes of a file, as [`code`] has it, or `FAILED`
    Get {
        file: File,
        into: usize,
    },
    /// writes 0, or `FAILED`
    Rename {
        file: File,
        to: File,
        into: usize,
    },
    /// writes 0, or `FAILED`
    Remove {
        file: File,
        into: usize,
    },
    /// syncs the directory
    SyncNames,
    /// opens or creates a file to write to it: at its end, or from its start on
    Open {
        handle: usize,
        file: File,
        appends: bool,
    },
    /// writes `value` and those that follow it; nothing without an open file, as the next two
    Write {
        handle: usize,
        value: Value,
        length: usize,
    },
    Flush {
        handle: usize,
    },
    Sync {
        handle: usize,
    },
}

/// The calls on files that may fail.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Failing {
    pub read: bool,
    pub write: bool,
    pub sync: bool,
}

impl Failing {
    pub fn any(self) -> bool {
        self.read || self.write || self.sync
    }
}

/// One of the names of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct File(pub usize);

impl File {
    /// The name.
    pub fn name(self) -> String {
        ["a", "b", "c"][self.0].to_owned()
    }
}

impl fmt::Display for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

/// A value that tells bytes from others, as long as there are few.
pub fn code(bytes: &[u8]) -> u8 {
    bytes.iter().fold(bytes.len() as u8, |code, &byte| code.wrapping_mul(5).wrapping_add(byte)) % 200
}

impl fmt::Display for FileCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.word {
            FileWord::Put { file, value, length } => write!(f, "file {file} = {value}.. ({length} bytes)")?,
            FileWord::Get { file, into } => write!(f, "r{into} = file {file}")?,
            FileWord::Rename { file, to, into } => write!(f, "r{into} = rename {file} to {to}")?,
            FileWord::Remove { file, into } => write!(f, "r{into} = remove {file}")?,
            FileWord::SyncNames => write!(f, "sync the directory")?,
            FileWord::Open { handle, file, appends } => {
                let place = if appends { " at its end" } else { "" };
                write!(f, "f{handle} = open {file}{place}")?;
            }
            FileWord::Write { handle, value, length } => write!(f, "f{handle}.write {value}.. ({length} bytes)")?,
            FileWord::Flush { handle } => write!(f, "f{handle}.flush")?,
            FileWord::Sync { handle } => write!(f, "f{handle}.sync_all")?,
        }
        f.write_str(if self.at_once { ", at once" } else { "" })
    }
}
