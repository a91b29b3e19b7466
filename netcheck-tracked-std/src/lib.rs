//! The tree of std, as [`netcheck::tracked::std`] has it, for a whole crate with `tasks = tracked`:
//!
//! ```
//! # #[cfg(any())]
//! #[cfg(test)] extern crate netcheck_tracked as tokio;
//! # #[cfg(any())]
//! #[cfg(test)] extern crate netcheck_tracked_std as std;
//! ```
//!
//! `std::sync::Mutex` and its like are made by tasks, so their `new` is not const; everything but `sync` is std's own.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[doc(no_inline)]
pub use netcheck::tracked::std::*;
