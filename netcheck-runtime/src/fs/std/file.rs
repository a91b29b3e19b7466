//! Files that are open, and how they are opened.

use super::metadata::{Facts, Metadata};
use super::{MASK, Permissions, bytes, call, call_or_fail};
use crate::operation::files::{Access, Failure, Files, Handle, Seek as To};
use crate::operation::storage;
use crate::unit::poll::context;
use netcheck_memory::{Cloned, Handed};
use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::os::unix::fs::{FileExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

/// A file that is open, as `std::fs::File`.
pub struct File(Opened);

enum Opened {
    Real(::std::fs::File),
    Own(Arc<Descriptor>),
}

/// What a process has open: closed when the last file that shares it is dropped.
#[derive(Debug)]
struct Descriptor(Handle);

impl Drop for Descriptor {
    fn drop(&mut self) {
        if let Some(context) = context::try_current() {
            let handle = self.0;
            let closed: Result<(), i32> = context.files(|files| {
                files.close(handle);
                Ok(())
            });
            closed.expect("a file that is open can be closed");
        }
    }
}

impl File {
    pub(super) fn real(file: ::std::fs::File) -> Self {
        File(Opened::Real(file))
    }

    pub(super) fn own(handle: Handle) -> Self {
        File(Opened::Own(Arc::new(Descriptor(handle))))
    }

    /// Opens a file to read it.
    ///
    /// # Errors
    /// As the original.
    pub fn open(path: impl AsRef<Path>) -> io::Result<File> {
        OpenOptions::new().read(true).open(path)
    }

    /// Makes a file to write it; the bytes of one that is there are removed.
    ///
    /// # Errors
    /// As the original.
    pub fn create(path: impl AsRef<Path>) -> io::Result<File> {
        OpenOptions::new().write(true).create(true).truncate(true).open(path)
    }

    /// Makes a file to read and write it, which must not be there.
    ///
    /// # Errors
    /// As the original.
    pub fn create_new(path: impl AsRef<Path>) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).create_new(true).open(path)
    }

    /// Options to open a file with.
    #[must_use]
    pub fn options() -> OpenOptions {
        OpenOptions::new()
    }

    /// Makes the bytes and the length durable, or the names in a directory.
    ///
    /// # Errors
    /// As the original.
    #[track_caller]
    pub fn sync_all(&self) -> io::Result<()> {
        self.either_or_fail(storage::Operation::Sync, ::std::fs::File::sync_all, Files::sync)
    }

    /// As [`sync_all`](File::sync_all).
    ///
    /// # Errors
    /// As the original.
    #[track_caller]
    pub fn sync_data(&self) -> io::Result<()> {
        self.either_or_fail(storage::Operation::Sync, ::std::fs::File::sync_data, Files::sync)
    }

    /// Cuts the file, or adds zeros to it.
    ///
    /// # Errors
    /// As the original.
    #[track_caller]
    pub fn set_len(&self, size: u64) -> io::Result<()> {
        self.either_or_fail(
            storage::Operation::Write,
            |file| file.set_len(size),
            |files, handle| files.set_length(handle, size),
        )
    }

    /// Facts about the file.
    ///
    /// # Errors
    /// As the original.
    pub fn metadata(&self) -> io::Result<Metadata> {
        match &self.0 {
            Opened::Real(file) => file.metadata().map(Metadata::real),
            Opened::Own(own) => {
                call(&context::current(), |files| files.metadata_of(own.0).map(Facts)).map(Metadata::own)
            }
        }
    }

    /// Another file that shares the place of reads and writes with this one.
    ///
    /// # Errors
    /// As the original.
    pub fn try_clone(&self) -> io::Result<File> {
        match &self.0 {
            Opened::Real(file) => file.try_clone().map(File::real),
            Opened::Own(own) => Ok(File(Opened::Own(Arc::clone(own)))),
        }
    }

    /// Sets the permissions.
    ///
    /// # Errors
    /// As the original.
    pub fn set_permissions(&self, permissions: Permissions) -> io::Result<()> {
        let mode = permissions.mode();
        self.either(|file| file.set_permissions(permissions), |files, handle| files.set_mode_of(handle, mode))
    }

    /// Sets the time of the last change: in a check, times are not kept.
    ///
    /// # Errors
    /// As the original.
    pub fn set_modified(&self, time: SystemTime) -> io::Result<()> {
        self.either(|file| file.set_modified(time), |_, _| Ok(()))
    }

    #[track_caller]
    fn either_or_fail<R: Handed>(
        &self,
        what: storage::Operation,
        real: impl FnOnce(&::std::fs::File) -> io::Result<R>,
        own: impl FnOnce(&mut Files, Handle) -> Result<R, Failure>,
    ) -> io::Result<R> {
        match &self.0 {
            Opened::Real(file) => real(file),
            Opened::Own(descriptor) => call_or_fail((what, descriptor.0), own),
        }
    }

    fn either<R: Handed>(
        &self,
        real: impl FnOnce(&::std::fs::File) -> io::Result<R>,
        own: impl FnOnce(&mut Files, Handle) -> Result<R, Failure>,
    ) -> io::Result<R> {
        match &self.0 {
            Opened::Real(file) => real(file),
            Opened::Own(descriptor) => call(&context::current(), |files| own(files, descriptor.0)),
        }
    }
}

/// The advice for a file of the machine that is made one of tokio in a check.
pub(in crate::fs) const FOREIGN: &str = "a file of the real system was made one of tokio: open it with `tokio::fs`";

/// A file of a check, or the real one.
pub(in crate::fs) fn within(file: File) -> Result<File, ::std::fs::File> {
    match file.0 {
        Opened::Own(_) => Ok(file),
        Opened::Real(file) => Err(file),
    }
}

/// The handle of a file of a check.
pub(in crate::fs) fn handle(file: &File) -> Option<Handle> {
    match &file.0 {
        Opened::Own(descriptor) => Some(descriptor.0),
        Opened::Real(_) => None,
    }
}

impl AsFd for File {
    /// In a check, a number that is no descriptor of the system: functions of the C library know it, and system calls do
    /// not.
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.0 {
            Opened::Real(file) => file.as_fd(),
            Opened::Own(descriptor) => netcheck_memory::stand_in(descriptor.0.0),
        }
    }
}

impl AsRawFd for File {
    /// As `as_fd`.
    fn as_raw_fd(&self) -> RawFd {
        self.as_fd().as_raw_fd()
    }
}

impl From<::std::fs::File> for File {
    fn from(file: ::std::fs::File) -> Self {
        File::real(file)
    }
}

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Opened::Real(file) => file.fmt(f),
            Opened::Own(own) => f.debug_struct("File").field("handle", &own.0).finish(),
        }
    }
}

/// A place in the words of the model.
fn to(at: SeekFrom) -> To {
    match at {
        SeekFrom::Start(at) => To::Start(at),
        SeekFrom::End(by) => To::End(by),
        SeekFrom::Current(by) => To::Current(by),
    }
}

impl Read for &File {
    #[track_caller]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &self.0 {
            Opened::Real(file) => (&*file).read(buffer),
            Opened::Own(own) => {
                call_or_fail((storage::Operation::Read, own.0), |files, handle| files.read(handle, buffer))
            }
        }
    }
}

impl Write for &File {
    #[track_caller]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let own = |files: &mut Files, handle| files.write(handle, bytes);
        self.either_or_fail(storage::Operation::Write, |mut file| file.write(bytes), own)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for &File {
    fn seek(&mut self, at: SeekFrom) -> io::Result<u64> {
        self.either(|mut file| file.seek(at), |files, handle| files.seek(handle, to(at)))
    }
}

impl Read for File {
    #[track_caller]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&*self).read(buffer)
    }
}

impl Write for File {
    #[track_caller]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&*self).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&*self).flush()
    }
}

impl Seek for File {
    fn seek(&mut self, at: SeekFrom) -> io::Result<u64> {
        (&*self).seek(at)
    }
}

impl FileExt for File {
    #[track_caller]
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        match &self.0 {
            Opened::Real(file) => file.read_at(buffer, offset),
            Opened::Own(own) => {
                call_or_fail((storage::Operation::Read, own.0), |files, handle| files.read_at(handle, buffer, offset))
            }
        }
    }

    #[track_caller]
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        let own = |files: &mut Files, handle| files.write_at(handle, bytes, offset);
        self.either_or_fail(storage::Operation::Write, |file| file.write_at(bytes, offset), own)
    }
}

/// How a file is opened, as `std::fs::OpenOptions`.
#[derive(Clone, Debug)]
pub struct OpenOptions {
    access: Access,
    mode: u32,
    flags: i32,
}

impl Default for OpenOptions {
    fn default() -> Self {
        OpenOptions::new()
    }
}

macro_rules! setters {
    ($($(#[doc = $doc:literal])* $name:ident)*) => {
        $(
            $(#[doc = $doc])*
            pub fn $name(&mut self, $name: bool) -> &mut Self {
                self.access.$name = $name;
                self
            }
        )*
    };
}

impl OpenOptions {
    /// Options of which none is set.
    #[must_use]
    pub fn new() -> Self {
        OpenOptions { access: Access::default(), mode: 0o666, flags: 0 }
    }

    setters! {
        /// Whether the file is read.
        read
        /// Whether the file is written.
        write
        /// Whether each write begins at the end.
        append
        /// Whether the bytes of the file are removed.
        truncate
        /// Whether the file is made if it is not there.
        create
        /// Whether the file is made, and must not be there.
        create_new
    }

    /// Opens a file.
    ///
    /// # Errors
    /// As the original.
    pub fn open(&self, path: impl AsRef<Path>) -> io::Result<File> {
        let Some(context) = context::within() else { return self.real().open(path).map(File::real) };
        if self.flags != 0 {
            context.fail(
                "a file is opened with flags of the system (`custom_flags`), which are not modelled: leave them out",
            );
        }
        let opened = call(&context, |files| {
            let opened = files.open(bytes(path.as_ref()), self.access, self.mode & !MASK);
            opened.map(Cloned)
        });
        Ok(File::own(opened?.0))
    }

    fn real(&self) -> ::std::fs::OpenOptions {
        let Access { read, write, append, truncate, create, create_new } = self.access;
        let mut options = ::std::fs::OpenOptions::new();
        options.read(read).write(write).append(append).truncate(truncate).create(create).create_new(create_new);
        options.mode(self.mode).custom_flags(self.flags);
        options
    }
}

impl OpenOptionsExt for OpenOptions {
    fn mode(&mut self, mode: u32) -> &mut Self {
        self.mode = mode;
        self
    }

    fn custom_flags(&mut self, flags: i32) -> &mut Self {
        self.flags = flags;
        self
    }
}
