//! Packages of which a mirror has one file in another form.

use super::{buffers, queues};

/// The packages that keep how much of something there has been, where what they do depends on differences alone: loops of
/// programs that use them would not close.
pub(super) const EDITS: [Edit; 2] = [
    Edit { package: "bytes", version: "1.", file: buffers::FILE, edited: buffers::edited },
    Edit { package: "tokio-util", version: "0.7.", file: queues::FILE, edited: queues::edited },
];

/// A package, and its file.
#[derive(Debug)]
pub(super) struct Edit {
    pub(super) package: &'static str,
    /// How the versions begin for which this is.
    version: &'static str,
    /// From the package's folder on.
    pub(super) file: &'static str,
    /// The source of the file in the mirror, for that of the package.
    pub(super) edited: fn(&str) -> String,
}

impl Edit {
    pub(super) fn is_for(&self, package: &str, version: &str) -> bool {
        package == self.package && version.starts_with(self.version)
    }
}
