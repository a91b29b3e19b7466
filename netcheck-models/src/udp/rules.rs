//! The possible perturbations of the packets of a channel: `M`, `c`, and the side.
//!
//! Rules are constant while a channel lives, but for the regions that programs enter; the state is in `link`.

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

    /// Whether each packet arrives once, in the order of dispatch.
    pub fn is_reliable(&self) -> bool {
        self.copies[..] == [1] && self.window == 1
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

/// How one packet is perturbed on one side of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Perturbed {
    /// It is not: the packet arrives exactly once, and no later packet overtakes it.
    No,
    /// By the rules of the side.
    AsDeclared,
    /// By the perturbation with this number in [`LinkRules::regions`].
    InRegion(u8),
}

impl From<bool> for Perturbed {
    /// By the rules of the side, or not at all.
    fn from(is_perturbed: bool) -> Perturbed {
        if is_perturbed { Perturbed::AsDeclared } else { Perturbed::No }
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
    /// Perturbations that programs set for what is sent while they are inside a region (section 3.2.4): each is `M` and
    /// `c` of the packets that are [`Perturbed::InRegion`] with its number. `c` bounds how many earlier packets such a
    /// packet overtakes. More may be appended while a channel lives.
    pub regions: Vec<Perturbation>,
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

    /// Whether other rules are the same but for the regions that programs have entered so far.
    pub fn are_declared_as(&self, other: &LinkRules) -> bool {
        (&self.send, &self.receive, self.budgeted) == (&other.send, &other.receive, other.budgeted)
    }

    /// How a packet is perturbed that is sent in a region with this perturbation; `None` if the rules have no such region
    /// yet. A region with `M = {1}` and `c = 1` has no faults.
    pub fn in_region(&self, perturbation: &Perturbation) -> Option<Perturbed> {
        if perturbation.is_reliable() {
            return Some(Perturbed::No);
        }
        let number = self.regions.iter().position(|region| region == perturbation)?;
        Some(Perturbed::InRegion(u8::try_from(number).expect("a program sets fewer than 256 perturbations")))
    }

    /// How often a packet may arrive after all stages, each number once, with the least number of faults that it costs;
    /// in the order of exploration. `send` and `receive` say how the packet is perturbed on the two sides.
    #[must_use]
    pub fn copies(&self, send: Perturbed, receive: Perturbed) -> Vec<(u32, u32)> {
        let choices = |side: &Option<Perturbation>, perturbed: Perturbed| -> Vec<u32> {
            let applied = match perturbed {
                Perturbed::No => None,
                Perturbed::AsDeclared => side.as_ref(),
                Perturbed::InRegion(number) => Some(&self.regions[usize::from(number)]),
            };
            let copies = applied.map(|applied| applied.copies().iter().map(|&copies| copies.into()));
            let mut choices: Vec<u32> = copies.map_or_else(|| vec![1], Iterator::collect);
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
        let stage = |declared, side| StageRules { declared, regions: &self.regions, side, budgeted: self.budgeted };
        let (send, receive) = (self.send.as_ref(), self.receive.as_ref());
        match receive {
            Some(_) if send.is_some() => (stage(send, Side::Send), Some(stage(receive, Side::Receive))),
            Some(_) => (stage(receive, Side::Receive), None),
            None => (stage(send, Side::Send), None),
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

/// The rules of one stage. The parameter `perturbed` is always that of the packet in question: a packet that is not
/// perturbed has `M = {1}`.
#[derive(Clone, Copy, Debug)]
pub(super) struct StageRules<'a> {
    /// `None`: the channel is reliable but for the packets of regions.
    declared: Option<&'a Perturbation>,
    regions: &'a [Perturbation],
    pub(super) side: Side,
    pub(super) budgeted: bool,
}

impl StageRules<'_> {
    /// The multiplication choices `M` of a packet, in the order of exploration.
    fn copies(&self, perturbed: Perturbed) -> &[u8] {
        match (perturbed, self.declared) {
            (Perturbed::InRegion(number), _) => self.regions[usize::from(number)].copies(),
            (Perturbed::AsDeclared, Some(declared)) => declared.copies(),
            (Perturbed::AsDeclared, None) | (Perturbed::No, _) => &[1],
        }
    }

    /// The capacity `c` that bounds how many earlier packets a packet overtakes.
    pub(super) fn window(&self, perturbed: Perturbed) -> usize {
        match perturbed {
            Perturbed::InRegion(number) => self.regions[usize::from(number)].window(),
            Perturbed::AsDeclared | Perturbed::No => self.declared_window(),
        }
    }

    /// The capacity `c` of the packets that belong to no region.
    pub(super) fn declared_window(&self) -> usize {
        self.declared.map_or(1, Perturbation::window)
    }

    /// The largest capacity `c` that a packet can have.
    pub(super) fn window_max(&self) -> usize {
        self.regions.iter().map(Perturbation::window).fold(self.declared_window(), usize::max)
    }

    /// Whether `count` may be the final number of a packet's arrivals.
    pub(super) fn allows(&self, perturbed: Perturbed, count: u8) -> bool {
        self.copies(perturbed).contains(&count) || (self.is_free(perturbed) && count == 1)
    }

    /// The most often that a packet may arrive: `max(M)`.
    pub(super) fn copies_max(&self, perturbed: Perturbed) -> u8 {
        let declared = self.copies(perturbed).iter().copied().max().unwrap_or(1);
        if self.is_free(perturbed) { declared.max(1) } else { declared }
    }

    /// Whether a packet may arrive once whatever `M` is, because the number of faults is limited.
    fn is_free(&self, perturbed: Perturbed) -> bool {
        self.budgeted && perturbed != Perturbed::No
    }

    /// The smallest element of `M` that is at least `count`. There is one as long as `count <= copies_max`.
    pub(super) fn next_allowed(&self, perturbed: Perturbed, count: u8) -> u8 {
        (count..=self.copies_max(perturbed))
            .find(|&later| self.allows(perturbed, later))
            .expect("a packet never arrives more often than max(M)")
    }

    /// Whether packets that are perturbed as declared may be lost.
    pub(super) fn loses(&self) -> bool {
        self.copies(Perturbed::AsDeclared).contains(&0)
    }

    /// The position of `count` in the `M` of a packet, which is its rank in the order of exploration. A single arrival
    /// that only the budget allows comes last.
    pub(super) fn preference(&self, perturbed: Perturbed, count: u8) -> u8 {
        let copies = self.copies(perturbed);
        let index = copies.iter().position(|&choice| choice == count);
        u8::try_from(index.unwrap_or(copies.len())).unwrap_or(u8::MAX)
    }
}
