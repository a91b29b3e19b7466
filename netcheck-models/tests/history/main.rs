//! Histories against their definition: every order of every choice of calls, tried one by one.

mod definition;
mod known;
mod random;
