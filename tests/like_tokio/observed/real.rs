//! The interpreter, compiled against tokio.

pub(crate) use ::tokio;

#[path = "interpret.rs"]
pub(crate) mod interpret;
#[path = "race.rs"]
pub(crate) mod race;
#[path = "world.rs"]
pub(crate) mod world;
