//! Zones against oracles that share no code with them: all integer points, the constraints of a whole history, the
//! crate `clock-zones`, countdowns, and explorers that count time in units.

mod aging;
mod history;
mod laws;
mod lockstep;
mod orders;
mod peer;
mod points;
mod schedules;
mod steps;
