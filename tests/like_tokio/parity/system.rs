//! The cases of files, compiled against netcheck with `std::fs` as it is: its calls come to the check by the C library.

pub(crate) use ::std::fs;
pub(crate) use netcheck::program::std::env;

/// As programs see it of which every crate is compiled on netcheck.
pub(crate) mod tokio {
    pub(crate) use netcheck::__private::files as fs;
    pub(crate) use netcheck::io;
}

#[path = "files.rs"]
pub(crate) mod files;
