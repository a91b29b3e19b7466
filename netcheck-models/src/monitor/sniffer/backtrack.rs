//! Algorithm 2 of the paper: a search in depth that tries rules before empty and self transitions, and leaves prefixes
//! that the heuristics call unlikely.
//!
//! The paper has a packet take some air time, so that few are missed between two. Here packets may have equal instants;
//! instead, a guess that leads back to a configuration since the last packet is not made, as the mutation without it
//! has fewer guesses.

use super::declared::NumMissing;
use super::moves::{Augmented, Symbolic};
use super::mutation::{Guess, Step};
use crate::monitor::trace::Trace;

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
}

pub(super) fn search<E: Clone>(mut augmented: Augmented<'_, E>, trace: &Trace<E>, limits: &Limits<'_, E>) -> Found<E> {
    let initial = augmented.initial();
    let (mut furthest, mut extensions) = (0, 0);
    let mut calls: Vec<Frame<E>> = Vec::new();
    let mut entered = Some((initial, None, 0));
    loop {
        if let Some((here, step, consumed)) = entered.take() {
            extensions += 1;
            if extensions > limits.extensions_max {
                return Found::GaveUp;
            }
            furthest = consumed.max(furthest);
            let gap_ns = gap_ns(trace, consumed);
            let ends = consumed == trace.packets.len() && augmented.may_end(&here, gap_ns);
            let left = if ends { Vec::new() } else { extensions_of(&mut augmented, trace, &calls, &here, consumed) };
            calls.push(Frame { here, step, consumed, left });
            if ends {
                return Found::Steps(calls.into_iter().filter_map(|call| call.step).collect());
            }
        }
        let Some(call) = calls.last_mut() else { return Found::Nothing(furthest) };
        let too_far_back = limits.go_back.is_some_and(|most| call.consumed + most < furthest);
        let next = if too_far_back { None } else { call.left.pop() };
        let Some((here, step)) = next else {
            calls.pop();
            continue;
        };
        let consumed = call.consumed + usize::from(step.guess != Guess::Missed);
        if is_likely(&calls, &step, limits) {
            entered = Some((here, Some(step), consumed));
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
    let heard = trace.packets.get(consumed).map(|(_, event)| augmented.heard(here, event, gap_ns));
    let (kept, extra): (Vec<_>, Vec<_>) = heard.into_iter().flatten().partition(|(_, step)| step.guess != Guess::Extra);
    let since_packet = || calls.iter().rev().take_while(|call| call.consumed == consumed).map(|call| &call.here);
    let mut missed = augmented.missed(here, gap_ns);
    missed.retain(|(next, _)| !here.includes(next) && !since_packet().any(|before| before.includes(next)));
    kept.into_iter().chain(missed).chain(extra).rev().collect()
}

/// The paper's `likely`: in each window of `length` packets of the mutation at most `most` are guesses from a device.
/// Only the windows that end with the new packet are new.
fn is_likely<E>(calls: &[Frame<E>], step: &Step<E>, limits: &Limits<'_, E>) -> bool {
    if step.guess != Guess::Missed {
        return true;
    }
    limits.num_missing.iter().all(|limit| {
        let before = calls.iter().rev().filter_map(|call| call.step.as_ref());
        let kept = [step].into_iter().chain(before).filter(|step| step.guess != Guess::Extra);
        let window = kept.take(limit.length);
        let missing = window.filter(|step| step.event.as_ref().is_some_and(|event| (limit.from_device)(event)));
        missing.count() <= limit.most
    })
}
