//! A station of 802.11 is judged by what it sent and received itself, or by what a sniffer beside it heard: the case
//! study of "Wireless Protocol Validation Under Uncertainty" (Shi, Lahiri, Chandra and Varghese), section 6.
//!
//! - [`physical`]: the rates and times of 802.11a, b and g;
//! - [`frame`]: from a capture to the events of monitors;
//! - [`transmitter`]: the monitor of Figure 1, with any number of retransmissions;
//! - [`arf`]: the monitor of ARF rate control;
//! - [`judge`]: a capture, judged by one of these monitors, in words;
//! - [`pairs`]: captures of a device and of a sniffer beside it, made by ns-3;
//! - [`study`]: Figures 4 and 5, over thousands of pairs.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod arf;
pub mod frame;
pub mod judge;
pub mod pairs;
pub mod physical;
pub mod study;
pub mod transmitter;
