//! Functions of the C library that a program's calls reach first: random bytes, clocks, output, threads, names of hosts, the
//! end of the process, and the registration of destructors of thread-local variables. Those of sockets are in [`sockets`],
//! those of files in `files`: there are the latter only where the C library is GNU's, and linked dynamically.
//!
//! A definition in the executable takes precedence over that in the shared library, also for look-ups by name. Each
//! function asks this thread's [source](crate::source), and where there is none, the C library's own function.
//!
//! Calls that do not come here: reads of `/dev/urandom`, instructions of the processor (`rdrand`, `rdtsc`), system calls
//! that are made without the C library.

mod exits;
#[cfg(all(target_env = "gnu", not(target_feature = "crt-static")))]
mod files;
mod sockets;

use crate::file_call::{FileCall, STAND_IN_MIN};
use crate::place::engine;
use crate::source::{Answer, CALENDAR, Clock, Forbidden, UPTIME};
use crate::{generators, last_words, mute, source, variables};
use core::ffi::{c_char, c_int, c_long, c_uint, c_void};
use std::ffi::CStr;
use std::io::Write as _;
use std::net::IpAddr;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::Duration;

/// A function of the C library, found by name at its first use.
struct Own {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
}

impl Own {
    const fn new(name: &'static CStr) -> Own {
        Own { name, address: AtomicPtr::new(ptr::null_mut()) }
    }

    /// The function of a name that ends with a zero, as macros make it.
    const fn named(name: &'static str) -> Own {
        match CStr::from_bytes_with_nul(name.as_bytes()) {
            Ok(name) => Own::new(name),
            Err(_) => panic!("it ends with a zero"),
        }
    }

    fn address(&self) -> Option<NonNull<c_void>> {
        let mut address = self.address.load(Ordering::Relaxed);
        if address.is_null() {
            // SAFETY: the name ends with a zero. It is looked up in the libraries after this one.
            address = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
            self.address.store(address, Ordering::Relaxed);
        }
        NonNull::new(address)
    }
}

type SystemCall = unsafe extern "C" fn(c_long, usize, usize, usize, usize, usize, usize) -> c_long;
type ClockGettime = unsafe extern "C" fn(libc::clockid_t, *mut libc::timespec) -> c_int;
type Write = unsafe extern "C" fn(c_int, *const c_void, usize) -> isize;
type WriteVectored = unsafe extern "C" fn(c_int, *const libc::iovec, c_int) -> isize;
type GetEnv = unsafe extern "C" fn(*const c_char) -> *mut c_char;
type Exit = unsafe extern "C" fn(c_int) -> !;
type Abort = unsafe extern "C" fn() -> !;
type Destructor = unsafe extern "C" fn(*mut u8);
type Start = extern "C" fn(*mut c_void) -> *mut c_void;
type PthreadCreate =
    unsafe extern "C" fn(*mut libc::pthread_t, *const libc::pthread_attr_t, Start, *mut c_void) -> c_int;
type GetAddrInfo =
    unsafe extern "C" fn(*const c_char, *const c_char, *const libc::addrinfo, *mut *mut libc::addrinfo) -> c_int;
type ThreadAtexit = unsafe extern "C" fn(Destructor, *mut u8, *mut u8) -> c_int;

/// The longest text of an address, with a zero at its end.
const ADDRESS_BYTES: usize = 46;

static SYSCALL: Own = Own::new(c"syscall");
static CLOCK_GETTIME: Own = Own::new(c"clock_gettime");
static WRITE: Own = Own::new(c"write");
static WRITEV: Own = Own::new(c"writev");
static EXIT: Own = Own::new(c"exit");
static ABORT: Own = Own::new(c"abort");
static PTHREAD_CREATE: Own = Own::new(c"pthread_create");
static GETADDRINFO: Own = Own::new(c"getaddrinfo");
static GETENV: Own = Own::new(c"getenv");
static THREAD_ATEXIT: Own = Own::new(c"__cxa_thread_atexit_impl");

/// Fills memory from this thread's source; false if there is none.
///
/// # Safety
///
/// The caller of the C function may write `bytes` bytes there.
unsafe fn fill(buffer: *mut u8, bytes: usize) -> bool {
    if bytes == 0 || buffer.is_null() || !source::exists() {
        return false;
    }
    // SAFETY: the caller's promise; zeroed, so that they are initialised.
    let buffer = unsafe {
        buffer.write_bytes(0, bytes);
        std::slice::from_raw_parts_mut(buffer, bytes)
    };
    source::ask(|source| source.fill(buffer)).unwrap_or(false)
}

/// # Safety
///
/// As the C library's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn getrandom(buffer: *mut c_void, bytes: usize, flags: c_uint) -> isize {
    // SAFETY: the caller's promise.
    if unsafe { fill(buffer.cast(), bytes) } {
        return bytes as isize;
    }
    // SAFETY: the caller's promise; the system call takes these arguments.
    unsafe { own_system_call(libc::SYS_getrandom, buffer as usize, bytes, flags as usize, 0, 0, 0) as isize }
}

/// The function has a variable number of arguments. On the supported processors they are passed where the fixed ones of
/// a function with seven numbers are, so that those which the caller did not pass are read as whatever is there, and
/// handed on unseen, as by the C library's own function.
///
/// # Safety
///
/// As the C library's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn syscall(number: c_long, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> c_long {
    // SAFETY: the caller's promise: these are the arguments of that system call.
    if number == libc::SYS_getrandom && unsafe { fill(ptr::with_exposed_provenance_mut(a), b) } {
        return b as c_long;
    }
    // SAFETY: the caller's promise.
    unsafe { own_system_call(number, a, b, c, d, e, f) }
}

/// # Safety
///
/// As the C library's `syscall`.
unsafe fn own_system_call(number: c_long, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> c_long {
    let Some(own) = SYSCALL.address() else { return -1 };
    // SAFETY: it is the C library's `syscall`, which takes up to seven numbers.
    unsafe { std::mem::transmute::<*mut c_void, SystemCall>(own.as_ptr())(number, a, b, c, d, e, f) }
}

/// # Safety
///
/// As the C library's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn clock_gettime(clock: libc::clockid_t, time: *mut libc::timespec) -> c_int {
    let asked = match clock {
        libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE => Some(Clock::Date),
        libc::CLOCK_MONOTONIC | libc::CLOCK_MONOTONIC_COARSE | libc::CLOCK_MONOTONIC_RAW | libc::CLOCK_BOOTTIME => {
            Some(Clock::Monotonic)
        }
        _ => None,
    };
    let timespec =
        |now: Duration| libc::timespec { tv_sec: now.as_secs() as libc::time_t, tv_nsec: now.subsec_nanos().into() };
    if let Some(asked) = asked
        // SAFETY: the caller passes a place for it.
        && unsafe { tell(asked, time, timespec) }
    {
        return 0;
    }
    match CLOCK_GETTIME.address() {
        // SAFETY: it is the C library's function of that name, and the arguments are the caller's.
        Some(own) => unsafe { std::mem::transmute::<*mut c_void, ClockGettime>(own.as_ptr())(clock, time) },
        // SAFETY: the system call takes these arguments.
        None => unsafe { own_system_call(libc::SYS_clock_gettime, clock as usize, time as usize, 0, 0, 0, 0) as c_int },
    }
}

/// # Safety
///
/// As the C library's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn gettimeofday(time: *mut libc::timeval, zone: *mut c_void) -> c_int {
    let timeval =
        |now: Duration| libc::timeval { tv_sec: now.as_secs() as libc::time_t, tv_usec: now.subsec_micros().into() };
    // SAFETY: the caller passes a place for it.
    match unsafe { tell(Clock::Date, time, timeval) } {
        true => 0,
        // SAFETY: the system call takes these arguments.
        false => unsafe { own_system_call(libc::SYS_gettimeofday, time as usize, zone as usize, 0, 0, 0, 0) as c_int },
    }
}

/// The environment variable that says before all others whether libraries capture backtraces (`std::backtrace`).
const LIBRARIES_CAPTURE: &CStr = c"RUST_LIB_BACKTRACE";

/// With a source, errors of libraries have no backtraces: these would be of the thread that polls, and differ in each run.
///
/// # Safety
///
/// As the C library's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn getenv(name: *const c_char) -> *mut c_char {
    // SAFETY: the caller passes a string.
    if source::exists() && !name.is_null() && unsafe { CStr::from_ptr(name) } == LIBRARIES_CAPTURE {
        return c"0".as_ptr().cast_mut();
    }
    let Some(own) = GETENV.address() else { return ptr::null_mut() };
    // SAFETY: it is the C library's function of that name.
    let own = unsafe { std::mem::transmute::<*mut c_void, GetEnv>(own.as_ptr()) };
    // SAFETY: the argument is the caller's.
    unsafe { own(name) }
}

/// Writes the time of this thread's source on a clock; false if it has none. All is done on the engine's stack: on the
/// program's, numbers would be left behind in which images recognise no time, and get into futures that are made there.
///
/// # Safety
///
/// `place` is null, or a time can be written there.
unsafe fn tell<T>(clock: Clock, place: *mut T, time: impl FnOnce(Duration) -> T) -> bool {
    if place.is_null() || !source::exists() {
        return false;
    }
    engine(|| {
        let begin = match clock {
            Clock::Monotonic => UPTIME,
            Clock::Date => CALENDAR,
        };
        let since = source::ask(|source| source.time(clock)).flatten();
        let Some(now) = since.and_then(|since| begin.checked_add(since)) else { return false };
        // SAFETY: the caller's promise.
        unsafe { place.write(time(now)) };
        true
    })
}

/// Whether what this thread writes to a file is dropped.
fn is_dropped(file: c_int) -> bool {
    matches!(file, libc::STDOUT_FILENO | libc::STDERR_FILENO) && mute::is_muted()
}

/// # Safety
///
/// As the C library's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn write(file: c_int, bytes: *const c_void, count: usize) -> isize {
    if is_dropped(file) {
        // SAFETY: the caller passes so many bytes.
        mute::drop_output(unsafe { std::slice::from_raw_parts(bytes.cast(), count) });
        return count as isize;
    }
    if is_stand_in(file) {
        // SAFETY: the caller passes so many bytes.
        return engine(|| written(file, unsafe { slice(bytes.cast(), count) }, None));
    }
    match WRITE.address() {
        // SAFETY: it is the C library's function of that name, and the arguments are the caller's.
        Some(own) => unsafe { std::mem::transmute::<*mut c_void, Write>(own.as_ptr())(file, bytes, count) },
        // SAFETY: the system call takes these arguments.
        None => unsafe { own_system_call(libc::SYS_write, file as usize, bytes as usize, count, 0, 0, 0) as isize },
    }
}

/// # Safety
///
/// As the C library's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn writev(file: c_int, parts: *const libc::iovec, count: c_int) -> isize {
    if is_dropped(file) {
        // SAFETY: the caller passes so many parts.
        let parts = unsafe { std::slice::from_raw_parts(parts, count as usize) };
        for part in parts {
            // SAFETY: each part is so many bytes.
            mute::drop_output(unsafe { std::slice::from_raw_parts(part.iov_base.cast(), part.iov_len) });
        }
        return parts.iter().map(|part| part.iov_len as isize).sum();
    }
    if is_stand_in(file) {
        return engine(|| {
            // SAFETY: the caller passes so many parts, each of which is so many bytes.
            let parts = unsafe { slice(parts, usize::try_from(count).unwrap_or(0)) };
            // SAFETY: likewise.
            let bytes = parts.iter().map(|part| unsafe { slice(part.iov_base.cast::<u8>(), part.iov_len) });
            written(file, &bytes.collect::<Vec<_>>().concat(), None)
        });
    }
    match WRITEV.address() {
        // SAFETY: it is the C library's function of that name, and the arguments are the caller's.
        Some(own) => unsafe { std::mem::transmute::<*mut c_void, WriteVectored>(own.as_ptr())(file, parts, count) },
        // SAFETY: the system call takes these arguments.
        None => unsafe {
            own_system_call(libc::SYS_writev, file as usize, parts as usize, count as usize, 0, 0, 0) as isize
        },
    }
}

/// A poll does not end the process: see [`exits`]. Where it can't be left, its process is ended, but not with success.
///
/// # Safety
///
/// As the C library's function; in a poll, its caller may be unwound.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn exit(code: c_int) -> ! {
    if source::ask(|source| source.exit(code)).is_some() {
        if exits::take_back() {
            std::panic::resume_unwind(Box::new(code));
        }
        // SAFETY: it has no conditions.
        unsafe { abort() }
    }
    if let Some(own) = EXIT.address() {
        // SAFETY: it is the C library's function of that name, and the argument is the caller's.
        unsafe { std::mem::transmute::<*mut c_void, Exit>(own.as_ptr())(code) }
    }
    // SAFETY: it ends the process at once.
    unsafe { libc::_exit(code) }
}

/// Whether a descriptor stands for a file of a source: the system has none of this number.
fn is_stand_in(file: c_int) -> bool {
    file >= STAND_IN_MIN
}

/// Writes to a file of the source; the number of bytes.
fn written(file: c_int, bytes: &[u8], from: Option<i64>) -> isize {
    let answer = source::ask(|source| source.file(FileCall::Write { file, bytes, from })).flatten();
    match answer.unwrap_or(Err(libc::EBADF)) {
        Ok(count) => count as isize,
        Err(number) => failed(number) as isize,
    }
}

/// # Safety
///
/// There are so many values there, unless there are none.
unsafe fn slice<'a, T>(start: *const T, count: usize) -> &'a [T] {
    match start.is_null() || count == 0 {
        true => &[],
        // SAFETY: the caller's promise.
        false => unsafe { std::slice::from_raw_parts(start, count) },
    }
}

/// The result of a call with this answer.
fn answered(answer: Answer) -> c_int {
    answer.map_or_else(failed, |()| 0)
}

/// The result of a call that fails with the number of an error.
fn failed(number: i32) -> c_int {
    // SAFETY: the function has no conditions, and the place is this thread's.
    unsafe { libc::__errno_location().write(number) };
    -1
}

/// Whether this thread's source tells a poll that the system has none of these.
fn is_forbidden(wanted: Forbidden) -> bool {
    source::ask(|source| source.forbids(wanted)).unwrap_or(false)
}

/// # Safety
///
/// As the C library's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_create(
    thread: *mut libc::pthread_t,
    attributes: *const libc::pthread_attr_t,
    start: Start,
    argument: *mut c_void,
) -> c_int {
    if is_forbidden(Forbidden::Thread) {
        return libc::EPERM;
    }
    let Some(own) = PTHREAD_CREATE.address() else { return libc::EAGAIN };
    // SAFETY: it is the C library's function of that name, and the arguments are the caller's.
    unsafe { std::mem::transmute::<*mut c_void, PthreadCreate>(own.as_ptr())(thread, attributes, start, argument) }
}

/// A name is one of the source's hosts, whose address is then looked up in its place; the list is the C library's own, which
/// frees it.
///
/// # Safety
///
/// As the C library's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn getaddrinfo(
    name: *const c_char,
    service: *const c_char,
    hints: *const libc::addrinfo,
    list: *mut *mut libc::addrinfo,
) -> c_int {
    let Some(own) = GETADDRINFO.address() else { return libc::EAI_FAIL };
    // SAFETY: it is the C library's function of that name.
    let own = unsafe { std::mem::transmute::<*mut c_void, GetAddrInfo>(own.as_ptr()) };
    // SAFETY: the caller passes a string, or none.
    let text = (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }).and_then(|name| name.to_str().ok());
    let named = text.filter(|text| text.parse::<IpAddr>().is_err());
    let Some(asked) = named.and_then(|name| source::ask(|source| source.addresses(name))) else {
        // SAFETY: the arguments are the caller's.
        return unsafe { own(name, service, hints, list) };
    };
    let Some((v4, v6)) = asked else { return libc::EAI_NONAME };
    // SAFETY: all bytes zero are an address family of any kind, and no pointers; the caller passes hints, or none.
    let mut hints = unsafe { hints.as_ref().copied().unwrap_or_else(|| std::mem::zeroed()) };
    hints.ai_flags |= libc::AI_NUMERICHOST;
    let address = if hints.ai_family == libc::AF_INET6 { IpAddr::from(v6) } else { IpAddr::from(v4) };
    let mut text = [0_u8; ADDRESS_BYTES];
    // The last byte stays zero. An address is not longer.
    let _ = write!(&mut text[..ADDRESS_BYTES - 1], "{address}");
    // SAFETY: the arguments are strings that end, and the caller's.
    unsafe { own(text.as_ptr().cast(), service, &raw const hints, list) }
}

/// The standard library ends the process so, also after a stack overflow, and for want of memory.
///
/// # Safety
///
/// As the C library's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn abort() -> ! {
    if mute::is_muted() {
        last_words::say(|words| {
            // SAFETY: the system call takes these arguments. That it fails is no loss.
            unsafe {
                own_system_call(
                    libc::SYS_write,
                    libc::STDERR_FILENO as usize,
                    words.as_ptr() as usize,
                    words.len(),
                    0,
                    0,
                    0,
                )
            };
        });
    }
    if let Some(own) = ABORT.address() {
        // SAFETY: it is the C library's function of that name.
        unsafe { std::mem::transmute::<*mut c_void, Abort>(own.as_ptr())() }
    }
    // SAFETY: it ends the process at once.
    unsafe { libc::_exit(134) }
}

/// # Safety
///
/// As the C library's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn __cxa_thread_atexit_impl(destructor: Destructor, variable: *mut u8, library: *mut u8) -> c_int {
    if source::exists() && (generators::adopt(destructor, variable) || variables::adopt(destructor, variable)) {
        return 0;
    }
    match THREAD_ATEXIT.address() {
        // SAFETY: it is the C library's function of that name, and the arguments are the caller's.
        Some(own) => unsafe {
            std::mem::transmute::<*mut c_void, ThreadAtexit>(own.as_ptr())(destructor, variable, library)
        },
        None => -1,
    }
}
