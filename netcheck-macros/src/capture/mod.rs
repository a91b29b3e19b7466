//! Captured loops: an async fn tells, at the head of each of its loops that awaits, the values that
//! the rest of its execution depends on.
//!
//! Where a loop was entered says everything that it cannot change, so a head records the variables
//! that are declared outside the loop, mentioned in it, and live. `lower` turns the body into a
//! graph of what it does with its variables (`flow`, `scopes`, `mentions`, `macros`, `borrows`),
//! `facts` says what holds at a point of the graph, `record` what a head records, and `rewrite`
//! writes it.
//!
//! Invariants:
//!
//! - A record that leaves something out makes a check miss executions; one that has too much only
//!   makes it slow. What cannot be recorded for sure, or might not compile, leaves the loop as it is.
//! - Only the function's own body is rewritten: closures, async blocks, items and macros stay.
//!
//! From
//!
//! ```ignore
//! async fn serve(socket: UdpSocket) {
//!     let mut count = 0;
//!     while count < 3 {
//!         count += receive(&socket).await;
//!     }
//! }
//! ```
//!
//! comes (a test keeps this true)
//!
//! ```ignore
//! async fn serve(socket: UdpSocket) {
//!     #[allow(unused_imports)]
//!     use ::netcheck::__private::capture::{Captured as _, Debugged as _, Hashed as _, Opaque as _, Unshown as _};
//!     let __frame = ::netcheck::__private::capture::frame(|| {});
//!     let mut count = 0;
//!     {
//!         let mut __loop = __frame.enter(0);
//!         loop {
//!             if __loop.leave_head() {
//!                 if count < 3 {
//!                     count += ::netcheck::__private::capture::direct(receive(&socket), __frame).await;
//!                 } else {
//!                     break
//!                 }
//!             } else {
//!                 let mut __values = __loop.values();
//!                 (&&&::netcheck::__private::capture::Value(&socket, "socket")).record(&mut __values);
//!                 (&&&::netcheck::__private::capture::Value(&count, "count")).record(&mut __values);
//!                 if let ::core::option::Option::Some(__shown) = __loop.head(__values) {
//!                     (&&::netcheck::__private::capture::Value(&socket, "socket")).show_captured(&__shown);
//!                     (&&::netcheck::__private::capture::Value(&count, "count")).show_captured(&__shown);
//!                 }
//!             }
//!         }
//!     }
//! }
//! ```
//!
//! The head stands after the body, though it runs before it: there the body has said what the types
//! of the variables are, and a record asks nothing of a type that is not known yet.

mod borrows;
mod facts;
mod flow;
mod keep;
mod lower;
mod macros;
mod mentions;
mod record;
mod rewrite;
mod scopes;

pub(crate) use rewrite::{rewrite, rewrite_isolated, untouched};

#[cfg(test)]
mod tests;
