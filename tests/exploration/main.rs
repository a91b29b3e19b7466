//! How states are explored: what is left out adds nothing, what bounds a check is said, and endless programs close.

mod address_space;
mod advice;
mod alike;
mod apart;
mod captured;
mod chains;
mod channels;
mod coverage;
mod daemons;
mod differences;
mod endless;
mod heartbeats;
mod hunting;
mod independent;
mod limits;
mod memory;
mod ports;
mod priorities;
mod reduction;
mod search;
mod shallow;
mod strangers;
mod symmetry;
