//! Functions with descriptors.

use super::super::{slice, written};
use super::{Told, ask_of, interposed, is_stand_in};
use crate::file_call::{FileCall, Opens, Unmodelled, Whence};
use core::ffi::{c_int, c_void};

/// # Safety
///
/// The bytes may be written at `buffer`.
unsafe fn read_into(file: c_int, (buffer, count): (*mut c_void, usize), from: Option<i64>) -> Option<isize> {
    let mut bytes = Vec::new();
    let read: isize = ask_of(file, FileCall::Read { file, count, from, bytes: &mut bytes })?;
    if read > 0 {
        // SAFETY: the caller's promise, and there are not more bytes than it has room for.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.cast(), bytes.len().min(count)) };
    }
    Some(read)
}

/// # Safety
///
/// There are so many parts, in each of which the bytes may be written.
unsafe fn read_parts(file: c_int, parts: *const libc::iovec, count: c_int) -> Option<isize> {
    // SAFETY: the caller's promise.
    let parts = unsafe { slice(parts, usize::try_from(count).unwrap_or(0)) };
    let mut sum = 0;
    for part in parts {
        // SAFETY: the caller's promise.
        match unsafe { read_into(file, (part.iov_base, part.iov_len), None) }? {
            read if read < 0 => return Some(if sum > 0 { sum } else { read }),
            read => sum += read,
        }
    }
    Some(sum)
}

/// A command of `fcntl` for a file of the source. Descriptors have no flags but that a new program does not get them.
fn control(file: c_int, command: c_int) -> Option<c_int> {
    let call = match command {
        libc::F_DUPFD | libc::F_DUPFD_CLOEXEC => FileCall::Duplicate { file },
        libc::F_GETFL => return flags(file),
        libc::F_GETFD => return Some(libc::FD_CLOEXEC),
        libc::F_SETFD | libc::F_SETFL => return Some(0),
        libc::F_GETLK | libc::F_SETLK | libc::F_SETLKW | libc::F_OFD_GETLK | libc::F_OFD_SETLK | libc::F_OFD_SETLKW => {
            FileCall::Unmodelled { file, what: Unmodelled::Lock }
        }
        _ => return Some(c_int::told(Err(libc::EINVAL))),
    };
    ask_of(file, call)
}

/// The flags with which a file of the source is open.
fn flags(file: c_int) -> Option<c_int> {
    let mut opens = Opens::default();
    let answer: c_int = ask_of(file, FileCall::Opened { file, opens: &mut opens })?;
    let access = match (opens.read, opens.write || opens.append) {
        (true, true) => libc::O_RDWR,
        (false, true) => libc::O_WRONLY,
        (_, false) => libc::O_RDONLY,
    };
    Some(if answer == 0 { access | if opens.append { libc::O_APPEND } else { 0 } } else { answer })
}

fn seek(file: c_int, by: i64, whence: c_int) -> Option<i64> {
    let whence = match whence {
        libc::SEEK_SET => Whence::Start,
        libc::SEEK_CUR => Whence::Current,
        libc::SEEK_END => Whence::End,
        _ => return Some(i64::told(Err(libc::EINVAL))),
    };
    ask_of(file, FileCall::Seek { file, by, whence })
}

/// There is no address that the caller could have the file at.
fn map(file: c_int) -> Option<*mut c_void> {
    let _number: Option<c_int> = ask_of(file, FileCall::Unmodelled { file, what: Unmodelled::Map });
    Some(libc::MAP_FAILED)
}

interposed! {
    // Reads.
    fn [read] (file: c_int, buffer: *mut c_void, count: usize) -> isize, is_stand_in(file) => {
        // SAFETY: the caller passes a place for so many bytes.
        unsafe { read_into(file, (buffer, count), None) }
    }

    // Reads from a place.
    fn [pread pread64] (file: c_int, buffer: *mut c_void, count: usize, from: i64) -> isize, is_stand_in(file) => {
        // SAFETY: the caller passes a place for so many bytes.
        unsafe { read_into(file, (buffer, count), Some(from)) }
    }

    // Reads into parts.
    fn [readv] (file: c_int, parts: *const libc::iovec, count: c_int) -> isize, is_stand_in(file) => {
        // SAFETY: the caller passes so many parts.
        unsafe { read_parts(file, parts, count) }
    }

    // Writes from a place on.
    fn [pwrite pwrite64] (file: c_int, bytes: *const c_void, count: usize, from: i64) -> isize, is_stand_in(file) => {
        // SAFETY: the caller passes so many bytes.
        Some(written(file, unsafe { slice(bytes.cast(), count) }, Some(from)))
    }

    // Goes to another place.
    fn [lseek lseek64] (file: c_int, by: i64, whence: c_int) -> i64, is_stand_in(file) => {
        seek(file, by, whence)
    }

    // Makes it durable.
    fn [fsync fdatasync] (file: c_int) -> c_int, is_stand_in(file) => {
        ask_of(file, FileCall::Sync { file })
    }

    // Cuts the file, or adds zeros.
    fn [ftruncate ftruncate64] (file: c_int, length: i64) -> c_int, is_stand_in(file) => {
        ask_of(file, FileCall::SetLength { file, length })
    }

    // Sets permissions.
    fn [fchmod] (file: c_int, mode: libc::mode_t) -> c_int, is_stand_in(file) => {
        ask_of(file, FileCall::SetMode { file, mode })
    }

    // Sets the owner.
    fn [fchown] (file: c_int, user: libc::uid_t, group: libc::gid_t) -> c_int, is_stand_in(file) => {
        ask_of(file, FileCall::SetOther { file })
    }

    // Sets times.
    fn [futimens] (file: c_int, times: *const libc::timespec) -> c_int, is_stand_in(file) => {
        ask_of(file, FileCall::SetOther { file })
    }

    // Does one of many things. The third argument is one of a variable number: see
    // `syscall`.
    fn [fcntl fcntl64] (file: c_int, command: c_int, argument: usize) -> c_int, is_stand_in(file) => {
        control(file, command)
    }

    // Makes another descriptor.
    fn [dup] (file: c_int) -> c_int, is_stand_in(file) => {
        ask_of(file, FileCall::Duplicate { file })
    }

    // Locks a file.
    fn [flock] (file: c_int, operation: c_int) -> c_int, is_stand_in(file) => {
        ask_of(file, FileCall::Unmodelled { file, what: Unmodelled::Lock })
    }

    // Copies between files of one file system. The error is that with which the standard library reads and writes itself.
    fn [copy_file_range] (
        from: c_int,
        from_place: *mut i64,
        to: c_int,
        to_place: *mut i64,
        count: usize,
        flags: core::ffi::c_uint
    ) -> isize, is_stand_in(from) || is_stand_in(to) => {
        Some(isize::told(Err(libc::EXDEV)))
    }

    // Copies from a file: as `copy_file_range`.
    fn [sendfile sendfile64] (to: c_int, from: c_int, place: *mut i64, count: usize) -> isize, is_stand_in(from) || is_stand_in(to) => {
        Some(isize::told(Err(libc::EINVAL)))
    }

    // Puts a file into memory.
    fn [mmap mmap64] (
        address: *mut c_void,
        bytes: usize,
        protection: c_int,
        flags: c_int,
        file: c_int,
        from: i64
    ) -> *mut c_void, is_stand_in(file) && flags & libc::MAP_ANONYMOUS == 0 => {
        map(file)
    }
}
