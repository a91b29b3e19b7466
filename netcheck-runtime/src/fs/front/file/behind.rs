//! A file that reads ahead and writes behind, after tokio's: one call at a time is under way, in a task of its own.
//!
//! A read leaves the bytes that the caller had no room for in a buffer, and what comes next goes back over them. A write
//! that fails says so at the next write, flush or sync; or never, if nothing follows.

use super::super::super::blocking::{self, Blocking};
use super::super::super::std;
use crate::unit::poll::context;
use ::std::fmt;
use ::std::future::{Future, poll_fn};
use ::std::io::{self, IoSlice, Read, Seek, SeekFrom};
use ::std::os::fd::{AsFd, BorrowedFd};
use ::std::panic::Location;
use ::std::pin::Pin;
use ::std::sync::Arc;
use ::std::task::{Context, Poll, ready};
use tokio::io::ReadBuf;
use tokio::sync::Mutex;

/// The most bytes that are read or written at once, unless it is set.
const BUFFER_BYTES_MAX: usize = 2 * 1024 * 1024;

/// A file in a check.
pub(super) struct Behind {
    file: Arc<std::File>,
    inner: Mutex<Inner>,
    buffer_bytes_max: usize,
    location: &'static Location<'static>,
}

struct Inner {
    state: State,
    /// The error of a write, which nobody knows of yet.
    failed: Option<io::ErrorKind>,
    /// The place after the last seek.
    position: u64,
}

enum State {
    /// With the bytes that were read and not taken yet.
    Idle(Vec<u8>),
    Busy(Blocking<Done>),
}

/// A call that has ended.
enum Done {
    /// With the bytes.
    Read(io::Result<Vec<u8>>),
    Write(io::Result<()>),
    Seek(io::Result<u64>),
}

impl Behind {
    pub(super) fn new(file: std::File, location: &'static Location<'static>) -> Self {
        let inner = Mutex::new(Inner { state: State::Idle(Vec::new()), failed: None, position: 0 });
        Behind { file: Arc::new(file), inner, buffer_bytes_max: BUFFER_BYTES_MAX, location }
    }

    pub(super) fn set_max_buf_size(&mut self, bytes: usize) {
        self.buffer_bytes_max = bytes;
    }

    pub(super) fn max_buf_size(&self) -> usize {
        self.buffer_bytes_max
    }

    fn std(&self) -> Arc<std::File> {
        Arc::clone(&self.file)
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Makes a call once the one that is under way has ended.
    pub(super) async fn after_all<R: Send + 'static>(
        &self,
        call: impl FnOnce(&std::File) -> io::Result<R> + Send + 'static,
    ) -> io::Result<R> {
        let mut inner = self.inner.lock().await;
        inner.end_call().await;
        self.at_once(call).await
    }

    /// Makes a call, whatever is under way.
    pub(super) async fn at_once<R: Send + 'static>(
        &self,
        call: impl FnOnce(&std::File) -> io::Result<R> + Send + 'static,
    ) -> io::Result<R> {
        let file = self.std();
        blocking::call(self.location, move || call(&file)).await
    }

    pub(super) async fn set_len(&self, length: u64) -> io::Result<()> {
        let mut inner = self.inner.lock().await;
        inner.end_call().await;
        let (file, back) = (self.std(), inner.go_back());
        inner.state = State::Busy(blocking::begin(self.location, move || {
            let back = if back == 0 { Ok(0) } else { (&*file).seek(SeekFrom::Current(-back)) };
            Done::Seek(back.and_then(|_| file.set_len(length)).map(|()| 0))
        }));
        match poll_fn(|cx| inner.poll_call(cx)).await? {
            Done::Seek(result) => result.map(|position| inner.position = position),
            Done::Read(_) | Done::Write(_) => unreachable!("the call was begun here"),
        }
    }

    pub(super) async fn try_clone(&self) -> io::Result<Behind> {
        self.inner.lock().await.end_call().await;
        let clone = self.at_once(|file| file.try_clone()).await?;
        let mut clone = Behind::new(clone, self.location);
        clone.buffer_bytes_max = self.buffer_bytes_max;
        Ok(clone)
    }

    pub(super) async fn into_std(mut self) -> std::File {
        self.inner.get_mut().end_call().await;
        unshared(self.file)
    }

    pub(super) fn try_into_std(mut self) -> Result<std::File, Behind> {
        match self.inner.get_mut().state {
            State::Idle(_) => Ok(unshared(self.file)),
            State::Busy(_) => Err(self),
        }
    }

    pub(super) fn poll_read(&mut self, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let file = self.std();
        let inner = self.inner.get_mut();
        loop {
            if let State::Idle(read) = &mut inner.state {
                if !read.is_empty() || buffer.remaining() == 0 {
                    take(read, buffer);
                    return Poll::Ready(Ok(()));
                }
                let (mut bytes, file) = (vec![0; buffer.remaining().min(self.buffer_bytes_max)], Arc::clone(&file));
                inner.state = State::Busy(blocking::begin(self.location, move || {
                    Done::Read((&*file).read(&mut bytes).map(|length| {
                        bytes.truncate(length);
                        bytes
                    }))
                }));
            }
            match ready!(inner.poll_call(cx))? {
                Done::Read(Ok(mut read)) => {
                    take(&mut read, buffer);
                    inner.state = State::Idle(read);
                    return Poll::Ready(Ok(()));
                }
                Done::Read(Err(error)) => return Poll::Ready(Err(error)),
                Done::Write(Err(error)) => inner.failed = Some(error.kind()),
                Done::Seek(Ok(position)) => inner.position = position,
                Done::Write(Ok(())) | Done::Seek(Err(_)) => {}
            }
        }
    }

    pub(super) fn poll_write(&mut self, cx: &mut Context<'_>, buffers: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        let file = self.std();
        let inner = self.inner.get_mut();
        if let Some(kind) = inner.failed.take() {
            return Poll::Ready(Err(kind.into()));
        }
        while let State::Busy(_) = inner.state {
            match ready!(inner.poll_call(cx))? {
                // What was read ahead is gone back over.
                Done::Read(Ok(read)) => inner.state = State::Idle(read),
                Done::Write(result) => result?,
                Done::Read(Err(_)) | Done::Seek(_) => {}
            }
        }
        let back = inner.go_back().unsigned_abs();
        let mut bytes = Vec::new();
        for buffer in buffers {
            let room = self.buffer_bytes_max - bytes.len();
            bytes.extend_from_slice(&buffer[..buffer.len().min(room)]);
        }
        let length = bytes.len();
        let location = self.location;
        let handle = std::handle(&file).expect("it is a file of the check");
        let number = context::current().begin_write(handle, back, &bytes);
        inner.state = State::Busy(blocking::begin(self.location, move || {
            let written = context::current().end_write(number, handle, location).map_err(std::error);
            drop(file);
            Done::Write(written)
        }));
        Poll::Ready(Ok(length))
    }

    pub(super) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.inner.get_mut().poll_flush(cx)
    }

    pub(super) fn start_seek(&mut self, mut position: SeekFrom) -> io::Result<()> {
        let file = self.std();
        let inner = self.inner.get_mut();
        if let State::Busy(_) = inner.state {
            return Err(io::Error::other("other file operation is pending, call poll_complete before start_seek"));
        }
        let mut back = inner.go_back();
        if let SeekFrom::Current(by) = &mut position
            && let Some(sum) = by.checked_sub(back)
        {
            (*by, back) = (sum, 0);
        }
        let is_relative = matches!(position, SeekFrom::Current(_));
        inner.state = State::Busy(blocking::begin(self.location, move || {
            let back = if back == 0 || !is_relative { Ok(0) } else { (&*file).seek(SeekFrom::Current(-back)) };
            Done::Seek(back.and_then(|_| (&*file).seek(position)))
        }));
        Ok(())
    }

    pub(super) fn poll_complete(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        let inner = self.inner.get_mut();
        loop {
            if let State::Idle(_) = inner.state {
                return Poll::Ready(Ok(inner.position));
            }
            match ready!(inner.poll_call(cx))? {
                Done::Read(Ok(read)) => inner.state = State::Idle(read),
                Done::Write(Err(error)) => inner.failed = Some(error.kind()),
                Done::Seek(result) => {
                    if let Ok(position) = result {
                        inner.position = position;
                    }
                    return Poll::Ready(result);
                }
                Done::Read(Err(_)) | Done::Write(Ok(())) => {}
            }
        }
    }
}

impl Inner {
    /// The bytes that were read and not taken: what comes next goes back over them.
    fn go_back(&mut self) -> i64 {
        match &mut self.state {
            State::Idle(read) => ::std::mem::take(read).len() as i64,
            State::Busy(_) => 0,
        }
    }

    /// The result of the call that is under way; the file is idle then, with nothing read.
    fn poll_call(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Done>> {
        let State::Busy(call) = &mut self.state else { unreachable!("a call is under way") };
        let done = ready!(Pin::new(call).poll(cx));
        self.state = State::Idle(Vec::new());
        Poll::Ready(done)
    }

    /// Waits for the call that is under way. If it is a write that fails, the next one says so.
    async fn end_call(&mut self) {
        if let Err(error) = poll_fn(|cx| self.poll_flush(cx)).await {
            self.failed = Some(error.kind());
        }
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Some(kind) = self.failed.take() {
            return Poll::Ready(Err(kind.into()));
        }
        if let State::Idle(_) = self.state {
            return Poll::Ready(Ok(()));
        }
        match ready!(self.poll_call(cx))? {
            Done::Read(Ok(read)) => self.state = State::Idle(read),
            Done::Write(result) => return Poll::Ready(result),
            Done::Read(Err(_)) | Done::Seek(_) => {}
        }
        Poll::Ready(Ok(()))
    }
}

/// The file itself, or where a call that nobody waits for still has it, another that shares its place.
fn unshared(file: Arc<std::File>) -> std::File {
    Arc::try_unwrap(file).unwrap_or_else(|file| file.try_clone().expect("a file that is open has one more descriptor"))
}

/// Moves bytes that were read into a buffer, as far as there is room.
fn take(read: &mut Vec<u8>, buffer: &mut ReadBuf<'_>) {
    let length = read.len().min(buffer.remaining());
    buffer.put_slice(&read[..length]);
    read.drain(..length);
    if read.is_empty() {
        *read = Vec::new();
    }
}

impl fmt::Debug for Behind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("File").field("std", &self.file).finish_non_exhaustive()
    }
}
