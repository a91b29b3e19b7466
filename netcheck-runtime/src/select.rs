//! The choice of the branch of a `select!` that wins.
//!
//! tokio's unbiased `select!` begins at a random branch and takes the first one that is ready. Here every ready branch
//! is explored: if one is ready, and others that have not been polled may be, the poll is abandoned and becomes a
//! choice of the first branch. A branch that was polled and not woken since is not ready, unless it has
//! let others run first (`yield_now`). An alternative in which
//! another branch than the first one wins repeats the alternative of that branch, and is refused, unless the program
//! can see what the first branch has done before it waited: see `quiet`.
//!
//! A branch that others of the same round have woken may come before them or after them. An order that begins with it
//! polls it in vain, then the others as without it, and leaves it to the next round. So it needs no choice before the
//! round: the round begins with a branch that was awake, and where the other would be polled, the choice is whether the
//! round ends there. It may end there, since tokio's orders are rotations: if all branches that are left were asleep, one
//! of the orders begins with them. If one of them was awake, that one is chosen to be first.

mod quiet;

pub use quiet::{Quiet, quiet};

use crate::operation::choices;
use crate::operation::{Operation, Outcome};
use crate::unit::poll::context;
use crate::unit::poll::handles::Called;
use crate::unit::poll::selects::Trying;
use crate::unit::source_line::place;
use smallvec::SmallVec;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Wake, Waker};

/// One running `select!` expression; used by the expansion of the macro.
#[doc(hidden)]
pub struct Select {
    biased: bool,
    branches: SmallVec<[Branch; 4]>,
    location: &'static Location<'static>,
}

/// Characters of an expression's source text that are shown.
const TEXT_CHARS_MAX: usize = 60;

struct Branch {
    /// Whether the branch has been polled and not been woken since.
    woken: Arc<BranchWoken>,
    waker: Option<(Waker, Waker)>,
    /// The operations of `poll_` functions that the branch has pending.
    called: Called,
    quiet: Quiet,
}

impl Branch {
    fn is_woken(&self) -> bool {
        self.woken.0.load(Ordering::Relaxed)
    }

    /// Tells it from other branches.
    fn address(&self) -> *const () {
        Arc::as_ptr(&self.woken).cast()
    }
}

#[derive(Default)]
struct BranchWoken(AtomicBool);

/// Wakes the task, and records that the branch was woken.
struct BranchWaker {
    woken: Arc<BranchWoken>,
    task: Waker,
}

impl Wake for BranchWaker {
    fn wake(self: Arc<Self>) {
        self.woken.0.store(true, Ordering::Relaxed);
        self.task.wake_by_ref();
    }
}

impl Drop for BranchWaker {
    fn drop(&mut self) {
        if let Some(context) = context::try_current() {
            context.remove_branch(std::ptr::from_ref(self).cast());
        }
    }
}

impl Select {
    /// A `select!` of branches with these properties.
    #[track_caller]
    pub fn new(branches: &[Quiet], biased: bool) -> Select {
        let branch = |quiet: &Quiet| Branch {
            woken: Arc::new(BranchWoken(AtomicBool::new(true))),
            waker: None,
            called: Called::new(),
            quiet: *quiet,
        };
        Select { biased, branches: branches.iter().map(branch).collect(), location: Location::caller() }
    }

    /// Begins one poll. Bit `i` of `disabled`: branch `i` is not to be polled.
    pub fn begin(&mut self, cx: &mut Context<'_>, disabled: u64) -> Round<'_> {
        for branch in &mut self.branches {
            let known = branch.waker.as_ref().is_some_and(|(task, _)| task.will_wake(cx.waker()));
            if !known {
                let task = cx.waker().clone();
                let waker = Waker::from(Arc::new(BranchWaker { woken: Arc::clone(&branch.woken), task: task.clone() }));
                context::current().add_branch(waker.data(), cx.waker(), branch.address());
                branch.waker = Some((task, waker));
            }
        }
        let (sequence, first) = match self.biased {
            true => (0, None),
            false => {
                let context = context::current();
                let sequence = context.next_select();
                (sequence, context.scripted_select(sequence))
            }
        };
        let is_awake = |branch: &Branch| branch.is_woken() || context::current().has_yielded(branch.address());
        let awake = self.branches.iter().map(is_awake).collect();
        let mut round = Round {
            disabled,
            sequence,
            first,
            begin: 0,
            awake,
            polled: 0,
            begun: SmallVec::new(),
            called: 0,
            is_entered: false,
            mismatched: 0,
            select: self,
        };
        if !round.select.biased {
            let earliest = || (0..round.awake.len()).find(|&branch| round.has_moved(branch));
            round.begin = first.or_else(earliest).unwrap_or(0);
        }
        round
    }
}

/// One poll of a `select!`.
#[doc(hidden)]
pub struct Round<'a> {
    select: &'a mut Select,
    disabled: u64,
    sequence: u32,
    /// The branch with which the recorded choice begins.
    first: Option<usize>,
    /// The branch with which the round begins.
    begin: usize,
    /// The branches that had been woken before any was polled.
    awake: SmallVec<[bool; 8]>,
    polled: usize,
    /// The branches that were polled, and how many operations had been begun before each.
    begun: SmallVec<[(usize, u32); 8]>,
    /// The number of calls of `poll_` functions before the last of them.
    called: usize,
    /// Whether a branch is being polled.
    is_entered: bool,
    /// The branches that have ended with a value that does not match.
    mismatched: u64,
}

impl Round<'_> {
    /// The branch to poll next.
    #[expect(clippy::should_implement_trait, reason = "the body of the loop needs the round itself")]
    pub fn next(&mut self) -> Option<usize> {
        self.note_calls();
        self.leave();
        let branches = self.select.branches.len();
        while self.polled < branches {
            let index = (self.begin + self.polled) % branches;
            self.polled += 1;
            if self.disabled & 1 << index == 0 {
                if self.ends_before(index) {
                    break;
                }
                self.select.branches[index].woken.0.store(false, Ordering::Relaxed);
                self.begun.push((index, context::current().begun()));
                self.called = context::current().called();
                self.enter(index);
                return Some(index);
            }
        }
        self.choose_order();
        self.note_open();
        None
    }

    /// Whether the round ends before a branch that others of this round have woken: the order began with the branch.
    fn ends_before(&mut self, index: usize) -> bool {
        if self.select.biased || self.awake[index] || !self.select.branches[index].is_woken() {
            return false;
        }
        if self.first.is_none() {
            self.ask(self.choice_among(|branch| self.has_moved(branch)));
        }
        let count = self.select.branches.len();
        let mut left = (self.polled..count).map(|after| (self.begin + after) % count);
        if left.any(|branch| self.has_moved(branch)) {
            return false;
        }
        let sequence = context::current().next_select();
        let first = context::current().scripted_select(sequence);
        if first.is_none() {
            let candidates = [self.begin, index].map(|branch| branch as u8).into_iter().collect();
            self.ask(Some(Operation::Choices(choices::Operation::Select { sequence, candidates })));
        }
        let ends = first == Some(index);
        if ends {
            self.polled = count;
            self.remark_end(index);
        }
        ends
    }

    /// Asks for the first branch, if there is a choice: the poll is abandoned.
    fn ask(&self, choice: Option<Operation>) {
        if let Some(choice) = choice {
            let outcome = context::current().ask(choice, self.select.location);
            unreachable!("a scripted select! does not ask again, but got {outcome:?}");
        }
    }

    fn remark_end(&self, index: usize) {
        let (number, location) = (index + 1, self.select.location);
        context::current()
            .remark(|| format!("`select!` has polled branch {number} before it was woken  ({})", place(location)));
    }

    /// The waker to poll a branch with.
    pub fn waker(&self, index: usize) -> Waker {
        let (_, waker) = self.select.branches[index].waker.as_ref().expect("begun");
        waker.clone()
    }

    /// A branch is ready and its pattern does not match.
    pub fn mismatched(&mut self, index: usize) {
        self.mismatched |= 1 << index;
    }

    /// A branch is ready and its pattern matches: it wins, unless others have to be tried too. `text`: its future as the
    /// program writes it.
    pub fn ready(&mut self, index: usize, text: &str) {
        context::current().note_winner();
        self.note_calls();
        self.leave();
        match self.first {
            _ if self.select.biased => self.try_losers(),
            Some(first) if first == index => {}
            Some(first) => {
                self.try_losers();
                if !self.is_seen(first) {
                    context::current().refuse()
                }
            }
            None => {
                self.ask(self.choice(index));
                self.try_losers();
            }
        }
        self.abandon_losers(index);
        let Select { branches, location, .. } = &*self.select;
        let (number, count) = (index + 1, branches.len());
        context::current().remark(|| {
            format!("`select!` takes branch {number} of {count}: `{}`  ({})", source_text(text), place(location))
        });
    }

    /// The choice of the first branch, if another branch than this one might have won.
    fn choice(&self, index: usize) -> Option<Operation> {
        // A branch that an earlier branch has woken in this round would not have been ready before it.
        let mut earlier = self.begun.iter().map(|(branch, _)| *branch).filter(|branch| *branch != index);
        let follows = !self.awake[index] && earlier.any(|earlier| self.is_touched(earlier));
        let may_begin = |other| if other == index { !follows } else { self.could_win(other, index) };
        self.choice_among(may_begin)
    }

    /// The choice among the branches that may come first, if there are several.
    fn choice_among(&self, may_begin: impl Fn(usize) -> bool) -> Option<Operation> {
        let candidates = (0..self.select.branches.len()).filter(|&branch| may_begin(branch));
        let candidates: SmallVec<[u8; 8]> = candidates.map(|branch| branch as u8).collect();
        (candidates.len() > 1)
            .then_some(Operation::Choices(choices::Operation::Select { sequence: self.sequence, candidates }))
    }

    /// All branches wait. Before the operations that they have begun are tried, the first branch is chosen.
    fn note_open(&self) {
        if self.select.biased || self.first.is_some() {
            return;
        }
        let choice = self.choice_among(|branch| self.has_begun(branch));
        if choice.is_some() {
            let begun = (self.begun.first().map_or(0, |(_, begun)| *begun), context::current().begun());
            let round = Trying { choice, begun, location: self.select.location, branch: None };
            context::current().keep_open(round);
        }
    }

    /// A branch is about to be polled: the calls that it makes depend on the branches before it.
    fn enter(&mut self, index: usize) {
        let is_open = !self.select.biased && self.first.is_none();
        let choice = is_open.then(|| self.choice(index)).flatten();
        let begun = |place: Option<&(usize, u32)>| place.map_or(0, |(_, begun)| *begun);
        let begun = (begun(self.begun.first()), begun(self.begun.last()));
        let location = self.select.location;
        let branch = is_open.then_some((self.sequence, index));
        context::current().enter_branch(Trying { choice, begun, location, branch });
        self.is_entered = true;
    }

    /// The branch has been polled.
    fn leave(&mut self) {
        if std::mem::take(&mut self.is_entered) {
            context::current().leave_branch();
        }
    }

    /// Records the operations that the branch polled last has pending.
    fn note_calls(&mut self) {
        if let Some(&(last, _)) = self.begun.last() {
            context::current().called_since(self.called, &mut self.select.branches[last].called);
        }
    }

    /// Gives up the pending operations of the losing branches.
    fn abandon_losers(&self, winner: usize) {
        let branches = &self.select.branches;
        for (_, loser) in branches.iter().enumerate().filter(|(branch, _)| *branch != winner) {
            let own = loser.called.iter().copied().filter(|slot| !branches[winner].called.contains(slot));
            let waker = loser.waker.as_ref().map(|(_, waker)| waker);
            context::current().abandon(&own.collect::<Called>(), waker);
        }
    }

    /// Whether a branch might have won if it had been polled first, or if the operation that it has begun had been
    /// tried.
    fn could_win(&self, other: usize, winner: usize) -> bool {
        if self.place(other) > self.place(winner) {
            return self.has_moved(other);
        }
        self.is_touched(other) || self.has_begun(other)
    }

    /// The place of a branch in the order of this round.
    fn place(&self, branch: usize) -> usize {
        let count = self.select.branches.len();
        (branch + count - self.begin) % count
    }

    /// All branches wait. With another order, the program's memory might be different, or a branch ready.
    fn choose_order(&self) {
        if self.select.biased || self.first.is_some() {
            return;
        }
        self.ask(self.choice_among(|branch| self.is_touched(branch)));
    }

    /// Whether the effects of a branch before it waits depend on its position in the order, or are seen by other
    /// branches.
    fn is_touched(&self, branch: usize) -> bool {
        let looks = self.select.branches[branch].quiet == Quiet::Looks && self.has_moved(branch);
        self.is_seen(branch) || looks && self.begun.iter().any(|(other, _)| self.is_seen(*other))
    }

    /// Whether the program may see the effects of a branch that was polled and did not win.
    fn is_seen(&self, branch: usize) -> bool {
        let is_loud = self.select.branches[branch].quiet == Quiet::No;
        self.has_moved(branch) && (is_loud || self.mismatched & 1 << branch != 0)
    }

    /// Whether a branch makes progress when it is polled in this round.
    fn has_moved(&self, branch: usize) -> bool {
        self.awake[branch] && self.disabled & 1 << branch == 0
    }

    /// Whether a branch has begun an operation that can be tried, and had not to be woken for it in this round.
    fn has_begun(&self, branch: usize) -> bool {
        let place = self.begun.iter().position(|(begun, _)| *begun == branch);
        let place = place.filter(|_| self.has_moved(branch));
        place.is_some_and(|place| {
            let until = self.begun.get(place + 1).map_or(u32::MAX, |(_, begun)| *begun);
            context::current().has_begun(self.begun[place].1, until)
        })
    }

    /// Tries the operations that losing branches have just begun, as the OS would have.
    fn try_losers(&self) {
        let before = self.begun.first().map_or(0, |(_, begun)| *begun);
        context::current().try_at_once(|fresh| fresh.number > before);
    }
}

/// The source text of an expression on one line, as far as it is shown.
pub(crate) fn source_text(text: &str) -> String {
    // In the tokens of a macro, paths and references stand apart.
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace(" :: ", "::").replace("& mut ", "&mut ");
    let text = text.replace("(& ", "(&").replace(", & ", ", &");
    let text = match text.strip_prefix("& ") {
        Some(referenced) => format!("&{referenced}"),
        None => text,
    };
    match text.char_indices().nth(TEXT_CHARS_MAX) {
        Some((end, _)) => format!("{} …", text[..end].trim_end()),
        None => text,
    }
}

/// Chooses one of the alternatives; the check explores each of them.
///
/// # Panics
/// If there is no alternative.
#[track_caller]
pub fn choose<T>(alternatives: impl IntoIterator<Item = T>) -> impl Future<Output = T> {
    let location = Location::caller();
    let mut alternatives: Vec<T> = alternatives.into_iter().collect();
    assert!(!alternatives.is_empty(), "`netcheck::choose` has nothing to choose from");
    async move {
        let choice = Operation::Choices(choices::Operation::Choose { alternatives: alternatives.len() });
        match crate::unit::poll::operations::Pending::new(choice, location).await {
            Outcome::Alternative(index) => alternatives.swap_remove(index),
            other => unreachable!("a choice does not end with {other:?}"),
        }
    }
}

/// Chooses one of so many alternatives at once, for a crate of a whole program in which nothing may wait; the check explores
/// each of them.
///
/// # Panics
/// If there is no alternative.
#[track_caller]
pub fn chosen(alternatives: usize) -> usize {
    assert!(alternatives > 0, "there is nothing to choose from");
    let choice = Operation::Choices(choices::Operation::Choose { alternatives });
    match context::here().ask(choice, Location::caller()) {
        Outcome::Alternative(index) => index,
        other => unreachable!("a choice does not end with {other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::source_text;

    #[test]
    fn expressions_are_told_as_one_writes_them() {
        for (tokens, written) in [
            ("& mut time_is_up", "&mut time_is_up"),
            ("socket.recv_from(& mut buffer)", "socket.recv_from(&mut buffer)"),
            ("sent(& a & b, & c)", "sent(&a & b, &c)"),
            ("tokio :: time\n    :: sleep(d)", "tokio::time::sleep(d)"),
        ] {
            assert_eq!(source_text(tokens), written);
        }
    }
}
