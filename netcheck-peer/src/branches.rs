//! A tree of a peer's answers after each history that it was fed.

use crate::exchange::{Input, Output};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A history of inputs and answers: a node of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Branch(pub(crate) u32);

impl Branch {
    /// Before anything has happened.
    pub const START: Branch = Branch(0);

    /// Its number among the branches of a peer, as bytes.
    pub fn to_bytes(self) -> [u8; 4] {
        self.0.to_le_bytes()
    }

    /// The branch of a number.
    pub fn from_bytes(bytes: [u8; 4]) -> Branch {
        Branch(u32::from_le_bytes(bytes))
    }
}

/// The last step of a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) before: Branch,
    pub(crate) input: Input,
    pub(crate) answer: Arc<[Output]>,
}

/// The tree. Branches are never removed, and those before a branch have smaller numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Branches {
    /// The step of branch 1, 2, …
    steps: Vec<Step>,
    after: BTreeMap<Branch, Vec<Branch>>,
}

impl Branches {
    /// All branches but the start, each with its last step.
    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps
    }

    pub(crate) fn step(&self, branch: Branch) -> &Step {
        &self.steps[branch.0 as usize - 1]
    }

    /// The branches that an input leads to: several if the peer has answered in several ways.
    pub(crate) fn after(&self, branch: Branch, input: &Input) -> Vec<Branch> {
        let following = self.after.get(&branch).into_iter().flatten();
        following.copied().filter(|&next| self.step(next).input == *input).collect()
    }

    /// A question in which bytes that came in pieces are in one piece: bytes after bytes of the same connection, to which
    /// the peer answered nothing, are asked for together with these, after what was before them.
    pub(crate) fn in_one_piece(&self, at: Branch, input: &Input) -> (Branch, Input) {
        if let Input::Bytes { connection, bytes } = input
            && at != Branch::START
            && let Step { before, input: Input::Bytes { connection: same, bytes: earlier }, answer } = self.step(at)
            && same == connection
            && answer.is_empty()
        {
            return (*before, Input::Bytes { connection: *connection, bytes: [&earlier[..], bytes].concat() });
        }
        (at, input.clone())
    }

    /// Adds an answer, if it is new.
    pub(crate) fn add(&mut self, before: Branch, input: &Input, answer: &[Output]) -> Branch {
        let known = self.after(before, input).into_iter().find(|&next| *self.step(next).answer == *answer);
        known.unwrap_or_else(|| {
            self.steps.push(Step { before, input: input.clone(), answer: answer.into() });
            let branch = Branch(self.steps.len() as u32);
            self.after.entry(before).or_default().push(branch);
            branch
        })
    }

    /// The branches from the first one after the start to this one.
    pub(crate) fn history(&self, branch: Branch) -> Vec<Branch> {
        let before = |&branch: &Branch| Some(self.step(branch).before).filter(|&before| before != Branch::START);
        let mut history: Vec<Branch> =
            std::iter::successors(Some(branch).filter(|&branch| branch != Branch::START), before).collect();
        history.reverse();
        history
    }

    /// Adds all branches of another tree.
    pub(crate) fn merge(&mut self, other: &Branches) {
        let mut here = vec![Branch::START];
        for step in &other.steps {
            let before = here[step.before.0 as usize];
            here.push(self.add(before, &step.input, &step.answer));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> Input {
        Input::Bytes { connection: 0, bytes: text.into() }
    }

    fn answer(text: &str) -> Vec<Output> {
        vec![Output::Bytes { connection: 0, bytes: text.into() }]
    }

    #[test]
    fn the_same_request_has_an_answer_for_each_history() {
        let mut branches = Branches::default();
        let first = branches.add(Branch::START, &bytes("next"), &answer("1"));
        let second = branches.add(first, &bytes("next"), &answer("2"));
        assert_ne!(first, second);
        assert_eq!(branches.after(first, &bytes("next")), [second]);
        assert_eq!(branches.history(second), [first, second]);
        assert_eq!(branches.add(first, &bytes("next"), &answer("2")), second, "known already");
    }

    #[test]
    fn bytes_in_pieces_are_asked_for_in_one() {
        let mut branches = Branches::default();
        let first = branches.add(Branch::START, &bytes("ne"), &[]);
        assert_eq!(branches.in_one_piece(first, &bytes("xt")), (Branch::START, bytes("next")));
        let other = Input::Bytes { connection: 1, bytes: b"xt".to_vec() };
        assert_eq!(branches.in_one_piece(first, &other), (first, other), "of another connection");
        let answered = branches.add(Branch::START, &bytes("next"), &answer("1"));
        assert_eq!(branches.in_one_piece(answered, &bytes("x")), (answered, bytes("x")), "after an answer");
    }

    #[test]
    fn trees_are_merged_branch_by_branch() {
        let mut one = Branches::default();
        let a = one.add(Branch::START, &bytes("a"), &answer("1"));
        one.add(a, &bytes("b"), &answer("2"));
        let mut other = Branches::default();
        let c = other.add(Branch::START, &bytes("c"), &answer("3"));
        other.add(c, &bytes("d"), &answer("4"));
        let a = other.add(Branch::START, &bytes("a"), &answer("1"));
        other.add(a, &bytes("e"), &answer("5"));
        one.merge(&other);
        assert_eq!(one.steps().len(), 5);
        let before: Vec<u32> = one.steps().iter().map(|step| step.before.0).collect();
        assert_eq!(before, [0, 1, 0, 3, 1]);
    }
}
