//! Linux on x86_64 and aarch64.

use super::{Heaps, ThreadLocals};
use std::fs::File;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::ptr;
use std::sync::OnceLock;

mod trampolines;

pub use trampolines::{call_on_stack, call_with_clean_registers};

/// Reserves address space that reads as zero and takes memory only where it is written: from the wanted address on if
/// nothing is there. `None` if the system refuses. It is never given back.
pub fn reserve(wanted: Option<usize>, bytes: usize) -> Option<*mut u8> {
    let wanted = wanted.map_or(ptr::null_mut(), ptr::without_provenance_mut);
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping overlaps no memory of this process: an address without `MAP_FIXED` is a wish.
    let start = unsafe { libc::mmap(wanted, bytes, protection, flags, -1, 0) };
    (start != libc::MAP_FAILED).then_some(start.cast())
}

/// As [`reserve`], at this address; `None` also if something is there already. The address is one of a page.
pub fn reserve_at(address: usize, bytes: usize) -> Option<*mut u8> {
    let wanted = ptr::without_provenance_mut(address);
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
    // SAFETY: a new mapping overlaps no memory of this process: with this flag it fails where some is. A system that does
    // not know the flag takes the address for a wish.
    let start = unsafe { libc::mmap(wanted, bytes, protection, flags, -1, 0) };
    if start != libc::MAP_FAILED && start.addr() != address {
        // SAFETY: the mapping was made just now, and nobody knows of it.
        unsafe { libc::munmap(start, bytes) };
        return None;
    }
    // Addresses of it are made from numbers.
    (start != libc::MAP_FAILED).then(|| ptr::with_exposed_provenance_mut(start.expose_provenance()))
}

/// The limit on the address space of this process, in bytes; `None` if there is none.
pub fn address_space_bytes() -> Option<usize> {
    let mut limit = MaybeUninit::<libc::rlimit>::zeroed();
    // SAFETY: the pointer is to a place for the answer.
    let result = unsafe { libc::getrlimit(libc::RLIMIT_AS, limit.as_mut_ptr()) };
    // SAFETY: the answer consists of numbers, which are zero where the system has written none.
    let bytes = unsafe { limit.assume_init() }.rlim_cur;
    (result == 0 && bytes != libc::RLIM_INFINITY).then(|| usize::try_from(bytes).unwrap_or(usize::MAX))
}

/// The bytes of this process's executable, for as long as the process lives.
pub fn map_executable() -> Option<&'static [u8]> {
    let file = File::open("/proc/self/exe").ok()?;
    let bytes = usize::try_from(file.metadata().ok()?.len()).ok().filter(|bytes| *bytes > 0)?;
    // SAFETY: a new mapping overlaps no memory of this process.
    let start = unsafe { libc::mmap(ptr::null_mut(), bytes, libc::PROT_READ, libc::MAP_PRIVATE, file.as_raw_fd(), 0) };
    // SAFETY: the mapping is never removed, and the system lets nobody write to an executable that runs.
    (start != libc::MAP_FAILED).then(|| unsafe { std::slice::from_raw_parts(start.cast::<u8>(), bytes) })
}

/// Asks for small pages: an arena touches few bytes at many addresses.
///
/// # Safety
///
/// The range lies in memory that [`reserve`] returned, and begins at a page.
pub unsafe fn prefer_small_pages(start: *mut u8, bytes: usize) {
    // SAFETY: the range is mapped (the caller's promise); the advice leaves its contents alone. If it is refused,
    // programs only take more memory.
    unsafe { libc::madvise(start.cast(), bytes, libc::MADV_NOHUGEPAGE) };
}

/// Makes pages zero by giving their memory back to the system. Returns false if it refuses.
///
/// # Safety
///
/// The range consists of whole pages in memory that [`reserve`] returned, and nobody else uses it now.
pub unsafe fn discard(start: *mut u8, bytes: usize) -> bool {
    // SAFETY: private anonymous pages read as zero afterwards, and the range belongs to the caller alone.
    unsafe { libc::madvise(start.cast(), bytes, libc::MADV_DONTNEED) == 0 }
}

/// Makes pages inaccessible. If the system refuses, they stay accessible.
///
/// # Safety
///
/// The range consists of whole pages in memory that [`reserve`] returned, and nobody uses it.
pub unsafe fn protect(start: *mut u8, bytes: usize) {
    // SAFETY: nothing in the range is used (the caller's promise).
    unsafe { libc::mprotect(start.cast(), bytes, libc::PROT_NONE) };
}

/// How many bytes from the first page that has memory to the end of a range of `BYTES`: a page has some if it was touched
/// since it was reserved or [discarded](discard). `None` if the system does not say so.
///
/// # Safety
///
/// The range begins at a page, lies in memory that [`reserve`] returned, and consists of whole pages.
pub unsafe fn touched_bytes<const BYTES: usize>(start: *mut u8) -> Option<usize> {
    // A byte a page, of which none is smaller.
    const PAGES_MAX: usize = 64;
    const { assert!(BYTES <= PAGES_MAX << 12) };
    let mut residency = [0_u8; PAGES_MAX];
    // SAFETY: the range is mapped (the caller's promise), and one byte is written for each of its pages.
    let (result, page_bytes) = unsafe {
        (libc::mincore(start.cast(), BYTES, residency.as_mut_ptr()), libc::sysconf(libc::_SC_PAGESIZE) as usize)
    };
    let first = residency.iter().position(|page| page & 1 != 0);
    (result == 0).then(|| first.map_or(0, |first| BYTES - first * page_bytes))
}

/// The user and the group of the system process.
pub fn owner() -> (u32, u32) {
    // SAFETY: both calls only return a number, and always succeed.
    unsafe { (libc::geteuid(), libc::getegid()) }
}

/// How many faults of pages this thread has had: it has touched no page for the first time while the number is the same.
/// `None` if the system does not say so.
pub fn page_faults() -> Option<u64> {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is to a place for the answer.
    let result = unsafe { libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()) };
    // SAFETY: the answer consists of numbers, which are zero where the system has written none.
    let usage = unsafe { usage.assume_init() };
    (result == 0).then(|| usage.ru_minflt as u64 + usage.ru_majflt as u64)
}

/// From now on, a fault at an address of which `is_ours` says so writes a message and aborts the process; any other is
/// handled as before. If the system refuses, all are. To be called once.
pub fn explain_faults(is_ours: fn(usize) -> bool, message: &'static str) {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    let mut before = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: zeros are a valid action; both pointers are to actions. `on_fault` has the type that SA_SIGINFO asks for,
    // and does only what may be done in a handler. It runs on the stack that the thread has for handlers: on that of
    // the fault there is no room.
    let is_done = unsafe {
        let action = action.assume_init_mut();
        action.sa_sigaction = on_fault as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigaction(libc::SIGSEGV, ptr::null(), before.as_mut_ptr()) == 0
            && FAULTS.set(Faults { is_ours, message, before: before.assume_init() }).is_ok()
            && libc::sigaction(libc::SIGSEGV, action, ptr::null_mut()) == 0
    };
    debug_assert!(is_done, "handlers can be set");
}

/// How faults are handled.
struct Faults {
    is_ours: fn(usize) -> bool,
    message: &'static str,
    before: libc::sigaction,
}

/// Set before the handler is.
static FAULTS: OnceLock<Faults> = OnceLock::new();

unsafe extern "C" fn on_fault(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    let Some(Faults { is_ours, message, before }) = FAULTS.get() else { return };
    // SAFETY: the system passes a valid description of a fault, which has an address. Writing, aborting and setting
    // a handler may be done in a handler. After the last of these the instruction faults again.
    unsafe {
        if is_ours((*info).si_addr().addr()) {
            libc::write(libc::STDERR_FILENO, message.as_ptr().cast(), message.len());
            libc::abort();
        }
        libc::sigaction(libc::SIGSEGV, before, ptr::null_mut());
    }
}

/// Calls `function(data)` on a new thread, and waits for its end; on this thread if the system has none.
///
/// # Safety
///
/// `function` may be called with `data` on any thread, and does not unwind.
pub unsafe fn call_on_new_thread(function: extern "C" fn(*mut u8), data: *mut u8) {
    type Call = (extern "C" fn(*mut u8), *mut u8);
    extern "C" fn start(call: *mut libc::c_void) -> *mut libc::c_void {
        // SAFETY: `call_on_new_thread` passes a call, which it keeps until this thread has ended.
        let (function, data) = unsafe { *call.cast::<Call>() };
        function(data);
        ptr::null_mut()
    }
    let mut call: Call = (function, data);
    let mut thread = MaybeUninit::<libc::pthread_t>::uninit();
    // SAFETY: the thread reads `call`, which lives until it has been waited for; `thread` is initialised if 0 is
    // returned.
    let is_done = unsafe {
        libc::pthread_create(thread.as_mut_ptr(), ptr::null(), start, (&raw mut call).cast()) == 0
            && libc::pthread_join(thread.assume_init(), ptr::null_mut()) == 0
    };
    if !is_done {
        function(data);
    }
}

pub type ThreadNumber = libc::pid_t;

/// The number of this thread.
pub fn thread_number() -> Option<ThreadNumber> {
    // SAFETY: it takes nothing and always succeeds.
    Some(unsafe { libc::gettid() })
}

/// Gives a thread the least share of the processors. On Linux, nice values are those of threads.
pub fn give_way(thread: ThreadNumber) {
    // SAFETY: it takes numbers. It fails if the thread has ended, and nothing needs to be done then.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, thread.cast_unsigned(), 19) };
}

/// Where the system's heap begins, and what it maps, with room for what comes; and the executable and its libraries, which lie
/// there in part. All addresses, if the system does not say. `reserved`: a range that is ours.
pub fn heaps(reserved: std::ops::Range<usize>) -> Heaps {
    const ROOM_BYTES: usize = 1 << 36;
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let executable = std::fs::read_link("/proc/self/exe").unwrap_or_default();
    let range = |line: &str| {
        let (start, end) = line.split(' ').next()?.split_once('-')?;
        let [start, end] = [start, end].map(|address| usize::from_str_radix(address, 16).ok());
        Some((start?..end?, line.split_whitespace().nth(5).unwrap_or_default().to_owned()))
    };
    let ranges: Vec<_> = maps.lines().filter_map(range).filter(|(_, what)| what != "[vsyscall]").collect();
    let of = |what: &str| ranges.iter().filter(|(_, is)| is == what).map(|(range, _)| range).next_back();
    let heap = of("[heap]").map(|heap| heap.start).or(of(&executable.to_string_lossy()).map(|last| last.end));
    let (Some(heap), Some((last, _))) = (heap, ranges.last()) else {
        return Heaps { heap: 0, mapped: 0..usize::MAX, loaded: Vec::new() };
    };
    // Mappings of the system lie behind the reserved range, and new ones come down towards it. If one lies before it, new ones
    // may lie anywhere behind the heap.
    let first_from = |address| ranges.iter().map(|(range, _)| range.start).find(|&start| start >= address);
    let is_behind =
        first_from(heap + ROOM_BYTES).is_some_and(|first| reserved.contains(&first) || first >= reserved.end);
    let mapped = match first_from(reserved.end) {
        Some(first) if is_behind => first.saturating_sub(ROOM_BYTES).max(reserved.end)..last.end,
        _ => heap..last.end,
    };
    let loaded = ranges.into_iter().filter(|(_, what)| what.starts_with('/')).map(|(range, _)| range).collect();
    Heaps { heap, mapped, loaded }
}

/// Where the system's heap ends at this moment.
pub fn heap_end() -> usize {
    // SAFETY: an increment of 0 moves the end nowhere.
    unsafe { libc::sbrk(0) }.addr()
}

/// The thread-local variables of the executable or library that contains this code.
pub fn thread_locals() -> Option<ThreadLocals> {
    let mut found = Found { code: thread_locals as *const () as usize, block: None };
    // SAFETY: `visit` has the type that is asked for, and its argument is `found`, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut found).cast()) };
    found.block
}

struct Found {
    code: usize,
    block: Option<ThreadLocals>,
}

unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, found: *mut libc::c_void) -> libc::c_int {
    // SAFETY: the loader passes a valid description, and `thread_locals` passed a `Found` that nobody else uses.
    let (info, found) = unsafe { (&*info, &mut *found.cast::<Found>()) };
    if info.dlpi_phdr.is_null() {
        return 0;
    }
    // SAFETY: `dlpi_phdr` points to `dlpi_phnum` headers, which stay loaded during this call.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    let contains_code = headers.iter().filter(|header| header.p_type == libc::PT_LOAD).any(|header| {
        let start = (info.dlpi_addr as usize).wrapping_add(header.p_vaddr as usize);
        found.code.wrapping_sub(start) < header.p_memsz as usize
    });
    if !contains_code {
        return 0;
    }
    let locals = headers.iter().find(|header| header.p_type == libc::PT_TLS);
    if let (Some(header), false) = (locals, info.dlpi_tls_data.is_null()) {
        let start = info.dlpi_tls_data as usize;
        // SAFETY: the loader has mapped these bytes for reading, to copy them for each thread; a library that contains
        // this code stays loaded.
        let initialised = unsafe {
            let initialised = (info.dlpi_addr as usize).wrapping_add(header.p_vaddr as usize);
            std::slice::from_raw_parts(ptr::with_exposed_provenance(initialised), header.p_filesz as usize)
        };
        found.block = Some(ThreadLocals { block: start..start + header.p_memsz as usize, initialised });
    }
    1
}
