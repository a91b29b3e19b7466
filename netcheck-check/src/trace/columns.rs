//! The columns of a sequence diagram: the numbers of the steps, their words, and the lanes. They are as wide as a window
//! has room for, so that all lanes are in sight beside the words: first lanes in which little happens become narrow, then
//! the others narrower, then the words.

/// The width of a window in which a diagram of seven lanes is in sight, without the details beside it.
const WINDOW: usize = 1_400 - 340 - 14;

pub(crate) const NUMBER: usize = 44;
const WORDS: usize = 400;
const WORDS_MIN: usize = 260;
const LANE: usize = 180;
const LANE_MIN: usize = 96;
const NARROW: usize = 60;
/// For what stands beside the last lane.
const EDGE: usize = 40;

/// The width of a character of the words and names, and of a label.
const CHAR: f64 = 7.3;
const LABEL_CHAR: f64 = 6.7;

/// A lane with one step in so many, or fewer, is seldom used.
const LITTLE: usize = 10;

/// The widths of the columns, in pixels.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Columns {
    words: usize,
    lanes: Vec<usize>,
}

impl Columns {
    /// For lanes with so many steps each.
    pub(crate) fn of(steps: &[usize]) -> Columns {
        let all: usize = steps.iter().sum();
        let room = WINDOW - NUMBER - EDGE;
        let is_quiet = |&steps: &usize| steps * LITTLE < all;
        let mut columns = Columns { words: WORDS, lanes: vec![LANE; steps.len()] };
        if columns.inner() <= room {
            return columns;
        }
        let quiet = steps.iter().filter(|steps| is_quiet(steps)).count();
        let share = room.saturating_sub(WORDS + quiet * NARROW) / (steps.len() - quiet).max(1);
        let busy = share.clamp(LANE_MIN, LANE);
        columns.lanes = steps.iter().map(|steps| if is_quiet(steps) { NARROW } else { busy }).collect();
        let lanes: usize = columns.lanes.iter().sum();
        columns.words = room.saturating_sub(lanes).clamp(WORDS_MIN, WORDS);
        if columns.inner() > room {
            columns.lanes = vec![((room - WORDS_MIN) / steps.len()).max(NARROW); steps.len()];
        }
        columns
    }

    fn inner(&self) -> usize {
        self.words + self.lanes.iter().sum::<usize>()
    }

    pub(crate) fn width(&self) -> usize {
        NUMBER + self.inner() + EDGE
    }

    /// Where the lanes begin.
    pub(crate) fn lanes(&self) -> usize {
        NUMBER + self.words
    }

    /// The middle of a lane.
    pub(crate) fn middle(&self, lane: usize) -> usize {
        self.lanes() + self.lanes[..lane].iter().sum::<usize>() + self.lanes[lane] / 2
    }

    /// Half of a lane.
    pub(crate) fn half(&self, lane: usize) -> usize {
        self.lanes[lane] / 2
    }

    /// How many characters of a step's words there is room for.
    pub(crate) fn words_chars(&self) -> usize {
        ((self.words - 16) as f64 / CHAR) as usize
    }

    /// How many characters the name of a lane may have.
    pub(crate) fn name_chars(&self, lane: usize) -> usize {
        (self.lanes[lane] as f64 / CHAR) as usize
    }

    /// How many characters there is room for from a lane to the next one, on the left or on the right.
    pub(crate) fn label_chars(&self, lane: usize, is_left: bool) -> usize {
        let room = match (is_left, lane, self.lanes.get(lane + 1)) {
            (true, 0, _) => self.half(lane),
            (true, ..) => self.half(lane) + self.half(lane - 1),
            (false, _, Some(_)) => self.half(lane) + self.half(lane + 1),
            (false, _, None) => self.half(lane) + EDGE,
        };
        (room.saturating_sub(16) as f64 / LABEL_CHAR) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seven_lanes_are_in_sight_beside_the_words() {
        for steps in [[9; 7].as_slice(), &[90, 1, 1, 40, 2, 1, 1], &[5, 5, 5, 0, 5, 5, 5], &[1; 10]] {
            let columns = Columns::of(steps);
            assert!(columns.width() <= WINDOW, "{columns:?}");
            assert!(columns.words >= WORDS_MIN && columns.lanes.iter().all(|&lane| lane >= NARROW), "{columns:?}");
        }
        assert_eq!(Columns::of(&[9; 3]), Columns { words: WORDS, lanes: vec![LANE; 3] });
    }

    #[test]
    fn lanes_in_which_little_happens_become_narrow_first() {
        let columns = Columns::of(&[50, 1, 50, 1, 2]);
        assert_eq!((columns.words, &columns.lanes[..]), (WORDS, &[LANE, NARROW, LANE, NARROW, NARROW][..]));
    }

    #[test]
    fn more_lanes_than_there_is_room_for_keep_a_width() {
        let columns = Columns::of(&[1; 40]);
        assert!(columns.width() > WINDOW && columns.lanes == vec![NARROW; 40], "{columns:?}");
    }

    #[test]
    fn labels_and_names_end_before_the_next_lane() {
        let columns = Columns::of(&[50, 1, 50, 1, 2]);
        assert_eq!([columns.name_chars(0), columns.name_chars(1)], [24, 8]);
        let between = columns.middle(1) - columns.middle(0);
        assert!(columns.label_chars(0, false) as f64 * LABEL_CHAR + 8.0 < between as f64);
        assert_eq!(columns.label_chars(1, true), columns.label_chars(0, false));
    }
}
