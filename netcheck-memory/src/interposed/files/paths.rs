//! Functions with paths.

use super::super::own_system_call;
use super::{Told, ask, at, at_directory, interposed};
use crate::file_call::{FileCall, Opens, Status};
use crate::source;
use core::ffi::{c_char, c_int, c_uint};
use std::ptr;

/// The permissions that a new file or directory does not get.
const MASK: libc::mode_t = 0o022;

/// The flags that have no effect on a file of a source: nothing is a symbolic link, no call waits, and times are not kept.
const WITHOUT_EFFECT: c_int =
    libc::O_CLOEXEC | libc::O_NOFOLLOW | libc::O_LARGEFILE | libc::O_NOCTTY | libc::O_NONBLOCK | libc::O_NOATIME;

/// The flag of large files as programs pass it: for the C library it is 0, and for the system it is not.
const LARGE_FILES: c_int = 0o100_000;

/// The flags of `open(2)`.
pub(super) fn opens(flags: c_int) -> Opens {
    let has = |flag: c_int| flags & flag == flag;
    let access = flags & libc::O_ACCMODE;
    let append = has(libc::O_APPEND);
    let (write, create_new) = (access != libc::O_RDONLY, has(libc::O_CREAT | libc::O_EXCL));
    let known = libc::O_ACCMODE | libc::O_CREAT | libc::O_EXCL | libc::O_TRUNC | libc::O_APPEND | libc::O_DIRECTORY;
    let is_odd = !write && (has(libc::O_CREAT) || has(libc::O_TRUNC)) || append && has(libc::O_TRUNC) && !create_new;
    Opens {
        read: access == libc::O_RDONLY || access == libc::O_RDWR,
        write: write && !append,
        append: write && append,
        truncate: has(libc::O_TRUNC),
        create: has(libc::O_CREAT),
        create_new,
        directory: has(libc::O_DIRECTORY),
        more: is_odd || flags & !(known | WITHOUT_EFFECT | LARGE_FILES) != 0,
    }
}

/// # Safety
///
/// As [`at_directory`].
unsafe fn open_at(directory: c_int, path: *const c_char, flags: c_int, mode: libc::mode_t) -> Option<c_int> {
    // SAFETY: the caller's promise.
    let at = unsafe { at_directory(directory, path) }?;
    if let Some(opened) = ask(FileCall::Open { at, opens: opens(flags), mode: mode & 0o7777 & !MASK }) {
        return Some(opened);
    }
    let (from, name) = (directory as usize, path as usize);
    // SAFETY: the system call takes these arguments, and they are the caller's.
    let file = unsafe { own_system_call(libc::SYS_openat, from, name, flags as usize, mode as usize, 0, 0) } as c_int;
    if file >= 0 {
        let _none: Option<c_int> = ask(FileCall::OfSystem { at, file });
    }
    Some(file)
}

/// # Safety
///
/// As [`at_directory`].
unsafe fn remove_at(directory: c_int, path: *const c_char, is_directory: bool) -> Option<c_int> {
    // SAFETY: the caller's promise.
    let at = unsafe { at_directory(directory, path) }?;
    ask(FileCall::Remove { at, is_directory })
}

/// # Safety
///
/// As [`at_directory`].
unsafe fn make_directory_at(directory: c_int, path: *const c_char, mode: libc::mode_t) -> Option<c_int> {
    // SAFETY: the caller's promise.
    let at = unsafe { at_directory(directory, path) }?;
    ask(FileCall::MakeDirectory { at, mode: mode & !MASK })
}

/// # Safety
///
/// As [`at_directory`], for both paths.
unsafe fn rename_at(
    (from_directory, from): (c_int, *const c_char),
    (to_directory, to): (c_int, *const c_char),
    flags: c_uint,
) -> Option<c_int> {
    // SAFETY: the caller's promise.
    let (from, to) = unsafe { (at_directory(from_directory, from)?, at_directory(to_directory, to)?) };
    if !matches!(flags, 0 | libc::RENAME_NOREPLACE) {
        let looked: Option<c_int> = ask(FileCall::Look { at: from, status: &mut Status::default() });
        if looked.is_some() {
            // As a file system says that has none of the other flags.
            return Some(c_int::told(Err(libc::EINVAL)));
        }
    }
    ask(FileCall::Rename { from, to, replaces_nothing: flags == libc::RENAME_NOREPLACE })
}

/// # Safety
///
/// As [`at_directory`], for both paths.
unsafe fn link_at(
    (from_directory, from): (c_int, *const c_char),
    (to_directory, to): (c_int, *const c_char),
) -> Option<c_int> {
    // SAFETY: the caller's promise.
    let (from, to) = unsafe { (at_directory(from_directory, from)?, at_directory(to_directory, to)?) };
    ask(FileCall::Link { from, to })
}

/// Whether something is there: permissions forbid nothing.
///
/// # Safety
///
/// As [`at_directory`].
unsafe fn look_at(directory: c_int, path: *const c_char) -> Option<c_int> {
    // SAFETY: the caller's promise.
    let at = unsafe { at_directory(directory, path) }?;
    ask(FileCall::Look { at, status: &mut Status::default() })
}

/// # Safety
///
/// As [`at_directory`].
unsafe fn set_mode_at(directory: c_int, path: *const c_char, mode: libc::mode_t) -> Option<c_int> {
    // SAFETY: the caller's promise.
    let at = unsafe { at_directory(directory, path) }?;
    ask(FileCall::SetModeOf { at, mode })
}

/// # Safety
///
/// As [`at_directory`].
unsafe fn set_other_at(directory: c_int, path: *const c_char) -> Option<c_int> {
    // SAFETY: the caller's promise.
    let at = unsafe { at_directory(directory, path) }?;
    ask(FileCall::SetOtherOf { at })
}

/// # Safety
///
/// As [`at_directory`].
unsafe fn link_symbolically(directory: c_int, path: *const c_char) -> Option<c_int> {
    // SAFETY: the caller's promise.
    let at = unsafe { at_directory(directory, path) }?;
    ask(FileCall::MakeSymbolicLink { at })
}

/// # Safety
///
/// As [`at_directory`].
unsafe fn read_link_at(directory: c_int, path: *const c_char) -> Option<isize> {
    // SAFETY: the caller's promise.
    let at = unsafe { at_directory(directory, path) }?;
    ask(FileCall::ReadLink { at })
}

/// The text is in memory of the C library, which the caller frees, unless it passes a place for it.
///
/// # Safety
///
/// As [`at`]; at `place`, if there is one, a path may be written.
unsafe fn canonical(path: *const c_char, place: *mut c_char) -> Option<*mut c_char> {
    let mut canonical = Vec::new();
    // SAFETY: the caller's promise.
    let at = unsafe { at(path) }?;
    let answer: c_int = ask(FileCall::Canonical { at, canonical: &mut canonical })?;
    if answer != 0 {
        return Some(ptr::null_mut());
    }
    let place = match place.is_null() {
        // SAFETY: the function has no conditions.
        true => unsafe { libc::malloc(canonical.len() + 1) }.cast::<c_char>(),
        false => place,
    };
    if place.is_null() {
        return Some(<*mut c_char>::told(Err(libc::ENOMEM)));
    }
    // SAFETY: the place has room for the path and a zero.
    unsafe {
        ptr::copy_nonoverlapping(canonical.as_ptr().cast::<c_char>(), place, canonical.len());
        place.add(canonical.len()).write(0);
    }
    Some(place)
}

interposed! {
    // The third argument is one of a variable number: see `syscall`.
    fn [open open64] (path: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int, source::exists() => {
        // SAFETY: the caller passes a string.
        unsafe { open_at(libc::AT_FDCWD, path, flags, mode) }
    }

    // As `open`.
    fn [openat openat64] (directory: c_int, path: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int, source::exists() => {
        // SAFETY: the caller passes a string.
        unsafe { open_at(directory, path, flags, mode) }
    }

    // As `open`.
    fn [creat creat64] (path: *const c_char, mode: libc::mode_t) -> c_int, source::exists() => {
        // SAFETY: the caller passes a string.
        unsafe { open_at(libc::AT_FDCWD, path, libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC, mode) }
    }

    // Removes the name of a file.
    fn [unlink] (path: *const c_char) -> c_int, source::exists() => {
        // SAFETY: the caller passes a string.
        unsafe { remove_at(libc::AT_FDCWD, path, false) }
    }

    // Removes a directory.
    fn [rmdir] (path: *const c_char) -> c_int, source::exists() => {
        // SAFETY: the caller passes a string.
        unsafe { remove_at(libc::AT_FDCWD, path, true) }
    }

    // Removes a name.
    fn [unlinkat] (directory: c_int, path: *const c_char, flags: c_int) -> c_int, source::exists() => {
        // SAFETY: the caller passes a string.
        unsafe { remove_at(directory, path, flags & libc::AT_REMOVEDIR != 0) }
    }

    // Makes a directory.
    fn [mkdir] (path: *const c_char, mode: libc::mode_t) -> c_int, source::exists() => {
        // SAFETY: the caller passes a string.
        unsafe { make_directory_at(libc::AT_FDCWD, path, mode) }
    }

    // As `mkdir`.
    fn [mkdirat] (directory: c_int, path: *const c_char, mode: libc::mode_t) -> c_int, source::exists() => {
        // SAFETY: the caller passes a string.
        unsafe { make_directory_at(directory, path, mode) }
    }

    // Gives a file or directory another name.
    fn [rename] (from: *const c_char, to: *const c_char) -> c_int, source::exists() => {
        // SAFETY: the caller passes strings.
        unsafe { rename_at((libc::AT_FDCWD, from), (libc::AT_FDCWD, to), 0) }
    }

    // As `rename`.
    fn [renameat] (from_directory: c_int, from: *const c_char, to_directory: c_int, to: *const c_char) -> c_int, source::exists() => {
        // SAFETY: the caller passes strings.
        unsafe { rename_at((from_directory, from), (to_directory, to), 0) }
    }

    // As `rename`.
    fn [renameat2] (
        from_directory: c_int,
        from: *const c_char,
        to_directory: c_int,
        to: *const c_char,
        flags: c_uint
    ) -> c_int, source::exists() => {
        // SAFETY: the caller passes strings.
        unsafe { rename_at((from_directory, from), (to_directory, to), flags) }
    }

    // Gives a file one more name.
    fn [link] (from: *const c_char, to: *const c_char) -> c_int, source::exists() => {
        // SAFETY: the caller passes strings.
        unsafe { link_at((libc::AT_FDCWD, from), (libc::AT_FDCWD, to)) }
    }

    // As `link`.
    fn [linkat] (
        from_directory: c_int,
        from: *const c_char,
        to_directory: c_int,
        to: *const c_char,
        flags: c_int
    ) -> c_int, source::exists() => {
        // SAFETY: the caller passes strings. Where nothing is a symbolic link, the flags have no effect.
        unsafe { link_at((from_directory, from), (to_directory, to)) }
    }

    // Makes a symbolic link.
    fn [symlink] (to: *const c_char, path: *const c_char) -> c_int, source::exists() => {
        // SAFETY: the caller passes a string.
        unsafe { link_symbolically(libc::AT_FDCWD, path) }
    }

    // As `symlink`.
    fn [symlinkat] (to: *const c_char, directory: c_int, path: *const c_char) -> c_int, source::exists() => {
        // SAFETY: the caller passes a string.
        unsafe { link_symbolically(directory, path) }
    }

    // Reads where a symbolic link leads to.
    fn [readlink] (path: *const c_char, place: *mut c_char, bytes: usize) -> isize, source::exists() => {
        // SAFETY: the caller passes a string.
        unsafe { read_link_at(libc::AT_FDCWD, path) }
    }

    // As `readlink`.
    fn [readlinkat] (directory: c_int, path: *const c_char, place: *mut c_char, bytes: usize) -> isize, source::exists() => {
        // SAFETY: the caller passes a string.
        unsafe { read_link_at(directory, path) }
    }

    // Tells the path from the root.
    fn [realpath] (path: *const c_char, place: *mut c_char) -> *mut c_char, source::exists() => {
        // SAFETY: the caller passes a string, and a place for a path, or null.
        unsafe { canonical(path, place) }
    }

    // Asks whether a file may be used.
    fn [access] (path: *const c_char, mode: c_int) -> c_int, source::exists() => {
        // SAFETY: the caller passes a string.
        unsafe { look_at(libc::AT_FDCWD, path) }
    }

    // As `access`.
    fn [faccessat] (directory: c_int, path: *const c_char, mode: c_int, flags: c_int) -> c_int, source::exists() => {
        // SAFETY: the caller passes a string.
        unsafe { look_at(directory, path) }
    }

    // Sets permissions.
    fn [chmod] (path: *const c_char, mode: libc::mode_t) -> c_int, source::exists() => {
        // SAFETY: the caller passes a string.
        unsafe { set_mode_at(libc::AT_FDCWD, path, mode) }
    }

    // As `chmod`.
    fn [fchmodat] (directory: c_int, path: *const c_char, mode: libc::mode_t, flags: c_int) -> c_int, source::exists() => {
        // SAFETY: the caller passes a string.
        unsafe { set_mode_at(directory, path, mode) }
    }

    // Cuts a file, or adds zeros to it.
    fn [truncate truncate64] (path: *const c_char, length: i64) -> c_int, source::exists() => {
        // SAFETY: the caller passes a string.
        unsafe { at(path) }.and_then(|at| ask(FileCall::SetLengthOf { at, length }))
    }

    // Sets times.
    fn [utimensat] (directory: c_int, path: *const c_char, times: *const libc::timespec, flags: c_int) -> c_int, source::exists() => {
        // SAFETY: the caller passes a string.
        unsafe { set_other_at(directory, path) }
    }

    // Sets the owner.
    fn [chown lchown] (path: *const c_char, user: libc::uid_t, group: libc::gid_t) -> c_int, source::exists() => {
        // SAFETY: the caller passes a string.
        unsafe { set_other_at(libc::AT_FDCWD, path) }
    }
}
