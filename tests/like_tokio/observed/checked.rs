//! The interpreter, compiled against netcheck.

pub(crate) use netcheck as tokio;

#[path = "interpret.rs"]
pub(crate) mod interpret;
#[path = "race.rs"]
pub(crate) mod race;
#[path = "world.rs"]
pub(crate) mod world;
