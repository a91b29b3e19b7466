//! A client and a server of TFTP, as one writes them on tokio.
//!
//! They are compiled twice: `real.rs` gives them tokio, `checked.rs` netcheck under that name.

use super::tokio;

pub mod client;
pub mod folder;
pub mod netascii;
pub mod packet;
pub mod server;
pub mod transfer;
