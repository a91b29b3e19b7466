//! `Link::covers`, against what can come out of a channel by the definitions.
//!
//! The oracle knows a channel by one history of sends and arrivals that leads to it, and tries every way to go on:
//! up to two more sends, and arrivals at any time, such that in the end all that arrived is a delivery of all that
//! was sent by the text of Definitions 3 and 4. It shares no code with the model, which is asked only which
//! histories there are. Covering has to imply that all that can come out of the one channel can come out of the
//! other; how often it could be said besides is counted.

use std::collections::{BTreeMap, BTreeSet};

use netcheck_models::udp::{Link, LinkRules, Perturbation};

const UNBOUNDED: usize = usize::MAX;

/// A packet that was sent.
#[derive(Clone, Copy, Debug)]
struct Sent {
    content: u32,
    perturbed: bool,
}

/// An event on a channel, seen from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Send { content: u32, perturbed: bool },
    Arrive { content: u32 },
}

/// The packets that were sent so far, and those that arrived, as indexes.
#[derive(Clone, Debug, Default)]
struct History {
    sent: Vec<Sent>,
    arrived: Vec<usize>,
}

impl History {
    fn count(&self, packet: usize) -> usize {
        self.arrived.iter().filter(|&&arrived| arrived == packet).count()
    }

    /// Definition 3: of what arrives after a packet, fewer than `window` were sent before it.
    fn is_capacity_bounded(&self, window: usize) -> bool {
        (0..self.arrived.len()).all(|at| {
            let late: BTreeSet<usize> =
                self.arrived[at..].iter().copied().filter(|&packet| packet < self.arrived[at]).collect();
            late.len() < window
        })
    }

    /// Definition 4 so far: nothing arrived too often, and nothing before an earlier unperturbed packet.
    fn is_multiplication_bounded(&self, copies: &[usize]) -> bool {
        let most = |sent: &Sent| if sent.perturbed { copies.iter().copied().max().unwrap() } else { 1 };
        (0..self.sent.len()).all(|packet| self.count(packet) <= most(&self.sent[packet]))
            && (0..self.arrived.len()).all(|at| {
                let missing = |earlier: usize| !self.arrived[..at].contains(&earlier);
                (0..self.arrived[at]).all(|earlier| self.sent[earlier].perturbed || !missing(earlier))
            })
    }

    /// Definition 4 in the end.
    fn is_complete(&self, copies: &[usize]) -> bool {
        let allowed = |sent: &Sent, count: usize| if sent.perturbed { copies.contains(&count) } else { count == 1 };
        (0..self.sent.len()).all(|packet| allowed(&self.sent[packet], self.count(packet)))
    }

    /// Adds all ways to go on with so many more sends to `language`.
    fn continuations(
        &self,
        sends: usize,
        copies: &[usize],
        window: usize,
        so_far: &mut Vec<Event>,
        language: &mut BTreeSet<Vec<Event>>,
    ) {
        if self.is_complete(copies) {
            language.insert(so_far.clone());
        }
        let mut go_on = |next: &History, sends: usize, event: Event| {
            so_far.push(event);
            next.continuations(sends, copies, window, so_far, language);
            so_far.pop();
        };
        for perturbed in [true, false] {
            // Contents that were not sent before tell most.
            if sends > 0 {
                let content = 10 + sends as u32;
                let mut next = self.clone();
                next.sent.push(Sent { content, perturbed });
                go_on(&next, sends - 1, Event::Send { content, perturbed });
            }
        }
        for packet in 0..self.sent.len() {
            let mut next = self.clone();
            next.arrived.push(packet);
            if next.is_multiplication_bounded(copies) && next.is_capacity_bounded(window) {
                go_on(&next, sends, Event::Arrive { content: self.sent[packet].content });
            }
        }
    }
}

/// Every channel that some sends of contents 1, 2, and 3, which is not perturbed, and arrivals lead to, with one history.
fn channels(rules: &LinkRules, sends: usize) -> BTreeMap<Link, History> {
    let mut found = BTreeMap::new();
    let mut met = BTreeSet::new();
    // Numbered by packet, so that it is known which one arrives.
    let mut open = vec![(Link::default(), History::default())];
    while let Some((link, history)) = open.pop() {
        let contents: Vec<(u32, bool)> = history.sent.iter().map(|sent| (sent.content, sent.perturbed)).collect();
        if !met.insert((link.clone(), contents)) {
            continue;
        }
        for delivery in link.deliveries(rules) {
            let mut history = history.clone();
            history.arrived.push(delivery.packet as usize);
            open.push((delivery.link, history));
        }
        if history.sent.len() < sends {
            for (content, perturbed) in [(1, true), (2, true), (3, false)] {
                let mut history = history.clone();
                let number = history.sent.len() as u32;
                history.sent.push(Sent { content, perturbed });
                open.push((link.dispatch(number, perturbed, false), history));
            }
        }
        found.entry(link.renumbered(|number| history.sent[number as usize].content)).or_insert(history);
    }
    found
}

/// How many pairs of different channels cover each other, and for how many more it would be right.
fn covered_and_missed(copies: &[usize], window: usize, sent: usize, sends: usize) -> (usize, usize) {
    let send = Some(Perturbation::new(copies.iter().copied(), window));
    let rules = LinkRules { send, ..LinkRules::default() };
    let mut languages = Vec::new();
    for (link, history) in channels(&rules, sent) {
        let mut language = BTreeSet::new();
        history.continuations(sends, copies, window, &mut Vec::new(), &mut language);
        languages.push((link, language));
    }
    let (mut covered, mut missed) = (0, 0);
    for (more, of_more) in &languages {
        for (less, of_less) in languages.iter().filter(|(less, _)| less != more) {
            let is_superset = of_less.is_subset(of_more);
            if more.covers(less, &rules) {
                assert!(is_superset, "{more:?} covers {less:?} under {rules:?}");
                covered += 1;
            } else {
                missed += usize::from(is_superset);
            }
        }
    }
    (covered, missed)
}

/// For each window, of the channels after so many sends.
fn assert_covered_and_missed(copies: &[usize], sent: usize, sends: usize, expected: &[(usize, (usize, usize))]) {
    let counted: Vec<(usize, (usize, usize))> =
        expected.iter().map(|&(window, _)| (window, covered_and_missed(copies, window, sent, sends))).collect();
    assert_eq!(counted, expected, "M = {copies:?}, {sent} sends and {sends} more");
}

/// Equal packets are missed of which not all may still arrive, because of a barrier: fewer could do for them.
#[test]
fn with_loss_what_is_covered_can_come_out_of_the_covering_channel() {
    assert_covered_and_missed(&[0, 1], 3, 2, &[(1, (92, 0)), (2, (158, 28)), (3, (148, 0)), (UNBOUNDED, (148, 0))]);
}

#[test]
fn with_loss_and_duplication_what_is_covered_can_come_out_of_the_covering_channel() {
    assert_covered_and_missed(&[0, 1, 2], 2, 2, &[(1, (48, 0)), (2, (112, 10)), (UNBOUNDED, (112, 12))]);
    assert_covered_and_missed(&[0, 1, 2], 3, 1, &[(1, (268, 0))]);
}

#[test]
fn where_every_copy_is_lost_or_none_what_is_covered_can_come_out_of_the_covering_channel() {
    assert_covered_and_missed(&[0, 2], 2, 2, &[(1, (20, 0)), (2, (38, 8)), (UNBOUNDED, (38, 8))]);
    assert_covered_and_missed(&[0, 2], 3, 1, &[(1, (124, 0))]);
}

#[test]
fn without_loss_what_is_covered_can_come_out_of_the_covering_channel() {
    assert_covered_and_missed(&[1, 2], 2, 2, &[(1, (8, 0)), (2, (36, 0)), (UNBOUNDED, (36, 2))]);
    assert_covered_and_missed(&[1], 3, 2, &[(1, (0, 0)), (2, (16, 12)), (3, (44, 0)), (UNBOUNDED, (44, 0))]);
}
