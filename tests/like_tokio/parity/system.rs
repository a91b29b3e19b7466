//! The cases of files, compiled against netcheck with `std::fs` as it is: its calls come to the check by the C library.

pub(crate) use ::std::fs;
pub(crate) use netcheck as tokio;
pub(crate) use netcheck::program::std::env;

#[path = "files.rs"]
pub(crate) mod files;
