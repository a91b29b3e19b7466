//! Values that the engine hands to programs.
//!
//! A value has bytes that mean nothing: between its fields, and behind the fields of a small variant. Moving it copies
//! them. In a value that the engine has made they are what earlier calls of the engine have left on its stack, which
//! differs from run to run: addresses of its tables, of payloads, of other runs. A program that moves such a value into
//! its future would keep them there, and one history would have many images. So the result of a call of the engine is
//! left on the engine's stack, and put together anew on the program's, field by field, with memory in the program's heap.
//!
//! A compiler that sees each field copied copies the whole value instead, with the bytes that mean nothing. So numbers,
//! of which all others consist, are handed by copies of which the compiler does not know that they are equal.

use std::cmp::Ordering;
use std::hint::black_box;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::num::NonZeroU64;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;

/// A value that [`engine`](fn@crate::engine) may return to a program.
pub trait Handed: Sized {
    /// The same value, put together from its fields. What it allocates is the program's.
    ///
    /// Each field is to be handed, so that neither this nor the compiler copies several at once.
    #[must_use]
    fn handed(&self) -> Self;
}

/// Declares types none of whose bytes is without meaning: a copy of them is handed to programs.
#[macro_export]
macro_rules! handed_by_copy {
    ($($Type:ty),* $(,)?) => {
        $(impl $crate::Handed for $Type {
            #[inline]
            fn handed(&self) -> Self {
                ::std::hint::black_box(*self)
            }
        })*
    };
}

handed_by_copy!((), bool, u8, u16, u32, u64, usize, i32, i64, isize, NonZeroU64, Ordering, Ipv4Addr, Ipv6Addr);

impl Handed for Duration {
    fn handed(&self) -> Self {
        Duration::new(self.as_secs().handed(), self.subsec_nanos().handed())
    }
}

impl<T> Handed for *mut T {
    fn handed(&self) -> Self {
        black_box(*self)
    }
}

impl<T: ?Sized> Handed for &'static T {
    fn handed(&self) -> Self {
        black_box(*self)
    }
}

impl Handed for SocketAddr {
    fn handed(&self) -> Self {
        match self {
            SocketAddr::V4(address) => {
                SocketAddr::V4(SocketAddrV4::new(address.ip().handed(), address.port().handed()))
            }
            SocketAddr::V6(address) => {
                let (port, flow, scope) = (address.port(), address.flowinfo(), address.scope_id());
                let ip = address.ip().handed();
                SocketAddr::V6(SocketAddrV6::new(ip, port.handed(), flow.handed(), scope.handed()))
            }
        }
    }
}

impl<T: ?Sized> Handed for Rc<T> {
    fn handed(&self) -> Self {
        black_box(Rc::clone(self))
    }
}

impl<T: ?Sized> Handed for Arc<T> {
    fn handed(&self) -> Self {
        black_box(Arc::clone(self))
    }
}

impl Handed for Waker {
    fn handed(&self) -> Self {
        self.clone()
    }
}

impl Handed for String {
    fn handed(&self) -> Self {
        self.clone()
    }
}

impl<T: Handed> Handed for Vec<T> {
    fn handed(&self) -> Self {
        self.iter().map(T::handed).collect()
    }
}

impl<T: Handed> Handed for Option<T> {
    #[inline]
    fn handed(&self) -> Self {
        self.as_ref().map(T::handed)
    }
}

impl<T: Handed, E: Handed> Handed for Result<T, E> {
    #[inline]
    fn handed(&self) -> Self {
        match self {
            Ok(value) => Ok(value.handed()),
            Err(error) => Err(error.handed()),
        }
    }
}

impl<T: Handed> Handed for Poll<T> {
    #[inline]
    fn handed(&self) -> Self {
        match self {
            Poll::Ready(value) => Poll::Ready(value.handed()),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<A: Handed, B: Handed> Handed for (A, B) {
    #[inline]
    fn handed(&self) -> Self {
        (self.0.handed(), self.1.handed())
    }
}

/// A value whose clone is put together from its fields.
#[derive(Clone, Debug)]
pub struct Cloned<T>(pub T);

impl<T: Clone> Handed for Cloned<T> {
    fn handed(&self) -> Self {
        Cloned(self.0.clone())
    }
}
