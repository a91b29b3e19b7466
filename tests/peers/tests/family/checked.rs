pub use netcheck as tokio;

#[path = "server.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source runs for real and is checked")]
pub mod server;
