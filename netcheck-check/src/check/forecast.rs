//! About how much of a search is done, from how it has gone lately.
//!
//! Each state that is expanded leads to some states that are new: ρ of them, on the average of the last tenth of the
//! search. If that stays so, each open state comes to 1 + ρ + ρ² + … = 1 / (1 − ρ) states in all. As a search nears its
//! end, ρ falls, so the forecast is too high rather than too low; while ρ is not clearly below 1, there is none.

use netcheck_runtime::search::progress::Seen;

/// With more new states than this for each one expanded, no end is in sight.
const NEW_MAX: f64 = 0.9;
/// States to be expanded before anything is said.
const EXPANDED_MIN: u64 = 1_000;

/// The moments of a search that a forecast needs.
#[derive(Default)]
pub(super) struct Forecast {
    /// By the number of expanded states, each a twentieth more than the one before: expanded states, and states.
    marks: Vec<(u64, u64)>,
}

impl Forecast {
    /// Notes a moment; then, if an end is in sight, the number of states there will be about.
    pub(super) fn note(&mut self, seen: Seen) -> Option<u64> {
        let expanded = seen.states.saturating_sub(seen.frontier);
        // Another round of the search has begun: it may have expanded more states by now than the last one had at its
        // last mark, and come to fewer.
        if self.marks.last().is_some_and(|&(before, states)| expanded < before || seen.states < states) {
            self.marks.clear();
        }
        if self.marks.last().is_none_or(|&(before, _)| expanded * 20 >= before * 21) {
            self.marks.push((expanded, seen.states));
        }
        if expanded < EXPANDED_MIN {
            return None;
        }
        let &(from, states) = self.marks.iter().rev().find(|&&(mark, _)| mark * 10 <= expanded * 9)?;
        let new = (seen.states - states) as f64 / (expanded - from) as f64;
        (new < NEW_MAX).then(|| seen.states + (seen.frontier as f64 * new / (1.0 - new)) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(states: u64, frontier: u64) -> Seen {
        Seen { states, frontier, ..Seen::default() }
    }

    /// A search whose levels are as large as the binomial coefficients of 24: each state on the way to the middle leads
    /// to more than one new state.
    #[test]
    fn the_forecast_of_a_search_that_widens_and_narrows_comes_near_the_truth() {
        let mut forecast = Forecast::default();
        let (mut level, mut states) = (1_u64, 1_u64);
        let mut forecasts = Vec::new();
        for depth in 1..=24 {
            let before = level;
            level = level * (25 - depth) / depth;
            // Breadth-first, in tenths of a level.
            for tenth in 1..=10 {
                forecasts.push((
                    states + level * tenth / 10,
                    forecast.note(seen(states + level * tenth / 10, level * tenth / 10 + before * (10 - tenth) / 10)),
                ));
            }
            states += level;
        }
        assert_eq!(states, 1 << 24);
        for &(done, forecast) in &forecasts {
            let is_near = |percent| {
                let range = states * 95 / 100..=states * percent / 100;
                assert!(forecast.is_some_and(|forecast| range.contains(&forecast)), "{done}: {forecast:?}");
            };
            match done * 100 / states {
                0..30 => assert_eq!(forecast, None, "{done}"),
                30..75 => {}
                75..90 => is_near(170),
                _ => is_near(118),
            }
        }
    }

    #[test]
    fn another_round_begins_anew() {
        let mut forecast = Forecast::default();
        for expanded in (1_000..20_000).step_by(500) {
            forecast.note(seen(expanded + 100, 100));
        }
        assert_eq!(forecast.note(seen(1_200, 1_100)), None);
        assert_eq!(forecast.note(seen(100, 50)), None);
        forecast.note(seen(20_000, 18_000));
        assert_eq!(forecast.note(seen(2_500, 100)), None);
    }
}
