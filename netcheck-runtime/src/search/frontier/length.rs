//! How long executions are that are drawn: programs may go on for ever.

/// The steps of every other execution at the most.
const STEPS_MAX: usize = 200;

/// The most steps of the n-th execution: of every other one 200, of every other of the rest 400, and so on.
///
/// So no length is left out, and all lengths together have equally many steps each: many short executions are drawn,
/// and a bug that lies deep is found at the cost of a factor of the logarithm of its depth.
pub(in crate::search) fn steps_max(number: u64) -> usize {
    STEPS_MAX << number.wrapping_add(1).trailing_zeros().min(usize::BITS - 10)
}

#[cfg(test)]
mod tests {
    use super::steps_max;

    #[test]
    fn every_length_has_its_turn() {
        let first: Vec<usize> = (0..8).map(steps_max).collect();
        assert_eq!(first, [200, 400, 200, 800, 200, 400, 200, 1_600]);
        assert!(steps_max(u64::MAX) >= 1 << 40, "no shift overflows");
    }
}
