//! The explorer: an execution taken step by step, on a page for a browser.
//!
//! A request sends a path of steps from the start, and is answered from that and from what has been learned of the
//! programs. Nothing is kept between two requests.
//!
//! - [`query`]: what the page asks, as data;
//! - [`view`]: where a path leads, and which steps could come next;
//! - [`hunt`]: a way to a state that is wanted;
//! - [`page`]: the page itself;
//! - [`server`]: where the page is asked for on loopback, and who is refused;
//! - [`http`]: requests and responses.
//!
//! Decides no verdict: an execution that is explored was not checked.

mod http;
pub(crate) mod hunt;
pub(crate) mod page;
pub(crate) mod query;
pub(crate) mod server;
pub(crate) mod view;
