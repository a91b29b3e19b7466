//! The programs, compiled against tokio.

pub(crate) use ::tokio;

#[path = "codecs.rs"]
pub(crate) mod codecs;
#[path = "http.rs"]
pub(crate) mod http;
#[path = "websocket.rs"]
pub(crate) mod websocket;
