//! Directories: making them, and reading the names in them.

use super::metadata::{FileType, Metadata};
use super::{MASK, bytes, call, metadata, named};
use crate::unit::poll::context;
use std::ffi::OsString;
use std::io;
use std::os::unix::fs::{DirBuilderExt, DirEntryExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::vec::IntoIter;

/// Makes directories, as `std::fs::DirBuilder`.
#[derive(Clone, Debug)]
pub struct DirBuilder {
    recursive: bool,
    mode: u32,
}

impl Default for DirBuilder {
    fn default() -> Self {
        DirBuilder::new()
    }
}

impl DirBuilder {
    /// Makes one directory at a time.
    #[must_use]
    pub fn new() -> Self {
        DirBuilder { recursive: false, mode: 0o777 }
    }

    /// Whether the directories that lead to it are made, too.
    pub fn recursive(&mut self, recursive: bool) -> &mut Self {
        self.recursive = recursive;
        self
    }

    /// Makes a directory.
    ///
    /// # Errors
    /// As the original.
    pub fn create(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let path = path.as_ref();
        if context::within().is_none() {
            let mut builder = ::std::fs::DirBuilder::new();
            return builder.recursive(self.recursive).mode(self.mode).create(path);
        }
        if self.recursive { self.make_all(path) } else { self.make(path) }
    }

    fn make(&self, path: &Path) -> io::Result<()> {
        call(&context::current(), |files| files.make_directory(bytes(path), self.mode & !MASK))
    }

    fn make_all(&self, path: &Path) -> io::Result<()> {
        if path == Path::new("") {
            return Ok(());
        }
        let is_directory = || metadata(path).is_ok_and(|metadata| metadata.is_dir());
        match self.make(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(_) if is_directory() => return Ok(()),
            result => return result,
        }
        match path.parent() {
            Some(parent) => self.make_all(parent)?,
            None => return Err(io::Error::other("failed to create whole tree")),
        }
        match self.make(path) {
            Err(_) if is_directory() => Ok(()),
            result => result,
        }
    }
}

impl DirBuilderExt for DirBuilder {
    fn mode(&mut self, mode: u32) -> &mut Self {
        self.mode = mode;
        self
    }
}

/// The names in a directory, as `std::fs::read_dir`: in a check, in their order.
///
/// # Errors
/// As the original.
pub fn read_dir(path: impl AsRef<Path>) -> io::Result<ReadDir> {
    let path = path.as_ref();
    let Some(context) = context::within() else {
        return ::std::fs::read_dir(path).map(|entries| ReadDir(Entries::Real(entries)));
    };
    let names = call(&context, |files| {
        let names = files.names(bytes(path))?;
        Ok(names.into_iter().map(|(name, is_directory)| (name.to_vec(), is_directory)).collect::<Vec<_>>())
    })?;
    Ok(ReadDir(Entries::Own { directory: path.into(), names: names.into_iter() }))
}

/// The names in a directory, as `std::fs::ReadDir`.
#[derive(Debug)]
pub struct ReadDir(Entries);

#[derive(Debug)]
enum Entries {
    Real(::std::fs::ReadDir),
    Own { directory: Arc<Path>, names: IntoIter<(Vec<u8>, bool)> },
}

impl Iterator for ReadDir {
    type Item = io::Result<DirEntry>;

    fn next(&mut self) -> Option<io::Result<DirEntry>> {
        match &mut self.0 {
            Entries::Real(entries) => entries.next().map(|entry| entry.map(|entry| DirEntry(Entry::Real(entry)))),
            Entries::Own { directory, names } => names.next().map(|(name, is_directory)| {
                Ok(DirEntry(Entry::Own { directory: Arc::clone(directory), name: named(name), is_directory }))
            }),
        }
    }
}

/// A name in a directory, as `std::fs::DirEntry`.
#[derive(Debug)]
pub struct DirEntry(Entry);

#[derive(Debug)]
enum Entry {
    Real(::std::fs::DirEntry),
    Own { directory: Arc<Path>, name: OsString, is_directory: bool },
}

impl DirEntry {
    /// The path of the directory, with the name.
    pub fn path(&self) -> PathBuf {
        match &self.0 {
            Entry::Real(entry) => entry.path(),
            Entry::Own { directory, name, .. } => directory.join(name),
        }
    }

    /// The name.
    pub fn file_name(&self) -> OsString {
        match &self.0 {
            Entry::Real(entry) => entry.file_name(),
            Entry::Own { name, .. } => name.clone(),
        }
    }

    /// Facts about the file or directory.
    ///
    /// # Errors
    /// As the original.
    pub fn metadata(&self) -> io::Result<Metadata> {
        match &self.0 {
            Entry::Real(entry) => entry.metadata().map(Metadata::real),
            Entry::Own { .. } => metadata(self.path()),
        }
    }

    /// Whether it is a file or a directory.
    ///
    /// # Errors
    /// As the original.
    pub fn file_type(&self) -> io::Result<FileType> {
        match &self.0 {
            Entry::Real(entry) => entry.file_type().map(FileType::real),
            Entry::Own { is_directory, .. } => Ok(FileType::own(*is_directory)),
        }
    }
}

impl DirEntryExt for DirEntry {
    fn ino(&self) -> u64 {
        match &self.0 {
            Entry::Real(entry) => entry.ino(),
            Entry::Own { .. } => self.metadata().map_or(0, |metadata| metadata.ino()),
        }
    }
}
