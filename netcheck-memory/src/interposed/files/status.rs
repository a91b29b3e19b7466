//! Functions that tell facts about files.
//!
//! Nothing keeps times: theirs have more nanoseconds than a second has, so that the standard library makes an error of them.

use super::super::own_system_call;
use super::{ask, ask_of, at_directory, interposed};
use crate::file_call::{FileCall, Status};
use crate::{place, source};
use core::ffi::{c_char, c_int, c_uint};

/// No time: nanoseconds that are none.
const NO_TIME_NS: u32 = 1_000_000_000;

/// The size of a block, and the unit in which blocks are counted.
const BLOCK_BYTES: u64 = 4096;
const COUNTED_BYTES: u64 = 512;

/// The permissions, and whether it is a directory.
fn mode(status: &Status) -> u32 {
    status.mode | if status.is_directory { libc::S_IFDIR } else { libc::S_IFREG }
}

fn blocks(status: &Status) -> u64 {
    status.length.div_ceil(BLOCK_BYTES) * (BLOCK_BYTES / COUNTED_BYTES)
}

/// Facts as `stat` tells them.
fn as_stat(status: &Status) -> libc::stat64 {
    // SAFETY: all bytes zero are a value of the type.
    let mut stat: libc::stat64 = unsafe { std::mem::zeroed() };
    stat.st_dev = 1;
    stat.st_ino = status.number;
    stat.st_mode = mode(status);
    stat.st_nlink = status.links as _;
    stat.st_size = status.length.cast_signed();
    stat.st_blksize = BLOCK_BYTES as _;
    stat.st_blocks = blocks(status).cast_signed();
    let no_time = i64::from(NO_TIME_NS);
    (stat.st_atime_nsec, stat.st_mtime_nsec, stat.st_ctime_nsec) = (no_time, no_time, no_time);
    stat
}

/// Facts as `statx` tells them.
fn as_statx(status: &Status) -> libc::statx {
    // SAFETY: all bytes zero are a value of the type.
    let mut statx: libc::statx = unsafe { std::mem::zeroed() };
    statx.stx_mask = libc::STATX_BASIC_STATS;
    statx.stx_dev_minor = 1;
    statx.stx_ino = status.number;
    statx.stx_mode = mode(status) as u16;
    statx.stx_nlink = status.links as u32;
    statx.stx_size = status.length;
    statx.stx_blksize = BLOCK_BYTES as u32;
    statx.stx_blocks = blocks(status);
    for time in [&mut statx.stx_atime, &mut statx.stx_mtime, &mut statx.stx_ctime] {
        time.tv_nsec = NO_TIME_NS;
    }
    statx
}

/// Tells facts about a path from a directory; with `AT_EMPTY_PATH` and no path, about the descriptor.
///
/// # Safety
///
/// A string is at `path`, or the address is null; facts may be written at `place`.
unsafe fn tell<T>(
    (directory, path, flags): (c_int, *const c_char, c_int),
    place: *mut T,
    facts: fn(&Status) -> T,
) -> Option<c_int> {
    let mut status = Status::default();
    // SAFETY: the caller's promise.
    let is_descriptor = flags & libc::AT_EMPTY_PATH != 0 && (path.is_null() || unsafe { path.read() } == 0);
    let answer = if is_descriptor {
        ask_of(directory, FileCall::Status { file: directory, status: &mut status })?
    } else {
        // SAFETY: the caller's promise.
        let at = unsafe { at_directory(directory, path) }?;
        ask(FileCall::Look { at, status: &mut status })?
    };
    if answer == 0 {
        // SAFETY: the caller's promise.
        unsafe { place.write(facts(&status)) };
    }
    Some(answer)
}

interposed! {
    // Tells facts.
    fn [statx] (
        directory: c_int,
        path: *const c_char,
        flags: c_int,
        mask: c_uint,
        place: *mut libc::statx
    ) -> c_int, source::exists() && !place.is_null() => {
        // SAFETY: the caller passes a string or null, and a place for facts.
        unsafe { tell((directory, path, flags), place, as_statx) }
    }
}

/// As `fstatat`. The C library's own functions have other names in its old versions; the system call has one.
///
/// # Safety
///
/// As the C library's function.
unsafe fn stat_at(directory: c_int, path: *const c_char, place: *mut libc::stat64, flags: c_int) -> c_int {
    if source::exists()
        // SAFETY: the caller passes a string, and a place for facts.
        && let Some(answer) = place::engine(|| unsafe { tell((directory, path, flags), place, as_stat) })
    {
        return answer;
    }
    let (at, path, to) = (directory as usize, path as usize, place as usize);
    // SAFETY: the system call takes these arguments; it writes what the type is.
    unsafe { own_system_call(libc::SYS_newfstatat, at, path, to, flags as usize, 0, 0) as c_int }
}

/// Declares functions that are `fstatat` with some of its arguments.
macro_rules! stat {
    ($(fn [$($name:ident)+] $arguments:tt => ($directory:expr, $path:expr, $place:ident, $flags:expr);)*) => {
        $($(stat!(@one $name $arguments $directory, $path, $place, $flags);)+)*
    };
    (@one $name:ident ($($argument:ident: $Argument:ty),*) $directory:expr, $path:expr, $place:ident, $flags:expr) => {
        /// # Safety
        ///
        /// As the C library's function.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $Argument),*) -> c_int {
            // SAFETY: the caller passes a string, and a place for facts.
            unsafe { stat_at($directory, $path, $place, $flags) }
        }
    };
}

stat! {
    fn [stat stat64](path: *const c_char, place: *mut libc::stat64) => (libc::AT_FDCWD, path, place, 0);
    fn [lstat lstat64](path: *const c_char, place: *mut libc::stat64)
        => (libc::AT_FDCWD, path, place, libc::AT_SYMLINK_NOFOLLOW);
    fn [fstat fstat64](file: c_int, place: *mut libc::stat64) => (file, c"".as_ptr(), place, libc::AT_EMPTY_PATH);
    fn [fstatat fstatat64](directory: c_int, path: *const c_char, place: *mut libc::stat64, flags: c_int)
        => (directory, path, place, flags);
}
