//! The figures of section 6, over pairs that ns-3 makes.

mod detection;
mod distance;
mod plot;
mod workers;

pub use detection::{Detection, Rates, detection};
pub use distance::{Distance, distance};
pub use plot::{plot_detection, plot_distance};
