//! Files that are open, and that write behind.

mod behind;
mod times;

pub use times::FileTimes;

use super::super::blocking;
use super::super::std::{self, Metadata, Permissions};
use crate::unit::poll::context;
use ::std::future::Future;
use ::std::io::{self, IoSlice, SeekFrom};
use ::std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use ::std::os::unix::fs::OpenOptionsExt;
use ::std::panic::Location;
use ::std::path::Path;
use ::std::pin::Pin;
use ::std::task::{Context, Poll};
use ::std::time::SystemTime;
use behind::Behind;
use tokio::io::{AsyncRead, AsyncSeek, AsyncWrite, ReadBuf};

/// A file that is open, as `tokio::fs::File`.
///
/// A write returns before its bytes have reached the file, and dropping the file does not wait for them: see `flush`.
#[derive(Debug)]
pub struct File(Opened);

#[derive(Debug)]
enum Opened {
    Real(tokio::fs::File),
    Own(Behind),
}

impl File {
    /// Opens a file to read it.
    ///
    /// # Errors
    /// As the original.
    #[track_caller]
    pub fn open(path: impl AsRef<Path>) -> impl Future<Output = io::Result<File>> {
        OpenOptions::new().read(true).open(path)
    }

    /// Makes a file to write it; the bytes of one that is there are removed.
    ///
    /// # Errors
    /// As the original.
    #[track_caller]
    pub fn create(path: impl AsRef<Path>) -> impl Future<Output = io::Result<File>> {
        OpenOptions::new().write(true).create(true).truncate(true).open(path)
    }

    /// Makes a file to read and write it, which must not be there.
    ///
    /// # Errors
    /// As the original.
    #[track_caller]
    pub fn create_new<P: AsRef<Path>>(path: P) -> impl Future<Output = io::Result<File>> {
        OpenOptions::new().read(true).write(true).create_new(true).open(path)
    }

    /// Options to open a file with.
    #[must_use]
    pub fn options() -> OpenOptions {
        OpenOptions::new()
    }

    /// A file of `std::fs`.
    #[track_caller]
    pub fn from_std(file: impl Into<std::File>) -> File {
        File::at(Location::caller(), file.into())
    }

    /// A file that was opened at a source line.
    pub(super) fn at(location: &'static Location<'static>, file: std::File) -> File {
        match std::within(file) {
            Ok(own) => File(Opened::Own(Behind::new(own, location))),
            Err(real) => {
                if let Some(context) = context::within() {
                    context.fail(std::FOREIGN);
                }
                File(Opened::Real(tokio::fs::File::from_std(real)))
            }
        }
    }

    /// The file of `std::fs`, once the call that is under way has ended.
    pub async fn into_std(self) -> std::File {
        match self.0 {
            Opened::Real(file) => std::File::from(file.into_std().await),
            Opened::Own(file) => file.into_std().await,
        }
    }

    /// The file of `std::fs`, if no call is under way.
    ///
    /// # Errors
    /// The file itself, if a call is.
    #[allow(clippy::result_large_err, reason = "as the original")]
    pub fn try_into_std(self) -> Result<std::File, File> {
        match self.0 {
            Opened::Real(file) => file.try_into_std().map(std::File::from).map_err(|file| File(Opened::Real(file))),
            Opened::Own(file) => file.try_into_std().map_err(|file| File(Opened::Own(file))),
        }
    }

    /// Makes the bytes and the length durable, or the names in a directory, once the call that is under way has ended.
    ///
    /// # Errors
    /// As the original.
    pub async fn sync_all(&self) -> io::Result<()> {
        match &self.0 {
            Opened::Real(file) => file.sync_all().await,
            Opened::Own(file) => file.after_all(|file| file.sync_all()).await,
        }
    }

    /// As [`sync_all`](File::sync_all).
    ///
    /// # Errors
    /// As the original.
    pub async fn sync_data(&self) -> io::Result<()> {
        match &self.0 {
            Opened::Real(file) => file.sync_data().await,
            Opened::Own(file) => file.after_all(|file| file.sync_data()).await,
        }
    }

    /// Cuts the file, or adds zeros to it, once the call that is under way has ended.
    ///
    /// # Errors
    /// As the original.
    pub async fn set_len(&self, size: u64) -> io::Result<()> {
        match &self.0 {
            Opened::Real(file) => file.set_len(size).await,
            Opened::Own(file) => file.set_len(size).await,
        }
    }

    /// Facts about the file.
    ///
    /// # Errors
    /// As the original.
    pub async fn metadata(&self) -> io::Result<Metadata> {
        match &self.0 {
            Opened::Real(file) => file.metadata().await.map(Metadata::from),
            Opened::Own(file) => file.at_once(|file| file.metadata()).await,
        }
    }

    /// Another file that shares the place of reads and writes with this one.
    ///
    /// # Errors
    /// As the original.
    pub async fn try_clone(&self) -> io::Result<File> {
        match &self.0 {
            Opened::Real(file) => file.try_clone().await.map(|file| File(Opened::Real(file))),
            Opened::Own(file) => file.try_clone().await.map(|file| File(Opened::Own(file))),
        }
    }

    /// Sets the permissions.
    ///
    /// # Errors
    /// As the original.
    pub async fn set_permissions(&self, permissions: Permissions) -> io::Result<()> {
        match &self.0 {
            Opened::Real(file) => file.set_permissions(permissions).await,
            Opened::Own(file) => file.at_once(move |file| file.set_permissions(permissions)).await,
        }
    }

    /// Sets times, once the call that is under way has ended: in a check, nothing keeps them.
    ///
    /// # Errors
    /// As the original.
    pub async fn set_times(&self, times: FileTimes) -> io::Result<()> {
        match &self.0 {
            Opened::Real(file) => {
                let (file, times) = (file.try_clone().await?.into_std().await, times.real());
                blocking::call(Location::caller(), move || file.set_times(times)).await
            }
            Opened::Own(file) => file.after_all(|_| Ok(())).await,
        }
    }

    /// Sets the time of the last change, as [`set_times`](File::set_times).
    ///
    /// # Errors
    /// As the original.
    pub async fn set_modified(&self, time: SystemTime) -> io::Result<()> {
        self.set_times(FileTimes::new().set_modified(time)).await
    }

    /// Sets the most bytes that are read or written at once.
    ///
    /// # Panics
    /// If they are 0.
    #[track_caller]
    pub fn set_max_buf_size(&mut self, max_buf_size: usize) {
        assert!(max_buf_size > 0, "`max_buf_size` must be greater than 0");
        match &mut self.0 {
            Opened::Real(file) => file.set_max_buf_size(max_buf_size),
            Opened::Own(file) => file.set_max_buf_size(max_buf_size),
        }
    }

    /// The most bytes that are read or written at once.
    pub fn max_buf_size(&self) -> usize {
        match &self.0 {
            Opened::Real(file) => file.max_buf_size(),
            Opened::Own(file) => file.max_buf_size(),
        }
    }
}

impl From<::std::fs::File> for File {
    #[track_caller]
    fn from(file: ::std::fs::File) -> Self {
        File::from_std(file)
    }
}

impl AsFd for File {
    /// In a check, a number that is no descriptor of the system: functions of the C library know it, and system calls do
    /// not.
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.0 {
            Opened::Real(file) => file.as_fd(),
            Opened::Own(file) => file.as_fd(),
        }
    }
}

impl AsRawFd for File {
    /// As `as_fd`.
    fn as_raw_fd(&self) -> RawFd {
        self.as_fd().as_raw_fd()
    }
}

impl AsyncRead for File {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match &mut self.0 {
            Opened::Real(file) => Pin::new(file).poll_read(cx, buffer),
            Opened::Own(file) => file.poll_read(cx, buffer),
        }
    }
}

impl AsyncSeek for File {
    fn start_seek(mut self: Pin<&mut Self>, position: SeekFrom) -> io::Result<()> {
        match &mut self.0 {
            Opened::Real(file) => Pin::new(file).start_seek(position),
            Opened::Own(file) => file.start_seek(position),
        }
    }

    fn poll_complete(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        match &mut self.0 {
            Opened::Real(file) => Pin::new(file).poll_complete(cx),
            Opened::Own(file) => file.poll_complete(cx),
        }
    }
}

impl AsyncWrite for File {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match &mut self.0 {
            Opened::Real(file) => Pin::new(file).poll_write(cx, bytes),
            Opened::Own(file) => file.poll_write(cx, &[IoSlice::new(bytes)]),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffers: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match &mut self.0 {
            Opened::Real(file) => Pin::new(file).poll_write_vectored(cx, buffers),
            Opened::Own(file) => file.poll_write(cx, buffers),
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.0 {
            Opened::Real(file) => Pin::new(file).poll_flush(cx),
            Opened::Own(file) => file.poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(cx)
    }
}

/// How a file is opened, as `tokio::fs::OpenOptions`.
#[derive(Clone, Debug)]
pub struct OpenOptions(std::OpenOptions);

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
                self.0.$name($name);
                self
            }
        )*
    };
}

impl OpenOptions {
    /// Options of which none is set.
    #[must_use]
    pub fn new() -> Self {
        OpenOptions(std::OpenOptions::new())
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

    /// The permissions of a file that is made.
    pub fn mode(&mut self, mode: u32) -> &mut Self {
        self.0.mode(mode);
        self
    }

    /// Flags of the system, which a check does not model.
    pub fn custom_flags(&mut self, flags: i32) -> &mut Self {
        self.0.custom_flags(flags);
        self
    }

    /// Opens a file.
    ///
    /// # Errors
    /// As the original.
    #[track_caller]
    pub fn open<P: AsRef<Path>>(&self, path: P) -> impl Future<Output = io::Result<File>> + use<P> {
        let (location, options) = (Location::caller(), self.0.clone());
        async move {
            let path = path.as_ref().to_owned();
            blocking::call(location, move || options.open(path)).await.map(|file| File::at(location, file))
        }
    }
}

impl From<std::OpenOptions> for OpenOptions {
    fn from(options: std::OpenOptions) -> Self {
        OpenOptions(options)
    }
}
