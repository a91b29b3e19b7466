//! `tokio::sync::mpsc`, tracked.
//!
//! Calls that block their thread end the check where they would have to wait.

mod bounded;
mod unbounded;

pub use bounded::{OwnedPermit, Permit, PermitIterator, Receiver, Sender, WeakSender, channel};
pub use tokio::sync::mpsc::error;
pub use unbounded::{UnboundedReceiver, UnboundedSender, WeakUnboundedSender, unbounded_channel};

/// Defines the methods of receivers, bounded or not.
macro_rules! receiver {
    ($receiver:ident) => {
        impl<T> $receiver<T> {
            /// As tokio's.
            pub async fn recv(&mut self) -> Option<T> {
                self.object.during(self.inner.recv()).await
            }

            /// As tokio's.
            pub async fn recv_many(&mut self, buffer: &mut Vec<T>, limit: usize) -> usize {
                self.object.during(self.inner.recv_many(buffer, limit)).await
            }

            /// As tokio's.
            ///
            /// # Errors
            /// If there is no value yet, or there will be none any more.
            pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
                self.object.touch();
                self.inner.try_recv()
            }

            /// As tokio's, where there is a value, or will be none any more. Else it ends the check.
            pub fn blocking_recv(&mut self) -> Option<T> {
                match self.try_recv() {
                    Ok(value) => Some(value),
                    Err(TryRecvError::Disconnected) => None,
                    Err(TryRecvError::Empty) => self.object.owner().blocks("blocking_recv"),
                }
            }

            /// As [`blocking_recv`](Self::blocking_recv), for several values.
            pub fn blocking_recv_many(&mut self, buffer: &mut Vec<T>, limit: usize) -> usize {
                let before = buffer.len();
                while buffer.len() < before + limit {
                    match self.try_recv() {
                        Ok(value) => buffer.push(value),
                        Err(TryRecvError::Empty) if buffer.len() == before => {
                            self.object.owner().blocks("blocking_recv_many")
                        }
                        Err(_) => break,
                    }
                }
                buffer.len() - before
            }

            /// As tokio's.
            pub fn close(&mut self) {
                self.object.touch();
                self.inner.close();
            }

            /// As tokio's.
            pub fn is_closed(&self) -> bool {
                self.object.touch();
                self.inner.is_closed()
            }

            /// As tokio's.
            pub fn is_empty(&self) -> bool {
                self.object.touch();
                self.inner.is_empty()
            }

            /// As tokio's.
            pub fn len(&self) -> usize {
                self.object.touch();
                self.inner.len()
            }

            /// As tokio's.
            pub fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<T>> {
                self.object.touch();
                self.inner.poll_recv(cx)
            }

            /// As tokio's.
            pub fn poll_recv_many(&mut self, cx: &mut Context<'_>, buffer: &mut Vec<T>, limit: usize) -> Poll<usize> {
                self.object.touch();
                self.inner.poll_recv_many(cx, buffer, limit)
            }

            /// As tokio's.
            pub fn sender_strong_count(&self) -> usize {
                self.object.touch();
                self.inner.sender_strong_count()
            }

            /// As tokio's.
            pub fn sender_weak_count(&self) -> usize {
                self.object.touch();
                self.inner.sender_weak_count()
            }
        }

        impl<T> fmt::Debug for $receiver<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($receiver)).finish_non_exhaustive()
            }
        }
    };
}

/// Defines the methods of senders, bounded or not, and of their weak counterparts.
macro_rules! sender {
    ($sender:ident, $weak:ident) => {
        impl<T> $sender<T> {
            /// As tokio's.
            pub async fn closed(&self) {
                self.object.during(self.inner.closed()).await;
            }

            /// As tokio's.
            pub fn is_closed(&self) -> bool {
                self.object.touch();
                self.inner.is_closed()
            }

            /// As tokio's.
            pub fn same_channel(&self, other: &Self) -> bool {
                self.inner.same_channel(&other.inner)
            }

            /// As tokio's.
            #[must_use = "Downgrade creates a WeakSender without destroying the original non-weak sender."]
            pub fn downgrade(&self) -> $weak<T> {
                $weak { object: self.object.clone(), inner: self.inner.downgrade() }
            }

            /// As tokio's.
            pub fn strong_count(&self) -> usize {
                self.object.touch();
                self.inner.strong_count()
            }

            /// As tokio's.
            pub fn weak_count(&self) -> usize {
                self.object.touch();
                self.inner.weak_count()
            }
        }

        impl<T> $weak<T> {
            /// As tokio's.
            pub fn upgrade(&self) -> Option<$sender<T>> {
                self.object.touch();
                Some($sender { inner: self.inner.upgrade()?, object: self.object.clone() })
            }

            /// As tokio's.
            pub fn strong_count(&self) -> usize {
                self.object.touch();
                self.inner.strong_count()
            }

            /// As tokio's.
            pub fn weak_count(&self) -> usize {
                self.object.touch();
                self.inner.weak_count()
            }
        }

        $crate::sync::mpsc::sender! { @both $sender $weak }
    };
    (@both $($name:ident)*) => { $(
        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                $name { object: self.object.clone(), inner: self.inner.clone() }
            }
        }

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    )* };
}

use {receiver, sender};
