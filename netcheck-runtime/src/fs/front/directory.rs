//! Directories: making them, and reading the names in them.

use super::super::blocking::{self, Blocking};
use super::super::std::{self, FileType, Metadata};
use ::std::collections::VecDeque;
use ::std::ffi::OsString;
use ::std::future::{Future, poll_fn};
use ::std::io;
use ::std::os::unix::fs::{DirBuilderExt, DirEntryExt};
use ::std::panic::Location;
use ::std::path::{Path, PathBuf};
use ::std::pin::Pin;
use ::std::sync::Arc;
use ::std::task::{Context, Poll, ready};

/// Names that are read at once.
const CHUNK: usize = 32;

/// Makes directories, as `tokio::fs::DirBuilder`.
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

    /// The permissions of a directory that is made.
    pub fn mode(&mut self, mode: u32) -> &mut Self {
        self.mode = mode;
        self
    }

    /// Makes a directory.
    ///
    /// # Errors
    /// As the original.
    #[track_caller]
    pub fn create<P: AsRef<Path>>(&self, path: P) -> impl Future<Output = io::Result<()>> + use<P> {
        let (location, DirBuilder { recursive, mode }) = (Location::caller(), self.clone());
        async move {
            let path = path.as_ref().to_owned();
            blocking::call(location, move || std::DirBuilder::new().recursive(recursive).mode(mode).create(path)).await
        }
    }
}

/// The names in a directory, as `tokio::fs::read_dir`: in a check, in their order.
///
/// # Errors
/// As the original.
#[track_caller]
pub fn read_dir(path: impl AsRef<Path>) -> impl Future<Output = io::Result<ReadDir>> {
    let location = Location::caller();
    async move {
        let path = path.as_ref().to_owned();
        let read =
            move || std::read_dir(path).map(|rest| Names { read: VecDeque::new(), rest, are_more: true }.chunk());
        let names = blocking::call(location, read).await?;
        Ok(ReadDir { state: State::Idle(Some(names)), location })
    }
}

/// The names in a directory, as `tokio::fs::ReadDir`.
#[derive(Debug)]
#[must_use = "names are read when they are asked for"]
pub struct ReadDir {
    state: State,
    location: &'static Location<'static>,
}

#[derive(Debug)]
enum State {
    Idle(Option<Names>),
    Reading(Blocking<Names>),
}

#[derive(Debug)]
struct Names {
    read: VecDeque<io::Result<DirEntry>>,
    rest: std::ReadDir,
    are_more: bool,
}

impl Names {
    /// Reads some more.
    fn chunk(mut self) -> Names {
        for _ in 0..CHUNK {
            let Some(entry) = self.rest.next() else {
                self.are_more = false;
                return self;
            };
            let failed = entry.is_err();
            self.read.push_back(entry.map(|entry| DirEntry(Arc::new(entry))));
            if failed {
                return self;
            }
        }
        self
    }
}

impl ReadDir {
    /// The next name.
    ///
    /// # Errors
    /// As the original.
    pub async fn next_entry(&mut self) -> io::Result<Option<DirEntry>> {
        poll_fn(|cx| self.poll_next_entry(cx)).await
    }

    /// As [`next_entry`](ReadDir::next_entry), polled.
    pub fn poll_next_entry(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Option<DirEntry>>> {
        loop {
            match &mut self.state {
                State::Idle(names) => {
                    let known = names.as_mut().expect("an idle reader has its names");
                    if let Some(entry) = known.read.pop_front() {
                        return Poll::Ready(entry.map(Some));
                    }
                    if !known.are_more {
                        return Poll::Ready(Ok(None));
                    }
                    let names = names.take().expect("an idle reader has its names");
                    self.state = State::Reading(blocking::begin(self.location, move || names.chunk()));
                }
                State::Reading(reading) => {
                    self.state = State::Idle(Some(ready!(Pin::new(reading).poll(cx))?));
                }
            }
        }
    }
}

/// A name in a directory, as `tokio::fs::DirEntry`.
#[derive(Debug)]
pub struct DirEntry(Arc<std::DirEntry>);

impl DirEntry {
    /// The path of the directory, with the name.
    pub fn path(&self) -> PathBuf {
        self.0.path()
    }

    /// The name.
    pub fn file_name(&self) -> OsString {
        self.0.file_name()
    }

    /// A number that tells the file or directory from others.
    pub fn ino(&self) -> u64 {
        self.0.ino()
    }

    /// Facts about the file or directory.
    ///
    /// # Errors
    /// As the original.
    #[track_caller]
    pub fn metadata(&self) -> impl Future<Output = io::Result<Metadata>> + use<> {
        let (location, entry) = (Location::caller(), Arc::clone(&self.0));
        blocking::call(location, move || entry.metadata())
    }

    /// Whether it is a file or a directory.
    ///
    /// # Errors
    /// As the original.
    pub async fn file_type(&self) -> io::Result<FileType> {
        self.0.file_type()
    }
}
