//! The names of Unix domain sockets.

use crate::net::os;
use crate::operation::unix;
use crate::unit::poll::context;
use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::net;
#[cfg(target_os = "android")]
use std::os::android::net::SocketAddrExt;
#[cfg(target_os = "linux")]
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::SocketAddr as OfStd;
use std::path::{Component, Path, PathBuf};

/// The address of a Unix domain socket, as `tokio::net::unix::SocketAddr`.
///
/// A path is known without `.` and repeated slashes. A relative path and an absolute one are two names.
#[derive(Clone)]
pub struct SocketAddr(OfStd);

impl SocketAddr {
    /// Whether the socket has no name.
    pub fn is_unnamed(&self) -> bool {
        self.0.is_unnamed()
    }

    /// The path of the socket, if its name is one.
    pub fn as_pathname(&self) -> Option<&Path> {
        self.0.as_pathname()
    }

    /// The abstract name of the socket, without the zero byte, if its name is one.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub fn as_abstract_name(&self) -> Option<&[u8]> {
        self.0.as_abstract_name()
    }

    /// The address that a program writes as a path; an abstract name begins with a zero byte.
    pub(super) fn written(path: &Path) -> io::Result<SocketAddr> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if let Some((0, name)) = path.as_os_str().as_bytes().split_first() {
            return OfStd::from_abstract_name(name).map(SocketAddr);
        }
        SocketAddr::of_path(path)
    }

    /// The address of a path.
    pub(super) fn of_path(path: &Path) -> io::Result<SocketAddr> {
        OfStd::from_pathname(path).map(SocketAddr)
    }

    /// The address in a model for this name.
    pub(super) fn of_name(&self) -> io::Result<net::SocketAddr> {
        let name = match self.as_pathname() {
            Some(path) => spelled(path).into_os_string().as_bytes().to_vec(),
            None => self.abstract_name().ok_or_else(|| io::Error::from_raw_os_error(os::INVALID))?,
        };
        Ok(context::current().unix_names(|names| names.address(&name)))
    }

    /// The abstract name behind a zero byte.
    fn abstract_name(&self) -> Option<Vec<u8>> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        return self.as_abstract_name().map(|name| [&[0], name].concat());
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        return None;
    }

    /// The name for which an address in a model stands.
    pub(super) fn named(address: net::SocketAddr) -> SocketAddr {
        let name = match unix::is_unnamed(address.ip()) {
            true => Vec::new(),
            false => context::current().unix_names(|names| names.name(address).map(<[u8]>::to_vec).unwrap_or_default()),
        };
        SocketAddr::written(Path::new(OsStr::from_bytes(&name))).expect("a name was written before")
    }
}

/// The path without `.` and repeated slashes.
fn spelled(path: &Path) -> PathBuf {
    path.components().filter(|component| *component != Component::CurDir).collect()
}

impl fmt::Debug for SocketAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<OfStd> for SocketAddr {
    fn from(address: OfStd) -> Self {
        SocketAddr(address)
    }
}

impl From<SocketAddr> for OfStd {
    fn from(address: SocketAddr) -> Self {
        address.0
    }
}
