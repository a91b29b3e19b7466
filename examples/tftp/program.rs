//! A client and a server of TFTP, as one writes them on tokio.
//!
//! They are compiled twice: `real.rs` gives them tokio, `checked.rs` netcheck under that name. The paths are for
//! `cargo mutants`, which would look for the files in a folder `program`.

use super::tokio;

#[path = "client.rs"]
pub mod client;
#[path = "folder.rs"]
pub mod folder;
#[path = "netascii.rs"]
pub mod netascii;
#[path = "packet.rs"]
pub mod packet;
#[path = "server.rs"]
pub mod server;
#[path = "transfer.rs"]
pub mod transfer;
