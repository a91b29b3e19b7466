//! tokio's tree, as [`netcheck::tracked`] has it, for a whole crate:
//!
//! ```
//! # #[cfg(any())]
//! #[cfg(test)] extern crate netcheck_tracked as tokio;
//! # #[cfg(any())]
//! #[cfg(test)] extern crate netcheck_tracked_std as std; // only for `tasks = tracked`
//! ```
//!
//! Memory of its channels depends only on what is in them: a loop that sends for ever comes back to its local states. Its
//! types are not tokio's, so wrappers of other crates (`tokio_stream::wrappers`) do not take them.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[doc(no_inline)]
pub use netcheck::tracked::*;
