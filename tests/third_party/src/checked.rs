//! The programs, compiled against netcheck.

pub(crate) use netcheck as tokio;

#[path = "codecs.rs"]
pub(crate) mod codecs;
#[path = "combinators.rs"]
pub(crate) mod combinators;
#[path = "http.rs"]
pub(crate) mod http;
#[path = "random.rs"]
pub(crate) mod random;
#[path = "web.rs"]
pub(crate) mod web;
#[path = "websocket.rs"]
pub(crate) mod websocket;
