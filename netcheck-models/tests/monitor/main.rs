//! Monitors against interpreters that share no code with them: each event and each nanosecond taken by itself.

mod claims;
mod declared;
mod marked;
mod random;
mod runs;
mod sniffers;
mod wireless;
