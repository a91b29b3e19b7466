//! Values of a monitor's variables.

use std::fmt;

/// The values of a monitor's variables, as guards and assignments see them.
#[derive(Clone, Copy)]
pub struct Values<'a> {
    pub(super) names: &'a [String],
    pub(super) values: &'a [i64],
}

impl Values<'_> {
    /// The value of the variable with this name.
    ///
    /// # Panics
    ///
    /// If the monitor has no variable of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> i64 {
        match self.names.iter().position(|known| known == name) {
            Some(index) => self.values[index],
            None => panic!("the monitor has no variable `{name}`; its variables: {}", self.names.join(", ")),
        }
    }
}

impl fmt::Debug for Values<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.names.iter().zip(self.values)).finish()
    }
}
