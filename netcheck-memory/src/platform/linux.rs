//! Linux on x86_64 and aarch64.

use super::ThreadLocals;
use core::arch::naked_asm;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::OnceLock;

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

/// Calls `function(data)` with zeroed registers, and restores the callee-saved ones.
///
/// The frame pointer is set to the frame of the trampoline rather than to zero, so that profilers can walk the
/// stack. The call frame information lets debuggers do the same.
///
/// # Safety
///
/// `function` may be called with `data`, and does not unwind.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn call_with_clean_registers(function: extern "C" fn(*mut u8), data: *mut u8) {
    naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "push rbx",
        ".cfi_offset rbx, -24",
        "push r12",
        ".cfi_offset r12, -32",
        "push r13",
        ".cfi_offset r13, -40",
        "push r14",
        ".cfi_offset r14, -48",
        "push r15",
        ".cfi_offset r15, -56",
        // a call needs the stack aligned to 16 bytes
        "sub rsp, 8",
        "mov rax, rdi",
        "mov rdi, rsi",
        "xor esi, esi",
        "xor edx, edx",
        "xor ecx, ecx",
        "xor ebx, ebx",
        "xor r8d, r8d",
        "xor r9d, r9d",
        "xor r10d, r10d",
        "xor r11d, r11d",
        "xor r12d, r12d",
        "xor r13d, r13d",
        "xor r14d, r14d",
        "xor r15d, r15d",
        "pxor xmm0, xmm0",
        "pxor xmm1, xmm1",
        "pxor xmm2, xmm2",
        "pxor xmm3, xmm3",
        "pxor xmm4, xmm4",
        "pxor xmm5, xmm5",
        "pxor xmm6, xmm6",
        "pxor xmm7, xmm7",
        "pxor xmm8, xmm8",
        "pxor xmm9, xmm9",
        "pxor xmm10, xmm10",
        "pxor xmm11, xmm11",
        "pxor xmm12, xmm12",
        "pxor xmm13, xmm13",
        "pxor xmm14, xmm14",
        "pxor xmm15, xmm15",
        "call rax",
        "add rsp, 8",
        "pop r15",
        ".cfi_restore r15",
        "pop r14",
        ".cfi_restore r14",
        "pop r13",
        ".cfi_restore r13",
        "pop r12",
        ".cfi_restore r12",
        "pop rbx",
        ".cfi_restore rbx",
        "pop rbp",
        ".cfi_restore rbp",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
    )
}

/// Calls `function(data)` with zeroed registers, and restores the callee-saved ones.
///
/// The frame pointer is set to the frame of the trampoline rather than to zero, so that profilers can walk the
/// stack. The call frame information lets debuggers do the same.
///
/// # Safety
///
/// `function` may be called with `data`, and does not unwind.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
pub unsafe extern "C" fn call_with_clean_registers(function: extern "C" fn(*mut u8), data: *mut u8) {
    naked_asm!(
        ".cfi_startproc",
        "stp x29, x30, [sp, #-160]!",
        ".cfi_def_cfa_offset 160",
        ".cfi_offset x29, -160",
        ".cfi_offset x30, -152",
        "mov x29, sp",
        ".cfi_def_cfa x29, 160",
        "stp x19, x20, [sp, #16]",
        ".cfi_offset x19, -144",
        ".cfi_offset x20, -136",
        "stp x21, x22, [sp, #32]",
        ".cfi_offset x21, -128",
        ".cfi_offset x22, -120",
        "stp x23, x24, [sp, #48]",
        ".cfi_offset x23, -112",
        ".cfi_offset x24, -104",
        "stp x25, x26, [sp, #64]",
        ".cfi_offset x25, -96",
        ".cfi_offset x26, -88",
        "stp x27, x28, [sp, #80]",
        ".cfi_offset x27, -80",
        ".cfi_offset x28, -72",
        // the lower halves of v8 to v15 are callee-saved
        "stp d8, d9, [sp, #96]",
        "stp d10, d11, [sp, #112]",
        "stp d12, d13, [sp, #128]",
        "stp d14, d15, [sp, #144]",
        "mov x16, x0",
        "mov x0, x1",
        "mov x1, xzr",
        "mov x2, xzr",
        "mov x3, xzr",
        "mov x4, xzr",
        "mov x5, xzr",
        "mov x6, xzr",
        "mov x7, xzr",
        "mov x8, xzr",
        "mov x9, xzr",
        "mov x10, xzr",
        "mov x11, xzr",
        "mov x12, xzr",
        "mov x13, xzr",
        "mov x14, xzr",
        "mov x15, xzr",
        "mov x17, xzr",
        "mov x19, xzr",
        "mov x20, xzr",
        "mov x21, xzr",
        "mov x22, xzr",
        "mov x23, xzr",
        "mov x24, xzr",
        "mov x25, xzr",
        "mov x26, xzr",
        "mov x27, xzr",
        "mov x28, xzr",
        "movi v0.2d, #0",
        "movi v1.2d, #0",
        "movi v2.2d, #0",
        "movi v3.2d, #0",
        "movi v4.2d, #0",
        "movi v5.2d, #0",
        "movi v6.2d, #0",
        "movi v7.2d, #0",
        "movi v8.2d, #0",
        "movi v9.2d, #0",
        "movi v10.2d, #0",
        "movi v11.2d, #0",
        "movi v12.2d, #0",
        "movi v13.2d, #0",
        "movi v14.2d, #0",
        "movi v15.2d, #0",
        "movi v16.2d, #0",
        "movi v17.2d, #0",
        "movi v18.2d, #0",
        "movi v19.2d, #0",
        "movi v20.2d, #0",
        "movi v21.2d, #0",
        "movi v22.2d, #0",
        "movi v23.2d, #0",
        "movi v24.2d, #0",
        "movi v25.2d, #0",
        "movi v26.2d, #0",
        "movi v27.2d, #0",
        "movi v28.2d, #0",
        "movi v29.2d, #0",
        "movi v30.2d, #0",
        "movi v31.2d, #0",
        "blr x16",
        "ldp d8, d9, [sp, #96]",
        "ldp d10, d11, [sp, #112]",
        "ldp d12, d13, [sp, #128]",
        "ldp d14, d15, [sp, #144]",
        "ldp x19, x20, [sp, #16]",
        "ldp x21, x22, [sp, #32]",
        "ldp x23, x24, [sp, #48]",
        "ldp x25, x26, [sp, #64]",
        "ldp x27, x28, [sp, #80]",
        ".cfi_def_cfa sp, 160",
        "ldp x29, x30, [sp], #160",
        ".cfi_def_cfa_offset 0",
        ".cfi_restore x29",
        ".cfi_restore x30",
        "ret",
        ".cfi_endproc",
    )
}

/// Calls `function(data)` on another stack.
///
/// The frame pointer leads back to the caller's stack, and so does the call frame information: a backtrace that
/// begins in `function` goes on in its caller.
///
/// # Safety
///
/// `function` may be called with `data`, and does not unwind. `top` is a multiple of 16, the end of memory that
/// nobody else uses during the call and that is large enough for it.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn call_on_stack(function: extern "C" fn(*mut u8), data: *mut u8, top: *mut u8) {
    naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "mov rsp, rdx",
        "mov rax, rdi",
        "mov rdi, rsi",
        "call rax",
        "mov rsp, rbp",
        "pop rbp",
        ".cfi_restore rbp",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
    )
}

/// Calls `function(data)` on another stack.
///
/// The frame pointer leads back to the caller's stack, and so does the call frame information: a backtrace that
/// begins in `function` goes on in its caller.
///
/// # Safety
///
/// `function` may be called with `data`, and does not unwind. `top` is a multiple of 16, the end of memory that
/// nobody else uses during the call and that is large enough for it.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
pub unsafe extern "C" fn call_on_stack(function: extern "C" fn(*mut u8), data: *mut u8, top: *mut u8) {
    naked_asm!(
        ".cfi_startproc",
        "stp x29, x30, [sp, #-16]!",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset x29, -16",
        ".cfi_offset x30, -8",
        "mov x29, sp",
        ".cfi_def_cfa x29, 16",
        "mov x16, x0",
        "mov x0, x1",
        "mov sp, x2",
        "blr x16",
        "mov sp, x29",
        ".cfi_def_cfa sp, 16",
        "ldp x29, x30, [sp], #16",
        ".cfi_def_cfa_offset 0",
        ".cfi_restore x29",
        ".cfi_restore x30",
        "ret",
        ".cfi_endproc",
    )
}
