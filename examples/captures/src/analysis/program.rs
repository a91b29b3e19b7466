//! The packets of the example `tftp`.

#[path = "../../../tftp/packet.rs"]
#[allow(dead_code, reason = "nothing is sent here")]
pub mod packet;
