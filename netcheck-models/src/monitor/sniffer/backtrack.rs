//! Algorithm 2 of the paper: a search in depth along the transitions of the augmented automaton that leaves prefixes
//! which the heuristics call unlikely.
//!
//! The paper tries rules before empty and self transitions, so that the mutation which it finds first has many packets
//! of the sniffer. Here the extensions are tried in the order of the fewest guesses with which the end can be reached
//! over them ([`Ahead`]), and in the paper's order where these numbers are equal. Where a retransmission follows an
//! acknowledgment, for example, the paper's order first guesses packets after the acknowledgment, one exchange after
//! the other; the order by guesses first drops the acknowledgment, which the device missed. Extensions from which the
//! end cannot be reached at all are not tried.
//!
//! A configuration that failed is not tried again. Write `(z, m)` for a configuration `z` with the numbers `m` of
//! missed packets in the last 1, 2, … packets of its prefix, and say that `(z, m)` covers `(y, n)` if `z` includes `y`
//! and no number in `m` is greater than that in `n`. Then each completion of `(y, n)` is one of `(z, m)`: the steps are
//! possible, and no window has more missed packets. The search leaves out an extension that is covered by a call which
//! failed before, or by a call since the last packet that is still open. That loses no mutation, as this holds
//! throughout: if a failed call has a completion, some open call has a shorter one. When a call fails, take its
//! shortest completion, and the extension with which that begins. The extension failed, or is covered by a failed call;
//! then, by induction, some open call has a completion shorter than the rest of it. Or it is covered by an open call,
//! which has the rest of it as a completion. The open call is not the one that fails, which has no completion so short.
//! At the end no call is open, so no failed call has a completion, and the first call is among them. Calls that failed
//! without a heuristic are kept without numbers, as they cover configurations with any. `GoBack` is the exception: it
//! takes back calls that were not tried to the end, and never comes to their packets again.

use super::ahead::{Ahead, Passed};
use super::declared::NumMissing;
use super::moves::{Augmented, Symbolic};
use super::step::{Guess, Place, Step};
use super::zone::Zone;
use crate::monitor::trace::Trace;
use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

/// Configurations without a future that are kept for one place after one packet, the latest ones: to look through many
/// would take longer than to try again.
const FAILED_MAX: usize = 16;

/// The limits of the search.
pub(super) struct Limits<'a, E> {
    pub(super) num_missing: &'a [NumMissing<E>],
    pub(super) go_back: Option<usize>,
    pub(super) extensions_max: usize,
}

/// The result of the search.
pub(super) enum Found<E> {
    Steps(Vec<Step<E>>),
    /// No mutation at all, whatever the heuristics, and the packet, counted from 0, that none explains.
    Never(usize),
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
    /// Steps that are still to be tried, the next one last.
    left: Vec<(Symbolic, Step<E>)>,
    missing: Missing,
    /// Whether a heuristic has taken part in leaving a prefix that begins with this one.
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
    let ahead = match Ahead::of(&mut augmented, trace, limits.extensions_max) {
        Passed::Ahead(ahead) => Some(ahead),
        Passed::Nothing(packet) => return Found::Never(packet),
        Passed::TooMany => None,
    };
    let ahead = ahead.as_ref();
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
            let left = if ends { Vec::new() } else { extensions_of(&mut augmented, trace, ahead, &here, consumed) };
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
        let failed_by_heuristic = failed.includes(consumed, &here, &missing);
        let is_open = || is_open(&calls, consumed, &here, &missing);
        let cut = match failed_by_heuristic {
            Some(by_heuristic) => by_heuristic,
            None if !is_likely(&missing, limits) => true,
            // A heuristic may still end the open call.
            None if is_open() => !limits.num_missing.is_empty(),
            None => {
                entered = Some((here, Some(step), consumed, missing));
                false
            }
        };
        if let Some(call) = calls.last_mut() {
            call.is_cut |= cut;
        }
    }
}

/// Whether a call since the last packet that is still open covers this configuration.
fn is_open<E>(calls: &[Frame<E>], consumed: usize, here: &Symbolic, missing: &Missing) -> bool {
    let mut since_packet = calls.iter().rev().take_while(|call| call.consumed == consumed);
    since_packet.any(|call| call.here.includes(here) && call.missing.is_at_most(missing))
}

/// The time from the last consumed packet to the next one, or to the end.
fn gap_ns<E>(trace: &Trace<E>, consumed: usize) -> u64 {
    let last = consumed.checked_sub(1).map_or(trace.start_ns, |last| trace.packets[last].0);
    trace.packets.get(consumed).map_or(trace.end_ns, |(at, _)| *at) - last
}

/// All extensions from which the end may be reached, in the reverse of the order in which they are tried: those with
/// the fewest guesses first, and of those types 0, 1 and 2.
fn extensions_of<E: Clone>(
    augmented: &mut Augmented<'_, E>,
    trace: &Trace<E>,
    ahead: Option<&Ahead>,
    here: &Symbolic,
    consumed: usize,
) -> Vec<(Symbolic, Step<E>)> {
    let gap_ns = gap_ns(trace, consumed);
    let heard = trace.packets.get(consumed).map(|(_, event)| augmented.heard(here, (consumed, event), gap_ns));
    let (kept, extra): (Vec<_>, Vec<_>) = heard.into_iter().flatten().partition(|(_, step)| step.guess != Guess::Extra);
    let mut missed = Vec::new();
    augmented.missed(here, gap_ns, |next, step| missed.push((next, step)));
    let all = kept.into_iter().chain(missed).chain(extra).rev();
    let Some(ahead) = ahead else { return all.collect() };
    let with_guesses = all.filter_map(|(next, step)| {
        let after = consumed + usize::from(step.guess != Guess::Missed);
        Some((ahead.guesses(after, &next)? + step.guesses(), (next, step)))
    });
    let mut ordered: Vec<_> = with_guesses.collect();
    ordered.sort_by_key(|(guesses, _)| Reverse(*guesses));
    ordered.into_iter().map(|(_, extension)| extension).collect()
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
