//! Functions that read the names in directories.

use super::{ask, ask_of, at, interposed, is_stand_in};
use crate::file_call::{FileCall, Named, Opens, Whence};
use crate::source;
use core::ffi::{c_char, c_int};
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::ptr;

/// A directory that is read: the descriptor in place of an address, which is odd, as none of the C library's is.
fn record(file: c_int) -> *mut libc::DIR {
    ptr::without_provenance_mut((file as usize) << 1 | 1)
}

/// Whether a directory is one of a source.
fn is_ours(directory: *mut libc::DIR) -> bool {
    directory.addr() & 1 == 1
}

/// The descriptor of a directory of a source.
fn of_record(directory: *mut libc::DIR) -> c_int {
    (directory.addr() >> 1) as c_int
}

/// # Safety
///
/// As [`at`].
unsafe fn open(path: *const c_char) -> Option<*mut libc::DIR> {
    let opens = Opens { read: true, directory: true, ..Opens::default() };
    // SAFETY: the caller's promise.
    let opened: c_int = ask(FileCall::Open { at: unsafe { at(path) }?, opens, mode: 0 })?;
    Some(if opened < 0 { ptr::null_mut() } else { record(opened) })
}

thread_local! {
    /// The name that this thread has read last. Who asks for the next one has copied it.
    static READ: Cell<MaybeUninit<libc::dirent64>> = const { Cell::new(MaybeUninit::zeroed()) };
}

/// The next name; null after the last one.
fn next(directory: *mut libc::DIR) -> Option<*mut libc::dirent64> {
    let file = of_record(directory);
    let mut named = Named::default();
    let answer: c_int = ask_of(file, FileCall::Next { directory: file, named: &mut named })?;
    if answer != 1 {
        return Some(ptr::null_mut());
    }
    let place = READ.with(|read| read.as_ptr().cast::<libc::dirent64>());
    // SAFETY: the place is this thread's, and nothing refers to it. All bytes zero are a value of the type.
    unsafe {
        place.write_bytes(0, 1);
        let read = &mut *place;
        read.d_ino = named.number;
        read.d_reclen = size_of::<libc::dirent64>() as u16;
        read.d_type = if named.is_directory { libc::DT_DIR } else { libc::DT_REG };
        for (to, &from) in read.d_name[..libc::NAME_MAX as usize].iter_mut().zip(&named.name) {
            *to = from.cast_signed() as c_char;
        }
    }
    Some(place)
}

interposed! {
    // Opens a directory.
    fn [opendir] (path: *const c_char) -> *mut libc::DIR, source::exists() => {
        // SAFETY: the caller passes a string.
        unsafe { open(path) }
    }

    // Reads a directory that is open.
    fn [fdopendir] (file: c_int) -> *mut libc::DIR, is_stand_in(file) => {
        Some(record(file))
    }

    // Reads the next name. Both functions have the same record.
    fn [readdir readdir64] (directory: *mut libc::DIR) -> *mut libc::dirent64, is_ours(directory) => {
        next(directory)
    }

    // Begins again.
    fn [rewinddir] (directory: *mut libc::DIR) -> (), is_ours(directory) => {
        ask_of(of_record(directory), FileCall::Seek { file: of_record(directory), by: 0, whence: Whence::Start })
    }

    // The descriptor.
    fn [dirfd] (directory: *mut libc::DIR) -> c_int, is_ours(directory) => {
        Some(of_record(directory))
    }

    // Closes it: what was closed is not closed again where there is no source any more.
    fn [closedir] (directory: *mut libc::DIR) -> c_int, is_ours(directory) => {
        let _closed: Option<c_int> = ask(FileCall::Close { file: of_record(directory) });
        Some(0)
    }
}
