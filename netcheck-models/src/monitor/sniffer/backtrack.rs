//! Algorithm 2 of the paper: a search in depth that tries rules before empty and self transitions, and leaves prefixes
//! that the heuristics call unlikely.
//!
//! What was tried from a configuration in vain is not tried again from one within it at the same packet, if no fewer
//! packets were missed before it, counted in each number of packets in a row: whatever follows, it is no more likely.
//!
//! The paper has a packet take some air time, so that few are missed between two. Here packets may have equal instants;
//! instead, a guess that leads back to a configuration since the last packet is not made, as the mutation without it
//! has fewer guesses.

use super::declared::NumMissing;
use super::moves::{Augmented, Symbolic};
use super::step::{Guess, Place, Step};
use super::zone::Zone;
use crate::monitor::trace::Trace;
use std::collections::{BTreeMap, VecDeque};

/// Configurations without a future that are kept for one place after one packet, the latest ones: to look through many
/// would take longer than to try again.
const FAILED_MAX: usize = 16;

/// What limits the search.
pub(super) struct Limits<'a, E> {
    pub(super) num_missing: &'a [NumMissing<E>],
    pub(super) go_back: Option<usize>,
    pub(super) extensions_max: usize,
}

/// What the search has found.
pub(super) enum Found<E> {
    Steps(Vec<Step<E>>),
    /// Nothing within the heuristics, and the furthest packet, counted from 0, that was not explained.
    Nothing(usize),
    /// The limit of extensions was reached.
    GaveUp,
}

/// A call of the paper's EXTEND: the prefix that led to it ends with `step`.
struct Frame<E> {
    here: Symbolic,
    step: Option<Step<E>>,
    /// How many packets of the sniffer's trace are consumed.
    consumed: usize,
    /// What is still to be tried, the next one last.
    left: Vec<(Symbolic, Step<E>)>,
    missing: Missing,
    /// Whether a heuristic has left a prefix that begins with this one.
    is_cut: bool,
}

/// For each heuristic `NumMissing`: how many of the last packet, of the last two, and so on, were missed.
#[derive(Clone, Default)]
struct Missing(Vec<Vec<u16>>);

impl Missing {
    /// Whether nowhere more packets were missed than there.
    fn is_at_most(&self, other: &Missing) -> bool {
        let no_more = |one: &Vec<u16>, other: &Vec<u16>| {
            // Beyond the shorter prefix, all packets are counted.
            let last = |counts: &[u16], at: usize| counts.get(at).or(counts.last()).copied().unwrap_or(0);
            (0..one.len().max(other.len())).all(|at| last(one, at) <= last(other, at))
        };
        self.0.iter().zip(&other.0).all(|(one, other)| no_more(one, other))
    }

    /// After one more packet of the mutation; `is_missed` by heuristic.
    fn then(&self, is_missed: impl Fn(usize) -> bool, lengths: impl Iterator<Item = usize>) -> Missing {
        let after = lengths.enumerate().map(|(limit, length)| {
            let before = self.0.get(limit).map_or(&[][..], Vec::as_slice);
            let new = u16::from(is_missed(limit));
            let counts = [0].iter().chain(before).map(|count| count + new);
            counts.take(length).collect()
        });
        Missing(after.collect())
    }
}

/// Configurations from which nothing is found, by the packets that are consumed.
#[derive(Default)]
struct Failed(BTreeMap<usize, BTreeMap<Place, VecDeque<(Zone, Missing)>>>);

impl Failed {
    /// Whether nothing is found from there; if so, whether a heuristic took part in that.
    fn includes(&self, consumed: usize, here: &Symbolic, missing: &Missing) -> Option<bool> {
        let known = self.0.get(&consumed)?.get(&here.place)?;
        let found = known.iter().find(|(zone, fewer)| zone.includes(&here.zone) && fewer.is_at_most(missing));
        found.map(|(_, fewer)| !fewer.0.is_empty())
    }

    fn add(&mut self, consumed: usize, here: Symbolic, missing: Missing) {
        let known = self.0.entry(consumed).or_default().entry(here.place).or_default();
        if known.len() == FAILED_MAX {
            known.pop_front();
        }
        known.push_back((here.zone, missing));
    }

    /// Forgets what the search does not come back to.
    fn keep_from(&mut self, consumed: usize) {
        while self.0.first_key_value().is_some_and(|(first, _)| *first < consumed) {
            self.0.pop_first();
        }
    }
}

pub(super) fn search<E: Clone>(mut augmented: Augmented<'_, E>, trace: &Trace<E>, limits: &Limits<'_, E>) -> Found<E> {
    let initial = augmented.initial();
    let (mut furthest, mut extensions) = (0_usize, 0);
    let mut calls: Vec<Frame<E>> = Vec::new();
    let mut entered = Some((initial, None, 0, Missing::default()));
    let mut failed = Failed::default();
    loop {
        if let Some((here, step, consumed, missing)) = entered.take() {
            extensions += 1;
            if extensions > limits.extensions_max {
                return Found::GaveUp;
            }
            if consumed > furthest {
                furthest = consumed;
                failed.keep_from(limits.go_back.map_or(0, |most| furthest.saturating_sub(most)));
            }
            let gap_ns = gap_ns(trace, consumed);
            let ends = consumed == trace.packets.len() && augmented.may_end(&here, gap_ns);
            let left = if ends { Vec::new() } else { extensions_of(&mut augmented, trace, &calls, &here, consumed) };
            calls.push(Frame { here, step, consumed, left, missing, is_cut: false });
            if ends {
                return Found::Steps(calls.into_iter().filter_map(|call| call.step).collect());
            }
        }
        let Some(call) = calls.last_mut() else { return Found::Nothing(furthest) };
        let too_far_back = limits.go_back.is_some_and(|most| call.consumed + most < furthest);
        let next = if too_far_back { None } else { call.left.pop() };
        let Some((here, step)) = next else {
            if let Some(Frame { here, consumed, missing, is_cut, .. }) = calls.pop() {
                if let Some(before) = calls.last_mut() {
                    before.is_cut |= is_cut;
                }
                // Where no heuristic took part, what was missed before makes no difference.
                failed.add(consumed, here, if is_cut { missing } else { Missing::default() });
            }
            continue;
        };
        let consumed = call.consumed + usize::from(step.guess != Guess::Missed);
        let missing = missing_after(&call.missing, &step, limits);
        match failed.includes(consumed, &here, &missing) {
            Some(by_heuristic) => call.is_cut |= by_heuristic,
            None if is_likely(&missing, limits) => entered = Some((here, Some(step), consumed, missing)),
            None => call.is_cut = true,
        }
    }
}

/// The time from the last consumed packet to the next one, or to the end.
fn gap_ns<E>(trace: &Trace<E>, consumed: usize) -> u64 {
    let last = consumed.checked_sub(1).map_or(trace.start_ns, |last| trace.packets[last].0);
    trace.packets.get(consumed).map_or(trace.end_ns, |(at, _)| *at) - last
}

/// All extensions, in the reverse of the order in which they are tried: types 0, 1 and 2.
fn extensions_of<E: Clone>(
    augmented: &mut Augmented<'_, E>,
    trace: &Trace<E>,
    calls: &[Frame<E>],
    here: &Symbolic,
    consumed: usize,
) -> Vec<(Symbolic, Step<E>)> {
    let gap_ns = gap_ns(trace, consumed);
    let heard = trace.packets.get(consumed).map(|(_, event)| augmented.heard(here, (consumed, event), gap_ns));
    let (kept, extra): (Vec<_>, Vec<_>) = heard.into_iter().flatten().partition(|(_, step)| step.guess != Guess::Extra);
    let since_packet = || calls.iter().rev().take_while(|call| call.consumed == consumed).map(|call| &call.here);
    let mut missed = Vec::new();
    augmented.missed(here, gap_ns, |next, step| {
        if !here.includes(&next) && !since_packet().any(|before| before.includes(&next)) {
            missed.push((next, step));
        }
    });
    kept.into_iter().chain(missed).chain(extra).rev().collect()
}

/// How many packets were missed by then.
fn missing_after<E>(before: &Missing, step: &Step<E>, limits: &Limits<'_, E>) -> Missing {
    if step.guess == Guess::Extra {
        return before.clone();
    }
    let missed = step.event().filter(|_| step.guess == Guess::Missed);
    let is_missed = |limit: usize| missed.is_some_and(|event| (limits.num_missing[limit].from_device)(event));
    before.then(is_missed, limits.num_missing.iter().map(|limit| limit.length))
}

/// The paper's `likely`: in each window of `length` packets of the mutation at most `most` are guesses from a device.
/// Only the windows that end with the new packet are new.
fn is_likely<E>(missing: &Missing, limits: &Limits<'_, E>) -> bool {
    let counts = missing.0.iter().map(|counts| usize::from(counts.last().copied().unwrap_or(0)));
    counts.zip(limits.num_missing).all(|(count, limit)| count <= limit.most)
}
