//! The programs, compiled against tokio.

pub(crate) use ::tokio;

#[path = "codecs.rs"]
pub(crate) mod codecs;
#[path = "combinators.rs"]
pub(crate) mod combinators;
#[path = "http.rs"]
pub(crate) mod http;
#[path = "random.rs"]
pub(crate) mod random;
#[path = "websocket.rs"]
pub(crate) mod websocket;
