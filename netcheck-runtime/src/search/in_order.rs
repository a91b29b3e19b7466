//! All executions, depth-first: each one goes on as the one before up to the last choice that has another way, takes that
//! way, and the first way at each choice behind it.
//!
//! Nothing is kept but the choices of one execution. That is how tools explore that don't know states again.

#[derive(Default)]
pub(super) struct InOrder {
    choices: Vec<Choice>,
    /// Choices that this execution has come to.
    at: usize,
    has_begun: bool,
}

/// A choice, by its number of ways.
struct Choice {
    taken: usize,
    ways: usize,
}

impl InOrder {
    /// The next execution; says whether there is one.
    pub(super) fn begin(&mut self) -> bool {
        self.at = 0;
        if !std::mem::replace(&mut self.has_begun, true) {
            return true;
        }
        while self.choices.pop_if(|last| last.taken + 1 == last.ways).is_some() {}
        match self.choices.last_mut() {
            Some(last) => {
                last.taken += 1;
                true
            }
            None => false,
        }
    }

    /// The way to take at a choice of so many.
    pub(super) fn choose(&mut self, ways: usize) -> usize {
        if ways == 1 {
            return 0;
        }
        if self.at == self.choices.len() {
            self.choices.push(Choice { taken: 0, ways });
        }
        let Choice { taken, ways: known } = self.choices[self.at];
        assert_eq!(ways, known, "the same choices lead to the same state");
        self.at += 1;
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::InOrder;

    #[test]
    fn every_way_is_taken_once() {
        let mut order = InOrder::default();
        let mut executions = Vec::new();
        while order.begin() {
            // The second choice is there after one way of the first one only.
            let first = order.choose(3);
            let second = if first == 1 { order.choose(2) } else { order.choose(1) };
            executions.push((first, second));
        }
        assert_eq!(executions, [(0, 0), (1, 0), (1, 1), (2, 0)]);
    }
}
