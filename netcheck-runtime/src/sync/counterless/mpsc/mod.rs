//! `tokio::sync::mpsc`, without the numbers of messages.

mod bounded;
mod channel;
mod unbounded;

pub use bounded::{OwnedPermit, Permit, PermitIterator, Receiver, Sender, WeakSender, channel};
pub use unbounded::{UnboundedReceiver, UnboundedSender, WeakUnboundedSender, unbounded_channel};

/// Defines the methods of receivers, bounded or not.
macro_rules! receiver_methods {
    ($receiver:ident) => {
        impl<T> $receiver<T> {
            /// As tokio's.
            pub async fn recv(&mut self) -> Option<T> {
                ::std::future::poll_fn(|cx| self.poll_recv(cx)).await
            }

            /// As tokio's.
            pub async fn recv_many(&mut self, buffer: &mut Vec<T>, limit: usize) -> usize {
                ::std::future::poll_fn(|cx| self.poll_recv_many(cx, buffer, limit)).await
            }

            /// As tokio's.
            pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
                self.0.try_recv()
            }

            /// As tokio's.
            pub fn close(&mut self) {
                self.0.close();
            }

            /// As tokio's.
            pub fn is_closed(&self) -> bool {
                self.0.is_closed()
            }

            /// As tokio's.
            pub fn is_empty(&self) -> bool {
                self.0.len() == 0
            }

            /// As tokio's.
            pub fn len(&self) -> usize {
                self.0.len()
            }

            /// As tokio's.
            pub fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<T>> {
                self.0.poll_recv(cx)
            }

            /// As tokio's.
            pub fn poll_recv_many(&mut self, cx: &mut Context<'_>, buffer: &mut Vec<T>, limit: usize) -> Poll<usize> {
                self.0.poll_recv_many(cx, buffer, limit)
            }

            /// As tokio's.
            pub fn sender_strong_count(&self) -> usize {
                self.0.strong_count()
            }

            /// As tokio's.
            pub fn sender_weak_count(&self) -> usize {
                self.0.weak_count()
            }
        }
    };
}

/// Defines the methods of senders, bounded or not, and of their weak counterparts.
macro_rules! sender_methods {
    ($sender:ident, $weak:ident) => {
        impl<T> $sender<T> {
            /// As tokio's.
            pub async fn closed(&self) {
                self.0.closed().await;
            }

            /// As tokio's.
            pub fn is_closed(&self) -> bool {
                self.0.room.is_closed()
            }

            /// As tokio's.
            pub fn same_channel(&self, other: &Self) -> bool {
                self.0.is(&other.0)
            }

            /// As tokio's.
            pub fn downgrade(&self) -> $weak<T> {
                $weak(self.0.downgrade())
            }

            /// As tokio's.
            pub fn strong_count(&self) -> usize {
                self.0.strong_count()
            }

            /// As tokio's.
            pub fn weak_count(&self) -> usize {
                self.0.weak_count()
            }
        }

        impl<T> $weak<T> {
            /// As tokio's.
            pub fn upgrade(&self) -> Option<$sender<T>> {
                self.0.upgrade().map($sender)
            }

            /// As tokio's.
            pub fn strong_count(&self) -> usize {
                self.0.strong_count()
            }

            /// As tokio's.
            pub fn weak_count(&self) -> usize {
                self.0.weak_count()
            }
        }

        impl<T> Clone for $sender<T> {
            fn clone(&self) -> Self {
                $sender(self.0.clone())
            }
        }

        impl<T> Clone for $weak<T> {
            fn clone(&self) -> Self {
                $weak(self.0.clone())
            }
        }
    };
}

use {receiver_methods, sender_methods};
