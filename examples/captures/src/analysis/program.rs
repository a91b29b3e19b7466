//! Of the example `tftp`, its packets.

#[path = "../../../tftp/packet.rs"]
#[allow(dead_code, reason = "nothing is sent here")]
pub mod packet;
