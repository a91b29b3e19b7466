//! The halves of a stream: the same for those of TCP and of Unix domain sockets.
//!
//! The file that uses these macros names its `SocketAddr`.

/// Defines the functions of a reading half.
macro_rules! reading_half {
    ($Stream:ident, $name:ident $(<$lifetime:lifetime>)?) => {
        impl $name $(<$lifetime>)? {
            /// As the stream's `readable`.
            ///
            /// # Errors
            /// Never in this model; the signature is tokio's.
            #[track_caller]
            pub fn readable(&self) -> impl Future<Output = io::Result<()>> {
                self.0.readable()
            }

            /// As the stream's `try_read`.
            ///
            /// # Errors
            /// As the stream's `try_read`.
            #[track_caller]
            pub fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize> {
                self.0.try_read(buffer)
            }

            /// As the stream's `try_read_vectored`.
            ///
            /// # Errors
            /// As the stream's `try_read_vectored`.
            #[track_caller]
            pub fn try_read_vectored(&self, buffers: &mut [io::IoSliceMut<'_>]) -> io::Result<usize> {
                self.0.try_read_vectored(buffers)
            }

            /// As the stream's `try_read_buf`.
            ///
            /// # Errors
            /// As the stream's `try_read_buf`.
            #[track_caller]
            pub fn try_read_buf<B: bytes::BufMut>(&self, buffer: &mut B) -> io::Result<usize> {
                self.0.try_read_buf(buffer)
            }
        }

        crate::net::halves::either_half!($Stream, $name $(<$lifetime>)?);

        impl AsyncRead for $name $(<$lifetime>)? {
            #[track_caller]
            fn poll_read(
                self: Pin<&mut Self>,
                cx: &mut Context<'_>,
                buffer: &mut ReadBuf<'_>,
            ) -> Poll<io::Result<()>> {
                self.0.poll_in(cx, buffer, false, Location::caller())
            }
        }
    };
}

/// Defines the functions of a writing half.
macro_rules! writing_half {
    ($Stream:ident, $name:ident $(<$lifetime:lifetime>)?) => {
        impl $name $(<$lifetime>)? {
            /// As the stream's `writable`.
            ///
            /// # Errors
            /// Never in this model; the signature is tokio's.
            #[track_caller]
            pub fn writable(&self) -> impl Future<Output = io::Result<()>> {
                self.0.writable()
            }

            /// As the stream's `try_write`.
            ///
            /// # Errors
            /// As the stream's `try_write`.
            #[track_caller]
            pub fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
                self.0.try_write(bytes)
            }

            /// As the stream's `try_write_vectored`.
            ///
            /// # Errors
            /// As the stream's `try_write_vectored`.
            #[track_caller]
            pub fn try_write_vectored(&self, buffers: &[IoSlice<'_>]) -> io::Result<usize> {
                self.0.try_write_vectored(buffers)
            }
        }

        crate::net::halves::either_half!($Stream, $name $(<$lifetime>)?);

        impl AsyncWrite for $name $(<$lifetime>)? {
            #[track_caller]
            fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
                self.0.poll_out(cx, bytes, Location::caller())
            }

            #[track_caller]
            fn poll_write_vectored(
                self: Pin<&mut Self>,
                cx: &mut Context<'_>,
                buffers: &[IoSlice<'_>],
            ) -> Poll<io::Result<usize>> {
                self.0.poll_out(cx, &crate::net::buffers::joined(buffers), Location::caller())
            }

            fn is_write_vectored(&self) -> bool {
                true
            }

            fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
                Poll::Ready(Ok(()))
            }

            #[track_caller]
            fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
                self.0.poll_end(cx, Location::caller())
            }
        }
    };
}

/// Defines the functions that both halves have.
macro_rules! either_half {
    ($Stream:ident, $name:ident $(<$lifetime:lifetime>)?) => {
        impl $name $(<$lifetime>)? {
            /// As the stream's `ready`.
            ///
            /// # Errors
            /// Never in this model; the signature is tokio's.
            #[track_caller]
            pub fn ready(&self, interest: Interest) -> impl Future<Output = io::Result<Ready>> {
                self.0.ready(interest)
            }

            /// The address of this end.
            ///
            /// # Errors
            /// Never; the signature is tokio's.
            pub fn local_addr(&self) -> io::Result<SocketAddr> {
                self.0.local_addr()
            }

            /// The address of the other end.
            ///
            /// # Errors
            /// Never; the signature is tokio's.
            pub fn peer_addr(&self) -> io::Result<SocketAddr> {
                self.0.peer_addr()
            }
        }

        impl AsRef<$Stream> for $name $(<$lifetime>)? {
            fn as_ref(&self) -> &$Stream {
                &self.0
            }
        }
    };
}

/// Defines the halves that share a stream, and the function that splits it.
macro_rules! owned_halves {
    ($Stream:ident) => {
        /// The reading half of a stream, as tokio's `OwnedReadHalf`.
        #[derive(Debug, Hash)]
        pub struct OwnedReadHalf(Arc<$Stream>);

        /// The writing half of a stream, as tokio's `OwnedWriteHalf`; dropping it shuts the writing side down.
        #[derive(Debug, Hash)]
        pub struct OwnedWriteHalf(Shared);

        /// A shared stream, and whether dropping this holder shuts the writing side down.
        #[derive(Debug, Hash)]
        struct Shared {
            stream: Arc<$Stream>,
            ends_on_drop: bool,
        }

        impl std::ops::Deref for Shared {
            type Target = $Stream;

            fn deref(&self) -> &$Stream {
                &self.stream
            }
        }

        impl Drop for Shared {
            fn drop(&mut self) {
                if self.ends_on_drop {
                    self.stream.end();
                }
            }
        }

        pub(super) fn split(stream: $Stream) -> (OwnedReadHalf, OwnedWriteHalf) {
            let stream = Arc::new(stream);
            let writing = Shared { stream: Arc::clone(&stream), ends_on_drop: true };
            (OwnedReadHalf(stream), OwnedWriteHalf(writing))
        }

        /// The halves belong to different streams, as tokio's `ReuniteError`.
        #[derive(Debug)]
        pub struct ReuniteError(
            /// The reading half.
            pub OwnedReadHalf,
            /// The writing half.
            pub OwnedWriteHalf,
        );

        impl fmt::Display for ReuniteError {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("tried to reunite halves that are not from the same socket")
            }
        }

        impl Error for ReuniteError {}

        impl OwnedReadHalf {
            /// Puts the stream together again.
            ///
            /// # Errors
            /// If the halves belong to different streams.
            pub fn reunite(self, other: OwnedWriteHalf) -> Result<$Stream, ReuniteError> {
                if !Arc::ptr_eq(&self.0, &other.0.stream) {
                    return Err(ReuniteError(self, other));
                }
                other.forget();
                Ok(Arc::try_unwrap(self.0).expect("a stream has two halves"))
            }
        }

        impl OwnedWriteHalf {
            /// Puts the stream together again.
            ///
            /// # Errors
            /// If the halves belong to different streams.
            pub fn reunite(self, other: OwnedReadHalf) -> Result<$Stream, ReuniteError> {
                other.reunite(self)
            }

            /// Drops the half without shutting the writing side down.
            pub fn forget(mut self) {
                self.0.ends_on_drop = false;
            }
        }

        crate::net::halves::reading_half!($Stream, OwnedReadHalf);
        crate::net::halves::writing_half!($Stream, OwnedWriteHalf);
    };
}

/// Defines the halves that borrow a stream, and the function that splits it.
macro_rules! borrowed_halves {
    ($Stream:ident) => {
        /// The reading half of a borrowed stream, as tokio's `ReadHalf`.
        #[derive(Debug, Hash)]
        pub struct ReadHalf<'a>(&'a $Stream);

        /// The writing half of a borrowed stream, as tokio's `WriteHalf`.
        #[derive(Debug, Hash)]
        pub struct WriteHalf<'a>(&'a $Stream);

        pub(super) fn split(stream: &mut $Stream) -> (ReadHalf<'_>, WriteHalf<'_>) {
            (ReadHalf(stream), WriteHalf(stream))
        }

        crate::net::halves::reading_half!($Stream, ReadHalf<'_>);
        crate::net::halves::writing_half!($Stream, WriteHalf<'_>);
    };
}

pub(super) use {borrowed_halves, either_half, owned_halves, reading_half, writing_half};
