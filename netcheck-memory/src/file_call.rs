//! Calls on files that a poll makes by functions of the C library, in the terms of Linux.

#[cfg(unix)]
use std::os::fd::BorrowedFd;

/// The least descriptor that stands for a file of a [source](crate::Source): the system gives out none of this size.
pub const STAND_IN_MIN: i32 = 0x6000_0000;

/// The descriptor that stands for a file of a source by the file's number.
///
/// # Panics
///
/// If no source has so many files.
#[cfg(unix)]
#[must_use]
pub fn stand_in(number: u32) -> BorrowedFd<'static> {
    let descriptor = i32::try_from(number).ok().and_then(|number| STAND_IN_MIN.checked_add(number));
    let descriptor = descriptor.expect("no source has so many files");
    // SAFETY: it is not -1. The system has no file of this number, so that nobody else's can be meant by it, and what is done
    // with it beside the functions that are interposed fails.
    unsafe { BorrowedFd::borrow_raw(descriptor) }
}

/// A path, and the directory at which it begins if it is not absolute.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// A descriptor; `None`: the working directory.
    pub directory: Option<i32>,
    /// The path without the zero at its end.
    pub path: &'a [u8],
}

/// How a file is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Opens {
    /// It is read.
    pub read: bool,
    /// It is written.
    pub write: bool,
    /// Each write begins at the end.
    pub append: bool,
    /// Its bytes are removed.
    pub truncate: bool,
    /// It is created if nothing has its name.
    pub create: bool,
    /// It is created, and nothing may have its name.
    pub create_new: bool,
    /// It has to be a directory.
    pub directory: bool,
    /// More is asked for, such as that each write is durable.
    pub more: bool,
}

/// The place from which a seek goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whence {
    /// The start.
    Start,
    /// The place of the last call.
    Current,
    /// The end.
    End,
}

/// Facts about a file or a directory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Status {
    /// Whether it is a directory.
    pub is_directory: bool,
    /// Its bytes.
    pub length: u64,
    /// Its permissions.
    pub mode: u32,
    /// Its names.
    pub links: u64,
    /// The number that tells it from others.
    pub number: u64,
}

/// A name in a directory.
#[derive(Clone, Debug, Default)]
pub struct Named {
    /// The name.
    pub name: Vec<u8>,
    /// Whether it is a directory.
    pub is_directory: bool,
    /// As [`Status::number`].
    pub number: u64,
}

/// Something that a poll does with a file that no source keeps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmodelled {
    /// It has it in memory.
    Map,
    /// It locks it.
    Lock,
}

/// A call on files.
#[derive(Debug)]
pub enum FileCall<'a> {
    /// The answer is the descriptor.
    Open {
        /// Its path.
        at: At<'a>,
        /// How.
        opens: Opens,
        /// The permissions of a new file, without those that are masked.
        mode: u32,
    },
    /// The poll has opened a file of the system, which [`Source::closes`](crate::Source::closes) tells the end of.
    OfSystem {
        /// Its path.
        at: At<'a>,
        /// The descriptor.
        file: i32,
    },
    /// Whatever `file` was.
    Close {
        /// The descriptor.
        file: i32,
    },
    /// The answer is another descriptor of the same.
    Duplicate {
        /// The descriptor.
        file: i32,
    },
    /// Tells for what it is open.
    Opened {
        /// The descriptor.
        file: i32,
        /// Where this goes.
        opens: &'a mut Opens,
    },
    /// The answer is the number of bytes.
    Read {
        /// The descriptor.
        file: i32,
        /// The most bytes that are read.
        count: usize,
        /// From where; `None`: from its place on.
        from: Option<i64>,
        /// Where the bytes go: it has as many as the answer says.
        bytes: &'a mut Vec<u8>,
    },
    /// The answer is the number of bytes.
    Write {
        /// The descriptor.
        file: i32,
        /// The bytes.
        bytes: &'a [u8],
        /// From where; `None`: from its place on.
        from: Option<i64>,
    },
    /// The answer is the new place.
    Seek {
        /// The descriptor.
        file: i32,
        /// By how much.
        by: i64,
        /// From where.
        whence: Whence,
    },
    /// Cuts the file, or adds zeros.
    SetLength {
        /// The descriptor.
        file: i32,
        /// The bytes that it has then.
        length: i64,
    },
    /// Makes it durable.
    Sync {
        /// The descriptor.
        file: i32,
    },
    /// Sets its permissions.
    SetMode {
        /// The descriptor.
        file: i32,
        /// The permissions.
        mode: u32,
    },
    /// Sets something that no source keeps: a time, an owner.
    SetOther {
        /// The descriptor.
        file: i32,
    },
    /// Tells facts about it.
    Status {
        /// The descriptor.
        file: i32,
        /// Where the facts go.
        status: &'a mut Status,
    },
    /// Tells the next name in a directory. The answer is 1, or 0 after the last one.
    Next {
        /// The descriptor of the directory.
        directory: i32,
        /// Where the name goes.
        named: &'a mut Named,
    },
    /// Does what is not modelled.
    Unmodelled {
        /// The descriptor.
        file: i32,
        /// The use of the file that is not modelled.
        what: Unmodelled,
    },
    /// Tells facts about a path.
    Look {
        /// The path.
        at: At<'a>,
        /// Where the facts go.
        status: &'a mut Status,
    },
    /// Sets the permissions of a path.
    SetModeOf {
        /// The path.
        at: At<'a>,
        /// The permissions.
        mode: u32,
    },
    /// Cuts the file of a path, or adds zeros to it.
    SetLengthOf {
        /// The path.
        at: At<'a>,
        /// The bytes that it has then.
        length: i64,
    },
    /// Sets something of a path that no source keeps.
    SetOtherOf {
        /// The path.
        at: At<'a>,
    },
    /// Makes a directory.
    MakeDirectory {
        /// The path.
        at: At<'a>,
        /// The permissions, without those that are masked.
        mode: u32,
    },
    /// Removes a name.
    Remove {
        /// The path.
        at: At<'a>,
        /// Whether it is a directory.
        is_directory: bool,
    },
    /// Gives a file or directory another name.
    Rename {
        /// Its path.
        from: At<'a>,
        /// The other one.
        to: At<'a>,
        /// Whether nothing may have the other name.
        replaces_nothing: bool,
    },
    /// Gives a file one more name.
    Link {
        /// Its path.
        from: At<'a>,
        /// The other one.
        to: At<'a>,
    },
    /// Makes a symbolic link.
    MakeSymbolicLink {
        /// The path.
        at: At<'a>,
    },
    /// Asks where a symbolic link leads to.
    ReadLink {
        /// The path.
        at: At<'a>,
    },
    /// Tells the path from the root without `.` and `..`.
    Canonical {
        /// The path.
        at: At<'a>,
        /// Where the other one goes.
        canonical: &'a mut Vec<u8>,
    },
}
