//! Functions of the C library for files, which a program's calls reach first.
//!
//! A call with a path asks the source, which says whose file it is. One of the source has a descriptor that the system never
//! gives out ([`STAND_IN_MIN`](crate::STAND_IN_MIN)), so that a call with a descriptor is the source's or the system's by its
//! number alone; without a source, the system refuses such a number. A directory that is read has the descriptor in place of
//! the address of the C library's record.
//!
//! Calls that do not come here: those of the C library itself, such as `fopen`'s, and system calls that are made without it.

mod descriptors;
mod directories;
mod paths;
mod status;

use super::{failed, is_stand_in};
use crate::file_call::{At, FileCall};
use crate::source;
use core::ffi::{c_char, c_int};
use std::ffi::CStr;

/// A result of a function of the C library.
trait Told {
    fn told(answer: Result<u64, i32>) -> Self;
}

impl Told for c_int {
    fn told(answer: Result<u64, i32>) -> c_int {
        answer.map_or_else(failed, |answer| answer as c_int)
    }
}

impl Told for isize {
    fn told(answer: Result<u64, i32>) -> isize {
        answer.map_or_else(|number| failed(number) as isize, |answer| answer as isize)
    }
}

impl Told for i64 {
    fn told(answer: Result<u64, i32>) -> i64 {
        answer.map_or_else(|number| failed(number).into(), |answer| answer as i64)
    }
}

impl Told for () {
    fn told(_answer: Result<u64, i32>) {}
}

impl<T> Told for *mut T {
    /// Null: who returns an address has none of the answer's.
    fn told(answer: Result<u64, i32>) -> *mut T {
        let _ = answer.map_err(failed);
        std::ptr::null_mut()
    }
}

/// Declares functions that ask the source under a condition, and where it has no answer, the C library's own. Several names
/// are those of one function: numbers have 64 bits in all of them. The source is asked on the engine's stack.
macro_rules! interposed {
    ($(fn [$($name:ident)+] $arguments:tt -> $Result:ty, $condition:expr => $asked:block)*) => {
        $($($crate::interposed::files::interposed!(@one $name $arguments $Result, $condition => $asked);)+)*
    };
    (@one $name:ident ($($argument:ident: $Argument:ty),*) $Result:ty, $condition:expr => $asked:block) => {
        /// # Safety
        ///
        /// As the C library's function.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $Argument),*) -> $Result {
            static OWN: $crate::interposed::Own = $crate::interposed::Own::named(concat!(stringify!($name), "\0"));
            if $condition
                && let Some(result) = $crate::place::engine(|| $asked)
            {
                return result;
            }
            match OWN.address() {
                // SAFETY: it is the C library's function of that name, and the arguments are the caller's.
                Some(own) => unsafe {
                    std::mem::transmute::<*mut core::ffi::c_void, unsafe extern "C" fn($($Argument),*) -> $Result>(
                        own.as_ptr(),
                    )($($argument),*)
                },
                None => <$Result as $crate::interposed::files::Told>::told(Err(libc::ENOSYS)),
            }
        }
    };
}

use interposed;

/// Asks the source; `None` if the file is the system's.
fn ask<R: Told>(call: FileCall<'_>) -> Option<R> {
    source::ask(|source| source.file(call)).flatten().map(R::told)
}

/// Asks the source about a descriptor; `None` if it is the system's.
fn ask_of<R: Told>(file: c_int, call: FileCall<'_>) -> Option<R> {
    is_stand_in(file).then(|| ask(call).unwrap_or_else(|| R::told(Err(libc::EBADF))))
}

/// A path from the working directory; `None` if there is none.
///
/// # Safety
///
/// A string is there, or the address is null.
unsafe fn at<'a>(path: *const c_char) -> Option<At<'a>> {
    // SAFETY: the caller's promise.
    unsafe { at_directory(libc::AT_FDCWD, path) }
}

/// A path from a directory; `None` if there is none, or if the directory is the system's.
///
/// # Safety
///
/// As [`at`].
unsafe fn at_directory<'a>(directory: c_int, path: *const c_char) -> Option<At<'a>> {
    if path.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    match directory {
        _ if path.starts_with(b"/") => Some(At { directory: None, path }),
        libc::AT_FDCWD => Some(At { directory: None, path }),
        directory => is_stand_in(directory).then_some(At { directory: Some(directory), path }),
    }
}
