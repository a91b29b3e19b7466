//! Why a file is refused.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a capture file is refused: it cannot be read, is no capture, is truncated or corrupt, or has something that this
/// crate does not know. The text says which packet it is about, and what to do.
#[derive(Debug)]
pub struct Error {
    path: Option<PathBuf>,
    packet: Option<usize>,
    what: String,
    source: Option<io::Error>,
}

impl Error {
    /// The file as a whole is wrong.
    pub(crate) fn file(what: impl Into<String>) -> Error {
        Error { path: None, packet: None, what: what.into(), source: None }
    }

    /// The packet of this number is wrong, or what the file has in its place.
    pub(crate) fn packet_is(number: usize, what: impl Into<String>) -> Error {
        Error { packet: Some(number), ..Error::file(what) }
    }

    pub(crate) fn io(path: &Path, source: io::Error) -> Error {
        Error { source: Some(source), ..Error::file("cannot be read") }.in_file(path)
    }

    pub(crate) fn in_file(self, path: &Path) -> Error {
        Error { path: Some(path.to_owned()), ..self }
    }

    /// The number of the packet, from 1; none if the file's header is wrong, or the file cannot be read.
    #[must_use]
    pub fn packet(&self) -> Option<usize> {
        self.packet
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}: ", path.display())?;
        }
        if let Some(packet) = self.packet {
            write!(f, "packet {packet}: ")?;
        }
        write!(f, "{}", self.what)?;
        self.source.as_ref().map_or(Ok(()), |source| write!(f, ": {source}"))
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}
