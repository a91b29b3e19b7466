//! netcheck as programs see it in place of tokio: the same source on both, random programs on both, modules
//! and whole crates that never say the name of netcheck.

mod counterless;
mod killed;
mod moved;
mod networked;
mod observed;
mod ordered;
mod parity;
mod program;
mod timed;
