//! The possible perturbations of the packets of a channel: `M`, `c`, and the side.
//!
//! Rules are constant while a channel lives; the state is in `link`.

use smallvec::SmallVec;

/// How one side of a channel perturbs packets: the multiplication choices `M` (Definition 4) and the
/// network's capacity `c` (Definition 3).
///
/// The order of `M` is the order of exploration (section 3.2.4 of the paper); it does not change the possible
/// deliveries.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Perturbation {
    copies: SmallVec<[u8; 4]>,
    window: usize,
}

impl Perturbation {
    /// Each packet arrives as often as one of `copies` says, and at most `window` packets are on the network at a time;
    /// `usize::MAX` is no bound. Repeated elements of `copies` are dropped.
    ///
    /// # Panics
    ///
    /// If `copies` is empty or holds a number above 255, or if `window` is 0.
    pub fn new(copies: impl IntoIterator<Item = usize>, window: usize) -> Self {
        assert!(
            window > 0,
            "the capacity of the network is 0 packets: nothing could ever arrive; use 1 for no reordering"
        );
        let mut distinct = SmallVec::new();
        for count in copies {
            let count =
                u8::try_from(count).unwrap_or_else(|_| panic!("a packet cannot arrive {count} times: the most is 255"));
            if !distinct.contains(&count) {
                distinct.push(count);
            }
        }
        assert!(
            !distinct.is_empty(),
            "no multiplication choices: say how often a packet may arrive, for example [1] for exactly once"
        );
        Self { copies: distinct, window }
    }

    /// `M = {1}`, `c = 1`: each packet arrives once, in the order of dispatch (Remark 4).
    pub fn reliable() -> Self {
        Self::new([1], 1)
    }

    /// The multiplication choices `M`, in the order of exploration.
    pub fn copies(&self) -> &[u8] {
        &self.copies
    }

    /// The capacity `c` of the network, in packets; 1 means no reordering, `usize::MAX` is no bound.
    pub fn window(&self) -> usize {
        self.window
    }
}

/// The perturbations of one channel: on the sending side, then on the receiving side.
///
/// With both, the deliveries of the first are the dispatch of the second, so that a packet can be multiplied twice.
/// With neither, the channel is reliable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LinkRules {
    /// The perturbation on the sender's side.
    pub send: Option<Perturbation>,
    /// The perturbation on the receiver's side.
    pub receive: Option<Perturbation>,
    /// Whether the number of faults is limited. Then arriving once is always possible (`M ∪ {1}`) and the
    /// state remembers which faults have been counted.
    pub budgeted: bool,
}

impl LinkRules {
    /// Whether a channel with fewer packets may be covered by one with more ([`Link::covers`](super::Link::covers)).
    pub fn can_cover(&self) -> bool {
        match self.stages() {
            (only, None) => !only.budgeted && only.loses(),
            (_, Some(_)) => false,
        }
    }

    /// How often a packet may arrive after all stages, each number once, with the least number of faults that it costs;
    /// in the order of exploration. `send` and `receive` say on which sides the packet is perturbed.
    #[must_use]
    pub fn copies(&self, send: bool, receive: bool) -> Vec<(u32, u32)> {
        let choices = |side: &Option<Perturbation>, perturbed: bool| -> Vec<u32> {
            let declared =
                side.as_ref().filter(|_| perturbed).map(|side| side.copies().iter().map(|&copies| copies.into()));
            let mut choices: Vec<u32> = declared.map_or_else(|| vec![1], Iterator::collect);
            if self.budgeted && !choices.contains(&1) {
                choices.push(1);
            }
            choices
        };
        let mut found: Vec<(u32, u32)> = Vec::new();
        for first in choices(&self.send, send) {
            // Each of the copies that the first stage makes is multiplied on its own.
            let mut sums = vec![(0, first.abs_diff(1))];
            for _ in 0..first {
                let longer = sums.iter().flat_map(|&(copies, faults)| {
                    let seconds = choices(&self.receive, receive).into_iter();
                    seconds.map(move |second| (copies + second, faults + second.abs_diff(1)))
                });
                sums = least(longer.collect::<Vec<_>>());
            }
            found.extend(sums);
        }
        least(found)
    }

    /// The stages that a packet goes through, in order.
    pub(super) fn stages(&self) -> (StageRules<'_>, Option<StageRules<'_>>) {
        match (&self.send, &self.receive) {
            (Some(send), Some(receive)) => (
                StageRules::new(send, Side::Send, self.budgeted),
                Some(StageRules::new(receive, Side::Receive, self.budgeted)),
            ),
            (Some(send), None) => (StageRules::new(send, Side::Send, self.budgeted), None),
            (None, Some(receive)) => (StageRules::new(receive, Side::Receive, self.budgeted), None),
            (None, None) => (StageRules::RELIABLE, None),
        }
    }
}

/// Each number of copies once, with the fewest faults; in the order of their first occurrence.
fn least(all: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    let mut least: Vec<(u32, u32)> = Vec::new();
    for (copies, faults) in all {
        match least.iter_mut().find(|(known, _)| *known == copies) {
            Some((_, fewest)) => *fewest = faults.min(*fewest),
            None => least.push((copies, faults)),
        }
    }
    least
}

/// The flag of a packet that a stage reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Send,
    Receive,
}

/// The rules of one stage. The parameter `perturbed` is always the flag of the packet in question: a packet that is not
/// perturbed has `M = {1}`.
#[derive(Clone, Copy, Debug)]
pub(super) struct StageRules<'a> {
    copies: &'a [u8],
    pub(super) window: usize,
    pub(super) side: Side,
    pub(super) budgeted: bool,
}

impl<'a> StageRules<'a> {
    const RELIABLE: StageRules<'static> = StageRules { copies: &[1], window: 1, side: Side::Send, budgeted: false };

    fn new(perturbation: &'a Perturbation, side: Side, budgeted: bool) -> Self {
        Self { copies: perturbation.copies(), window: perturbation.window(), side, budgeted }
    }

    /// Whether `count` may be the final number of a packet's arrivals.
    pub(super) fn allows(&self, perturbed: bool, count: u8) -> bool {
        if perturbed { self.copies.contains(&count) || (self.budgeted && count == 1) } else { count == 1 }
    }

    /// The most often that a packet may arrive: `max(M)`.
    pub(super) fn copies_max(&self, perturbed: bool) -> u8 {
        let declared = self.copies.iter().copied().max().unwrap_or(1);
        match (perturbed, self.budgeted) {
            (true, false) => declared,
            (true, true) => declared.max(1),
            (false, _) => 1,
        }
    }

    /// The smallest element of `M` that is at least `count`. There is one as long as `count <= copies_max`.
    pub(super) fn next_allowed(&self, perturbed: bool, count: u8) -> u8 {
        (count..=self.copies_max(perturbed))
            .find(|&later| self.allows(perturbed, later))
            .expect("a packet never arrives more often than max(M)")
    }

    /// Whether perturbed packets may be lost.
    pub(super) fn loses(&self) -> bool {
        self.copies.contains(&0)
    }

    /// The position of `count` in `M`, which is its rank in the order of exploration. A single arrival that only the
    /// budget allows comes last.
    pub(super) fn preference(&self, count: u8) -> u8 {
        let index = self.copies.iter().position(|&choice| choice == count);
        u8::try_from(index.unwrap_or(self.copies.len())).unwrap_or(u8::MAX)
    }
}
