//! Files, against Linux and against a definition that shares no code with them.

mod images;
mod linux;
