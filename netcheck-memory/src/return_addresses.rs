//! The functions that are running, by their return addresses.
//!
//! A backtrace of the standard library looks up the names and the lines of all its functions whenever it is written. Its
//! addresses are found in a sixth of the time, and the same ones always stand for the same names and lines.

/// The return addresses of the functions that are running on this thread, innermost first; `None` where the system has
/// no way to find them.
pub fn return_addresses() -> Option<Vec<usize>> {
    unwinder::return_addresses()
}

/// Whether one of some functions is running, by return addresses; functions are given by their own addresses.
pub(crate) fn is_one_running(addresses: &[usize], functions: &[usize]) -> bool {
    // An address behind a call that ends a function is that of another function.
    addresses.iter().any(|address| functions.contains(&unwinder::function_of(address.saturating_sub(1))))
}

/// The unwinder of the C++ ABI, which the standard library links for panics.
#[cfg(all(target_os = "linux", not(miri)))]
mod unwinder {
    use std::ffi::{c_int, c_void};

    /// `_URC_NO_REASON`: go on with the caller.
    const GO_ON: c_int = 0;

    unsafe extern "C" {
        fn _Unwind_Backtrace(visit: extern "C" fn(*mut c_void, *mut c_void) -> c_int, addresses: *mut c_void) -> c_int;
        fn _Unwind_GetIP(context: *mut c_void) -> usize;
        fn _Unwind_FindEnclosingFunction(address: *mut c_void) -> *mut c_void;
    }

    pub(super) fn function_of(address: usize) -> usize {
        // SAFETY: the address is only looked up.
        unsafe { _Unwind_FindEnclosingFunction(std::ptr::without_provenance_mut(address)) }.addr()
    }

    extern "C" fn visit(context: *mut c_void, addresses: *mut c_void) -> c_int {
        // SAFETY: `return_addresses` passes its vector, which it does not use until the call returns; the unwinder
        // passes a context that is valid during this call.
        let (addresses, address) = unsafe { (&mut *addresses.cast::<Vec<usize>>(), _Unwind_GetIP(context)) };
        addresses.push(address);
        GO_ON
    }

    pub(super) fn return_addresses() -> Option<Vec<usize>> {
        let mut addresses = Vec::with_capacity(128);
        // SAFETY: `visit` has the type that the unwinder expects, and takes this vector for what it is.
        unsafe { _Unwind_Backtrace(visit, (&raw mut addresses).cast()) };
        Some(addresses)
    }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
mod unwinder {
    pub(super) fn return_addresses() -> Option<Vec<usize>> {
        None
    }

    pub(super) fn function_of(_address: usize) -> usize {
        0
    }
}
