//! Covering: channels whose deliveries another channel can make as well.
//!
//! A channel `a` *covers* a channel `b` if every sequence that can come out of `b`, whatever is sent from now on, can
//! come out of `a`. This is decided only for channels of one stage without a budget, by the search for an *embedding*:
//! an injective map `f` from the packets of `b` to those of `a` such that
//!
//! 1. the image of a packet has the same content and the same flags, and may arrive at least as often as the packet;
//! 2. the packets of `a` that are no images are perturbed, and need not arrive;
//! 3. `f` keeps the order, except that the first `c` packets of `b`, as many as the network holds, may stand in any
//!    order before the others. The image of a packet before an unperturbed packet is before that packet's image;
//! 4. each barrier β of `a` forbids nothing that `b` does not forbid itself: let *K* be the packets of `b` that β
//!    counts, whose images are below it and not late for it. Either they all fit into its quota, or there is a barrier
//!    γ of `b` such that *K* is below γ, and the quota of γ and those of *K* that are late for γ fit.
//!
//! For `c = 1`, the packets of `b` are therefore a sub-sequence of those of `a`; without a bound on `c`, a
//! sub-multiset, and there are no barriers.
//!
//! If there is an embedding, `a` can take each step that `b` can take, and there is an embedding again afterwards; by
//! induction every sequence that comes out of `b` comes out of `a`. The arrival of `j` is followed by that of `f(j)`:
//!
//! - *It may arrive once more* (1), and *overtakes no unperturbed packet*: such a packet would be the image of a packet
//!   (2) which is unperturbed and does not stand before `j`, because otherwise `j` could not arrive. So it stands after
//!   `j`, and its image after `f(j)` (3).
//! - *Every barrier β admits it*, if `j` is in *K*. If *K* fits into the quota of β, the quota is not used up.
//!   Otherwise `j` is below γ: if it is late for γ, the quota of β is more than that of γ; if not, γ has quota left,
//!   and β no less. Afterwards `j` has left *K*, β and perhaps γ have less quota, and (4) holds again in all cases.
//! - *The new barrier* of `a` counts the packets with an image before `f(j)`. If `j` is among the first `c`, these are
//!   fewer than `c` and fit. Otherwise they are the packets before `j`, which are below the new barrier of `b`.
//! - *There is room for the packets that must arrive.* Those of *K* fit into the quota of β, if not all of *K* does:
//!   those that are not late for γ fit into the quota of γ, or `b` could not deliver `j`. And the packets for which β
//!   reserves room are images of such packets (1 and 2).
//! - *A packet that leaves* `b`, because it is finished or shut out, need not arrive any more, and is perturbed if it
//!   is shut out (invariant 3 of `channel`). Its image leaves as well or becomes a packet that is no image (1 and 2).
//!   If the image of `i` is finished, so is `i`. If it is shut out by β, the packets of *K* that must arrive are all
//!   that fit, and `i` is in *K* besides. Then `i` need not arrive, *K* does not fit, and γ has no room left for `i`
//!   either: `i` leaves `b`.
//! - *Barriers that leave* `b` are not missed: if γ is vacuous, *K* fits into the quota of β, and a barrier that
//!   implies γ can replace it. Packets that leave only make *K* smaller.
//!
//! A packet that is sent is appended to both, below no barrier, and is its own image. If no packet of `b` must still
//! arrive, neither must one of `a` (1 and 2).
//!
//! A packet of a region, which has an `M` and a `c` of its own, is no obstacle when it is sent later: it stands after all
//! packets that `f` has moved, so that its new barrier in `a` counts packets that are below its new barrier in `b`. The
//! search finds embeddings only for channels without such packets; others cover only themselves.
//!
//! There may be many embeddings, and a choice that looks good can fail at a later barrier: below barriers all choices
//! are tried, up to a limit. Beyond the limit the answer is no, which is always safe: the argument needs the existence
//! of embeddings, and not that the search finds them again.

use smallvec::SmallVec;

use super::channel::{Barrier, Channel, Live};
use super::rules::StageRules;

/// The most steps of the search for one embedding.
const STEPS_MAX: usize = 200;

/// Whether there is an embedding of the packets of `less` into those of `more`.
pub(super) fn covers(more: &Channel, less: &Channel, rules: StageRules<'_>) -> bool {
    let is_of_region = |channel: &Channel| channel.live.iter().any(Live::is_of_region);
    if rules.budgeted || less.live.len() > more.live.len() || is_of_region(more) || is_of_region(less) {
        return false;
    }
    let nothing = SmallVec::from_elem(None, less.live.len());
    Search { more, less, rules, steps: 0 }.goes_on(0, &nothing)
}

/// The positions that packets of `less` are mapped to.
type Images = SmallVec<[Option<usize>; 8]>;

struct Search<'a> {
    more: &'a Channel,
    less: &'a Channel,
    rules: StageRules<'a>,
    steps: usize,
}

impl Search<'_> {
    /// Whether the packets of `less` that have no images yet can have theirs at position `at` or later.
    fn goes_on(&mut self, at: usize, images: &Images) -> bool {
        let barriers = &self.more.barriers;
        if barriers.iter().any(|barrier| barrier.below == at && !self.is_respected(barrier, images)) {
            return false;
        }
        if self.steps == STEPS_MAX || !self.finds_rest(at, images.clone()) {
            return false;
        }
        if barriers.iter().all(|barrier| barrier.below <= at) {
            return true;
        }
        self.steps += 1;
        // The fewer packets are below a barrier, the more of them it admits.
        if self.may_stay_away(at) && self.goes_on(at + 1, images) {
            return true;
        }
        self.candidates(at, images).into_iter().any(|packet| {
            let mut images = images.clone();
            images[packet] = Some(at);
            self.goes_on(at + 1, &images)
        })
    }

    /// The packets whose image position `at`, below a barrier, can be. No packet there is unperturbed (invariant 3 of
    /// `channel`).
    fn candidates(&self, at: usize, images: &Images) -> SmallVec<[usize; 4]> {
        let first = images.iter().position(Option::is_none);
        let is_next = |packet: usize| Some(packet) == first || packet < self.rules.declared_window();
        let is_candidate = |&packet: &usize| images[packet].is_none() && is_next(packet) && self.stands_for(at, packet);
        (0..images.len()).filter(is_candidate).collect()
    }

    /// Whether the remaining packets have images, regardless of barriers. The last packets come first: then the number
    /// of candidates only grows, and no choice is taken back. (Unless `M` has gaps, such that of two packets neither
    /// stands for the other, but both for a third one: then an embedding may be missed.)
    fn finds_rest(&self, from: usize, mut images: Images) -> bool {
        let mut end = images.len();
        for at in (from..self.more.live.len()).rev() {
            while end > 0 && images[end - 1].is_some() {
                end -= 1;
            }
            let is_held_up = |packet: usize| images[packet].is_none() && !self.is_perturbed(packet);
            let start = match end.saturating_sub(1) {
                last if last >= self.rules.declared_window() => last,
                _ => (0..end).rev().find(|&packet| is_held_up(packet)).unwrap_or(0),
            };
            let fitting = (start..end).filter(|&packet| images[packet].is_none() && self.stands_for(at, packet));
            // A packet that may arrive more often has fewer possible images.
            match fitting.min_by_key(|&packet| self.less.live[packet].arrived) {
                Some(packet) => images[packet] = Some(at),
                None if self.may_stay_away(at) => {}
                None => return false,
            }
        }
        images.iter().all(Option::is_some)
    }

    /// Whether a barrier of `more`, with all images so far below it, forbids nothing that `less` allows.
    fn is_respected(&self, barrier: &Barrier, images: &Images) -> bool {
        let is_counted = |image: &Option<usize>| image.is_some_and(|image| !barrier.is_late(image));
        let counted = || (0..).zip(images).filter(|(_, image)| is_counted(image)).map(|(packet, _)| packet);
        let is_implied_by = |own: &Barrier| {
            counted().all(|packet| packet < own.below)
                && own.quota + counted().filter(|&packet| own.is_late(packet)).count() <= barrier.quota
        };
        counted().count() <= barrier.quota || self.less.barriers.iter().any(is_implied_by)
    }

    fn is_perturbed(&self, packet: usize) -> bool {
        self.less.live[packet].is_perturbed(self.rules)
    }

    fn stands_for(&self, at: usize, packet: usize) -> bool {
        self.more.live[at].stands_for(&self.less.live[packet], self.rules)
    }

    fn may_stay_away(&self, at: usize) -> bool {
        let live = &self.more.live[at];
        live.is_perturbed(self.rules) && !live.must_arrive(self.rules)
    }
}

impl Live {
    /// Whether this packet can be the image of `other`: it may arrive at least as often.
    fn stands_for(&self, other: &Live, rules: StageRules<'_>) -> bool {
        let flags = |live: &Live| (live.packet, live.perturbed_on_send, live.perturbed_on_receive, live.is_known);
        let Some(further) = other.arrived.checked_sub(self.arrived) else { return false };
        let perturbed = self.perturbed(rules);
        let may_in_the_end = |count: u8| !rules.allows(perturbed, count) || rules.allows(perturbed, count - further);
        flags(self) == flags(other)
            && (further == 0 || (other.arrived..=rules.copies_max(perturbed)).all(may_in_the_end))
    }
}
