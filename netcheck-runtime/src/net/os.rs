//! Errors with the numbers of Linux, so that kind and number equal those of a real socket.

use crate::operation::Failure;
use std::io;

pub(super) const TRY_AGAIN: i32 = 11;
pub(super) const ACCESS: i32 = 13;
pub(super) const NO_DEVICE: i32 = 19;
pub(super) const INVALID: i32 = 22;
pub(super) const DESTINATION_REQUIRED: i32 = 89;
pub(super) const MESSAGE_TOO_LONG: i32 = 90;
pub(super) const NO_SUCH_OPTION: i32 = 92;
pub(super) const NOT_SUPPORTED: i32 = 95;
pub(super) const FAMILY_NOT_SUPPORTED: i32 = 97;
pub(super) const ADDRESS_NOT_AVAILABLE: i32 = 99;
pub(super) const NOT_CONNECTED: i32 = 107;

/// The error that a failed call returns.
pub(super) fn error(failure: Failure) -> io::Error {
    io::Error::from_raw_os_error(failure.number())
}
